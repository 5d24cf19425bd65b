"""IncrementalRidge: every method and form against the normal equations."""

import copy
import pickle
import sys
from fractions import Fraction

import numpy as np
import pytest

from blskernel import BroadLearningRegressor, FormatError, IncrementalRidge, NotFittedError, NumericError, UnsupportedError, _native, load
from blskernel._options import shown

METHODS = ["gram", "qr", "ridge_inverse", "inverse_cholesky", "improved", "original"]
FORMS = [None, "auto", "paper", "small", "large", "compressed"]
PSEUDO = ("improved", "original")


def data(rows=80, nodes=6, targets=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, nodes)), rng.normal(size=(rows, targets))


def solution(a, y, lambda_=0.0, w=None):
    w = np.ones(len(a)) if w is None else w
    return np.linalg.solve((a.T * w) @ a + lambda_ * np.eye(a.shape[1]), (a.T * w) @ y)


def close(ridge, want, tolerance=1e-9):
    np.testing.assert_allclose(ridge.weights(), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", FORMS)
def test_life(method, form):
    """Rows, weights, nodes, removal and forgetting end in the solution for what is left."""
    a, y = data()
    lambda_ = 0.0 if method in PSEUDO else 0.3
    ridge = IncrementalRidge(method, lambda_, form=form)
    ridge.add(a[:30], y[:30])
    for i in range(30, 80, 10):
        ridge.add(a[i : i + 10], y[i : i + 10])
    close(ridge, solution(a, y, lambda_))
    ridge.remove(a[5:10], y[5:10])
    kept = np.r_[0:5, 10:80]
    close(ridge, solution(a[kept], y[kept], lambda_))
    h = data(80, 3, 1, seed=1)[0]
    ridge.add_nodes(a[kept], h[kept], y[kept])
    both = np.hstack([a, h])
    close(ridge, solution(both[kept], y[kept], lambda_))
    close(ridge.forget(0.25), solution(both[kept], y[kept], lambda_))
    ridge.add(both[:20], y[:20])
    w = np.r_[np.full(75, 0.25), np.ones(20)]
    rows = np.r_[kept, 0:20]
    close(ridge, solution(both[rows], y[rows], lambda_ / 4, w))
    assert (ridge.n_samples_, ridge.n_nodes_, ridge.n_targets_) == (95, 9, 2)


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_rows(method):
    a, y = data()
    w = np.random.default_rng(3).uniform(0.1, 3, size=80)
    lambda_ = 0.0 if method in PSEUDO else 0.3
    ridge = IncrementalRidge(method, lambda_).add(a[:40], y[:40], w[:40]).add(a[40:], y[40:], w[40:])
    close(ridge, solution(a, y, lambda_, w))
    ridge.remove(a[70:], y[70:], w[70:])
    close(ridge, solution(a[:70], y[:70], lambda_, w[:70]))
    if method == "gram":
        close(ridge.forget(0.5).refine(a[:70], y[:70], w[:70] / 2), solution(a[:70], y[:70], lambda_, w[:70]), 1e-12)


@pytest.mark.parametrize("method", ["gram", "qr"])
def test_merge_and_lambda(method):
    a, y = data()
    one, two = IncrementalRidge(method, 0.5).add(a[:50], y[:50]), IncrementalRidge(method, 0.0).add(a[50:], y[50:])
    close(one.merge(two), solution(a, y, 0.5))
    close(one.set_lambda(2.0), solution(a, y, 2.0))
    assert one.lambda_ == 2 and two.n_samples_ == 30
    with pytest.raises(ValueError):
        one.merge(one)
    for other in (None, IncrementalRidge("ridge_inverse" if method == "gram" else "gram").add(a, y), BroadLearningRegressor().fit(a, y)):
        with pytest.raises(ValueError):
            one.merge(other)


@pytest.mark.parametrize("method", METHODS)
def test_targets(method):
    a, y = data()
    t = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]])
    lambda_ = 0.0 if method in PSEUDO else 0.3
    close(IncrementalRidge(method, lambda_).add(a, y).map_targets(t), solution(a, y @ t, lambda_))
    close(IncrementalRidge(method, lambda_).add(a, y).add_targets(t), solution(a, np.hstack([y, y @ t]), lambda_))


