"""Dense linear algebra on the kernels of the library: Cholesky, LDLT, LU, inverses, solves, products.

A symmetric matrix may be a square array, of which only the upper triangle is read, or packed: a
one-dimensional array of the n(n+1)/2 elements of the upper triangle, row by row.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _native
from ._native import as_matrix

__all__ = ["Cholesky", "LDLT", "LU", "cholesky", "inv", "ldlt", "lu", "matmul", "pack", "solve", "unpack"]


class _Factorization:
    """The base of the three factorizations."""

    _kind = ""

    def __init__(self, a: Any) -> None:
        self._handle = _native.Handle(self._kind)
        self._packed = np.ndim(a) == 1 and self._kind != "lu"
        m = as_matrix(a, "A")
        self._handle.call("factorize", [as_matrix(m.T) if self._packed else m], options={"Packed": self._packed})
        self._attributes = self._handle.json("attributes")

    @property
    def n(self) -> int:
        """The order of the matrix."""
        return self._attributes["n"]

    @property
    def rcond(self) -> float:
        """An estimate of the reciprocal condition number in the 1-norm, rarely more than three times too large."""
        return float(self._attributes["rcond"])

    def _warn(self) -> None:
        if not self.rcond >= 1e-16:
            warnings.warn(
                f"the matrix is singular to working precision (rcond = {self.rcond:.3g}); the result may be inaccurate",
                RuntimeWarning,
                stacklevel=3,
            )

    def logdet(self) -> tuple[float, float]:
        """Return the sign of the determinant and the logarithm of its magnitude, like numpy.linalg.slogdet.

        Examples
        --------
        >>> sign, log = lu([[2.0, 0.0], [0.0, -3.0]]).logdet()
        >>> float(sign * np.exp(log).round(12))
        -6.0
        """
        return float(self._attributes["sign"]), float(self._attributes["log_det"])

    def solve(self, b: Any) -> np.ndarray:
        """Return X such that A X = B, with a RuntimeWarning if rcond is below 1e-16.

        Parameters
        ----------
        b : array_like of shape (n,) or (n, m)
            The right-hand sides, one in each column.

        Returns
        -------
        numpy.ndarray
            X, in the shape of b.

        Examples
        --------
        >>> lu([[0.0, 2.0], [4.0, 0.0]]).solve([2.0, 8.0]).tolist()
        [2.0, 1.0]
        """
        m = as_matrix(b, "B")
        out = np.empty(m.shape)
        self._handle.call("solve", [m], [out])
        self._warn()
        return out[:, 0] if np.ndim(b) == 1 else out

    def inverse(self) -> np.ndarray:
        """Return the inverse, packed if the matrix was, with a RuntimeWarning if rcond is below 1e-16.

        Examples
        --------
        >>> lu([[0.0, 2.0], [4.0, 0.0]]).inverse().tolist()
        [[0.0, 0.25], [0.5, 0.0]]
        """
        n = self.n
        out = np.empty((n, n) if self._kind == "lu" else (min(n, 1), n * (n + 1) // 2))
        self._handle.call("inverse", results=[out])
        self._warn()
        return out if self._kind == "lu" else out.ravel() if self._packed else unpack(out.ravel())


class Cholesky(_Factorization):
    """The factorization A = U'U of a symmetric positive definite matrix, from `cholesky`."""

    _kind = "cholesky"


class LDLT(_Factorization):
    """The factorization P A P' = U'D U of a symmetric matrix, which may be indefinite, from `ldlt`."""

    _kind = "ldlt"

    @property
    def inertia(self) -> tuple[int, int, int]:
        """The numbers of positive, negative and (to rounding) zero eigenvalues."""
        positive, negative, zero = self._attributes["inertia"]
        return positive, negative, zero


class LU(_Factorization):
    """The factorization P A = L U of a square matrix, from `lu`."""

    _kind = "lu"


