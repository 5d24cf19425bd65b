"""Incremental broad learning systems, incremental ridge regression, and dense linear algebra.

The package includes a Go library with its own kernels, which does the computing. Importing the package
does not load the library; the first use does.

Examples
--------
>>> import numpy as np
>>> import blskernel
>>> ridge = blskernel.IncrementalRidge(lambda_=1e-6)
>>> ridge.add(np.eye(3), [[1.0], [2.0], [3.0]]).weights().round(3).ravel().tolist()
[1.0, 2.0, 3.0]
"""

from . import linalg
from ._native import (
    FormatError,
    ForkedError,
    HandleError,
    InternalError,
    NotFittedError,
    NumericError,
    UnsupportedError,
    __version__,
    info,
    set_threads,
)
from .files import load, save
from .learner import BroadLearningClassifier, BroadLearningRegressor
from .ridge import IncrementalRidge

__all__ = [
    "BroadLearningClassifier",
    "BroadLearningRegressor",
    "FormatError",
    "ForkedError",
    "HandleError",
    "IncrementalRidge",
    "InternalError",
    "NotFittedError",
    "NumericError",
    "UnsupportedError",
    "__version__",
    "info",
    "linalg",
    "load",
    "save",
    "set_threads",
]