@pytest.mark.parametrize("method", METHODS)
def test_files(method, tmp_path):
    """What is saved, pickled or copied goes on to the last bit."""
    a, y = data()
    ridge = IncrementalRidge(method, 0.0 if method in ("improved", "original") else np.float32(1), workspace=np.int64(9)).add(a[:60], y[:60]).forget(0.5)
    ridge.save(tmp_path / "state")
    others = [IncrementalRidge.load(tmp_path / "state"), pickle.loads(pickle.dumps(ridge)), copy.deepcopy(ridge)]
    want = ridge.add(a[60:], y[60:]).weights().tobytes()
    for other in others:
        assert other.add(a[60:], y[60:]).weights().tobytes() == want and other.get_params() == ridge.get_params()
    for magic, why in ((b"blsridg3", "cut off"), (b"blsridge", "another version"), (b"blsridgi", "another version"), (b"", "not the state")):
        (tmp_path / "state").write_bytes(magic)
        with pytest.raises(FormatError, match=why):
            IncrementalRidge.load(tmp_path / "state")
    with pytest.raises(FileNotFoundError):
        IncrementalRidge.load(tmp_path / "nothing")


@pytest.mark.parametrize("lambda_", [Fraction(1, 2), np.longdouble(0.5)])
def test_pickle_with_other_numbers(lambda_):
    ridge = IncrementalRidge("gram", lambda_, fit_intercept=np.True_).add([[1.0], [2.0]], [1.0, 3.0])
    assert pickle.loads(pickle.dumps(ridge)).get_params() == ridge.get_params()


def test_pickle_before_the_first_rows():
    ridge = pickle.loads(pickle.dumps(IncrementalRidge("improved", 0.0, form="small", c="check", workspace=-1)))
    assert repr(ridge) == "IncrementalRidge(method='improved', lambda_=0.0)"
    assert ridge.attributes()["options"]["Form"] == 2 and ridge.attributes()["options"]["C"] == 2


def test_pickle_after_all_rows_are_removed():
    r = IncrementalRidge(lambda_=1.0).add(np.eye(2), [1.0, 2.0]).set_lambda(5.0).remove(np.eye(2), [1.0, 2.0])
    assert copy.deepcopy(r).lambda_ == 5.0 and copy.deepcopy(r).n_nodes_ == 2
    for match, act in [("X has NaN", lambda: r.predict([[np.nan, 0]])), ("before the first rows", lambda: r.set_params(form="small"))]:
        with pytest.raises(ValueError, match=match):
            act()


