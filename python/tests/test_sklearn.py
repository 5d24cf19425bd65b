"""The estimators inside scikit-learn: its own checks, pipelines, searches, processes and threads."""

import copy
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
import joblib  # noqa: E402
from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402
from sklearn.ensemble import BaggingClassifier  # noqa: E402
from sklearn.exceptions import DataConversionWarning, NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

import blskernel  # noqa: E402
from blskernel import BroadLearningClassifier, BroadLearningRegressor, learner  # noqa: E402
from test_estimators import FIXED, classifier, regressor, table  # noqa: E402

CHECKS = [(e, check) for model in (BroadLearningClassifier, BroadLearningRegressor) for e, check in check_estimator(model(random_state=0), generate_only=True)]


def name(value):
    function = getattr(value, "func", value)
    return getattr(function, "__name__", type(value).__name__)


@pytest.mark.parametrize("estimator, check", CHECKS, ids=name)
def test_check_estimator(estimator, check):
    """Each check of scikit-learn's check_estimator. None is declared as not applicable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)  # some checks give y as a column
        check(estimator)


def test_no_check_is_left_out():
    for model in (BroadLearningClassifier(), BroadLearningRegressor()):
        tags = model._get_tags() if hasattr(model, "_get_tags") else {}
        assert not tags.get("_xfail_checks") and not tags.get("_skip_test") and not tags.get("no_validation")
    assert len(CHECKS) > 60
    assert is_classifier(BroadLearningClassifier()) and is_regressor(BroadLearningRegressor()) and blskernel.NotFittedError is NotFittedError


def mixed(rows=240):
    """Rows with two numbers and a word, and labels that depend on all of them."""
    X, _ = table(rows)
    words = np.array(["red", "green", "blue"])[(X[:, 3] > 0).astype(int) + (X[:, 2] > 0)]
    y = np.where((X[:, 0] > 0) == (words == "red"), "yes", "no")
    out = np.empty((rows, 3), dtype=object)
    out[:, 0], out[:, 1], out[:, 2] = X[:, 0], X[:, 1], words
    return out, y


@pytest.mark.parametrize("backend, jobs", [("loky", 1), ("loky", 2), ("threading", 2)])
def test_grid_search_of_a_pipeline(backend, jobs):
    X, y = mixed()
    columns = ColumnTransformer([("numbers", StandardScaler(), [0, 1]), ("words", OneHotEncoder(), [2])])
    grid = {"broadlearningclassifier__lambda_": [1e-4, 10.0], "broadlearningclassifier__enhancement_nodes": [10, 40]}
    search = GridSearchCV(make_pipeline(columns, classifier()), grid, cv=3, n_jobs=jobs, error_score="raise")
    with joblib.parallel_backend(backend):
        search.fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ == scores.max() > 0.85
    np.testing.assert_array_equal(scores, EXPECTED.setdefault("scores", scores))  # the same by all backends
    assert (search.predict(X) == y).mean() > 0.9


EXPECTED = {}


def test_processes_get_fitted_models():
    X, y = table()
    models = [classifier(random_state=seed).fit(X, y) for seed in range(4)]
    want = [model.decision_function(X) for model in models]
    for backend in ("loky", "threading"):
        got = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(model.decision_function)(X) for model in models)
        for a, b in zip(got, want):
            assert a.tobytes() == b.tobytes()
    scores = cross_val_score(regressor(), X, X[:, 0] * X[:, 1], cv=3, n_jobs=2)
    np.testing.assert_array_equal(scores, cross_val_score(regressor(), X, X[:, 0] * X[:, 1], cv=3))
    bag = BaggingClassifier(classifier(), n_estimators=4, n_jobs=2, random_state=0).fit(X, y)  # gives sample weights
    assert bag.score(X, y) > 0.4


def test_joblib_dump(tmp_path):
    X, y = table()
    model = classifier().fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib", compress=3)
    assert joblib.load(tmp_path / "model.joblib").decision_function(X).tobytes() == model.decision_function(X).tobytes()
    code = "import joblib, sys, numpy; m = joblib.load(sys.argv[1]); sys.stdout.buffer.write(m.decision_function(numpy.load(sys.argv[2])).tobytes())"
    np.save(tmp_path / "X.npy", X)
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    ran = subprocess.run([sys.executable, "-c", code, tmp_path / "model.joblib", tmp_path / "X.npy"], env=env, capture_output=True, check=True)
    assert ran.stdout == model.decision_function(X).tobytes()  # in another process


def test_clone():
    X, y = table()
    model = classifier(class_weight={1: 2.0}).fit(X, y)
    other = clone(model)
    assert other.get_params() == model.get_params() and not hasattr(other, "classes_")
    assert other.fit(X, y).decision_function(X).tobytes() == model.decision_function(X).tobytes()
    assert repr(BroadLearningClassifier(lambda_=0.5)) == "BroadLearningClassifier(lambda_=0.5)"
    assert repr(clone(copy.deepcopy(model))) == repr(model)


def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y = table()
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = classifier().fit(frame, pandas.Series(y))
        assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"] and model.n_features_in_ == 4
        assert model.predict_proba(frame).tobytes() == classifier().fit(X, y).predict_proba(X).tobytes()
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])


@pytest.mark.parametrize("make", [classifier, regressor])
def test_sparse(make, monkeypatch):
    """A sparse matrix is learned and predicted batch after batch: the bits of the same batches of an array."""
    sparse = pytest.importorskip("scipy.sparse")
    X, y = table(1000)
    X[np.abs(X) < 0.5] = 0
    S, w = sparse.csc_matrix(X), np.random.default_rng(1).integers(0, 3, 1000).astype(float)

    def predicted(model, X):
        return (model.decision_function(X) if make is classifier else model.predict(X)).tobytes()

    assert predicted(make().fit(S, y, w), S) == predicted(make().fit(X, y, w), X)
    monkeypatch.setattr(learner, "_CELLS", 4 * 90)
    monkeypatch.setattr(learner, "_FIRST", 400)
    parts = [slice(0, 400), *(slice(at, at + 90) for at in range(400, 1000, 90))]

    def taught(model, method, more):
        for part in parts:
            getattr(model, method)(X[part], y[part])
            method = more
        return model

    names = []
    call = learner.Handle.call
    monkeypatch.setattr(learner.Handle, "call", lambda self, name, *rest, **options: names.append(name) or call(self, name, *rest, **options))
    got, want = make().fit(S, y), taught(make(expected_rows=1000), "fit", "partial_fit")
    assert got._model.json("attributes")["options"]["ExpectedRows"] == 1000
    assert names.count("partial_fit") == 14 and predicted(got, S) == predicted(want, X)
    for method, more in [("partial_fit", "partial_fit"), ("remove", "remove"), ("refit", "partial_fit")]:
        got, want = getattr(got, method)(S, y), taught(want, method, more)
        assert predicted(got, S) == predicted(want, X)
    if make is classifier:
        late = np.where(np.arange(1000) < 700, y % 2, y)
        got = make().fit(S, late)
        want = make(expected_rows=1000).fit(X[:400], late[:400])
        for part in parts[1:]:
            want.partial_fit(X[part], late[part])
        assert got.classes_.tolist() == [0, 1, 2] and np.abs(got.decision_function(S) - want.decision_function(X)).max() <= 1e-9
        assert np.allclose(got.calibrate(S, y).predict_proba(S), want.calibrate(X, y).predict_proba(X), atol=1e-9)
    before = predicted(got, S)
    bad = S.copy().astype(float)
    bad.data[-1] = 1e300
    with pytest.raises(ValueError):
        got.partial_fit(sparse.vstack([bad, bad]), np.concatenate([y, y]))
    assert predicted(got, S) == before


def test_random_state_none_differs():
    X, y = table()
    params = {**FIXED, "random_state": None}
    a, b = (BroadLearningClassifier(**params).fit(X, y).decision_function(X) for _ in range(2))
    assert a.tobytes() != b.tobytes()


def test_one_row_at_a_time() -> None:
    """Digits one row at a time, through a pickle: as good as in large batches."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    model = BroadLearningClassifier(random_state=0)
    for i in range(1200):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        if i in (0, 100):
            model = pickle.loads(pickle.dumps(model))
            assert model.predict(X[:1]) == y[:1]
    assert model.choice_["rows"] == 200  # that fixed the maps
    assert model.score(X[1200:], y[1200:]) >= 0.95
