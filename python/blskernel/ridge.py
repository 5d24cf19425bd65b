"""An output layer without feature maps: ridge regression that learns and unlearns rows, and adds nodes."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import struct
from dataclasses import dataclass, replace
from typing import Any, Optional

import numpy as np

from . import _native
from ._native import as_matrix, as_vector
from ._options import condition, method_name, real, ridge_options
from ._turns import turns

__all__ = ["IncrementalRidge"]


# The first bytes of a file. The SHA-256 of the rest follows, then a line with the arguments of the
# constructor, the _Center if there is an intercept, and the state as blsupdate.Encode writes it.
_MAGIC = b"blsridg3"

# The methods that keep no rows, so that other rows with the same sums of products can replace a batch.
_CENTRING = ("gram", "qr", "ridge_inverse", "inverse_cholesky")

# With an intercept, removals may multiply the errors of the means by at most this factor.
_MOST = 1e8
_OVERFLOW = "numbers overflow: scale the rows, the targets or the weights"


@dataclass(frozen=True)
class _Center:
    """The total weight of all rows, the number of rows, and the weighted means of rows and targets.

    A mean is the sum of two rows of an array: rounding to one float64 is too coarse for columns far from 0,
    such as times in Unix seconds. A removal multiplies the errors of the means by the ratio of the weights
    before and after it, and new rows divide them again. `grown` is the factor now, and `most` the largest so
    far, which bounds the effect on the weights.
    """

    weight: float
    rows: int
    a: np.ndarray
    y: np.ndarray
    grown: float = 1.0
    most: float = 1.0

    def encode(self) -> bytes:
        head = struct.pack("<dQddQQ", self.weight, self.rows, self.grown, self.most, self.a.shape[1], self.y.shape[1])
        return head + self.a.astype("<f8").tobytes() + self.y.astype("<f8").tobytes()

    @staticmethod
    def decode(data: bytes) -> tuple[_Center, bytes]:
        """Return the center at the beginning of data, and the rest of data."""
        weight, rows, grown, most, k, c = struct.unpack_from("<dQddQQ", data)
        end = 48 + 16 * (k + c)
        means = np.frombuffer(data[48:end], "<f8").astype(np.float64)
        return _Center(weight, rows, means[: 2 * k].reshape(2, k), means[2 * k :].reshape(2, c), grown, most), data[end:]

    @staticmethod
    def of(a: np.ndarray, y: np.ndarray, w: Optional[np.ndarray]) -> _Center:
        """Return the center of rows."""
        if len(a) != len(y):
            raise ValueError(f"the numbers of rows in A and Y are {len(a)} and {len(y)}; want equal numbers")
        weights = np.ones(len(a)) if w is None else w[:, 0]
        with np.errstate(over="ignore"):
            total = float(weights.sum())
        if not total > 0:
            raise ValueError("the total weight of the rows is 0; want a positive weight for at least one row")

        def mean(x: np.ndarray) -> np.ndarray:
            first = weights @ x / total
            return np.stack([first, weights @ (x - first) / total])

        with np.errstate(over="ignore", invalid="ignore"):
            center = _Center(total, len(a), mean(a), mean(y))
        known = all(np.isfinite(each).all() for each in (total, center.a, center.y))
        if not known and np.isfinite(a).all() and np.isfinite(y).all():  # the library names other infinities
            raise _native.NumericError(_OVERFLOW)
        return center

    def rows_about(self, a: np.ndarray, y: np.ndarray, w: Optional[np.ndarray]) -> list[np.ndarray]:
        """Return rows and targets minus the means, times the square roots of the weights.

        If there are NaN or infinities, return rows and targets unchanged: the library names the first.
        """
        if not (np.isfinite(a).all() and np.isfinite(y).all()):
            return [a, y]
        return _rooted(w, a - self.a[0] - self.a[1], y - self.y[0] - self.y[1])

    @np.errstate(over="ignore", invalid="ignore")
    def joined(self, other: _Center) -> tuple[_Center, _Center]:
        """Return the center of the rows of both, and the point about which to add the rows of other.

        The products of n1 and n2 rows about their common mean are the sum of the products about m1, the
        products about m2, and n1 n2 / (n1 + n2) d'd, d = m2 - m1. The last two terms together are the
        products of the n2 rows about the point m2 - sqrt(n1 / (n1 + n2)) d.
        """
        total = self.weight + other.weight
        share, root = other.weight / total, np.sqrt(self.weight / total)
        da, dy = (other.a - self.a).sum(axis=0), (other.y - self.y).sum(axis=0)
        known = all(np.isfinite(each).all() for each in (total, da, dy))
        if not known and np.isfinite(other.a).all() and np.isfinite(other.y).all():
            raise _native.NumericError(_OVERFLOW)
        grown = max(1.0, self.grown * (1 - share), other.grown * share)
        if share <= 0.5:
            a, y = _moved(self.a, share * da), _moved(self.y, share * dy)
        else:  # the errors of a step are relative to its length, so take the short one
            back = self.weight / total
            a, y = _moved(other.a, -back * da), _moved(other.y, -back * dy)
        both = _Center(total, self.rows + other.rows, a, y, grown, max(self.most, other.most))
        return both, replace(other, a=_moved(other.a, -root * da), y=_moved(other.y, -root * dy))

    def combined(self, t: np.ndarray) -> np.ndarray:
        """Return the means of the columns of Y t, where Y has the targets."""
        if len(t) != self.y.shape[1]:
            raise ValueError(f"the number of rows of T is {len(t)}; want {self.y.shape[1]}, one for each target")
        with np.errstate(all="ignore"):  # the library rejects infinities
            mean = np.zeros((2, t.shape[1]))
            for first, second, row in zip(*self.y, t):
                step = first * row
                mean = _moved(mean, step)
                mean[1] += _lost(first, row, step) + second * row
            return mean

    def without(self, other: _Center) -> _Center:
        """Return the center of the rows that remain after the rows of other are removed."""
        left = self.weight - other.weight
        if other.rows >= self.rows:
            raise ValueError(f"cannot remove {other.rows} of {self.rows} rows (weight {other.weight:g} of {self.weight:g}): at least one row must stay")
        grown = self.grown * self.weight / left if left > 0 else math.inf
        if grown > _MOST:
            remedy = "rounding errors of the means would become too large: call rebuild with the rows that remain"
            raise _native.NumericError(f"cannot remove rows of weight {other.weight:g} of {self.weight:g}: {remedy}")
        a, y = (_moved(old, other.weight / left * (old - gone).sum(axis=0)) for old, gone in ((self.a, other.a), (self.y, other.y)))
        return _Center(left, self.rows - other.rows, a, y, grown, max(self.most, grown))


def _moved(mean: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return a mean, the sum of two rows as in `_Center`, plus a step."""
    with np.errstate(invalid="ignore"):  # the library rejects infinities
        first = mean[0] + step
        back = first - mean[0]  # the step may be larger than the mean
        low = mean[1] + ((mean[0] - (first - back)) + (step - back))
        top = first + low
        return np.stack([top, low - (top - first)])