def test_extras():
    a, y = data()
    gram, inverse = IncrementalRidge("gram", 0).add(a, y), IncrementalRidge("ridge_inverse", 0).add(a, y)
    close(gram.refine(a, y), solution(a, y), 1e-12)
    np.testing.assert_allclose(inverse.leverage(a).sum(), 6, rtol=1e-9)
    np.testing.assert_allclose(gram.predict(a), a @ solution(a, y), atol=1e-9)
    assert gram.condition()["instead"] == "gram" and 12 < gram.condition()["digits"] <= 16
    assert inverse.attributes()["last"]["added"] == 80
    with pytest.raises(UnsupportedError, match="does not support refine; start the model with gram"):
        inverse.refine(a, y)
    np.testing.assert_allclose(gram.leverage(a), inverse.leverage(a), rtol=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
def test_rebuild(intercept):
    """An outlier that cannot be removed leaves by rebuild, which the error names."""
    a, y = data()
    far, weights = np.vstack([a, 1e6 * a[:1]]), np.linspace(0.5, 2, 80)
    ridge = IncrementalRidge("qr", 0.0, fit_intercept=intercept).add(far, np.vstack([y, y[:1]]))
    with pytest.raises(NumericError, match="call rebuild .in the estimators: refit. with the rows that remain"):
        ridge.remove(far[80:], y[:1])
    assert ridge.rebuild(a, y, weights).n_samples_ == 80 and ridge.condition()["digits"] > 12
    want = IncrementalRidge("qr", 0.0, fit_intercept=intercept).add(a, y, weights)
    assert np.array_equal(ridge.weights(), want.weights()) and np.array_equal(ridge.intercept_, want.intercept_)
    with pytest.raises(ValueError, match="6"):
        ridge.rebuild(a[:, :5], y)
    assert ridge.n_samples_ == 80


@pytest.mark.parametrize("method", METHODS)
def test_failures_change_nothing(method):
    a, y = data()
    ridge = IncrementalRidge(method, 0.0).add(a, y)
    before = pickle.dumps(ridge)
    bad = a.copy()
    bad[3, 3] = np.nan
    for act in [
        lambda: ridge.add(a[:, :5], y),
        lambda: ridge.add(a, y[:5]),
        lambda: ridge.add(bad, y),
        lambda: ridge.add(a, y, -np.ones(80)),
        lambda: ridge.add(a, y, np.ones(79)),
        lambda: ridge.add(a, y, np.ones((80, 2))),
        lambda: ridge.add(a, y[:, :1]),
        lambda: ridge.forget(0),
        lambda: ridge.forget(1.5),
        lambda: ridge.add_nodes(a[:5], a[:5], y[:5]),
        lambda: ridge.remove(a, y),
        lambda: ridge.add_targets(np.ones((3, 1))),
    ]:
        with pytest.raises((ValueError, NumericError)):
            act()
    assert pickle.dumps(ridge) == before


def test_before_the_first_rows():
    ridge = IncrementalRidge("qr", 0.0)
    for act in [ridge.weights, ridge.condition, lambda: ridge.forget(0.5), lambda: ridge.set_lambda(1.0), lambda: ridge.remove([[1.0]], [1.0]), lambda: ridge.rebuild([[1.0]], [1.0])]:
        with pytest.raises((NotFittedError, ValueError)):
            act()


@pytest.mark.parametrize(
    "bad",
    [{"method": "magic"}, {"method": None}, {"lambda_": -1}, {"lambda_": np.nan}, {"fit_intercept": 1}, {"form": "tiny"}, {"c": 3}, {"workspace": "big"}],
)
def test_bad_parameters(bad):
    with pytest.raises(ValueError):
        IncrementalRidge(**bad)


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**5000, np.nan, -np.inf], ids=shown)
def test_numbers_beyond_float64(value):
    ridge = IncrementalRidge().add(np.eye(2), [1.0, 2.0])
    for name, call in [
        ("lambda_", lambda: IncrementalRidge(lambda_=value)), ("lambda_", lambda: ridge.set_lambda(value)), ("factor", lambda: ridge.forget(value)),
    ]:
        with pytest.raises(ValueError, match=f"^{name} is .*; want a finite number"):
            call()
    with pytest.raises(ValueError, match="^workspace is .*; want an integer"):
        IncrementalRidge(workspace=value)


def centered(a, y, lambda_, w):
    """The weights and the intercept by the definition."""
    m, t = np.average(a, axis=0, weights=w), np.average(y, axis=0, weights=w)
    weights = solution(a - m, y - t, lambda_, w)
    return weights, t - m @ weights


