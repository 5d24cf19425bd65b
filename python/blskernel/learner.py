"""Broad learning systems as scikit-learn estimators.

A broad learning system maps each row of X by random features to k nodes, a row of A, and predicts A W.
The weights W solve a ridge regression, which is updated when rows arrive.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
from typing import Any, Callable, Iterator, Optional, TypeVar, Union

import numpy as np

from ._native import Handle, refuse_dates, refuse_masked, run
from ._options import condition, fitted_params, learner_options, real, whole
from ._sklearn import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    as_labels,
    check_data,
    check_inputs,
    check_is_fitted,
    check_labels,
    check_random_state,
    check_weights,
)
from ._turns import turns

__all__ = ["BroadLearningClassifier", "BroadLearningRegressor"]

_SETTINGS = """scaling : {"columns", "ranks", "samples", "none"}, default=None
        How rows are standardized: "columns" and "ranks" suit tables, and "samples" suits images. With None,
        ``fit`` chooses "columns" or "ranks".
    feature_groups, feature_nodes : int, default=None
        The number of groups of feature nodes, and of nodes in each group. None means 10; with more than
        500 columns, ``feature_groups=None`` means enough groups for a node per column, up to 1000 nodes.
    enhancement_nodes : int, default=None
        The number of enhancement nodes, 0 for none. None means 200 to 2000, depending on the size of X.
    shrink : float, default=None
        The largest input of an enhancement node's tanh. With None, ``fit`` chooses it.
    lambda_ : float, default=None
        The ridge, 0 for none. With None, ``fit`` chooses it.
    method : {"gram", "qr", "ridge_inverse", "inverse_cholesky", "improved", "original"}, default=None
        How the weights are kept up to date. With None, ``fit`` chooses "gram" or "qr".
    form : {"auto", "paper", "small", "large", "compressed"}, default=None
        The form of an update, for methods that have several. None means "auto".
    unscaled : bool, default=False
        Whether to leave out the factor of the enhancement nodes, as in the paper's text. ``shrink`` must be None.
    enhancement : {"orthonormal", "uniform"}, default=None
        How the weights of the enhancement nodes are drawn. None means "orthonormal".
    direct : bool, default=None
        Whether the columns of X are nodes themselves. None means True for at most 500 columns, if ``fit``
        chooses ``shrink`` or ``lambda_`` and ``scaling`` is not "samples" or "none".
    relevance : int, default=None
        The number of rounds, 0 to 3, that weight columns by how much the predictions depend on them. With
        None, ``fit`` chooses the number if it also chooses ``shrink`` or ``lambda_``; otherwise 0.
    steps : bool, default=None
        Whether half of the enhancement nodes are step functions of one or two columns. With None, ``fit``
        chooses this if it also chooses ``shrink`` or ``lambda_``; otherwise False.
    solve, c, workspace
        Settings of "improved" and "original", as in IncrementalRidge.
    expected_rows : int, default=None
        The total number of rows that the model will learn, from which ``fit`` chooses the method.
    validate : bool, default=False
        Whether ``fit`` holds out rows even if all settings are given, for the score in ``choice_``.
    random_state : int, RandomState instance or None, default=None
        Determines the random weights. An int gives the same model in every call, and the same model as the
        command with this ``--seed``."""

_ATTRIBUTES = """n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of X, if all are strings.
    scaling_, feature_groups_, feature_nodes_, enhancement_nodes_, shrink_, method_
        The settings of the model, given or chosen.
    choice_ : dict
        These settings and ``lambda_``, the ridge, and how ``fit`` chose them: from ``rows`` rows, of which
        ``held_out`` were held out, with ``score`` on the held-out rows."""


_Method = TypeVar("_Method", bound=Callable[..., Any])
_Self = TypeVar("_Self", bound="_Learner")


def _twin(estimator: Any, attributes: dict[str, Any]) -> Any:
    """Return an estimator of the same class that shares the dict of attributes."""
    twin = object.__new__(type(estimator))
    twin.__dict__ = attributes
    return twin


def _now(estimator: Any) -> Any:
    """Return a snapshot. It shares the dict of attributes, which methods replace rather than change."""
    return _twin(estimator, vars(estimator))


def _whole(method: _Method) -> _Method:
    """Make a method hold the lock of the estimator, and change all attributes at once, or none if it fails."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **params: Any) -> Any:
        with turns.of(self):
            before = dict(vars(self))
            twin = _twin(self, dict(before))
            method(twin, *args, **params)
            after = vars(twin)
            changed = {name: value for name, value in after.items() if before.get(name, after) is not value}
            kept = {name: value for name, value in vars(self).items() if name in after or name not in before}
            self.__dict__ = {**kept, **changed}
        return self

    return call  # type: ignore[return-value]


