"""The parts of scikit-learn that the estimators use, and small replacements if it is not installed."""

from __future__ import annotations

import inspect
import numbers
from typing import Any

import numpy as np

from ._native import NotFittedError, as_matrix, refuse_dates, refuse_masked
from ._table import Table

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted

    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6

        def validate_data(estimator: Any, *args: Any, **options: Any) -> Any:
            return estimator._validate_data(*args, **options)

    def _validate(estimator: Any, *args: Any, **options: Any) -> Any:
        return validate_data(estimator, *args, dtype=np.float64, accept_sparse="csr", **options)

    def check_weights(weights: Any, X: np.ndarray) -> np.ndarray:
        """Return the weights as float64, one for each row."""
        refuse_masked(weights, "sample_weight")
        return _check_sample_weight(weights, X, dtype=np.float64)

except ImportError:

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters are the attributes named after the arguments of ``__init__``."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **params: Any) -> BaseEstimator:
            """Set parameters by name."""
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            default = {n: p.default for n, p in inspect.signature(type(self)).parameters.items()}
            given = [f"{n}={v!r}" for n, v in self.get_params().items() if v is not default[n]]
            return f"{type(self).__name__}({', '.join(given)})"

        def __getstate__(self) -> dict[str, Any]:
            return dict(self.__dict__)

        def __setstate__(self, state: dict[str, Any]) -> None:
            self.__dict__.update(state)

    def _shaped(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """Return y in the shape of the predictions. A vector may stand for a column, and the reverse."""
        if y.size == len(predicted) == predicted.size:
            return y.reshape(predicted.shape)
        if y.shape != predicted.shape:
            raise ValueError(f"y has shape {y.shape}; want {predicted.shape}")
        return y

    class ClassifierMixin:  # type: ignore[no-redef]
        """Score by accuracy."""

        _estimator_type = "classifier"

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Return the accuracy: the weighted fraction of rows whose predicted class is y."""
            predicted = self.predict(X)  # type: ignore[attr-defined]
            return float(np.average(predicted == _shaped(np.asarray(y), predicted), weights=sample_weight))

    class RegressorMixin:  # type: ignore[no-redef]
        """Score by the coefficient of determination."""

        _estimator_type = "regressor"

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Return R², averaged over the targets."""
            predicted = self.predict(X)  # type: ignore[attr-defined]
            y = _shaped(np.asarray(y, float), predicted)
            errors = np.average((y - predicted) ** 2, axis=0, weights=sample_weight)
            spread = np.average((y - np.average(y, axis=0, weights=sample_weight)) ** 2, axis=0, weights=sample_weight)
            with np.errstate(divide="ignore", invalid="ignore"):
                return float(np.mean(np.where(spread > 0, 1 - errors / spread, errors == 0)))

    def check_random_state(seed: Any) -> np.random.RandomState:
        """Return seed if it is a RandomState, else a new RandomState seeded with it."""
        return seed if isinstance(seed, np.random.RandomState) else np.random.RandomState(seed)

    def check_classification_targets(y: Any) -> None:
        """Raise ValueError for float targets that are not whole numbers."""
        if y.dtype.kind == "f" and np.any(y != np.round(y)):
            raise ValueError("Unknown label type: continuous. Use BroadLearningRegressor for continuous targets.")

    def check_is_fitted(estimator: Any, attribute: str) -> None:
        """Raise NotFittedError if the attribute is absent."""
        if not hasattr(estimator, attribute):
            raise NotFittedError(
                f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )

    def _validate(estimator: Any, X: Any, y: Any = None, *, reset: bool, **options: Any) -> Any:
        names = [n for n in getattr(X, "columns", ()) if isinstance(n, str)]
        sparse = hasattr(X, "toarray")
        if not sparse and np.ndim(X) != 2:
            raise ValueError(f"Expected 2D array, got {np.ndim(X)}D array instead.")
        X = X.tocsr().astype(np.float64) if sparse else as_matrix(X)
        if 0 in X.shape:
            raise ValueError(f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) while a minimum of 1 is required.")
        if not np.isfinite(X.data if sparse else X).all():
            raise ValueError("Input X contains NaN or infinity.")
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
            if names and len(names) == X.shape[1]:
                estimator.feature_names_in_ = np.array(names, dtype=object)
        elif X.shape[1] != estimator.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(estimator).__name__} "
                f"is expecting {estimator.n_features_in_} features as input."
            )
        elif names and hasattr(estimator, "feature_names_in_") and names != list(estimator.feature_names_in_):
            raise ValueError(f"The feature names should match those that were passed during fit: {list(estimator.feature_names_in_)}")
        if y is None:
            return X
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1 and not options.get("multi_output"):
            y = y[:, 0]
        if y.ndim != 1 and not (y.ndim == 2 and options.get("multi_output")):
            raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
        if len(y) != X.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[X.shape[0], len(y)]}")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
        return X, y

    def check_weights(weights: Any, X: np.ndarray) -> np.ndarray:
        """Return the weights as float64, one for each row."""
        refuse_masked(weights, "sample_weight")
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != (X.shape[0],):
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(X.shape[0],)}!")
        return weights