@pytest.mark.parametrize("method", METHODS[:4])
def test_intercept(method):
    """Rows, weights, removal, forgetting, nodes and targets end in the centered solution, far from the origin."""
    a, y = data()
    a, y = a + [30, 0, -5, 0, 1, 2], y + 100
    w = np.random.default_rng(3).uniform(0.1, 3, size=80)
    ridge = IncrementalRidge(method, 0.3, fit_intercept=True)

    def check(a, y, lambda_, w):
        weights, intercept = centered(a, y, lambda_, w)
        close(ridge, weights, 1e-8)
        np.testing.assert_allclose(ridge.intercept_, intercept, rtol=1e-8)
        np.testing.assert_allclose(ridge.predict(a), a @ weights + intercept, rtol=1e-8)
        assert ridge.n_samples_ == len(a) == ridge.attributes()["samples"]

    ridge.add(a[:1], y[:1], w[:1])  # the default ridge starts with one row
    np.testing.assert_allclose(ridge.predict(a[:1]), y[:1])
    for i in range(1, 80, 13):
        ridge.add(a[i : i + 13], y[i : i + 13], w[i : i + 13])
    check(a, y, 0.3, w)
    kept = np.r_[0:5, 10:80]
    ridge.remove(a[5:10], y[5:10], w[5:10])
    check(a[kept], y[kept], 0.3, w[kept])
    ridge.forget(0.25).add(a[:20], y[:20])
    rows, now = np.r_[kept, 0:20], np.r_[w[kept] / 4, np.ones(20)]
    check(a[rows], y[rows], 0.3 / 4, now)
    h = data(80, 3, 1, seed=1)[0] - 7
    both = np.hstack([a, h])
    ridge.add_nodes(a[rows], h[rows], y[rows], now)
    check(both[rows], y[rows], 0.3 / 4, now)
    ridge.map_targets([[1.0], [2.0]]).add_targets([[-1.0]])
    sums = y @ [[1.0, -1.0], [2.0, -2.0]]
    if method == "gram":
        ridge.refine(both[rows], sums[rows], now)
    check(both[rows], sums[rows], 0.3 / 4, now)
    for again in (copy.deepcopy(ridge), pickle.loads(pickle.dumps(ridge))):
        assert again.add(both[:3], sums[:3]).weights().tobytes() == copy.deepcopy(ridge).add(both[:3], sums[:3]).weights().tobytes()
        assert again.get_params()["fit_intercept"] is True and again.n_samples_ == len(rows) + 3
    before = ridge.weights().tobytes()
    for refused in (
        lambda: ridge.add([[1.0]], [1.0]), lambda: ridge.remove(both, sums), lambda: ridge.remove([[1.0]], [1.0]),
        lambda: ridge.add(both[:2], sums[:2], [0, 0]), lambda: ridge.add(both[:2] * np.nan, sums[:2]), lambda: ridge.add_nodes(both[:2], h[:1], sums[:2]),
    ):
        with pytest.raises(ValueError):
            refused()
    assert ridge.weights().tobytes() == before and ridge.n_samples_ == len(rows)


@pytest.mark.parametrize("method", METHODS[:4])
@pytest.mark.parametrize("weight, offset", [(1e8, 0), (1, 2.0**27)])
def test_digits_with_an_intercept(method, weight, offset):
    a, y = (x + offset for x in data(targets=1))
    ridge, far, want = IncrementalRidge(method, 0, fit_intercept=True), (a[:1] + 9, y[:1]), centered(a - offset, y - offset, 0, None)[0]
    for part in np.split(np.arange(80), 8):
        ridge.add(a[part], y[part])
    error = np.linalg.norm(ridge.add(*far, [weight]).remove(*far, [weight]).weights() - want) / np.linalg.norm(want)
    about = ridge.condition()
    assert -np.log10(error) > about["digits"] > 2 and (about["digits"] < 6) == bool(about["advice"])
    with pytest.raises(NumericError, match="rebuild"):
        ridge.add(*far, [1e12]).remove(*far, [1e12])


@pytest.mark.parametrize("change", [
    lambda r, a, y: r.add(a, y), lambda r, a, y: r.remove(a[:5], y[:5]), lambda r, a, y: r.rebuild(a[5:], y[5:]), lambda r, a, y: r.forget(0.5),
    lambda r, a, y: r.add_nodes(a, a[:, :1] ** 2, y), lambda r, a, y: r.add_targets(y[:2, :1]), lambda r, a, y: r.map_targets(y[:2, :1]),
])
def test_late_interrupt(change, monkeypatch):
    """A Ctrl-C behind the end of a change leaves the rows and their means changed."""
    a, y = data()
    one, two = (IncrementalRidge("qr", 0.3, fit_intercept=True).add(a, y) for _ in range(2))
    wait = _native.shared_object().bls_wait

    def late(job, milliseconds, *text):
        code = wait(job, -1, *text)
        if milliseconds >= 0 and sys._getframe(1).f_locals["method"] != "attributes":
            raise KeyboardInterrupt
        return code

    with monkeypatch.context() as m, pytest.raises(KeyboardInterrupt):
        m.setattr(_native.shared_object(), "bls_wait", late)
        change(one, a, y)
    assert one.__getstate__() == change(two, a, y).__getstate__()


