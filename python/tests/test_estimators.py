"""The estimators: their definitions, labels, weights, and what they refuse."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

from blskernel import BroadLearningClassifier, BroadLearningRegressor, IncrementalRidge, NotFittedError, UnsupportedError, load, save
from blskernel._native import Handle
from blskernel._options import shown
from blskernel._turns import turns

FIXED = {"feature_groups": 3, "feature_nodes": 4, "enhancement_nodes": 20, "shrink": 1.0, "lambda_": 0.01, "random_state": 1}


def table(rows=300, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    y = (np.abs(X[:, 0] * X[:, 1] + X[:, 2]) * classes / 2).astype(int).clip(max=classes - 1)
    return X, y


def classifier(**params):
    return BroadLearningClassifier(**{**FIXED, **params})


def regressor(**params):
    return BroadLearningRegressor(**{**FIXED, **params})


def close(model, other, X, tolerance=1e-7):
    """Assert that two models give the same scores, and the same labels in the same order."""
    if hasattr(model, "classes_"):
        assert model.classes_.tolist() == other.classes_.tolist()
        np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), rtol=0, atol=tolerance)
    else:
        np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=0, atol=tolerance)


def start(model, X, y):
    """Fit the maps to the first 100 rows, and learn the rest."""
    return model.fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])


@pytest.mark.parametrize("labels", [[3, 1, 7], ["red", "blue", "a longer word"], [2.0, -1.0, 0.0], [10**15, -4, 0]])
def test_labels(labels):
    X, y = table()
    named = np.array(labels)[y]
    model, plain = classifier().fit(X, named), classifier().fit(X, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(X).dtype == named.dtype
    np.testing.assert_array_equal(model.predict(X), np.array(labels)[plain.predict(X)])
    assert model.score(X, named) == plain.score(X, y) > 0.4


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_scores_and_probabilities(classes):
    X, y = table(600, classes)
    model = BroadLearningClassifier(random_state=0).fit(X[:400], y[:400])
    scores, p, predicted = model.decision_function(X), model.predict_proba(X), model.predict(X)
    assert p.shape == (600, classes) and (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], predicted)
    if classes == 2:
        assert scores.shape == (600,)
        np.testing.assert_array_equal(model.classes_[(scores > 0).astype(int)], predicted)
    else:
        np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], predicted)
    ratio = np.log(p[:, 1] / p[:, 0])  # a softmax: proportional to the difference of the scores
    difference = 2 * scores if classes == 2 else scores[:, 1] - scores[:, 0]
    slope = ratio[:400] @ difference[:400] / (difference[:400] @ difference[:400])
    np.testing.assert_allclose(ratio[:400], slope * difference[:400], rtol=1e-6, atol=1e-9)  # none far outside
    assert slope > 0
    model.calibrate(X[400:], y[400:])
    assert not np.array_equal(model.predict_proba(X), p)
    np.testing.assert_array_equal(model.predict(X), predicted)


@pytest.mark.parametrize("method", ["gram", "qr", "ridge_inverse", "inverse_cholesky"])
def test_partial_fit_is_the_fit_of_all(method):
    X, y = table()
    first = classifier(method=method).fit(X[:100], y[:100])
    all_at_once = copy.deepcopy(first).refit(X, y)
    parts = copy.deepcopy(first)
    for at in range(100, 300, 50):
        parts.partial_fit(X[at : at + 50], y[at : at + 50])
    close(parts, all_at_once, X)
    close(parts.remove(X[100:], y[100:]), first, X)
    values = regressor(method=method).fit(X[:100], X[:100, 0] ** 2)
    close(copy.deepcopy(values).partial_fit(X[100:], X[100:, 0] ** 2), copy.deepcopy(values).refit(X, X[:, 0] ** 2), X)


def test_partial_fit_with_classes_and_without():
    X, y = table()
    known = classifier(method="gram").partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    open_ = classifier(method="gram").partial_fit(X[:100], y[:100])
    few = y[:100] < 2
    later = classifier(method="gram").partial_fit(X[:100][few], y[:100][few])
    whole = copy.deepcopy(later)
    assert later.classes_.tolist() == [0, 1]
    later.partial_fit(X, y)  # with a class that it has not seen
    close(known, open_, X, 0)
    whole = copy.deepcopy(later).refit(np.vstack([X[:100][few], X]), np.concatenate([y[:100][few], y]))
    close(later, whole, X)
    with pytest.raises(ValueError, match="not among the classes"):
        known.partial_fit(X[:2], [0, 5])
    with pytest.raises(ValueError, match="differs from the classes of the model"):
        known.partial_fit(X[:2], [0, 1], classes=[0, 1])
    with pytest.raises(ValueError, match="not among the classes"):
        classifier().partial_fit(X, y, classes=[0, 1])
    known.partial_fit(X[100:], y[100:], classes=[2, 1, 0])
    close(known, open_.partial_fit(X[100:], y[100:]), X, 0)


def test_new_classes_come_in_any_order():
    X, y = table()
    words = np.array(["m", "z", "aardvark"])[y]
    first = words != "aardvark"
    model = classifier(method="gram").partial_fit(X[first], words[first]).partial_fit(X[~first], words[~first])
    assert model.classes_.tolist() == ["aardvark", "m", "z"]
    assert model.predict(X).dtype.kind == "U"
    close(model, copy.deepcopy(model).refit(X, words), X)
    with pytest.raises(ValueError, match="two kinds"):
        model.partial_fit(X[:2], [1, 2])
    with pytest.raises(ValueError, match=r"does not know: \['new'\]"):
        model.remove(X[:1], ["new"])


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
def test_weights_are_repeated_rows(kind):
    X, y = table()
    weights = np.random.default_rng(1).integers(0, 4, 200)
    model = (classifier if kind == "classifier" else regressor)(method="gram").fit(X[:100], y[:100])
    rows = 100 + np.repeat(np.arange(200), weights)
    weighted = copy.deepcopy(model).partial_fit(X[100:], y[100:], sample_weight=weights)
    close(weighted, copy.deepcopy(model).partial_fit(X[rows], y[rows]), X)
    close(weighted.remove(X[100:], y[100:], sample_weight=weights), model, X)
    weighted = copy.deepcopy(model).refit(X[100:], y[100:], sample_weight=weights)
    close(weighted, copy.deepcopy(model).refit(X[rows], y[rows]), X)
    with pytest.raises(ValueError, match="sample_weight is 0 for all"):
        model.partial_fit(X, y, sample_weight=np.zeros(300))
    with pytest.raises(ValueError, match="weight"):
        model.partial_fit(X, y, sample_weight=-np.ones(300))


@pytest.mark.parametrize("make", [classifier, regressor])
def test_rows_of_weight_0_are_absent(make):
    X, y = table()
    weights = np.where(np.arange(300) % 3, 2.0, 0.0)
    X[::3] = 1e6  # which would be seen in the feature maps
    rows = weights > 0
    close(make().fit(X, y, sample_weight=weights), make().fit(X[rows], y[rows], sample_weight=weights[rows]), X[rows], 0)


@pytest.mark.parametrize("names", [[0, 1, 2], ["b", "a", "c"]])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_labels_of_weight_0_are_classes(method, names):
    """The model equals one whose classes were named from the start, and continues to equal it."""
    X, y = table()
    rows, names = y != 1, np.array(names)
    weights, labels = rows * 2.0, names[y]
    named = classifier().partial_fit(X[rows], labels[rows], classes=names, sample_weight=weights[rows])
    model = getattr(classifier(), method)(X, labels, sample_weight=weights)
    close(model, named, X, 1e-9)
    close(model.partial_fit(X, labels), named.partial_fit(X, labels), X)
    close(classifier(class_weight={names[1]: 0}).fit(X, labels), classifier().fit(X, labels, sample_weight=weights / 2), X)
    later = classifier().fit(X[rows], labels[rows]).partial_fit(X, labels, sample_weight=weights)
    assert later.classes_.tolist() == sorted(names.tolist())
    assert classifier(class_weight="balanced").fit(X, labels, sample_weight=weights).predict(X).tolist() != []


def test_one_label_has_weight():
    X, y = table()
    for method in ["fit", "partial_fit"]:
        model = getattr(classifier(), method)(X, y, sample_weight=(y == 1) * 1.0)
        assert model.classes_.tolist() == [0, 1, 2] and set(model.predict(X)) == {1}
        assert (model.predict_proba(X).argmax(axis=1) == 1).all()
        named = classifier().partial_fit(X[y == 1], y[y == 1], classes=[0, 1, 2])
        if method == "partial_fit":  # fit fixes the maps by the rows that it has
            close(model.partial_fit(X, y), named.partial_fit(X, y), X)


def test_bagging_of_rare_labels():
    ensemble = pytest.importorskip("sklearn.ensemble")
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = np.r_[np.zeros(118, int), 1, 2]
    model = ensemble.BaggingClassifier(BroadLearningClassifier(), random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (120, 3) and model.score(X, y) > 0.9


def test_class_weights():
    X, y = table()
    names = np.array(["a", "b", "c"])[y]
    by_dict = classifier(class_weight={"a": 2.0, "c": 0.5}).fit(X, names)
    by_rows = classifier().fit(X, names, sample_weight=np.array([2, 1, 0.5])[y])
    close(by_dict, by_rows, X, 0)
    weights = len(y) / (3 * np.bincount(y))[y]
    close(classifier(class_weight="balanced").fit(X, y), classifier().fit(X, y, sample_weight=weights), X)
    with pytest.raises(ValueError, match="class_weight is 'even'"):
        classifier(class_weight="even").fit(X, y)


def test_forget():
    X, y = table()
    model = classifier(method="gram").fit(X[:100], y[:100])
    before = model.decision_function(X)
    model.forget(0.5)
    np.testing.assert_allclose(model.decision_function(X), before, rtol=0, atol=1e-10)
    model.set_lambda(FIXED["lambda_"]).partial_fit(X[100:], y[100:])
    close(model, copy.deepcopy(model).refit(X, y, sample_weight=np.where(np.arange(300) < 100, 0.5, 1)), X)
    for factor in (0, -1, 1.5, np.nan):
        with pytest.raises(ValueError):
            model.forget(factor)


def test_set_lambda():
    X, y = table()
    model, other = classifier(method="gram").fit(X, y), classifier(method="gram", lambda_=5.0).fit(X, y)
    close(model.set_lambda(5.0), other, X)
    with pytest.raises(UnsupportedError, match="gram"):
        classifier(method="ridge_inverse").fit(X, y).set_lambda(1.0)
    with pytest.raises(ValueError):
        model.set_lambda(-1.0)


@pytest.mark.parametrize("method", ["gram", "qr"])
def test_merge(method):
    X, y = table()
    words = np.array(["m", "z", "a"])[y]
    base = classifier(method=method).fit(X[:100], words[:100])
    one, two = copy.deepcopy(base).refit(X[:150], words[:150]), copy.deepcopy(base).refit(X[150:], words[150:])
    close(one.merge(two), copy.deepcopy(base).refit(X, words), X)
    # Models with different classes.
    few = words[:100] != "a"
    base = classifier(method=method).fit(X[:100][few], words[:100][few])
    one = copy.deepcopy(base).partial_fit(X[:1], ["first"])
    two = copy.deepcopy(base).partial_fit(X, words)
    one.merge(two)
    assert one.classes_.tolist() == ["a", "first", "m", "z"] and two.classes_.tolist() == ["a", "m", "z"]
    rows, labels = [X[:100][few], X[:1], X[:100][few], X], [words[:100][few], ["first"], words[:100][few], words]
    close(one, copy.deepcopy(one).refit(np.vstack(rows), np.concatenate(labels)), X)
    with pytest.raises(ValueError):
        one.merge(one)
    with pytest.raises(ValueError, match="random_state of the two models is 1 and 9; want equal values, as in a copy of this model"):
        one.merge(classifier(method=method, random_state=9).fit(X, words))
    with pytest.raises(ValueError, match="direct of the two models is False and True"):
        one.merge(classifier(method=method, direct=True).fit(X, words))
    other = "qr" if method == "gram" else "gram"
    with pytest.raises(ValueError, match=f"method of the two models is {method} and {other}"):
        one.merge(classifier(method=other).fit(X[:100][few], words[:100][few]))
    with pytest.raises(NotFittedError):
        one.merge(classifier())


def test_regressor_targets_and_intercept():
    X, _ = table()
    Y = np.column_stack([X[:, 0] * X[:, 1], np.sin(X[:, 2]) + 100])
    both = start(regressor(), X, Y)
    assert both.predict(X).shape == (300, 2)
    np.testing.assert_allclose(both.predict(X)[:, 1], start(regressor(), X, Y[:, 1]).predict(X), rtol=0, atol=1e-8)
    assert both.score(X, Y) > 0.5
    shifted = start(regressor(), X, Y + 1e3)
    np.testing.assert_allclose(shifted.predict(X), both.predict(X) + 1e3, rtol=0, atol=1e-6)
    assert np.abs(regressor(no_intercept=True).fit(X, Y + 1e3).predict(X) - both.predict(X) - 1e3).max() > 1e-3
    dates = X.astype("M8[s]")
    mixed = [[1.0, *row[1:]] for row in dates]
    for act in [lambda: regressor().fit(X, mixed), lambda: regressor().fit(mixed, X), lambda: both.predict(list(map(list, dates))), lambda: both.predict(mixed), lambda: IncrementalRidge("gram", 1).add(mixed, X)]:
        with pytest.raises(ValueError, match="has d.* such as days since"):
            act()


@pytest.mark.parametrize("make", [classifier, regressor])
def test_pickle_and_copies_are_the_model_to_the_bit(make):
    X, y = table()
    model = make().fit(X, y)
    want = model.predict(X).tobytes()
    for other in [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)]:
        assert other.predict(X).tobytes() == want
        assert other.get_params() == model.get_params()
    other = copy.deepcopy(model)
    other.partial_fit(X, y)
    assert model.predict(X).tobytes() == want
    assert other.partial_fit(X, y).predict(X).tobytes() == model.partial_fit(X, y).partial_fit(X, y).predict(X).tobytes()
    pickle.loads(pickle.dumps(make()))  # not fitted


def test_same_seed_same_bits():
    X, y = table()
    a, b = (BroadLearningClassifier(random_state=3).fit(X, y).decision_function(X) for _ in range(2))
    assert a.tobytes() == b.tobytes()
    c = BroadLearningClassifier(random_state=np.random.RandomState(3)).fit(X, y).decision_function(X)
    d = BroadLearningClassifier(random_state=np.random.RandomState(3)).fit(X, y).decision_function(X)
    assert c.tobytes() == d.tobytes()


def test_choice(tmp_path):
    X, y = table()
    model = BroadLearningClassifier(random_state=0).fit(X, y)
    assert model.choice_["rows"] == 300 and 0.5 < model.choice_["score"] <= 1 and model.choice_["held_out"] > 0
    assert (model.method_, model.scaling_, model.feature_groups_) == tuple(model.choice_[n] for n in ("method", "scaling", "feature_groups"))
    assert model.method_ in ("gram", "qr") and model.shrink_ > 0 and model.choice_["lambda_"] > 0 and model.method is None
    given = classifier(method="qr", lambda_=0.5, shrink=0.25, enhancement_nodes=7).fit(X, y)
    assert (given.method_, given.choice_["lambda_"], given.shrink_, given.enhancement_nodes_) == ("qr", 0.5, 0.25, 7)
    path = tmp_path / "model.bls"
    save(model, path)
    again = load(path)
    assert again.choice_ == model.choice_ and again.shrink_ == model.shrink_
    assert classifier(validate=True).fit(X, y).choice_["held_out"] > 0
    assert set(model.condition()) == {"rcond", "digits", "advice", "instead"} and model.condition()["instead"] in ("gram", "qr")


LAYOUTS = [
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=0)[::2],
    lambda a: np.repeat(a, 3, axis=1)[:, ::3],
    lambda a: a[::-1].copy()[::-1],
    lambda a: a.astype(">f8"),
    lambda a: a.astype(np.longdouble),
    lambda a: a.astype(object),
    lambda a: a.tolist(),
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_give_the_same_bits(layout):
    X, y = table()
    want = classifier().fit(X, y).decision_function(X)
    model = classifier().fit(layout(X), y.tolist())
    assert model.decision_function(layout(X)).tobytes() == want.tobytes()
    assert model.decision_function(layout(X[:1])).tobytes() == want[:1].tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, np.bool_])
def test_dtypes(dtype):
    X, y = table()
    X = (X * 4).clip(0).astype(dtype)
    want = classifier().fit(X.astype(float), y).predict_proba(X.astype(float))
    assert classifier().fit(X, y).predict_proba(X).tobytes() == want.tobytes()


def test_a_million_rows():
    X = np.random.default_rng(0).normal(size=(1_000_000, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = classifier(lambda_=1e-3).fit(X, y)
    assert model.predict_proba(X).shape == (1_000_000, 2)
    assert model.score(X[::100], y[::100]) > 0.8


def bad_inputs():
    X, y = table(50)
    holes, infinite = X.copy(), X.copy()
    holes[7, 1], infinite[3, 2] = np.nan, np.inf
    return {
        "NaN": (holes, y, "NaN"),
        "infinity": (infinite, y, "infinity"),
        "no rows": (X[:0], y[:0], "0 sample"),
        "no columns": (X[:, :0], y, "0 feature"),
        "one dimension": (X[0], y[:1], "2D array"),
        "three dimensions": (X[None], y[:1], "(?i)dim|3D"),
        "words": ([["a", "b"]] * 50, y, "(?i)convert|numbers|text"),
        "other lengths": (X, y[:-1], "inconsistent numbers of samples"),
        "no y": (X, None, "y"),
        "a matrix of labels": (X, np.column_stack([y, y]), "1d array|multioutput"),
        "one class": (X, np.zeros(50, int), "at least 2 classes, but y has one class"),
        "quantities": (X, y + 0.5, "(?i)unknown label type"),
        "NaN in y": (X, np.where(y == 0, np.nan, y), "NaN"),
    }


@pytest.mark.parametrize("name", list(bad_inputs()))
def test_bad_inputs_of_fit(name):
    X, y, message = bad_inputs()[name]
    good, labels = table(50)
    model = classifier().fit(good, labels)
    before = model.decision_function(good).tobytes()
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert model.decision_function(good).tobytes() == before  # the model is as it was


def test_failures_leave_the_model_as_it_was():
    X, y = table(50)
    for model in (classifier().fit(X, y), regressor().fit(X, y)):
        before = model.predict(X).tobytes()
        for call in [
            lambda: model.fit(X[:, :2], np.full(50, np.nan)),
            lambda: model.partial_fit(X[:, :2], y),
            lambda: model.predict(X[:, :3]),
            lambda: model.set_params(method="none such").fit(X[:, :2], y),
        ]:
            with pytest.raises(ValueError):
                call()
        model.set_params(method=None)
        assert model.predict(X).tobytes() == before and model.n_features_in_ == 4


def test_interrupted_after_a_new_class(monkeypatch):
    """An interruption after the library has learned a new class leaves the model and its classes."""
    X, y = table()
    model = classifier().fit(X[y < 2], y[y < 2])
    before, call = model.decision_function(X).tobytes(), Handle.call

    def interrupted(self, method, *arguments, **options):
        call(self, method, *arguments, **options)
        if method == "partial_fit":
            raise KeyboardInterrupt

    with monkeypatch.context() as m:
        m.setattr(Handle, "call", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X, y)
    assert model.classes_.tolist() == [0, 1] and model.decision_function(X).tobytes() == before
    assert model.partial_fit(X, y).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_elements_after_the_fit(bad):
    """The library checks arrays that it reads in place, scikit-learn the others: all are refused."""
    X, y = table()
    x = X.copy()
    x[7, 2] = bad
    for model, targets in [(classifier().fit(X, y), y), (regressor().fit(X, y * 1.0), y * 1.0)]:
        before = model.predict(X).tobytes()
        for call in [getattr(model, name) for name in ["partial_fit", "remove", "refit", "calibrate"] if hasattr(model, name)]:
            for rows in [x, x.tolist(), np.asfortranarray(x)]:
                with pytest.raises(ValueError, match="NaN|[iI]nf|not finite"):
                    call(rows, targets)
            with pytest.raises(ValueError):
                call(X, np.where(y > 0, bad, y))
            if hasattr(model, "classes_"):
                with pytest.raises(ValueError):
                    call(X, y + 0.5)
        for rows in [x, x.tolist()]:
            with pytest.raises(ValueError, match="NaN|[iI]nf|not finite"):
                model.predict(rows)
        with pytest.raises(ValueError):
            model.partial_fit(x, targets, sample_weight=(np.arange(300) != 7) * 1.0)
        assert model.predict(X).tobytes() == before


@pytest.mark.parametrize("params", [
    {"scaling": "rows"}, {"feature_nodes": 0}, {"feature_groups": 1.5}, {"enhancement_nodes": -1}, {"shrink": -1.0}, {"lambda_": np.nan},
    {"method": "best"}, {"form": "round"}, {"random_state": "seed"}, {"random_state": -1}, {"expected_rows": "all"}, {"enhancement": 3},
    {"validate": "False"}, {"unscaled": 0}, {"solve": None}, {"no_intercept": np.nan}, {"enhancement_nodes": 2**70},
])
def test_bad_parameters(params):
    with pytest.raises(ValueError):
        BroadLearningRegressor(**params).fit(*table(50))


HUGE = [2**63, 2**70, 10**400, 10**5000]


@pytest.mark.parametrize("value", [*HUGE, -(2**70), -(10**5000)], ids=shown)
@pytest.mark.parametrize("name", ["feature_groups", "feature_nodes", "enhancement_nodes", "expected_rows", "workspace"])
def test_integers_beyond_64_bits(name, value):
    for make in [BroadLearningClassifier, BroadLearningRegressor]:
        with pytest.raises(ValueError, match=f"^{name} is .*; want an integer"):
            make(**{name: value}).fit(*table(50))


@pytest.mark.parametrize("value", [*HUGE[2:], -(10**400), np.inf, np.nan], ids=shown)
def test_numbers_beyond_float64(value):
    model = regressor(method="gram").fit(*table(50))
    for name, call in [
        ("lambda_", lambda: regressor(lambda_=value).fit(*table(50))), ("shrink", lambda: regressor(shrink=value).fit(*table(50))),
        ("lambda_", lambda: model.set_lambda(value)), ("factor", lambda: model.forget(value)),
    ]:
        with pytest.raises(ValueError, match=f"^{name} is .*; want a finite number"):
            call()


def test_the_largest_seed():
    X, y = table(50)
    assert len(classifier(random_state=2**64 - 1).fit(X, y).predict(X)) == 50
    for seed in [2**64, 10**400, 10**5000]:
        with pytest.raises(ValueError, match="^random_state is "):
            classifier(random_state=seed).fit(X, y)


@pytest.mark.parametrize("call", ["predict", "decision_function", "predict_proba", "condition"])
def test_not_fitted(call):
    with pytest.raises(NotFittedError):
        getattr(classifier(), call)(*([] if call == "condition" else [table()[0]]))
    for change in [lambda m: m.remove(*table()), lambda m: m.refit(*table()), lambda m: m.forget(0.5), lambda m: m.calibrate(*table()), lambda m: m.importance(*table())]:
        with pytest.raises(NotFittedError):
            change(classifier())


def test_one_row():
    X, y = table()
    model = start(classifier(), X, y)
    row = model.decision_function(X)[5]
    np.testing.assert_array_equal(model.decision_function(X[5:6])[0], row)
    model.partial_fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="at least 2 classes"):
        classifier().fit(X[:1], y[:1])
    np.testing.assert_allclose(regressor().fit(X[:1], [3.0]).predict(X[:1]), [3.0], atol=1e-6)


WITHOUT = """
import sys
sys.modules["sklearn"] = None
import json, copy, pickle, numpy as np
import blskernel
from blskernel import BroadLearningClassifier, BroadLearningRegressor, NotFittedError
from test_estimators import table, bad_inputs, FIXED, LAYOUTS
X, y = table()
model = BroadLearningClassifier(**FIXED).fit(X, y)
errors = {}
for name, (bad, labels, _) in bad_inputs().items():
    try:
        model.fit(bad, labels)
    except ValueError as e:
        errors[name] = str(e)