def _set(estimator: Any, arguments: dict[str, Any]) -> None:
    """Keep the arguments of a constructor, as scikit-learn requires: each in an attribute of the same name."""
    vars(estimator).update((name, value) for name, value in arguments.items() if name != "self")


class _Learner(BaseEstimator):
    """The base of classifiers and regressors."""

    _kind: str
    _names: list[str]  # the parameters, without any that a subclass of the estimator adds
    _model: Handle
    _weighted: bool = False  # rows have weights other than 1

    def _options(self, **params: Any) -> dict[str, Any]:
        """Return the parameters as options of the library. Values in `params` replace the attributes."""
        given = {name: getattr(self, name) for name in self._names}
        seed = given["random_state"]
        if not isinstance(seed, (int, np.integer)):
            try:
                seed = check_random_state(seed).randint(2**31 - 1)
            except (TypeError, ValueError):
                raise ValueError(f"random_state is {seed!r}; want an integer from 0 to 2**64-1, a RandomState or None") from None
        return learner_options(**{**given, "random_state": int(seed), **params})

    def _checked(self, X: Any, y: Any, sample_weight: Any, reset: bool, learn: bool = True) -> tuple[np.ndarray, np.ndarray, Any]:
        """Return X, y and the weights of all rows, or None for the weights, after checks.

        If `learn` is false, the cells of rows of a class of weight 0 matter, too.
        """
        raise NotImplementedError

    def _targets(self, y: np.ndarray) -> np.ndarray:
        """Return the targets that the library learns for a y returned by `_checked`."""
        raise NotImplementedError

    def _start(self, method: str, X: np.ndarray, y: np.ndarray, weights: Any, labels: Any = None, **params: Any) -> None:
        """Fit a new model, which replaces the current one."""
        if _is_sparse(X) and self.expected_rows is None:
            params.setdefault("expected_rows", X.shape[0])
        self._note(weights)
        model = Handle(self._kind, self._options(**params))
        model.labels = labels
        _learn(model, method, X, y, weights)
        about = model.json("attributes")
        self._adopt(model, about)

    def _note(self, weights: Any, before: bool = False) -> None:
        """Note whether rows have weights other than 1, for programs that cannot weight rows."""
        self._weighted = before or weights is not None and bool((weights != 1).any())

    def _adopt(self, model: Handle, about: dict[str, Any]) -> None:
        """Take over a fitted model with these attributes from the library."""
        model.targets, model.kept = about["targets"], about["kept"]
        fitted = fitted_params(about["fitted"])
        self._model, self.choice_ = model, {**about["choice"], **fitted}
        for name, value in fitted.items():
            if name != "lambda_":  # a parameter
                setattr(self, name + "_", value)

    def _change(self, method: str, *operands: Any, **options: Any) -> None:
        """Call a method that changes the current model."""
        self._fitted().call(method, operands, options=options)
        self._settle()

    def _settle(self) -> None:
        """Set the chosen settings once the model no longer keeps its first rows."""
        model = self._model
        if model.kept:
            model.kept = model.json("kept")["kept"]
            if not model.kept:
                self._adopt(model, model.json("attributes"))

    def _teach(self, method: str, X: Any, y: np.ndarray, weights: Any) -> None:
        """Call a method that learns rows. For a sparse X, learn batches in a copy, so that all rows are learned or none."""
        self._note(weights, method != "refit" and self._weighted)
        if _is_sparse(X):
            self._model = _copied(self._fitted())
        _learn(self._fitted(), method, X, y, weights)
        self._settle()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _fitted(self) -> Handle:
        check_is_fitted(self, "_model")
        return self._model

    def _predict(self, model: Handle, method: str, X: Any, columns: int, **options: Any) -> np.ndarray:
        X = check_inputs(self, X)
        result = np.empty((X.shape[0], columns))
        for rows, part in _batches(X):
            model.call(method, [part], [result[rows]], options)
        return result

    def _learn(self, method: str, X: Any, y: Any, sample_weight: Any) -> None:
        """Call a method of a fitted model with rows of known classes."""
        self._fitted()
        X, y, weights = _present(*self._checked(X, y, sample_weight, False))
        self._teach(method, X, self._targets(y), weights)

    def _fit(self, method: str, X: np.ndarray, y: np.ndarray, weights: Any) -> None:
        """Fit a new model, by `fit` or `partial_fit`, to rows that `_checked` has returned."""
        X, y, weights = _present(X, y, weights)
        self._start(method, X, self._targets(y), weights)

    @_whole
    def fit(self: _Self, X: Any, y: Any, sample_weight: Any = None) -> _Self:
        """Fit a new model to rows and their labels or targets, in place of what was learned before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows. A C-contiguous array of float64 is read in place.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            The labels, which are numbers, strings or anything else that NumPy can sort, or the targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The weight of the squared error of each row. Rows of weight 0 are left out, but their labels
            still count as classes.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> BroadLearningClassifier(random_state=0).fit(X, y).predict([[1.0], [0.0]]).tolist()
        ['yes', 'no']
        >>> BroadLearningRegressor(random_state=0).fit(X, [3.0, 5.0] * 20).predict(X[:2]).round(1).tolist()
        [3.0, 5.0]
        """
        self._fit("fit", *self._checked(X, y, sample_weight, True))
        return self

    @_whole
    def remove(self: _Self, X: Any, y: Any, sample_weight: Any = None) -> _Self:
        """Unlearn rows. This is not an erasure: the scaling and the feature maps stay as they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows that the model has learned, in any order.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Their current weights: the weights with which the model has learned them, multiplied by the factors
            of every ``forget`` since.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.remove(X[:2], y[:2]).predict([[0.0], [1.0]]).tolist()
        ['no', 'yes']
        """
        self._learn("remove", X, y, sample_weight)
        return self

    @_whole
    def refit(self: _Self, X: Any, y: Any, sample_weight: Any = None) -> _Self:
        """Replace all rows learned so far by the given ones, with the same feature maps and settings.

        A column that was constant may begin to vary, as in ``partial_fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels, of classes that the model knows, or their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.refit(X, ["yes", "no"] * 20).predict([[0.0], [1.0]]).tolist()
        ['yes', 'no']
        """
        self._learn("refit", X, y, sample_weight)
        return self

    @_whole
    def forget(self: _Self, factor: float) -> _Self:
        """Multiply the weight of all rows so far, and the ridge, by ``factor``.

        The predictions do not change, but a model that still keeps its rows is fitted again. A call before
        each ``partial_fit`` gives exponential forgetting. ``set_lambda`` restores the ridge.

        Parameters
        ----------
        factor : float
            The factor, above 0 and at most 1.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.forget(0.01).partial_fit(X, ["yes", "no"] * 20).predict([[0.0], [1.0]]).tolist()
        ['yes', 'no']
        """
        self._change("forget", Factor=real("factor", factor, "above 0 and at most 1"))
        return self

    @_whole
    def set_lambda(self: _Self, lambda_: float) -> _Self:
        """Change the ridge, as if it had been ``lambda_`` from the start; only with "gram" and "qr".

        Parameters
        ----------
        lambda_ : float
            The ridge, 0 for none.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.set_lambda(0.5).predict([[0.0], [1.0]]).tolist()
        ['no', 'yes']
        """
        self._change("set_lambda", Lambda=real("lambda_", lambda_))
        return self

    @_whole
    def merge(self: _Self, other: _Self) -> _Self:
        """Learn all rows, and all classes, of another model with the same feature maps.

        Copies of one fitted model (``copy.deepcopy``) that learned different rows have the same maps.
        Only the methods "gram" and "qr" can merge.

        Parameters
        ----------
        other : estimator
            The other model, of the same class. It stays as it is.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> import copy
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> other = copy.deepcopy(model).partial_fit([[2.0]] * 20, ["maybe"] * 20)
        >>> model.merge(other).classes_.tolist()
        ['maybe', 'no', 'yes']
        """
        model = _of_kind(self, other)  # kept alive, even if other is fitted meanwhile
        self._weighted = self._weighted or other._weighted
        self._join(model)
        self._settle()
        return self

    def _join(self, other: Handle) -> None:
        """Merge another model of the library into the current one."""
        self._model.call("merge", options={"Other": other.value})

    @_whole
    def calibrate(self: _Self, X: Any, y: Any) -> _Self:
        """Measure how far predictions are off, on rows that the model has not learned.

        These rows then determine the slope of a classifier's probabilities, the width of a regressor's
        intervals and, with ``log_targets``, the factor of the predictions. Until then, all three come from rows
        that ``fit`` predicts as if they were left out.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels, of classes that the model knows, or their targets.

        Returns
        -------
        self : estimator
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.calibrate([[0.1], [0.9]], ["no", "yes"]).predict([[0.0], [1.0]]).tolist()
        ['no', 'yes']
        """
        self._fitted()
        X, y, _ = self._checked(X, y, None, False, learn=False)
        self._change("calibrate", X.toarray() if _is_sparse(X) else X, self._targets(y))
        return self

    def importance(self, X: Any, y: Any, sample_weight: Any = None, *, repeats: int = 10, random_state: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each column of X, by how much ``score`` falls when its cells are permuted.

        The command importance makes the same permutations with this ``--seed``. Rows that the model has not
        learned show what matters for new rows. The fall is small if other columns can stand in for a column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels, of classes that the model knows, or their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        repeats : int, default=10
            The number of permutations of each column.
        random_state : int, default=0
            The seed of the permutations.

        Returns
        -------
        mean, std : ndarray of shape (n_features,)
            The mean fall, and its standard deviation over the permutations.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> model = BroadLearningRegressor(random_state=0).fit(X[:100], X[:100, 1])
        >>> model.importance(X[100:], X[100:, 1])[0].round(1).tolist()[::2]
        [0.0, 0.0]
        """
        self = _now(self)
        model = self._fitted()
        X, y, _ = self._checked(X, y, sample_weight, False, learn=False)
        X, y, weights = _present(X, y, None if sample_weight is None else check_weights(sample_weight, X))  # class_weight has no part in score
        X, groups = X.toarray() if _is_sparse(X) else X, None
        if self._table is not None:
            ends = np.cumsum(self._table.widths)
            groups = [list(range(end - width, end)) for end, width in zip(ends.tolist(), self._table.widths)]
        options = {"Groups": groups, "Repeats": whole("repeats", repeats, 1), "Seed": whole("random_state", random_state, 0, 2**64)}
        operands = [X, self._targets(y), None if weights is None else weights[:, None]]
        about = json.loads(run(model.value, "importance", operands, options=options, fetch=True))
        return np.array(about["Mean"]), np.array(about["Spread"])

    def condition(self) -> dict[str, Any]:
        """Return how accurate the weights are.

        Returns
        -------
        dict
            ``rcond``, the reciprocal condition number; ``digits``, a lower bound on the correct digits;
            ``advice`` if the digits are few, and ``instead``, the method to use instead.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> bool(0 < model.condition()["rcond"] <= 1)
        True
        """
        return condition(self._fitted())

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_labels"], state["_model"] = state["_model"].labels, state["_model"].fetch("encode")
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            state["_model"] = Handle.decode(state["_model"])
            state["_model"].labels = state.pop("_labels")
            about = state["_model"].json("attributes")
            state["_model"].targets, state["_model"].kept = about["targets"], about["kept"]
        super().__setstate__(state)


class BroadLearningClassifier(ClassifierMixin, _Learner):
    """A broad learning system that predicts classes.

    ``fit`` chooses parameters that are None by their score on held-out rows, from at most 4096 rows, and
    then learns all rows. ``partial_fit`` continues: up to rounding, the weights equal the weights of a fit
    to all rows so far with the feature maps of the first call.

    Parameters
    ----------
    SETTINGS
    class_weight : dict or "balanced", default=None
        The weight of each class. "balanced" gives all classes the same total weight in ``fit`` and ``refit``.
        In ``partial_fit``, and in each further batch of a sparse X, it weights the new rows by the counts of all
        rows so far. Earlier rows keep their weights, so the result differs from a single fit. Once the model no
        longer keeps its rows, ``remove`` is an error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, in ascending order.
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from blskernel import BroadLearningClassifier
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = BroadLearningClassifier(random_state=0).fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.9)
    True
    """

    __doc__ = __doc__.replace("SETTINGS", _SETTINGS).replace("ATTRIBUTES", _ATTRIBUTES)
    _kind = "classifier"

    def __init__(
        self,
        *,
        scaling: Optional[str] = None,
        feature_groups: Optional[int] = None,
        feature_nodes: Optional[int] = None,
        enhancement_nodes: Optional[int] = None,
        shrink: Optional[float] = None,
        unscaled: bool = False,
        enhancement: Optional[str] = None,
        direct: Optional[bool] = None,
        relevance: Optional[int] = None,
        steps: Optional[bool] = None,
        lambda_: Optional[float] = None,
        method: Optional[str] = None,
        form: Optional[str] = None,
        solve: bool = False,
        c: Optional[str] = None,
        workspace: int = 0,
        expected_rows: Optional[int] = None,
        validate: bool = False,
        class_weight: Union[dict[Any, float], str, None] = None,
        random_state: Any = None,
    ) -> None:
        _set(self, locals())

    def _options(self, **params: Any) -> dict[str, Any]:
        if isinstance(self.class_weight, dict):  # _checked turns it into row weights
            params["class_weight"] = None
        return super()._options(**params)

    def _checked(self, X: Any, y: Any, sample_weight: Any, reset: bool, learn: bool = True) -> tuple[np.ndarray, np.ndarray, Any]:
        y, seen = as_labels(y), sample_weight
        absent = [label for label, weight in self.class_weight.items() if weight == 0] if isinstance(self.class_weight, dict) else []
        if learn and absent and hasattr(X, "iloc"):  # the cells of their rows do not matter
            there = np.array([label not in absent for label in np.ravel(y).tolist()], dtype=float)
            seen = there if seen is None else there * seen if np.shape(seen) in ((), there.shape) else seen
        X, y = check_data(self, X, y, seen, reset, sample_weight is None and not isinstance(self.class_weight, dict))
        check_labels(y)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        if isinstance(self.class_weight, dict):
            numbers = {label: real(f"class_weight[{label!r}]", weight) for label, weight in self.class_weight.items()}
            own = np.array([numbers.get(label, 1.0) for label in y.tolist()])
            weights = own if weights is None else weights * own
        return X, y, weights

    def _start_classes(self, method: str, X: np.ndarray, y: np.ndarray, weights: Any, labels: np.ndarray, closed: bool) -> None:
        """Fit a new model with classes for all labels, including labels whose rows all have weight 0."""
        X, numbers, weights = _present(X, _numbers(labels, y), weights)
        first, _ = next(_batches(X))
        present = np.unique(numbers[first]).astype(np.intp)
        if closed or len(present) == len(labels):
            self._start(method, X, numbers, weights, labels, classes=len(labels) if closed else None)
            return
        known, y = labels[present], labels[numbers[:, 0].astype(np.intp)]
        expected = X.shape[0] if _is_sparse(X) and self.expected_rows is None else self.expected_rows
        self._start(method, X[first], _numbers(known, y[first]), weights if weights is None else weights[first], known, expected_rows=expected)
        self._model = _relabelled(self._model, _union(known, labels))
        rest = slice(first.stop, None)
        if first.stop and first.stop < X.shape[0]:
            _learn(self._model, "partial_fit", X[rest], self._targets(y[rest]), weights if weights is None else weights[rest])

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return _numbers(self._labels, y)

    def _fit(self, method: str, X: np.ndarray, y: np.ndarray, weights: Any) -> None:
        labels = _distinct(y)
        if len(labels) < 2:
            raise ValueError(f"This classifier needs at least 2 classes, but y has one class: {labels.tolist()[0]!r}")
        self._start_classes(method, X, y, weights, labels, False)
        self._closed = False

    @_whole
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> BroadLearningClassifier:
        """Learn more rows, or fit the model if it is not fitted yet.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.
        classes : array-like of shape (n_classes,), default=None
            All classes, in the first call. If this is None, a new label adds a class, as if the model had had
            the class from the start.

        Returns
        -------
        self : BroadLearningClassifier
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).partial_fit(X, y)
        >>> model.partial_fit([[2.0]] * 20, ["maybe"] * 20).predict([[0.0], [2.0]]).tolist()
        ['no', 'maybe']
        """
        first = not hasattr(self, "_model")
        X, y, weights = self._checked(X, y, sample_weight, first)
        closed = classes is not None if first else self._closed
        if classes is not None:
            classes = _classes(classes)
        if first:
            known = _distinct(y) if classes is None else classes
        elif classes is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(f"classes={classes.tolist()} differs from the classes of the model, {self.classes_.tolist()}")
        else:
            known = self._labels
        places = _places(known, y)
        labels = known if places is not None else _union(known, y)
        if closed and len(labels) > len(known):
            raise ValueError(f"y has labels that are not among the classes given in the first call of partial_fit: {labels[len(known):].tolist()}")
        if first:
            self._start_classes("partial_fit", X, y, weights, labels, closed)
        else:
            if len(labels) > len(known):  # in a copy: an interruption leaves the earlier classes
                self._model = _relabelled(self._model, labels)
            numbers = _numbers(labels, y) if places is None else _column(places)
            X, numbers, weights = _present(X, numbers, weights)
            self._teach("partial_fit", X, numbers, weights)
        self._closed = closed
        return self

    @property
    def _labels(self) -> np.ndarray:
        """The labels in the order of the classes, which is the order in which the model met them.

        They are stored in the model, so that predictions in other threads see matching labels.
        """
        return self._fitted().labels

    @property
    def classes_(self) -> np.ndarray:
        """The labels in ascending order."""
        return np.sort(self._labels)

    def _join(self, other: Handle) -> None:
        """Merge copies of the two models that have all classes of both."""
        mine, labels = self._model, _union(self._model.labels, other.labels)
        if self._closed and len(labels) > len(mine.labels):
            raise ValueError(f"the other model has classes that are not among the classes given in the first call of partial_fit: {labels[len(mine.labels):].tolist()}")
        self._model, other = (model if np.array_equal(model.labels, labels) else _relabelled(model, labels) for model in (mine, other))
        super()._join(other)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of each class: about 1 for the class of a row, and -1 for the others.

        Far from the learned rows the scores are made less certain, like the probabilities. Therefore
        scores and probabilities rank rows in the same order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            With two classes, a positive score predicts the second class.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.decision_function([[0.0], [1.0]]).round().tolist()
        [-1.0, 1.0]
        """
        scores = self._columns("decision_function", X)
        return (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Return, for each row, the label with the largest score.

        Among classes with equal scores, the one that the model met first wins, and among classes that it
        met in one call, the one with the smallest label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Elements of ``classes_``.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> model.predict([[1.0], [0.0]]).tolist()
        ['yes', 'no']
        """
        self = _now(self)
        model = self._fitted()
        return model.labels[self._predict(model, "predict", X, 1)[:, 0].astype(np.intp)]

    def _columns(self, method: str, X: Any) -> np.ndarray:
        """Return the result of a method for each class, in the order of `classes_`."""
        self = _now(self)
        model = self._fitted()
        return self._predict(model, method, X, len(model.labels))[:, np.argsort(model.labels)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classes.

        They are the softmax of the scores times a slope. The slope comes from ``calibrate`` or, without it,
        from rows that ``fit`` predicts as if they were left out.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            One column for each of ``classes_``; each row sums to 1.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, ["no", "yes"] * 20
        >>> model = BroadLearningClassifier(random_state=0).fit(X, y)
        >>> (model.predict_proba([[0.0], [1.0]]) > 0.5).tolist()
        [[True, False], [False, True]]
        """
        return self._columns("predict_proba", X)


class BroadLearningRegressor(RegressorMixin, _Learner):
    """A broad learning system that predicts one quantity or several.

    ``fit`` chooses parameters that are None by their score on held-out rows, from at most 4096 rows, and
    then learns all rows. ``partial_fit`` continues: up to rounding, the weights equal the weights of a fit
    to all rows so far with the feature maps of the first call.

    Parameters
    ----------
    SETTINGS
    no_intercept : bool, default=False
        Whether to leave out the column of ones and the means of the targets, as in the paper.
    log_targets : bool, default=None
        Whether to learn the logarithms of the targets, so that relative errors count. Every target must then
        be positive, in later calls too. With None, ``fit`` takes logarithms only if it chooses ``shrink`` or
        ``lambda_``, all targets are positive and skewed, and the held-out error becomes clearly smaller.

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np
    >>> from blskernel import BroadLearningRegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> y = np.sin(3 * X[:, 0]) * X[:, 1]
    >>> model = BroadLearningRegressor(random_state=0)
    >>> for part in range(0, 400, 100):
    ...     model = model.partial_fit(X[part : part + 100], y[part : part + 100])
    >>> bool(model.score(X[400:], y[400:]) > 0.9)
    True
    """

    __doc__ = __doc__.replace("SETTINGS", _SETTINGS).replace("ATTRIBUTES", _ATTRIBUTES)
    _kind = "regressor"

    def __init__(
        self,
        *,
        scaling: Optional[str] = None,
        feature_groups: Optional[int] = None,
        feature_nodes: Optional[int] = None,
        enhancement_nodes: Optional[int] = None,
        shrink: Optional[float] = None,
        unscaled: bool = False,
        enhancement: Optional[str] = None,
        direct: Optional[bool] = None,
        relevance: Optional[int] = None,
        steps: Optional[bool] = None,
        lambda_: Optional[float] = None,
        method: Optional[str] = None,
        form: Optional[str] = None,
        solve: bool = False,
        c: Optional[str] = None,
        workspace: int = 0,
        expected_rows: Optional[int] = None,
        validate: bool = False,
        no_intercept: bool = False,
        log_targets: Optional[bool] = None,
        random_state: Any = None,
    ) -> None:
        _set(self, locals())

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": True}

    def __sklearn_tags__(self) -> Any:  # in place of _more_tags from scikit-learn 1.6 on
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _checked(self, X: Any, y: Any, sample_weight: Any, reset: bool, learn: bool = True) -> tuple[np.ndarray, np.ndarray, Any]:
        refuse_dates(y, "y")
        X, y = check_data(self, X, y, sample_weight, reset, sample_weight is None, multi_output=True, y_numeric=True)
        y = np.asarray(y)
        if y.dtype.kind in "cV":
            raise ValueError(f"y has dtype {y.dtype}: turn it into real numbers")
        y = y.astype(np.float64, copy=False)
        if reset:
            self._flat = y.ndim == 1
        return X, y, None if sample_weight is None else check_weights(sample_weight, X)

    def _targets(self, y: np.ndarray) -> np.ndarray:
        return y[:, None] if y.ndim == 1 else y

    @_whole
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> BroadLearningRegressor:
        """Learn more rows, or fit the model if it is not fitted yet.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        self : BroadLearningRegressor
            The model itself.

        Examples
        --------
        >>> X, y = [[0.0], [1.0]] * 20, [3.0, 5.0] * 20
        >>> model = BroadLearningRegressor(random_state=0).partial_fit(X, y)
        >>> model.partial_fit([[2.0]] * 20, [7.0] * 20).predict([[0.0], [2.0]]).round(1).tolist()
        [3.0, 7.0]
        """
        if hasattr(self, "_model"):
            self._learn("partial_fit", X, y, sample_weight)
        else:
            self._fit("partial_fit", *self._checked(X, y, sample_weight, True))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted targets of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predictions, with as many dimensions as y in the call that started the model.

        Examples
        --------
        >>> model = BroadLearningRegressor(random_state=0).fit([[0.0], [1.0]] * 20, [3.0, 5.0] * 20)
        >>> model.predict([[1.0]]).round(1).tolist()
        [5.0]
        """
        self = _now(self)
        model = self._fitted()
        y = self._predict(model, "predict", X, model.targets)
        return y[:, 0] if self._flat else y

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of intervals that contain the targets of new rows with probability ``coverage``.

        The probability is an average over rows like the calibration rows, whatever the distribution
        of the errors (split conformal prediction). ``fit`` calibrates the model if it chooses settings or
        ``validate`` is set; ``calibrate`` calibrates it on other rows. ``remove``, ``refit``, ``merge`` and
        a change of the ridge discard the calibration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        coverage : float, default=0.9
            The probability, above 0 and below 1.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The ends of the intervals.

        Examples
        --------
        >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
        >>> y = X[:, 0] + np.random.default_rng(1).normal(size=400) / 10
        >>> model = BroadLearningRegressor(random_state=0).fit(X[:300], y[:300])
        >>> lower, upper = model.predict_interval(X[300:])
        >>> bool(0.8 < np.mean((lower <= y[300:]) & (y[300:] <= upper)) < 1)
        True
        """
        self = _now(self)
        model = self._fitted()
        ends = self._predict(model, "predict_interval", X, 2 * model.targets, Coverage=real("coverage", coverage, "above 0 and below 1"))
        lower, upper = ends[:, : model.targets], ends[:, model.targets :]
        return (lower[:, 0], upper[:, 0]) if self._flat else (lower, upper)


for _class in (BroadLearningClassifier, BroadLearningRegressor):
    _class._names = list(inspect.signature(_class).parameters)


def _of_kind(estimator: _Learner, other: Any) -> Handle:
    """Return the model of another estimator, or raise ValueError if its kind or its inputs differ."""
    if not isinstance(other, _Learner) or other._kind != estimator._kind:
        raise ValueError(f"merge takes another BroadLearning{estimator._kind.capitalize()}, not {type(other).__name__}")
    estimator._fitted()
    other = _now(other)
    model = other._fitted()
    (names, columns), (their_names, their_columns) = _inputs(estimator), _inputs(other)
    if columns != their_columns or names and their_names and names != their_names:
        raise ValueError("the models have different inputs and cannot be merged: both need the same columns in the same order, with the same words and indicators of missing cells")
    return model


def _inputs(estimator: _Learner) -> tuple[list[str], list[Any]]:
    """Return the names of the columns, if any, and for each column its words and its number of inputs."""
    table = estimator._table
    names = [str(name).strip() for name in getattr(estimator, "feature_names_in_", ())]
    if table is None:
        return names, [(None, 1)] * estimator.n_features_in_
    return names, [(column.get("levels"), width) for column, width in zip(table.columns, table.widths)]


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray")


_CELLS = 2**23  # cells of a batch, 64 MiB
_FIRST = 4096  # minimum number of rows of the first batch, from which fit chooses settings


def _batches(X: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of rows with their rows as an array: all rows at once or, for a sparse X, batches."""
    if not _is_sparse(X):
        yield slice(None), X
        return
    at, rows = 0, max(1, _CELLS // X.shape[1])
    while at < X.shape[0]:
        part = slice(at, max(at + rows, _FIRST))
        yield part, X[part].toarray()
        at = part.stop


def _learn(model: Handle, method: str, X: Any, y: np.ndarray, weights: Any) -> None:
    """Call a method with all rows in batches; after fit or refit on the first, partial_fit learns the others."""
    for rows, part in _batches(X):
        model.call(method, [part, y[rows], None if weights is None else weights[rows, None]])
        method = "partial_fit" if method in ("fit", "refit") else method


def _copied(model: Handle) -> Handle:
    copied = Handle.decode(model.fetch("encode"))
    copied.labels, copied.targets, copied.kept = model.labels, model.targets, model.kept
    return copied


def _relabelled(model: Handle, labels: np.ndarray) -> Handle:
    """Return a copy of a model with more classes, or with its classes in another order."""
    copied = _copied(model)
    copied.call("relabel", options={"To": _numbers(labels, model.labels)[:, 0].astype(int), "Classes": len(labels)})
    copied.labels, copied.targets = labels, len(labels)
    return copied


def _union(labels: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Return the labels, followed by the new ones of `more` in ascending order."""
    more = _distinct(more)
    _same_kind(labels, more)
    return np.concatenate([labels, more[~np.isin(more, labels)]])


def _distinct(labels: np.ndarray) -> np.ndarray:
    """Return the distinct labels in ascending order."""
    try:
        return np.unique(labels)
    except TypeError as e:
        raise ValueError(f"labels of two kinds cannot be sorted ({e}): give all as numbers, or all as strings") from e


def _classes(classes: Any) -> np.ndarray:
    """Return the distinct labels of the argument classes, in ascending order."""
    refuse_masked(classes, "classes")
    labels = np.asarray(as_labels(classes, "classes"))
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(f"classes has shape {labels.shape}; want a list of at least one label")
    check_labels(labels, "classes")
    return _distinct(labels)


_KINDS = {**dict.fromkeys("biuf", "number"), "S": "bytes", **dict.fromkeys("UO", "text")}


def _same_kind(labels: np.ndarray, more: np.ndarray) -> None:
    """Raise ValueError for labels that cannot be compared, or that their common type may not hold exactly."""
    if labels.dtype == more.dtype:
        return
    one, two = (_KINDS.get(each.dtype.kind, each.dtype.kind) for each in (labels, more))
    if one != two:
        raise ValueError(f"labels are of two kinds, such as {labels.tolist()[0]!r} and {more.tolist()[0]!r}: give all as numbers, or all as strings")
    if one != "number" or (common := np.result_type(labels, more)).kind != "f":
        return
    for each in (labels, more):
        with np.errstate(invalid="ignore"):  # 2**63 as float64 is not an int64
            lost = each.dtype.kind in "iu" and (each.astype(common).astype(each.dtype) != each).any()
        if lost or labels.dtype.kind + more.dtype.kind in ("iu", "ui"):
            raise ValueError(f"no NumPy type holds all labels of the types {labels.dtype} and {more.dtype} exactly: give all in the same integer type")


def _places(labels: np.ndarray, y: np.ndarray) -> Optional[np.ndarray]:
    """Return the index in labels of each element of y, or None if y has other labels."""
    _same_kind(labels, y)
    order = np.argsort(labels)
    found = order.take(np.searchsorted(labels, y, sorter=order), mode="clip")
    return found if np.array_equal(labels[found], y) else None


def _column(places: np.ndarray) -> np.ndarray:
    """Return indices of labels as a column of float64, as the library takes them."""
    return places.astype(np.float64)[:, None]


def _numbers(labels: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the index in labels of each element of y, as a column of float64."""
    places = _places(labels, y)
    if places is None:
        raise ValueError(f"y has labels that the model does not know: {_union(labels, y)[len(labels):].tolist()}")
    return _column(places)


def _present(X: np.ndarray, y: np.ndarray, weights: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return the rows of nonzero weight: a row of weight 0 would still shape the feature maps."""
    if weights is None or weights.all():
        return X, y, weights
    rows = weights != 0
    if not rows.any():
        raise ValueError("sample_weight is 0 for all rows; want a positive weight for at least one row")
    return X[rows], y[rows], weights[rows]
