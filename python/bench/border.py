"""What the interface costs: partial_fit of 1,000 rows at 1,000 nodes, in Python and inside Go.

Both times belong to the same calls. "Go" is the time inside the library, which measures it; "Python" is the
time of the whole call, with arrays, waiting and the interface. The ratio is the median over the calls.

    python3 bench/border.py [calls]
"""

import statistics
import sys
import time

import numpy as np

from blskernel import BroadLearningClassifier, _native
from blskernel._native import Handle, as_matrix
from blskernel._options import learner_options


def measure(name, call, count):
    """Print the median times of a call and the median of their ratios."""
    outer, inner = [], []
    for _ in range(count):
        began = time.perf_counter()
        call()
        outer.append(time.perf_counter() - began)
        inner.append(_native.elapsed.seconds)
    ratio = statistics.median(o / i for o, i in zip(outer, inner))
    print(f"{name:36} Python {1e3 * statistics.median(outer):8.3f} ms   Go {1e3 * statistics.median(inner):8.3f} ms   ratio {ratio:.4f}")
    return ratio


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5000, 50))
    y = (x[:, :1] + x[:, 1:2] > 0) * 1.0
    few = {"feature_groups": 10, "feature_nodes": 10, "enhancement_nodes": 900, "shrink": 1.0, "lambda_": 0.1}
    for method in ["gram", "qr", "ridge_inverse"]:
        model = Handle("classifier", learner_options(method=method, classes=2, **few))
        model.call("fit", [x, y, None])
        model.call("partial_fit", [x[:1000], y[:1000], None])
        measure(f"partial_fit, {method}", lambda: model.call("partial_fit", [as_matrix(x[:1000]), as_matrix(y[:1000]), None]), count)
    estimator = BroadLearningClassifier(method="gram", random_state=0, **few).fit(x, y[:, 0])
    measure("partial_fit of the estimator, gram", lambda: estimator.partial_fit(x[:1000], y[:1000, 0]), count)
    out = np.empty((1000, 2))
    measure("decision_function", lambda: model.call("decision_function", [as_matrix(x[:1000])], [out]), count)
    one, row = np.empty((1, 2)), as_matrix(x[:1])
    measure("decision_function of one row", lambda: model.call("decision_function", [row], [one]), count)


if __name__ == "__main__":
    main()
