"""An output layer without feature maps: ridge regression that learns and unlearns rows and nodes."""

from __future__ import annotations

import hashlib
import os
from typing import Any, Optional

import numpy as np

from . import _native
from ._native import as_matrix, as_vector
from ._options import condition, method_name, real, update_options

__all__ = ["IncrementalRidge"]


# A file is this, the SHA-256 of the state, and the state as blsupdate.Encode writes it.
_MAGIC = b"blsridge"


def _decode(data: bytes, name: str) -> _native.Handle:
    """Return the object of what `IncrementalRidge.save` writes."""
    digest, state = data[len(_MAGIC) : len(_MAGIC) + 32], data[len(_MAGIC) + 32 :]
    if not data.startswith(_MAGIC):
        raise _native.FormatError(f"{name} is not the state of an IncrementalRidge")
    if hashlib.sha256(state).digest() != digest:
        raise _native.FormatError(f"{name} was cut off or altered: copy it again, in binary mode, or use a backup")
    return _native.Handle.decode(state)


def _weighted(a: Any, y: Any, sample_weight: Any) -> list[Any]:
    """Return rows and targets times the roots of their weights."""
    a, y, w = as_matrix(a, "A"), as_matrix(y, "Y"), as_vector(sample_weight)
    if w is None:
        return [a, y]
    if len(w) != len(a) or len(w) != len(y):
        raise ValueError(f"{len(w)} weights for {len(a)} rows and {len(y)} targets; want as many")
    if not np.all((w >= 0) & (w < np.inf)):
        raise ValueError("a weight is negative or not finite")
    root = np.sqrt(w)
    return [a * root, y * root]


