"""Times operations in NumPy: answers each line "name order" by the seconds of a call.

The first line of output has the versions. An operation that neither NumPy nor SciPy has is answered by
nan. The matrices are drawn as in operations.go, with other numbers.
"""

import sys
import time

import numpy as np

try:
    import scipy
    import scipy.linalg as sp
except ImportError:
    sp = None

LEAST_TIME, WARM_UP = 0.005, 0.1  # as in measure.go
SLEEP = 0.2  # until the threads of the BLAS sleep, which spin for up to 0.1 s after a call


class Operands:
    """Random matrices of one order."""

    def __init__(self, n):
        r = np.random.default_rng(n)
        self.n = n
        self.a, self.b = r.standard_normal((n, n)), r.standard_normal((n, n))
        self.tall, self.target = r.standard_normal((2 * n, n)), r.standard_normal(2 * n)
        self.definite = np.eye(n) + self.b @ self.b.T / n
        self.well = self.b + 3 * np.sqrt(n) * np.eye(n)
        self.moderate = self.a * np.sqrt(np.e / n)


OPERATIONS = {
    "Mul": lambda x: x.a @ x.b,
    "Cholesky": lambda x: np.linalg.cholesky(x.definite),
    "LU": sp and (lambda x: sp.lu_factor(x.well)),
    "QR": lambda x: np.linalg.qr(x.a, mode="r"),
    "QR-Q": lambda x: np.linalg.qr(x.a),
    "LQ": lambda x: np.linalg.qr(x.a.T),  # LQ.Factorize makes Q too
    "SVD": lambda x: np.linalg.svd(x.a, full_matrices=False),
    "SVD-values": lambda x: np.linalg.svd(x.a, compute_uv=False),
    "Eigen": lambda x: np.linalg.eig(x.a),
    "EigenSym": lambda x: np.linalg.eigh(x.definite),
    "Solve": lambda x: np.linalg.solve(x.well, x.b),
    "Solve-tall": lambda x: np.linalg.lstsq(x.tall, x.target, rcond=None),
    "Inverse": lambda x: np.linalg.inv(x.well),
    "Det": lambda x: np.linalg.det(x.moderate),
    "Exp": sp and (lambda x: sp.expm(x.moderate)),
    "Pow": lambda x: np.linalg.matrix_power(x.moderate, 10),
}


def seconds(call, x):
    start = time.perf_counter()
    call(x)
    took = time.perf_counter() - start
    if took < WARM_UP:
        calls, start = 0, time.perf_counter()
        while calls == 0 or time.perf_counter() - start < LEAST_TIME:
            call(x)
            calls += 1
        took = (time.perf_counter() - start) / calls
    time.sleep(SLEEP)
    return took


def main():
    print(f"NumPy {np.__version__}" + (f", SciPy {scipy.__version__}" if sp else ""), flush=True)
    x = None
    for line in sys.stdin:
        name, order = line.split()
        call = OPERATIONS.get(name)
        if call and (x is None or x.n != int(order)):
            x = Operands(int(order))
        print(seconds(call, x) if call else "nan", flush=True)


main()