try:
    BroadLearningClassifier().predict(X)
except NotFittedError as e:
    errors["not fitted"] = str(e)
copied = pickle.loads(pickle.dumps(copy.deepcopy(model)))
for layout in LAYOUTS:
    assert model.predict(layout(X)).tolist() == model.predict(X).tolist()
class Frame(np.ndarray):
    columns = ["a", "b", "c", "d"]
frame, turned = X.view(Frame), X.view(Frame)
turned.columns = ["b", "a", "c", "d"]
named = BroadLearningClassifier(**FIXED).fit(frame, y)
assert named.feature_names_in_.tolist() == Frame.columns and named.predict(frame).tolist() == model.predict(X).tolist()
try:
    named.predict(turned)
except ValueError as e:
    assert "feature names" in str(e)
else:
    raise AssertionError
assert not hasattr(named.fit(X, y), "feature_names_in_")
values = BroadLearningRegressor(**FIXED).fit(X, X[:, :2])
one = BroadLearningRegressor(**FIXED).fit(X, X[:, :1])
assert model.score(X, y[:, None]) == model.score(X, y) and one.score(X, X[:, 0]) == one.score(X, X[:, :1])
assert BroadLearningRegressor(lambda_=0.5).set_params(lambda_=2.0).get_params()["lambda_"] == 2.0
print(json.dumps({
    "same": copied.predict(X).tolist() == model.predict(X).tolist(), "accuracy": model.score(X, y), "R2": values.score(X, X[:, :2]),
    "scores": model.decision_function(X).tolist(), "repr": repr(BroadLearningClassifier(lambda_=0.5)), "errors": errors,
    "sklearn": "sklearn.base" in sys.modules,
}))
"""


def test_without_scikit_learn():
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    path = os.pathsep.join([here, os.path.dirname(here)])
    ran = subprocess.run([sys.executable, "-c", WITHOUT], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    got = json.loads(ran.stdout)
    X, y = table()
    model, values = classifier().fit(X, y), regressor().fit(X, X[:, :2])
    assert got["same"] and not got["sklearn"]
    assert got["accuracy"] == model.score(X, y)
    np.testing.assert_allclose(got["R2"], values.score(X, X[:, :2]), rtol=1e-12)
    np.testing.assert_array_equal(got["scores"], model.decision_function(X))
    assert got["repr"] == "BroadLearningClassifier(lambda_=0.5)"
    assert set(got["errors"]) == {*bad_inputs(), "not fitted"}


@pytest.mark.parametrize("other", [None, regressor().fit(*table(50)), IncrementalRidge(), 1])
def test_merge_of_something_else(other):
    with pytest.raises(ValueError, match="merge takes another BroadLearningClassifier"):
        BroadLearningClassifier(random_state=0).fit(np.eye(4), [0, 1, 0, 1]).merge(other)


def test_merge_of_other_columns():
    """Models that keep their rows would learn columns in each other's place."""
    pandas = pytest.importorskip("pandas")
    a, y = pandas.DataFrame({"a": range(20), "b": range(5, 25)}), np.arange(20.0)
    for X in (a[["b", "a"]], a.rename(columns={"b": "c"}), a[["a"]], a.assign(b=pandas.Categorical(["u", "v"] * 10))):
        with pytest.raises(ValueError, match="different inputs"):
            regressor().partial_fit(a, y).merge(regressor().partial_fit(X, y))
    assert regressor().partial_fit(a, y).merge(regressor().partial_fit(a.to_numpy(), y))._model.kept == 40