class IncrementalRidge:
    """Ridge regression over rows that come and go, as blsupdate.Updater.

    The weights solve ``min sum_i w_i |a_i W - y_i|**2 + lambda_ |W|**2`` over all rows so far. No method
    changes or keeps an array that it is given. After an exception the object is as it was.

    Parameters
    ----------
    method : {"gram", "qr", "ridge_inverse", "inverse_cholesky", "improved", "original"}
        How updates are done. "gram" is the fastest, "qr" the most accurate, and both merge and change
        their ridge. "improved" and "original" are the paper's and keep the pseudoinverse.
    lambda_ : float
        The ridge, 0 for none.
    form : {"auto", "paper", "small", "large", "compressed"}, optional
        Of "improved", "ridge_inverse" and "inverse_cholesky": whether an update works with matrices of
        the order of its rows or of the nodes. "auto" takes the one that is faster for the sizes.
    solve : bool
        Makes "improved" solve systems instead of multiplying by an inverse.
    c : {"auto", "zero", "check"}, optional
        When "improved" and "original" use the general formula.
    workspace : int
        The bytes in which an update may keep products, 0 for 4 GiB.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, w = rng.normal(size=(60, 4)), rng.normal(size=(4, 2))
    >>> ridge = IncrementalRidge(method="qr").add(a[:40], a[:40] @ w)
    >>> ridge.add(a[40:], a[40:] @ w).n_samples_
    60
    >>> bool(np.allclose(ridge.weights(), w))
    True
    """

    def __init__(
        self,
        method: str = "gram",
        lambda_: float = 0.0,
        *,
        form: Optional[str] = None,
        solve: bool = False,
        c: Optional[str] = None,
        workspace: int = 0,
    ) -> None:
        if method is None or lambda_ is None:
            raise ValueError("IncrementalRidge chooses neither its method nor lambda_: name them")
        number, options = update_options(method, lambda_, form, solve, c, workspace)
        self._handle = _native.Handle("ridge", {"Method": number, **options})

    def add(self, a: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Learn rows; the first ones start the model.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            The rows.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            How often the squared error of each row counts. Give the rows and targets times the roots of
            their weights to `add_nodes`.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Raises
        ------
        ValueError
            For shapes that do not fit, and for NaN or infinities.
        NumericError
            If the rows do not determine what the method needs.

        Examples
        --------
        >>> IncrementalRidge(lambda_=1.0).add([[1.0]], [4.0]).weights().round(12).tolist()
        [[2.0]]
        """
        self._handle.call("add_rows", _weighted(a, y, sample_weight))
        return self

    def remove(self, a: Any, y: Any, sample_weight: Any = None) -> IncrementalRidge:
        """Unlearn rows, which were added before with the same numbers and weights, in any order.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            The rows.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.
        sample_weight : array_like of shape (n_rows,), optional
            The weights with which they were added.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Raises
        ------
        ValueError
            If "improved" or "original" has not learned one of them.
        NumericError
            If the other rows would not determine the weights.

        Examples
        --------
        >>> ridge = IncrementalRidge().add([[1.0], [1.0]], [2.0, 4.0])
        >>> ridge.remove([[1.0]], [4.0]).weights().tolist()
        [[2.0]]
        """
        self._handle.call("remove_rows", _weighted(a, y, sample_weight))
        return self

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
        >>> ridge = IncrementalRidge().add([[1.0]], [0.0]).forget(0.5)
        >>> ridge.add([[1.0]], [3.0]).weights().round(12).tolist()
        [[2.0]]
        """
        self._handle.call("forget", options={"Factor": real("factor", factor, "above 0 and at most 1")})
        return self

    def add_nodes(self, a: Any, h: Any, y: Any) -> IncrementalRidge:
        """Append the columns h to the columns a of all rows, whose targets are y.

        "improved" and "original" want the rows in the order in which they were added.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            All rows so far.
        h : array_like of shape (n_rows, n_new) or (n_rows,)
            Their new columns.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> a, h, y = [[1.0], [0.0]], [[0.0], [1.0]], [5.0, 7.0]
        >>> IncrementalRidge().add(a, y).add_nodes(a, h, y).weights().ravel().tolist()
        [5.0, 7.0]
        """
        self._handle.call("add_nodes", [as_matrix(a, "A"), as_matrix(h, "H"), as_matrix(y, "Y")])
        return self

    def add_targets(self, t: Any) -> IncrementalRidge:
        """Append targets that are linear in those so far: Y becomes [Y, Y t].

        Parameters
        ----------
        t : array_like of shape (n_targets, n_new)
            The combinations, one a column.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> IncrementalRidge().add([[1.0]], [3.0]).add_targets([[-1.0]]).weights().tolist()
        [[3.0, -3.0]]
        """
        self._handle.call("add_targets", [as_matrix(t, "T")])
        return self

    def map_targets(self, t: Any) -> IncrementalRidge:
        """Replace the targets by linear combinations of them: Y becomes Y t.

        Parameters
        ----------
        t : array_like of shape (n_targets, n_new)
            The combinations, one a column.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> IncrementalRidge().add([[1.0]], [[3.0, 4.0]]).map_targets([[1.0], [1.0]]).weights().tolist()
        [[7.0]]
        """
        self._handle.call("map_targets", [as_matrix(t, "T")])
        return self

    def merge(self, other: IncrementalRidge) -> IncrementalRidge:
        """Learn all rows of another object of the same method ("gram" or "qr"), nodes and targets.

        The ridge stays; that of the other object is left out.

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
        >>> one = IncrementalRidge("qr").add([[1.0]], [2.0])
        >>> one.merge(IncrementalRidge("qr").add([[1.0]], [4.0])).weights().round(12).tolist()
        [[3.0]]
        """
        if not isinstance(other, IncrementalRidge):
            raise ValueError(f"merge takes another IncrementalRidge, not {type(other).__name__}")
        self._handle.call("merge", options={"Other": other._handle.value})
        return self

    def set_lambda(self, lambda_: float) -> IncrementalRidge:
        """Change the ridge, as if it had been so from the start ("gram" and "qr").

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
        >>> IncrementalRidge().add([[1.0]], [4.0]).set_lambda(1.0).weights().round(12).tolist()
        [[2.0]]
        """
        self._handle.call("set_lambda", options={"Lambda": real("lambda_", lambda_)})
        return self

    def refine(self, a: Any, y: Any) -> IncrementalRidge:
        """Make the weights of "gram" more accurate with all rows and targets, until the next change.

        Parameters
        ----------
        a : array_like of shape (n_rows, n_nodes)
            All rows so far.
        y : array_like of shape (n_rows, n_targets) or (n_rows,)
            Their targets.

        Returns
        -------
        IncrementalRidge
            The object itself.

        Examples
        --------
        >>> a, y = [[1.0], [2.0]], [1.0, 2.0]
        >>> IncrementalRidge().add(a, y).refine(a, y).weights().tolist()
        [[1.0]]
        """
        self._handle.call("refine", [as_matrix(a, "A"), as_matrix(y, "Y")])
        return self

    def weights(self) -> np.ndarray:
        """Return the weights W; the predictions for rows X are ``X @ W``.

        Returns
        -------
        numpy.ndarray of shape (n_nodes, n_targets)
            The weights.

        Raises
        ------
        NotFittedError
            Before the first `add`.
        NumericError
            If there are fewer rows than nodes and no ridge, or the nodes are dependent.

        Examples
        --------
        >>> IncrementalRidge().add([[2.0]], [6.0]).weights().tolist()
        [[3.0]]
        """
        while True:
            about = self.attributes()
            out = np.empty((about["nodes"], about["targets"]))
            try:
                self._handle.call("weights", results=[out])
                return out
            except ValueError:
                if (self.n_nodes_, self.n_targets_) == out.shape:  # no other thread has changed it since
                    raise

    def predict(self, x: Any) -> np.ndarray:
        """Return ``x @ weights()``.

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
        >>> IncrementalRidge().add([[2.0]], [6.0]).predict([[5.0]]).tolist()
        [[15.0]]
        """
        from .linalg import matmul

        return matmul(as_matrix(x, "X"), self.weights())

    def leverage(self, x: Any) -> np.ndarray:
        """Return ``x (A'A + lambda_ I)**-1 x'`` for each row ("ridge_inverse", "inverse_cholesky").

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
        >>> IncrementalRidge("ridge_inverse").add([[2.0]], [6.0]).leverage([[2.0]]).tolist()
        [1.0]
        """
        a = as_matrix(x, "X")
        out = np.empty((a.shape[0], 1))
        self._handle.call("leverage", [a], [out])
        return out[:, 0]

    def condition(self) -> dict[str, Any]:
        """Return how accurate the weights are.

        Returns
        -------
        dict
            ``rcond``, the reciprocal condition number; ``digits``, a lower bound of the correct digits;
            ``advice`` where these are few, and the method ``instead``.

        Examples
        --------
        >>> IncrementalRidge().add([[2.0]], [6.0]).condition()["digits"] > 12
        True
        """
        return condition(self._handle)

    def attributes(self) -> dict[str, Any]:
        """Return the numbers of samples, nodes and targets, the last change, and the library's options.

        Returns
        -------
        dict
            ``samples``, ``nodes``, ``targets``, ``last`` and ``options``, these by the library's names.

        Examples
        --------
        >>> IncrementalRidge("qr").add([[1.0]], [2.0]).attributes()["last"]["added"]
        1
        """
        return self._handle.json("attributes")

    @property
    def n_samples_(self) -> int:
        """The rows so far, those removed left out."""
        return self.attributes()["samples"]

    @property
    def n_nodes_(self) -> int:
        """The columns of the rows."""
        return self.attributes()["nodes"]

    @property
    def n_targets_(self) -> int:
        """The columns of the targets."""
        return self.attributes()["targets"]

    @property
    def method(self) -> str:
        """The method."""
        return method_name(self.attributes()["options"]["Method"]) or ""

    @property
    def lambda_(self) -> float:
        """The ridge as it is now."""
        return float(self.attributes()["options"]["Lambda"])

    def save(self, path: Any) -> None:
        """Write the whole state to a file, which `load` reads; it goes on to the last bit.

        Parameters
        ----------
        path : path-like
            The name of the file.

        Examples
        --------
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "ridge.state")
        >>> IncrementalRidge().add([[2.0]], [6.0]).save(path)
        >>> IncrementalRidge.load(path).weights().tolist()
        [[3.0]]
        """
        path = _native.file_name(path)
        _native.write_file(path, self._encode())

    @classmethod
    def load(cls, path: Any) -> IncrementalRidge:
        """Return what `save` has written.

        Parameters
        ----------
        path : path-like
            The name of the file.

        Returns
        -------
        IncrementalRidge
            An object that goes on as the saved one would.

        Raises
        ------
        FormatError
            If the file is something else, or was cut off or altered.

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
        self._handle = _decode(data, path)
        return self

    def _encode(self) -> bytes:
        """Return the state behind its SHA-256."""
        state = self._handle.fetch("encode")
        return _MAGIC + hashlib.sha256(state).digest() + state

    def __getstate__(self) -> dict[str, Any]:
        about = self.attributes()
        if about["samples"] == 0:
            return {"options": about["options"]}
        return {"state": self._encode()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "state" in state:
            self._handle = _decode(state["state"], "the pickle")
        else:
            self._handle = _native.Handle("ridge", state["options"])

    def __repr__(self) -> str:
        return f"IncrementalRidge(method={self.method!r}, lambda_={self.lambda_!r})"