def _lost(x: float, row: np.ndarray, product: np.ndarray) -> np.ndarray:
    """Return the exact x * row minus product, its rounded value, or 0 where that would overflow."""
    halves = []
    for v in (x, row):
        big = v * 134217729.0  # 2**27 + 1 (T. J. Dekker, Numer. Math. 18, 1971)
        high = big - (big - v)
        halves.append((high, v - high))
    (a, b), (c, d) = halves
    out = ((a * c - product) + a * d + b * c) + b * d
    return np.where(np.isfinite(out), out, 0)


def _decode(data: bytes, name: str) -> tuple[_native.Handle, Optional[_Center], dict[str, Any]]:
    """Return the object that `IncrementalRidge.save` has written, its center, and the arguments of its constructor."""
    magic, digest, state = data[: len(_MAGIC)], data[len(_MAGIC) : len(_MAGIC) + 32], data[len(_MAGIC) + 32 :]
    if magic != _MAGIC:
        if magic[:-1] == _MAGIC[:-1]:
            raise _native.FormatError(f"{name} has another version of the format: use the version of blskernel that wrote it, or learn the rows again")
        raise _native.FormatError(f"{name} is not the state of an IncrementalRidge")
    if hashlib.sha256(state).digest() != digest:
        raise _native.FormatError(f"{name} was cut off or altered: copy it again, in binary mode, or use a backup")
    line, _, state = state.partition(b"\n")
    params, center = json.loads(line), None
    if params["fit_intercept"]:
        center, state = _Center.decode(state)
    return _native.Handle.decode(state), center, params