def test_masked_elements_are_not_learned():
    """NumPy would hand out what is below the mask."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60.0)
    model = BroadLearningRegressor(random_state=0, enhancement_nodes=5).fit(np.ma.array(X), np.ma.array(y))
    mask = X > 1
    weights = np.ma.array(np.ones(60), mask=mask[:, 0])
    for act in [lambda: model.fit(X, y, sample_weight=weights), lambda: model.fit(np.ma.array(X, mask=mask), y), lambda: model.partial_fit(X, np.ma.array(y, mask=mask[:, 0])), lambda: model.predict(np.ma.array(X, mask=mask))]:
        with pytest.raises(ValueError, match="masked"):
            act()


def test_labels_of_two_integer_types():
    """uint64 and int64 have float64 in common, which does not tell large labels apart."""
    X, large = np.random.default_rng(0).normal(size=(40, 2)), 2**63
    y = np.where(np.arange(40) % 2, large, large + 1).astype(np.uint64)
    model = BroadLearningClassifier(random_state=0, enhancement_nodes=5).fit(X, y)
    with pytest.raises(ValueError, match="no NumPy type holds all labels of the types"):
        model.partial_fit(X, np.full(40, -1))
    assert model.partial_fit(X, y).classes_.tolist() == [large, large + 1]


@pytest.mark.parametrize("params, message", [
    ({"scaling": "rows"}, "scaling is 'rows'; want 'samples', 'columns', 'none', 'ranks' or None"),
    ({"form": 3}, "form is 3; want 'auto', 'paper', 'small', 'large', 'compressed' or None"),
    ({"class_weight": "even"}, "class_weight is 'even'; want 'balanced', a dict or None"),
    ({"class_weight": {0: np.nan}}, "class_weight[0] is nan; want a finite number of at least 0"),
    ({"class_weight": {0: -1}}, "class_weight[0] is -1; want a finite number of at least 0"),
    ({"class_weight": {0: "much"}}, "class_weight[0] is 'much'; want a finite number of at least 0"),
    ({"lambda_": np.nan}, "lambda_ is nan; want a finite number of at least 0, or None"),
    ({"shrink": 0}, "shrink is 0; want a finite number above 0, or None"),
    ({"shrink": 0.5, "unscaled": True}, "shrink is 0.5; want None, since unscaled leaves out this factor"),
    ({"random_state": 1.5}, "random_state is 1.5; want an integer from 0 to 2**64-1, a RandomState or None"),
])
def test_errors_name_the_parameter_and_what_is_legal(params, message):
    with pytest.raises(ValueError) as raised:
        BroadLearningClassifier(**params).fit(*table(50))
    assert str(raised.value) == message


def test_errors_of_actions_name_the_parameter():
    ridge = IncrementalRidge().add(np.eye(3), np.ones(3))
    for model in [ridge, regressor(method="gram").fit(*table(50))]:
        for value in ["x", None, np.nan, -1, [1, 2]]:
            with pytest.raises(ValueError, match="^lambda_ is .*; want a finite number of at least 0$"):
                model.set_lambda(value)
            with pytest.raises(ValueError, match="^factor is .*; want a finite number above 0 and at most 1$"):
                model.forget(value)
    for params, message in [
        ({"method": "best"}, "method is 'best'; want 'improved', 'original', 'ridge_inverse', 'inverse_cholesky', 'gram' or 'qr'"),
        ({"lambda_": np.nan}, "lambda_ is nan; want a finite number of at least 0"),
    ]:
        with pytest.raises(ValueError) as raised:
            IncrementalRidge(**params)
        assert str(raised.value) == message
    with pytest.raises(ValueError, match="^lambda_ is nan; want a finite number"):
        Handle("ridge", {"Lambda": np.nan})


def test_one_advice():
    """The advice of the factorization inside, which the package does not offer, is not given."""
    with pytest.raises(ValueError, match=r"\(pivot 1 is 0\): use a larger ridge, scale the columns, or use the method qr$"):
        IncrementalRidge("gram", 0).add(np.ones((4, 3)), np.ones(4)).weights()


LOST = [
    [1, "1"], ["a", np.nan], [b"1", "1"], [2**53, 2**53 + 1, 0.5], [2**63 + 1, 2**63, -1],
    np.array(["a", None], dtype=object), np.array(["a", 1], dtype=object), np.array(["a", np.nan], dtype=object),
]


@pytest.mark.parametrize("labels", LOST, ids=str)
def test_labels_that_would_become_equal(labels):
    X = table(60)[0]
    y = [labels[i % len(labels)] for i in range(60)]
    y = np.array(y, dtype=object) if isinstance(labels, np.ndarray) else y
    good = np.array(["a", "b"])[np.arange(60) % 2]
    model = classifier().fit(X, good)
    for call in [classifier().fit, classifier().partial_fit, model.partial_fit, model.remove, model.refit, model.calibrate]:
        with pytest.raises(ValueError):
            call(X, y)
    with pytest.raises(ValueError):
        classifier().partial_fit(X, good, classes=labels)


def test_a_list_of_ones_and_texts_is_no_list_of_texts():
    X = table(60)[0]
    model = classifier().fit(X, ["1", "2"] * 30)
    for call in [model.partial_fit, model.remove, model.refit, model.calibrate]:
        with pytest.raises(ValueError, match="two kinds"):
            call(X[:2], [1, "2"])


def test_labels_of_two_types():
    """int64 and float64 have float64 in common, which does not tell large labels apart."""
    X, large = table(60)[0], np.array([2**53, 2**53 + 1])[np.arange(60) % 2]
    model = classifier(method="gram").fit(X, large)
    for y in [[0.5 * 2, 2.0], np.array([2.0**53, 1.0]), np.float32([1, 2])]:
        with pytest.raises(ValueError, match="no NumPy type holds all labels of the types"):
            model.partial_fit(X[:2], np.asarray(y))
    assert model.partial_fit(X[:2], np.array([7, 8], np.int32)).classes_.tolist() == [7, 8, 2**53, 2**53 + 1]
    assert classifier().fit(X, large % 7).partial_fit(X[:2], [3.0, 4.0]).classes_.tolist() == sorted({3, 4, 2**53 % 7, (2**53 + 1) % 7})
    with pytest.raises(ValueError, match="two kinds"):
        classifier().fit(X, np.array([b"a", b"b"])[large % 2]).partial_fit(X[:1], ["a"])
    pandas = pytest.importorskip("pandas")
    assert classifier().fit(X, pandas.DataFrame({"y": large}, dtype="Int64")).classes_.tolist() == [2**53, 2**53 + 1]
    for dtype in ["Int64", "string"]:
        with pytest.raises(ValueError, match="contains NaN"):
            classifier().fit(X, pandas.Series(["1", None] * 30).astype(dtype))


@pytest.mark.parametrize("classes", [[0, 1, np.nan], [0, 1, np.inf], [0, 1, 1.5], [[0, 1]], [], 3, np.ma.array([0, 1, 2], mask=[0, 0, 1])], ids=str)
def test_classes_that_are_no_labels(classes):
    X, y = table(60, classes=2)
    model = classifier().partial_fit(X, y)
    before = model.predict(X).tobytes()
    for call in [classifier().partial_fit, model.partial_fit]:
        with pytest.raises(ValueError):
            call(X, y, classes=classes)
    assert model.predict(X).tobytes() == before


def test_ties():
    """Ties go to the class that came first, and among classes from one call to the smallest."""
    X = np.zeros((6, 2))
    X[0] = 1
    few = {**FIXED, "shrink": None, "enhancement_nodes": 0, "method": "gram"}
    model = BroadLearningClassifier(**few).fit(X, [0, 0, 0, 5, 5, 5])
    model.refit(X[1:5], [5, 0, 5, 0])
    assert len(set(model.decision_function(X[1:2]).tolist())) == 1
    assert model.predict(X[1:2]).tolist() == [0]
    model.partial_fit(X[1:3], [-3, -3])
    scores = model.decision_function(X[1:2])[0]
    assert scores[0] == scores[1] == scores[2] and model.predict(X[1:2]).tolist() == [0]


class Named(BroadLearningClassifier):
    """A subclass as users write it: with a parameter of its own, and an equality that has no hash."""

    def __init__(self, name="none", *, lambda_=None, enhancement_nodes=20, random_state=None):
        super().__init__(lambda_=lambda_, enhancement_nodes=enhancement_nodes, shrink=1.0, random_state=random_state)
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Named) and self.name == other.name


def test_subclasses():
    X, y = table()
    model = Named("mine", lambda_=0.5, random_state=0).fit(X, y).partial_fit(X, y)
    assert model.get_params() == {"name": "mine", "lambda_": 0.5, "enhancement_nodes": 20, "random_state": 0}
    close(model, BroadLearningClassifier(lambda_=0.5, enhancement_nodes=20, shrink=1.0, random_state=0).fit(X, y).partial_fit(X, y), X, 0)
    for other in [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]:
        assert type(other) is Named and other.name == "mine" and other == model
        close(other, model, X, 0)
        close(other.partial_fit(X, y), copy.deepcopy(model).partial_fit(X, y), X, 0)
    other = Named("mine", random_state=1)  # equal, and yet another one
    assert turns.of(other) is not turns.of(model) and turns.of(other) is turns.of(other)
    number = len(turns.locks)
    del other
    assert len(turns.locks) == number - 1
    base = pytest.importorskip("sklearn.base")
    other = base.clone(model)
    assert other.get_params() == model.get_params() and not hasattr(other, "_model")
    assert other.set_params(name="other", lambda_=2.0).fit(X, y).name == "other"


def test_subclasses_with_missing_cells():
    """The trials of indicators work for any constructor, weight and seed, and are the same each time."""
    pandas = pytest.importorskip("pandas")
    X, y = table(400)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame.loc[frame["a"] > 1, "a"] = None
    rng = np.random.RandomState(3)
    model = Named("mine", lambda_=0.5, random_state=rng).fit(frame, y)
    assert rng.randint(2**31 - 1) == np.random.RandomState(3).randint(2**31 - 1, size=2)[1]
    assert model.name == "mine"
    assert len({str(classifier(random_state=seed).fit(frame, y, sample_weight=np.ones(400))._table.widths) for seed in (None, None, 0)}) == 1
    sure = pandas.DataFrame({"a": np.arange(2000) % 11, "b": np.array([1, np.nan, 2, 3, np.nan, 4, 5])[np.arange(2000) % 7]})
    for some in (sure[:800], sure):  # whatever else a trial would choose
        assert BroadLearningClassifier(enhancement_nodes=0, random_state=0).fit(some, some["b"].isna()).score(some, some["b"].isna()) == 1
    with pytest.raises(ValueError, match="two columns named 'a'"):
        model.predict(frame[["a", "a", "b", "c", "d"]])
    more = pandas.concat([frame, frame[["a", "a"]].set_axis(["x", "x"], axis=1)], axis=1)
    assert model.predict(more).tolist() == model.predict(frame).tolist()


def test_importance():
    """A column that says nothing loses nothing; weights of 2 are rows that are there twice."""
    X, classes = table(400)
    y = X[:, 0] * 2
    model = regressor().fit(X, y)
    mean, std = model.importance(X, y)
    assert 1.5 < mean[0] < 2.5 and np.abs(mean[1:]).max() < 0.01 and 0 < std[0] < 0.2
    assert model.importance(X, y, np.full(400, 2.0))[0].tolist() == pytest.approx(mean.tolist(), abs=1e-12)
    labels, of = classifier().fit(X, classes), {"repeats": 3, "random_state": 7}
    falls = labels.importance(X, classes, **of)[0]
    assert (falls[:3] > 0.01).all() and falls.argmax() == 2 and np.abs(falls[3]) < 0.01
    assert labels.set_params(class_weight={0: 0.0, 1: 9.0}).importance(X, classes, **of)[0].tolist() == falls.tolist()  # as score
    for bad in [{"repeats": 0}, {"repeats": 1.5}, {"random_state": -1}]:
        with pytest.raises(ValueError, match=next(iter(bad))):
            model.importance(X, y, **bad)


def test_predict_interval(tmp_path):
    """The share of new targets within the ends is the coverage, also after calibrate and from a file."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2500, 3))
    Y = np.column_stack([X[:, 0], X[:, 1] ** 2]) + rng.normal(size=(2500, 2)) * [0.3, 0.1]
    model = BroadLearningRegressor(random_state=0).fit(X[:500], Y[:500])

    def share(model, coverage):
        lower, upper = model.predict_interval(X[1000:], coverage)
        assert lower.shape == upper.shape == (1500, 2) and (lower < model.predict(X[1000:])).all()
        return ((lower <= Y[1000:]) & (Y[1000:] <= upper)).mean(axis=0)

    for coverage in [0.8, 0.9, 0.99]:
        assert np.abs(share(model, coverage) - coverage).max() < 0.04
    save(model, tmp_path / "m.bls")
    for other in [pickle.loads(pickle.dumps(model)), load(tmp_path / "m.bls")]:
        assert [e.tobytes() for e in other.predict_interval(X)] == [e.tobytes() for e in model.predict_interval(X)]
    model.remove(X[:10], Y[:10])
    with pytest.raises(ValueError, match=r"never calibrated, or a later change discarded its calibration \(remove, refit, merge"):
        model.predict_interval(X)
    assert np.abs(share(model.calibrate(X[500:1000], Y[500:1000]), 0.9) - 0.9).max() < 0.04
    for bad in [0, 1, -0.5, np.nan]:
        with pytest.raises(ValueError, match="coverage"):
            model.predict_interval(X, bad)
    assert regressor(validate=True).fit(X, Y[:, 0]).predict_interval(X[:5])[0].shape == (5,)


