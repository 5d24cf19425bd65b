"""Factorizations, inverses and products against NumPy."""

import numpy as np
import pytest

from blskernel import NumericError, linalg

ORDERS = [1, 2, 3, 17, 130]


def matrices(n):
    rng = np.random.default_rng(n)
    g = rng.normal(size=(n, n))
    return {"cholesky": g @ g.T + n * np.eye(n), "ldlt": g + g.T, "lu": g}


@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("kind", ["cholesky", "ldlt", "lu"])
def test_factorizations(kind, n):
    a = matrices(n)[kind]
    f = getattr(linalg, kind)(a)
    b = np.random.default_rng(0).normal(size=(n, 3))
    scale = n * 1e-15 / f.rcond
    assert f.n == n and 0 < f.rcond <= 1
    np.testing.assert_allclose(a @ f.solve(b), b, rtol=0, atol=100 * scale)
    np.testing.assert_allclose(f.solve(b[:, 0]), f.solve(b)[:, 0], rtol=1e-9, atol=100 * scale)
    np.testing.assert_allclose(a @ f.inverse(), np.eye(n), rtol=0, atol=100 * scale)
    sign, log = np.linalg.slogdet(a)
    assert f.logdet()[0] == sign
    np.testing.assert_allclose(f.logdet()[1], log, rtol=1e-9, atol=1e-9)
    true = 1 / (np.linalg.norm(a, 1) * np.linalg.norm(np.linalg.inv(a), 1))
    assert true * 0.99 <= f.rcond <= true * 10


@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("kind", ["cholesky", "ldlt"])
def test_packed(kind, n):
    """Packed storage gives the bits of dense storage, of which only the upper triangle counts."""
    a = matrices(n)[kind]
    dense, packed = getattr(linalg, kind)(np.triu(a)), getattr(linalg, kind)(linalg.pack(a))
    assert packed.inverse().shape == (n * (n + 1) // 2,)
    assert linalg.unpack(packed.inverse()).tobytes() == dense.inverse().tobytes()
    assert packed.solve(a).tobytes() == dense.solve(a).tobytes()


def test_inertia():
    assert linalg.ldlt(np.diag([1.0, -2.0, 3.0, -4.0, 5.0])).inertia == (3, 2, 0)


@pytest.mark.parametrize("m, k, n", [(1, 1, 1), (3, 200, 5), (130, 7, 130), (300, 300, 300)])
def test_products(m, k, n):
    rng = np.random.default_rng(m)
    a, b = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    np.testing.assert_allclose(linalg.matmul(a, b), a @ b, rtol=0, atol=1e-14 * k)


def test_inv_and_solve():
    a = matrices(5)["ldlt"]
    np.testing.assert_allclose(linalg.inv(a), np.linalg.inv(a), atol=1e-10)
    np.testing.assert_allclose(linalg.unpack(linalg.inv(linalg.pack(a))), np.linalg.inv(a), atol=1e-10)
    np.testing.assert_allclose(linalg.solve(a, a), np.eye(5), atol=1e-10)


def test_order_zero():
    f = linalg.lu(np.empty((0, 0)))
    assert f.n == 0 and f.inverse().shape == (0, 0) and f.solve(np.empty((0, 2))).shape == (0, 2) and f.logdet() == (1, 0)


@pytest.mark.parametrize("kind", ["cholesky", "ldlt", "lu"])
def test_bad_matrices(kind):
    make = getattr(linalg, kind)
    for bad in [np.ones((2, 3)), [[np.nan, 0], [0, 1]], [[np.inf, 0], [0, 1]], np.ones((2, 2, 2))]:
        with pytest.raises(ValueError):
            make(bad)
    with pytest.raises(NumericError):
        make(np.zeros((3, 3)))
    with pytest.raises(ValueError):
        make(np.ones(5))
    f = make(np.eye(3))
    for bad in [np.ones(2), np.ones((4, 1)), [np.nan, 1, 1]]:
        with pytest.raises(ValueError):
            f.solve(bad)


def test_shapes_of_products():
    with pytest.raises(ValueError, match="as many columns in A as rows in B"):
        linalg.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError):
        linalg.pack(np.ones((2, 3)))
    with pytest.raises(ValueError):
        linalg.unpack(np.ones(4))


def test_overflow_and_growth_are_numeric():
    with pytest.raises(NumericError, match="overflowed"):
        linalg.lu([[1e308, 1e308], [1e308, -1e308]])
    a = np.eye(400) - np.tril(np.ones((400, 400)), -1)
    a[:, -1] = 1  # elements double with every pivot
    with pytest.raises(NumericError, match="elements grew .* use numpy.linalg.qr"):
        linalg.solve(a, np.random.default_rng(0).normal(size=400))