def _is_plain(estimator: Any, X: Any) -> bool:
    """Return whether X needs no conversion or check here: the library checks for NaN and infinities."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and len(X) > 0
        and X.shape[1] == getattr(estimator, "n_features_in_", 0)
        and not hasattr(estimator, "feature_names_in_")
        and estimator._table is None
    )


def _is_plain_target(y: Any, rows: int, multi_output: bool = False, y_numeric: bool = False) -> bool:
    """Return whether y needs no conversion and is finite."""
    if type(y) is not np.ndarray or y.ndim not in ((1, 2) if multi_output else (1,)) or len(y) != rows or y.size == 0:
        return False
    return y.dtype.kind in ("biu" if y_numeric else "biuSU") or y.dtype.kind == "f" and bool(np.isfinite(y).all())


def check_labels(y: np.ndarray, name: str = "y") -> None:
    """Raise ValueError for targets that are not labels. Whole numbers and strings skip scikit-learn's check."""
    if y.dtype.kind in "fO" and (y != y).any() or y.dtype.kind == "f" and np.isinf(y).any():
        raise ValueError(f"{name} contains NaN or infinity; want finite labels")
    if y.dtype.kind not in "biuSU" and not (y.dtype.kind == "f" and (y == np.trunc(y)).all()):
        try:
            check_classification_targets(y)
        except TypeError as e:
            raise ValueError(f"{name} has labels of two kinds, which cannot be sorted ({e}): give all as numbers, or all as strings") from e


def as_labels(y: Any, name: str = "y") -> Any:
    """Return labels, a list as an array. Raise ValueError for labels that NumPy would make equal.

    Examples are 1 and "1", and the integers 2**53 and 2**53+1 in a list with a float.
    """
    if hasattr(y, "isna"):  # of pandas
        if np.any(y.isna()):
            raise ValueError(f"{name} contains NaN or another missing label; want a label for every sample")
        dtype = y.dtypes.iloc[0] if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 else getattr(y, "dtype", None)
        kind = getattr(dtype, "numpy_dtype", None)
        return y if kind is None else y.to_numpy(kind)  # Int64 would become float64
    if not isinstance(y, (list, tuple)):
        return y
    a = np.asarray(y)
    if a.ndim != 1:
        return a
    kinds = {str if isinstance(label, str) else bytes if isinstance(label, bytes) else None: label for label in y}
    if a.dtype.kind in "SU" and len(kinds) > 1:
        raise ValueError(f"{name} has labels of two kinds, such as {list(kinds.values())}: give all as numbers, or all as strings")
    if a.dtype.kind == "f" and any(isinstance(label, numbers.Integral) and int(label) != float(label) for label in y):
        raise ValueError(f"{name} has integers that float64 cannot represent exactly: give all labels in one integer type")
    return a


def _refuse(X: Any, table: Any) -> None:
    """Raise ValueError for masked elements and, except in a DataFrame with a table, for dates, which NumPy turns into numbers."""
    refuse_masked(X, "X")
    if not table or not hasattr(X, "iloc") or not hasattr(X, "columns"):
        refuse_dates(X, "X")


def check_inputs(estimator: Any, X: Any) -> np.ndarray:
    """Return X as a float64 matrix with the columns to which the estimator was fitted."""
    if _is_plain(estimator, X):
        return X
    table = getattr(estimator, "_table", None)
    _refuse(X, table)
    return _validate(estimator, X, reset=False) if table is None else table.inputs(X)


def _weighted(X: Any, weights: Any) -> Any:
    """Return the indices of the rows of a DataFrame whose weights are not 0, or None if these are all rows or none."""
    if weights is None or not hasattr(X, "iloc") or np.shape(weights) != (len(X),):
        return None
    kept = np.flatnonzero(check_weights(weights, X))
    return kept if 0 < len(kept) < len(X) else None


def check_data(
    estimator: Any, X: Any, y: Any, weights: Any, reset: bool, all_learned: bool = False, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return X as a float64 matrix, and y, with the same number of rows.

    If `reset` is true, the model takes the columns of X, with indicators of missing cells if its score improves.
    If `all_learned` is true and the model is fitted, the library checks arrays that it can read in place.
    """
    if not reset and all_learned and _is_plain(estimator, X) and _is_plain_target(y, len(X), **options):
        return X, y
    _refuse(X, reset or estimator._table)
    refuse_masked(y, "y")
    used = X
    if (kept := _weighted(X, weights)) is not None:  # the cells of other rows do not matter
        used, rows = X.iloc[kept], np.full(len(X), kept[0])
        rows[kept] = kept
        X = X.iloc[rows]
    if reset:
        estimator._table = Table.of(used)
    if (table := estimator._table) is None:
        return _validate(estimator, X, y, reset=reset, **options)
    plain = object.__new__(type(estimator))  # without the table's columns and their names
    rows, y = _validate(plain, table.inputs(X), y, reset=True, **options)
    if reset:
        estimator._table = table.chosen(estimator, X, y, None if weights is None else check_weights(weights, X))
        if estimator._table is not table:
            rows = estimator._table.inputs(X)
        table.tell(estimator)
    return rows, y