def cholesky(a: Any) -> Cholesky:
    """Factor a symmetric positive definite matrix.

    Parameters
    ----------
    a : array_like of shape (n, n), or packed of shape (n (n + 1) / 2,)
        The matrix.

    Returns
    -------
    Cholesky
        With ``solve``, ``inverse``, ``logdet``, ``rcond`` and ``n``.

    Raises
    ------
    NumericError
        If the matrix is not positive definite.
    ValueError
        If the matrix is not square, or contains NaN or infinities.

    Examples
    --------
    >>> cholesky([[4.0, 0.0], [0.0, 2.0]]).solve([4.0, 4.0]).round(12).tolist()
    [1.0, 2.0]
    >>> cholesky([4.0, 0.0, 2.0]).inverse().round(12).tolist()
    [0.25, 0.0, 0.5]
    """
    return Cholesky(a)


def ldlt(a: Any) -> LDLT:
    """Factor a symmetric matrix, which may be indefinite.

    Parameters
    ----------
    a : array_like of shape (n, n), or packed of shape (n (n + 1) / 2,)
        The matrix.

    Returns
    -------
    LDLT
        With ``solve``, ``inverse``, ``logdet``, ``rcond``, ``inertia`` and ``n``.

    Raises
    ------
    NumericError
        If the matrix is singular.

    Examples
    --------
    >>> ldlt([[0.0, 1.0], [1.0, 0.0]]).inertia
    (1, 1, 0)
    """
    return LDLT(a)


def lu(a: Any) -> LU:
    """Factor a square matrix.

    Parameters
    ----------
    a : array_like of shape (n, n)
        The matrix.

    Returns
    -------
    LU
        With ``solve``, ``inverse``, ``logdet``, ``rcond`` and ``n``.

    Raises
    ------
    NumericError
        If the matrix is singular.

    Examples
    --------
    >>> lu([[1.0, 2.0], [3.0, 4.0]]).n
    2
    """
    return LU(a)


def inv(a: Any) -> np.ndarray:
    """Return the inverse of a square matrix. The inverse of a packed symmetric matrix is packed, too.

    Examples
    --------
    >>> inv([[2.0, 0.0], [0.0, 4.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return (ldlt(a) if np.ndim(a) == 1 else lu(a)).inverse()


def solve(a: Any, b: Any) -> np.ndarray:
    """Return X such that A X = B, for a square matrix or a packed symmetric one.

    Examples
    --------
    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).tolist()
    [1.0, 0.5]
    """
    return (ldlt(a) if np.ndim(a) == 1 else lu(a)).solve(b)


def matmul(a: Any, b: Any) -> np.ndarray:
    """Return the product of two matrices, the same to the bit on every machine and with any number of threads.

    Parameters
    ----------
    a : array_like of shape (m, k)
        The left factor. A one-dimensional array is a column.
    b : array_like of shape (k, n)
        The right factor. A one-dimensional array is a column, too.

    Returns
    -------
    numpy.ndarray of shape (m, n)

    Examples
    --------
    >>> matmul([[1.0, 2.0]], [[3.0], [4.0]]).tolist()
    [[11.0]]
    """
    x, y = as_matrix(a, "A"), as_matrix(b, "B")
    out = np.empty((x.shape[0], y.shape[1]))
    _native.run(0, "matmul", [x, y], [out])
    return out


def pack(a: Any) -> np.ndarray:
    """Return the upper triangle of a square matrix, row by row.

    Examples
    --------
    >>> pack([[1.0, 2.0], [2.0, 3.0]]).tolist()
    [1.0, 2.0, 3.0]
    """
    m = as_matrix(a, "A")
    if m.shape[0] != m.shape[1]:
        raise ValueError(f"A has shape {m.shape}; want a square matrix")
    return np.concatenate([row[i:] for i, row in enumerate(m)]) if len(m) else np.empty(0)


def unpack(packed: Any) -> np.ndarray:
    """Return the symmetric matrix whose upper triangle is given row by row.

    Examples
    --------
    >>> unpack([1.0, 2.0, 3.0]).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    p = as_matrix(packed, "packed")
    n = (int(np.sqrt(8 * len(p) + 1)) - 1) // 2
    if np.ndim(packed) != 1 or n * (n + 1) // 2 != len(p):
        raise ValueError(f"packed has shape {np.shape(packed)}; want one dimension of n(n+1)/2 numbers")
    out, at = np.empty((n, n)), 0
    for i in range(n):
        out[i, i:] = out[i:, i] = p[at : at + n - i, 0]
        at += n - i
    return out