def test_intercept_merge_leverage_and_refine(tmp_path):
    a, y = data()
    a, y = a + 9, y - 40
    one, two = (IncrementalRidge("gram", 0.5, fit_intercept=True).add(a[part], y[part]) for part in (slice(0, 50), slice(50, 80)))
    weights, intercept = centered(a, y, 0.5, None)
    close(one.merge(two), weights)
    np.testing.assert_allclose(one.intercept_, intercept)
    close(one.refine(a, y), weights, 1e-12)
    one.save(tmp_path / "ridge")
    assert IncrementalRidge.load(tmp_path / "ridge").intercept_.tobytes() == one.intercept_.tobytes()
    with pytest.raises(ValueError, match="intercept"):
        one.merge(IncrementalRidge("gram", 0.5).add(a, y))
    inverse = IncrementalRidge("ridge_inverse", 0, fit_intercept=True).add(a, y)
    with_ones = np.hstack([a, np.ones((80, 1))])
    np.testing.assert_allclose(inverse.leverage(a), np.diag(with_ones @ np.linalg.pinv(with_ones)), rtol=1e-7)
    with pytest.raises(UnsupportedError, match="gram, qr"):
        IncrementalRidge("improved", fit_intercept=True)


def test_parameters():
    ridge = IncrementalRidge("qr", fit_intercept=True)
    assert ridge.get_params() == {
        "method": "qr", "lambda_": None, "fit_intercept": True, "form": None, "solve": False, "c": None, "workspace": 0,
    }
    assert ridge.lambda_ == 1 and IncrementalRidge("original").lambda_ == 0
    assert ridge.set_params(lambda_=2.0, method="gram") is ridge and (ridge.method, ridge.lambda_) == ("gram", 2)
    with pytest.raises(ValueError, match="has no parameter 'alpha'"):
        ridge.set_params(alpha=1)
    ridge.add([[1.0]], [1.0])
    with pytest.raises(ValueError, match="before the first rows"):
        ridge.set_params(lambda_=1.0)
    sklearn = pytest.importorskip("sklearn.base")
    again = sklearn.clone(ridge)
    assert again.n_samples_ == 0 and again.get_params() == ridge.get_params()


def test_set_params_that_fails_changes_nothing(monkeypatch):
    ridge = IncrementalRidge("qr", 0.5)
    for bad in ({"method": "nope"}, {"fit_intercept": 3}, {"method": "improved", "fit_intercept": True}):
        with pytest.raises((ValueError, UnsupportedError)):
            ridge.set_params(**bad)
        assert ridge.get_params()["method"] == ridge.method == "qr"
    with monkeypatch.context() as m, pytest.raises(KeyboardInterrupt):
        m.setattr("blskernel.ridge.bool", type("Interrupted", (), {"__new__": lambda *_: (n for n in ()).throw(KeyboardInterrupt)}), raising=False)
        ridge.set_params(method="gram", fit_intercept=np.True_)
    assert ridge.get_params()["method"] == ridge.method == "qr"
    assert pickle.loads(pickle.dumps(ridge.set_params(lambda_=2.0))).lambda_ == 2.0


def test_intercept_names_the_first_bad_element_and_an_overflow():
    a, y = data()
    ridge = IncrementalRidge(lambda_=0.1, fit_intercept=True)
    for known in (False, True):
        for bad in (np.nan, np.inf):
            wrong = a.copy()
            wrong[5, 2] = bad
            with pytest.raises(ValueError, match=r"element \(5,2\) of Ax? is (NaN|[+]?[Ii]nf)"):
                ridge.add(wrong, y)
            if known:
                with pytest.raises(ValueError):
                    ridge.leverage(wrong)
        if not known:
            ridge.add(a, y)
    for far, weights in [(a * 1e307, None), (a, [1e308] * 80)]:
        with pytest.raises(NumericError, match="numbers overflow"):
            ridge.add(far, y, weights)
    with pytest.raises(NumericError, match="numbers overflow"):
        IncrementalRidge(fit_intercept=True).add([[1e308]], [1.0]).add([[-1e308]], [1.0])


def test_intercept_merge_of_itself_and_file(tmp_path):
    a, y = data()
    ridge = IncrementalRidge(lambda_=0.1, fit_intercept=True).add(a, y)
    with pytest.raises(ValueError, match="itself"):
        ridge.merge(ridge)
    ridge.save(tmp_path / "r")
    with pytest.raises(FormatError, match="IncrementalRidge.load"):
        load(tmp_path / "r")