def test_classes_after_a_file(tmp_path):
    """A model from a file gains classes one by one, and is copied, pickled and merged in between."""
    X, y = table(classes=4)
    save(classifier().fit(X[y < 2], y[y < 2]), tmp_path / "two.bls")
    model = load(tmp_path / "two.bls")
    for label in (3, 2):
        model.partial_fit(X[y == label], y[y == label])
        again = pickle.loads(pickle.dumps(model))
        assert copy.deepcopy(model).classes_.tolist() == again.classes_.tolist() == sorted({0, 1, 3, label})
        close(again, model, X, 0)
    save(model, tmp_path / "four.bls")
    close(load(tmp_path / "four.bls"), model, X, 0)
    close(load(tmp_path / "two.bls").merge(model), model.merge(load(tmp_path / "two.bls")), X)


def test_logarithms(tmp_path):
    """fit chooses logarithms for a skewed target; log_targets=False prevents it, as the error says."""
    X, _ = table(400)
    y = np.exp(2 * X[:, 0] + X[:, 1])
    model = BroadLearningRegressor(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="not positive.*log_targets=False"):
        model.partial_fit(X[:1], [0.0])
    other = BroadLearningRegressor(random_state=0, log_targets=False).fit(X, y)
    assert model.score(X, y) > other.score(X, y)
    save(other.partial_fit(X[:1], [0.0]), tmp_path / "m.bls")
    assert load(tmp_path / "m.bls").log_targets is False
    given = {"direct": True, "relevance": 1, "steps": False, "log_targets": True}
    save(BroadLearningRegressor(random_state=0, **given).fit(X, y), tmp_path / "m.bls")
    assert {name: value for name, value in load(tmp_path / "m.bls").get_params().items() if name in given} == given


def test_names_in_messages_stay():
    """A message has the user's names as they are, though they are names of the library."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"SeedDate": pandas.to_datetime(["2020-01-01"] * 40), "x": range(40)})
    with pytest.raises(ValueError, match="SeedDate"):
        classifier().fit(frame, [0, 1] * 20)
    with pytest.raises(ValueError, match="such as days since"):
        classifier().fit(frame[["x"]], [0, 1] * 20).predict(frame[["SeedDate"]].set_axis(["x"], axis=1))
