"""Memory of fits and deletions. BLSKERNEL_FITS is the number of fits."""

import os

import numpy as np

from blskernel import info
from blskernel._native import Handle
from blskernel._options import learner_options

FITS = int(os.environ.get("BLSKERNEL_FITS", "1000"))


def resident():
    """Return the bytes of the process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_fits_and_deletions():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 8))
    y = (x[:, :1] > 0) * 1.0
    options = learner_options(enhancement_nodes=50, shrink=1.0, lambda_=0.1, method="gram")
    handles, most = info()["handles"], []
    for i in range(FITS):
        model = Handle("classifier", options)
        model.call("fit", [x, y, None])
        model.call("predict", [x], [np.empty((300, 1))])
        Handle.decode(model.fetch("encode"))
        if i % 50 == 49:
            most.append(resident())
    del model
    first, last = max(most[:2]), np.median(most[-max(2, len(most) // 10) :])
    print(f"after 100 fits {first / 2**20:.1f} MiB, after {FITS} {last / 2**20:.1f} MiB, most {max(most) / 2**20:.1f} MiB")
    assert info()["handles"] == handles
    assert last <= 1.05 * first