def _plain(number: Any) -> Any:
    """Return a NumPy number, or another number that json cannot write, as a bool, int or float."""
    return number.item() if isinstance(number, (np.bool_, np.integer)) else float(number)


def _weighted(a: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
    """Return rows, targets and checked weights."""
    a, y, w = as_matrix(a, "A"), as_matrix(y, "Y"), as_vector(sample_weight)
    if w is None:
        return a, y, None
    if len(w) != len(a) or len(w) != len(y):
        raise ValueError(f"the numbers of weights, and of rows in A and Y, are {len(w)}, {len(a)} and {len(y)}; want equal numbers")
    if not np.all((w >= 0) & (w < np.inf)):
        raise ValueError("sample_weight has a weight that is negative or not finite; want finite numbers of at least 0")
    return a, y, w


def _rooted(w: Optional[np.ndarray], *operands: np.ndarray) -> list[np.ndarray]:
    """Return operands times the square roots of the weights of their rows."""
    if w is None:
        return list(operands)
    root = np.sqrt(w)
    return [x * root for x in operands]


class IncrementalRidge:
    """Ridge regression that learns and unlearns rows, by the methods of the Go package blsupdate.

    The weights solve ``min sum_i w_i |a_i W - y_i|**2 + lambda_ |W|**2`` over all rows so far. No method
    changes or keeps an array that it is given. After an exception the object is as it was.

    Parameters
    ----------
    method : {"gram", "qr", "ridge_inverse", "inverse_cholesky", "improved", "original"}
        How updates are done. "gram" is the fastest, "qr" the most accurate, and both can merge and change
        their ridge. "improved" and "original" are the paper's methods and store the pseudoinverse.
    lambda_ : float, optional
        The ridge, 0 for none. None means 1, as in scikit-learn, but 0 for "improved" and "original", which
        are meant for the pseudoinverse.
    fit_intercept : bool
        Whether to add a constant that the ridge does not penalize, `intercept_`, to the predictions. After
        every change the weights are the fit to rows and targets minus their means. "improved" and
        "original" keep rows, and do not support an intercept.
    form : {"auto", "paper", "small", "large", "compressed"}, optional
        For "improved", "ridge_inverse" and "inverse_cholesky": the order of the matrices in an update,
        which is the number of its rows or of the nodes. "auto" takes the faster form for these sizes.
    solve : bool
        Makes "improved" solve systems instead of multiplying by an inverse.
    c : {"auto", "zero", "check"}, optional
        When "improved" and "original" use the general formula: "auto" while they have fewer independent
        rows than nodes, "zero" never, as in the paper, and "check" whenever the rows require it. With
        a ridge "auto" never uses it, and "check" is an error.
    workspace : int
        For "improved" and "original": the bytes in which an update may keep products; 0 means 4 GiB.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, w = rng.normal(size=(60, 4)), rng.normal(size=(4, 2))
    >>> ridge = IncrementalRidge(method="qr", lambda_=0).add(a[:40], a[:40] @ w)
    >>> ridge.add(a[40:], a[40:] @ w).n_samples_
    60
    >>> bool(np.allclose(ridge.weights(), w))
    True
    """

    _center: Optional[_Center]  # None without an intercept, and before the first rows

    def __init__(
        self,
        method: str = "gram",
        lambda_: Optional[float] = None,
        *,
        fit_intercept: bool = False,
        form: Optional[str] = None,
        solve: bool = False,
        c: Optional[str] = None,
        workspace: int = 0,
    ) -> None:
        params = dict(locals())
        del params["self"]
        if method is None:
            raise ValueError("method is None, but IncrementalRidge does not choose a method: give one")
        ridge = lambda_ if lambda_ is not None else 0.0 if method in ("improved", "original") else 1.0
        options = ridge_options(method=method, lambda_=ridge, form=form, solve=solve, c=c, workspace=workspace)
        if not isinstance(fit_intercept, (bool, np.bool_)):
            raise ValueError(f"fit_intercept is {fit_intercept!r}; want True or False")
        if fit_intercept and method not in _CENTRING:
            raise _native.UnsupportedError(f"the method {method} does not support fit_intercept: choose one of {', '.join(_CENTRING)}")
        handle = _native.Handle("ridge", options)
        old = vars(self).get("_handle")  # as in merge
        vars(self).update(_handle=handle, _params=params, _intercept=bool(fit_intercept), _center=None)
        del old

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments of the constructor, for scikit-learn's clone.

        Parameters
        ----------
        deep : bool
            Ignored: no argument has parameters of its own.

        Returns
        -------
        dict
            The arguments by name.

        Examples
        --------
        >>> IncrementalRidge("qr").get_params()["method"]
        'qr'
        """
        return dict(self._params)

    def set_params(self, **params: Any) -> IncrementalRidge:
        """Change arguments of the constructor before the first rows.

        Parameters
        ----------
        params
            The arguments by name.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> IncrementalRidge().set_params(method="qr").method
        'qr'
        """
        unknown = sorted(set(params) - set(self._params))
        if unknown:
            raise ValueError(f"IncrementalRidge has no parameter {unknown[0]!r}; want one of {sorted(self._params)}")
        with turns.of(self):
            if params and self.n_nodes_:
                raise ValueError("set_params works only before the first rows: change the ridge with set_lambda, or create a new object")
            self.__init__(**{**self._params, **params})  # type: ignore[misc]
        return self

    def add(self, a: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Learn rows; the first rows start the model.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            The rows.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            The weight of the squared error of each row.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Raises
        ------
        ValueError
            If shapes do not match, or if there are NaN or infinities.
        NumericError
            If the rows are too few or too dependent for the method, or numbers overflow.

        Examples
        --------
        >>> IncrementalRidge(lambda_=1.0).add([[1.0]], [4.0]).weights().round(12).tolist()
        [[2.0]]
        """
        a, y, w = _weighted(a, y, sample_weight)
        with turns.of(self):
            if not self._intercept:
                return self._change(None, "add_rows", _rooted(w, a, y))
            center = about = _Center.of(a, y, w)
            if self._center is not None:
                self._check_width(a, y)
                center, about = self._center.joined(center)
            return self._change(center, "add_rows", about.rows_about(a, y, w))

    def _change(self, center: Optional[_Center], method: str, *operands: Any, **options: Any) -> IncrementalRidge:
        """Call a method that changes the rows, and set their center: both or neither, whatever signals arrive."""
        with turns.of(self):
            self._handle.call(method, *operands, options=options, then=functools.partial(setattr, self, "_center", center))
        return self

    def _check_width(self, a: np.ndarray, y: np.ndarray) -> None:
        """Raise ValueError for rows and targets whose widths differ from the current ones."""
        center = self._center
        assert center is not None
        if (a.shape[1], y.shape[1]) != (center.a.shape[1], center.y.shape[1]):
            raise ValueError(f"the numbers of nodes and targets are {a.shape[1]} and {y.shape[1]}; want {center.a.shape[1]} and {center.y.shape[1]}")

    def _padded(self, a: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        """Return all rows and targets, and a row of zeros for each row that a merge added to join the means."""
        assert self._center is not None
        if len(a) != self._center.rows:
            raise ValueError(f"the number of rows is {len(a)}; want {self._center.rows}, all rows of the model")
        extra = self._handle.json("attributes")["samples"] - len(a)
        return [np.pad(x, ((0, extra), (0, 0))) for x in (a, y)]

    def remove(self, a: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Unlearn rows that were added before with the same values, in any order.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            The rows.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            Their current weights: the weights with which they were added, multiplied by the factors of every
            `forget` since.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Raises
        ------
        ValueError
            If the method is "improved" or "original" and has not learned one of the rows.
        NumericError
            If the remaining rows would not determine the weights, or, with an intercept, have less than 1e-8
            of the weight before the removals.

        Examples
        --------
        >>> ridge = IncrementalRidge(lambda_=0).add([[1.0], [1.0]], [2.0, 4.0])
        >>> ridge.remove([[1.0]], [4.0]).weights().tolist()
        [[2.0]]
        """
        a, y, w = _weighted(a, y, sample_weight)
        with turns.of(self):
            if self._center is None:
                return self._change(None, "remove_rows", _rooted(w, a, y))
            self._check_width(a, y)
            removed = _Center.of(a, y, w)
            center = self._center.without(removed)
            _, about = center.joined(removed)
            return self._change(center, "remove_rows", about.rows_about(a, y, w))

    def forget(self, factor: float) -> IncrementalRidge:
        """Multiply the weight of all rows so far, and the ridge, by a factor in (0, 1].

        Parameters
        ----------
        factor : float
            The factor.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> ridge = IncrementalRidge(lambda_=0).add([[1.0]], [0.0]).forget(0.5)
        >>> ridge.add([[1.0]], [3.0]).weights().round(12).tolist()
        [[2.0]]
        """
        factor = real("factor", factor, "above 0 and at most 1")
        with turns.of(self):
            center = self._center
            return self._change(center and replace(center, weight=factor * center.weight), "forget", Factor=factor)

    def add_nodes(self, a: Any, h: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Append the columns h to the columns a of all rows, whose targets are y.

        "improved" and "original" need the rows in the order in which they were added.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            All rows so far.
        h : array_like of shape (n_rows, n_new) or (n_rows,)
            Their new columns.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            Their current weights: after `forget`, multiplied by its factors.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> a, h, y = [[1.0], [0.0]], [[0.0], [1.0]], [5.0, 7.0]
        >>> IncrementalRidge(lambda_=0).add(a, y).add_nodes(a, h, y).weights().ravel().tolist()
        [5.0, 7.0]
        """
        a, y, w = _weighted(a, y, sample_weight)
        h = as_matrix(h, "H")
        with turns.of(self):
            if self._center is None:
                return self._change(None, "add_nodes", _rooted(w, a, h, y))
            if len(h) != len(a):
                raise ValueError(f"the numbers of rows in A and H are {len(a)} and {len(h)}; want equal numbers")
            self._check_width(a, y)
            both, k = np.hstack([a, h]), a.shape[1]
            center = _Center.of(both, y, w)
            both, y = self._padded(*center.rows_about(both, y, w))
            center = replace(self._center, a=np.hstack([self._center.a, center.a[:, k:]]))
            return self._change(center, "add_nodes", [both[:, :k], both[:, k:], y])

    def add_targets(self, t: Any) -> IncrementalRidge:
        """Append linear combinations of the targets: Y becomes [Y, Y t].

        Parameters
        ----------
        t : array_like of shape (n_targets, n_new)
            The combinations, one in each column.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> IncrementalRidge(lambda_=0).add([[1.0]], [3.0]).add_targets([[-1.0]]).weights().tolist()
        [[3.0, -3.0]]
        """
        t = as_matrix(t, "T")
        with turns.of(self):
            center = self._center
            return self._change(center and replace(center, y=np.hstack([center.y, center.combined(t)])), "add_targets", [t])

    def map_targets(self, t: Any) -> IncrementalRidge:
        """Replace the targets with linear combinations of them: Y becomes Y t.

        Parameters
        ----------
        t : array_like of shape (n_targets, n_new)
            The combinations, one in each column.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> IncrementalRidge(lambda_=0).add([[1.0]], [[3.0, 4.0]]).map_targets([[1.0], [1.0]]).weights().tolist()
        [[7.0]]
        """
        t = as_matrix(t, "T")
        with turns.of(self):
            center = self._center
            return self._change(center and replace(center, y=center.combined(t)), "map_targets", [t])

    def rebuild(self, a: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Start again from the given rows, which replace all others.

        Nodes, targets, method and the current ridge stay, and the rounding errors of earlier changes are
        gone. Call this method if `remove` rejects rows, for example when an outlier leaves a window.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            The rows.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            The weight of the squared error of each row.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Raises
        ------
        NotFittedError
            Before the first `add`.
        NumericError
            If the rows are too few or too dependent for the method, or numbers overflow.

        Examples
        --------
        >>> ridge = IncrementalRidge(lambda_=0).add([[1.0], [1e9]], [2.0, 5.0])
        >>> ridge.rebuild([[1.0]], [2.0]).weights().tolist()
        [[2.0]]
        """
        a, y, w = _weighted(a, y, sample_weight)
        with turns.of(self):
            if self._center is None:
                return self._change(None, "rebuild", _rooted(w, a, y))
            self._check_width(a, y)
            center = _Center.of(a, y, w)
            return self._change(center, "rebuild", center.rows_about(a, y, w))

    def merge(self, other: IncrementalRidge) -> IncrementalRidge:
        """Learn all rows of another object with the same method, "gram" or "qr", and as many nodes and targets.

        The ridge of this object stays, and the ridge of the other object is not added.

        Parameters
        ----------
        other : IncrementalRidge
            The other object. It stays as it is.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> one = IncrementalRidge("qr", 0).add([[1.0]], [2.0])
        >>> one.merge(IncrementalRidge("qr", 0).add([[1.0]], [4.0])).weights().round(12).tolist()
        [[3.0]]
        """
        if not isinstance(other, IncrementalRidge):
            raise ValueError(f"merge takes another IncrementalRidge, not {type(other).__name__}")
        if self._intercept != other._intercept:
            raise ValueError("merge takes an object with the same fit_intercept as this one")
        if self is other:
            raise ValueError("an object cannot be merged with itself: merge a copy")
        with turns.of(other):
            theirs, handle = other._center, other._handle
            if other._intercept:  # a copy, since other may change before the merge
                handle = _native.Handle.decode(handle.fetch("encode"))
        with turns.of(self):
            if self._center is None or theirs is None:
                self._handle.call("merge", options={"Other": handle.value})
                return self
            self._check_width(theirs.a, theirs.y)
            center, about = self._center.joined(theirs)
            root = np.sqrt(theirs.weight)
            extra = [root * (theirs.a - about.a).sum(axis=0, keepdims=True), root * (theirs.y - about.y).sum(axis=0, keepdims=True)]
            both = _native.Handle.decode(self._handle.fetch("encode"))  # changed in two steps
            both.call("merge", options={"Other": handle.value})
            both.call("add_rows", extra)
            old = self._handle  # its finalizer is Python code, in which a signal handler could run
            vars(self).update(_handle=both, _center=center)  # one call, during which no signal handler runs
            del old
        return self

    def set_lambda(self, lambda_: float) -> IncrementalRidge:
        """Change the ridge, as if it had been ``lambda_`` from the start; only with "gram" and "qr".

        Parameters
        ----------
        lambda_ : float
            The ridge, 0 for none.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> IncrementalRidge(lambda_=0).add([[1.0]], [4.0]).set_lambda(1.0).weights().round(12).tolist()
        [[2.0]]
        """
        with turns.of(self):
            self._handle.call("set_lambda", options={"Lambda": real("lambda_", lambda_)})
        return self

    def refine(self, a: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Refine the weights of "gram" with all rows and targets. The next change discards the refinement.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            All rows so far.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            Their current weights: after `forget`, multiplied by its factors.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> a, y = [[1.0], [2.0]], [1.0, 2.0]
        >>> IncrementalRidge(lambda_=0).add(a, y).refine(a, y).weights().tolist()
        [[1.0]]
        """
        a, y, w = _weighted(a, y, sample_weight)
        with turns.of(self):
            if self._center is None:
                a, y = _rooted(w, a, y)
            else:
                self._check_width(a, y)
                a, y = self._padded(*self._center.rows_about(a, y, w))
            self._handle.call("refine", [a, y])
        return self

    def weights(self) -> np.ndarray:
        """Return the weights W; the predictions for rows X are ``X @ W``, plus `intercept_`.

        Returns
        -------
        numpy.ndarray of shape (n_nodes, n_targets)
            The weights.

        Raises
        ------
        NotFittedError
            Before the first `add`.
        NumericError
            If there are fewer rows than nodes and no ridge, or the nodes are linearly dependent.

        Examples
        --------
        >>> IncrementalRidge(lambda_=0).add([[2.0]], [6.0]).weights().tolist()
        [[3.0]]
        """
        while True:
            about = self.attributes()
            out = np.empty((about["nodes"], about["targets"]))
            try:
                self._handle.call("weights", results=[out])
                return out
            except ValueError:
                if (self.n_nodes_, self.n_targets_) == out.shape:  # no other thread has changed the shape since
                    raise

    def predict(self, x: Any) -> np.ndarray:
        """Return ``x @ weights()``, plus the intercept.

        Parameters
        ----------
        x : array_like of shape (n_rows, n_nodes)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (n_rows, n_targets)
            The predictions.

        Examples
        --------
        >>> IncrementalRidge(lambda_=0).add([[2.0]], [6.0]).predict([[5.0]]).tolist()
        [[15.0]]
        """
        from .linalg import matmul

        x = as_matrix(x, "X")
        if not np.isfinite(x).all():
            raise ValueError("X has NaN or an infinity: replace or remove it")
        with turns.of(self):
            weights, center = self.weights(), self._center
        if center is None:
            return matmul(x, weights)
        if x.shape[1] != center.a.shape[1]:
            raise ValueError(f"the number of nodes is {x.shape[1]}; want {center.a.shape[1]}")
        return matmul(x - center.a[0] - center.a[1], weights) + center.y.sum(axis=0)

    @property
    def intercept_(self) -> np.ndarray:
        """The constant of the predictions for each target, 0 without fit_intercept."""
        with turns.of(self):
            weights, center = self.weights(), self._center
        return np.zeros(weights.shape[1]) if center is None else (center.y - center.a @ weights).sum(axis=0)

    def leverage(self, x: Any) -> np.ndarray:
        """Return ``x (A'A + lambda_ I)**-1 x'`` for each row.

        With an intercept, the mean of the learned rows is subtracted from x, and 1 over their total weight is
        added to the result. "improved" and "original" have leverages only if lambda_ is 0.

        Parameters
        ----------
        x : array_like of shape (n_rows, n_nodes)
            The rows.

        Returns
        -------
        numpy.ndarray of shape (n_rows,)
            The leverages.

        Examples
        --------
        >>> IncrementalRidge("ridge_inverse", 0).add([[2.0]], [6.0]).leverage([[2.0]]).tolist()
        [1.0]
        """
        a = as_matrix(x, "X")
        out = np.empty((a.shape[0], 1))
        with turns.of(self):
            center = self._center
            if center is not None:
                if a.shape[1] != center.a.shape[1]:
                    raise ValueError(f"the number of nodes is {a.shape[1]}; want {center.a.shape[1]}")
                a = a - center.a[0] - center.a[1]
            self._handle.call("leverage", [a], [out])
        return out[:, 0] if center is None else out[:, 0] + 1 / center.weight

    def condition(self) -> dict[str, Any]:
        """Return how accurate the weights are.

        Returns
        -------
        dict
            ``rcond``, the reciprocal condition number; ``digits``, a lower bound on the correct digits;
            ``advice`` if the digits are few, and ``instead``, the method to use instead.

        Examples
        --------
        >>> IncrementalRidge(lambda_=0).add([[2.0]], [6.0]).condition()["digits"] > 12
        True
        """
        with turns.of(self):
            about, center = condition(self._handle), self._center
        if center is not None:
            about["digits"] = max(0.0, about["digits"] - math.log10(center.most))
            if about["digits"] < 6 and not about["advice"]:
                about["advice"] = "removals left errors in the means: call rebuild with all rows"
        return about

    def attributes(self) -> dict[str, Any]:
        """Return the numbers of samples, nodes and targets, the last change, and the library's options.

        Returns
        -------
        dict
            ``samples``, ``nodes``, ``targets``, ``last`` and ``options``, with the library's names.

        Examples
        --------
        >>> IncrementalRidge("qr", 0).add([[1.0]], [2.0]).attributes()["last"]["added"]
        1
        """
        with turns.of(self):
            about = self._handle.json("attributes")
            if self._center is not None:  # each merge has added a row to the handle
                about["samples"] = self._center.rows
        return about

    @property
    def n_samples_(self) -> int:
        """The number of rows so far, without removed ones."""
        return self.attributes()["samples"]

    @property
    def n_nodes_(self) -> int:
        """The number of nodes, 0 before the first rows."""
        return self.attributes()["nodes"]

    @property
    def n_targets_(self) -> int:
        """The number of targets, 0 before the first rows."""
        return self.attributes()["targets"]

    @property
    def method(self) -> str:
        """The name of the update method."""
        return method_name(self.attributes()["options"]["Method"]) or ""

    @property
    def lambda_(self) -> float:
        """The current ridge."""
        return float(self.attributes()["options"]["Lambda"])

    def save(self, path: Any) -> None:
        """Write the whole state to a file. After `load`, all results are the same to the last bit.

        Parameters
        ----------
        path : path-like
            The name of the file.

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "ridge.state")
        >>> IncrementalRidge(lambda_=0).add([[2.0]], [6.0]).save(path)
        >>> IncrementalRidge.load(path).weights().tolist()
        [[3.0]]
        """
        path = _native.file_name(path)
        _native.write_file(path, self._encode())

    @classmethod
    def load(cls, path: Any) -> IncrementalRidge:
        """Return the object that `save` has written.

        Parameters
        ----------
        path : path-like
            The name of the file.

        Returns
        -------
        IncrementalRidge
            An object that continues as the saved one would.

        Raises
        ------
        FormatError
            If the file is not such a state, has another version of the format, or was cut off or altered.

        Examples
        --------
        >>> IncrementalRidge.load("/dev/null")
        Traceback (most recent call last):
            ...
        blskernel._native.FormatError: /dev/null is not the state of an IncrementalRidge
        """
        path = os.fsdecode(path)
        with open(path, "rb") as file:
            data = file.read()
        self = cls.__new__(cls)
        self._restore(*_decode(data, path))
        return self

    def _restore(self, handle: _native.Handle, center: Optional[_Center], params: dict[str, Any]) -> None:
        """Take over the state of an object that has learned rows."""
        self._handle, self._center, self._intercept, self._params = handle, center, center is not None, params

    def _encode(self) -> bytes:
        """Return the arguments of the constructor and the state, preceded by their SHA-256."""
        with turns.of(self):
            state, center = self._handle.fetch("encode"), self._center
        head = json.dumps(self._params, default=_plain).encode() + b"\n"
        state = head + (b"" if center is None else center.encode()) + state
        return _MAGIC + hashlib.sha256(state).digest() + state

    def __getstate__(self) -> dict[str, Any]:
        if self.attributes()["nodes"] == 0:  # before the first rows
            return {"params": self.get_params()}
        return {"state": self._encode()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "state" in state:
            self._restore(*_decode(state["state"], "the pickle"))
        else:
            self.__init__(**state["params"])  # type: ignore[misc]

    def __repr__(self) -> str:
        intercept = ", fit_intercept=True" if self._intercept else ""
        return f"IncrementalRidge(method={self.method!r}, lambda_={self.lambda_!r}{intercept})"
