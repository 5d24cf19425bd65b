"""The interface to the Go library: loading, status codes, waiting, handles and arrays.

The library is loaded at its first use, not at import, so that a process forked before the first use can
still use it. ``native/blskernel.h`` is the reference for everything here.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import errno
import functools
import itertools
import json
import operator
import os
import re
import secrets
import stat
import threading
import weakref
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import numpy as np

from ._options import shown, whole

try:
    from sklearn.exceptions import NotFittedError
except ImportError:

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The object has not learned anything yet. With scikit-learn, this is its NotFittedError."""


class HandleError(ValueError):
    """The object was freed, or belongs to another process."""


class FormatError(ValueError):
    """The bytes are not a model, or were cut off or altered."""


class NumericError(np.linalg.LinAlgError, ValueError):
    """A matrix is singular, not positive definite or ill-conditioned, or a result overflows."""


class UnsupportedError(NotImplementedError):
    """The update method does not support the action; the message names the methods that do."""


class ForkedError(RuntimeError):
    """This process was forked from one that uses blskernel. Start processes with spawn or forkserver."""


class InternalError(RuntimeError):
    """An internal error that the library caught. Do not use the object any more."""


__version__ = "0.1.0"

OK, RUNNING, CANCELLED = 0, 1, 2
_EXCEPTIONS: dict[int, type[BaseException]] = {
    CANCELLED: KeyboardInterrupt,
    3: ValueError,
    4: NotFittedError,
    5: HandleError,
    6: FormatError,
    7: NumericError,
    8: UnsupportedError,
    9: MemoryError,
    10: ForkedError,
    11: InternalError,
}

# How long a call waits before Python can handle signals, in milliseconds.
_SLICE = 50
_CAPACITY = 4096


class _Matrix(ctypes.Structure):
    """The struct bls_matrix of blskernel.h."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("cols", ctypes.c_int64),
        ("stride", ctypes.c_int64),
    ]


_lock = threading.RLock()
_library: Optional[ctypes.CDLL] = None
# A fork during loading would leave the child a half-loaded library that cannot detect the fork.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def shared_object() -> ctypes.CDLL:
    """Return the library; the first call loads it.

    Raises
    ------
    OSError
        If the library is missing or cannot be loaded.
    """
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libblskernel.so"))
    return _library


def _open(path: str) -> ctypes.CDLL:
    try:
        lib = ctypes.CDLL(path)
    except OSError as e:
        raise OSError(
            f"the library of blskernel cannot be loaded ({e}): install the wheel for this platform, or "
            "build the library with `make python-library` in a checkout"
        ) from e
    handle, text, size = ctypes.c_int64, ctypes.c_char_p, ctypes.c_int64
    out, arrays = ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(_Matrix)
    for name, arguments in {
        "bls_open": [text, text, out, text, size],
        "bls_decode": [text, size, out, text, size],
        "bls_start": [handle, text, text, arrays, size, out, text, size],
        "bls_wait": [handle, ctypes.c_int64, text, size],
        "bls_cancel": [handle],
        "bls_result": [handle, ctypes.c_void_p, out],
        "bls_free": [handle],
        "bls_info": [text, size],
    }.items():
        function = getattr(lib, name)
        function.argtypes, function.restype = arguments, ctypes.c_int32
    return lib


def _check(code: int, text: ctypes.Array[ctypes.c_char]) -> None:
    """Raise the exception for a code other than OK, with the message in text."""
    if code != OK:
        raise _EXCEPTIONS.get(code, InternalError)(_in_python(text.value.decode("utf-8", "replace")))


# Go names in messages, and their Python names.
_WORDS = {
    "call Fit or PartialFit first": "call fit, partial_fit, add or factorize first",
    "EnhancementNodes": "enhancement_nodes",
    "Enhancement of": "enhancement of",
    "Method of": "method of",
    "NoIntercept": "no_intercept",
    "a Clone": "a copy",
    "LogTargets None": "log_targets=False",
    "LogTargets": "log_targets",
    "Relevance": "relevance",
    "Direct": "direct",
    "Steps": "steps",
    "ExpectedRows": "expected_rows",
    "PartialFit": "partial_fit",
    "RemoveInputs": "remove",
    "Remove": "remove",
    "the coverage": "coverage",
    "AddTargets": "add_targets",
    "MapTargets": "map_targets",
    "ClassWeight": "class_weight",
    "GroupNodes": "feature_nodes",
    "AddInputs": "add",
    "SetLambda": "set_lambda",
    "AddNodes": "add_nodes",
    "Rebuild": "rebuild (in the estimators: refit)",
    "Relabel": "relabel",
    "Unscaled": "unscaled",
    "Scaling": "scaling",
    "Groups": "feature_groups",
    "Factor": "factor",
    "Forget": "forget",
    "Lambda": "lambda_",
    "Shrink": "shrink",
    "Merge": "merge",
    "use QR": "use numpy.linalg.qr",
    "Refit": "refit",
    "Seed": "random_state",
    "ridge-inverse": "ridge_inverse",
    "inverse-cholesky": "inverse_cholesky",
    "+Inf": "inf",
    "-Inf": "-inf",
}
# An option that is a bool in Python, and its values in two models.
_BOOLEANS = re.compile(r"\b((?:Direct|Steps|Unscaled|LogTargets|NoIntercept) of the two models is )(0|1|true|false) and (0|1|true|false)")
# A quoted string, such as a column name, stays unchanged.
_PATTERN = re.compile(r'"(?:[^"\\]|\\.)*"|' + "|".join(map(re.escape, _WORDS)) + r"|\b(?:bls|blsupdate|lapack|modelfile|stream): ")


def _in_python(text: str) -> str:
    """Return a message of the library with Python names.

    Examples
    --------
    >>> _in_python("bls: Lambda is -1")
    'lambda_ is -1'
    >>> _in_python("Direct of the two models is 1 and 0")
    'direct of the two models is True and False'
    >>> _in_python('column "Seed" has dates')
    'column "Seed" has dates'
    """
    text = _BOOLEANS.sub(lambda match: f"{match[1]}{match[2] in '1true'} and {match[3] in '1true'}", text)
    return _PATTERN.sub(lambda match: match.group() if match.group().startswith('"') else _WORDS.get(match.group(), ""), text)


def _options(options: Optional[Mapping[str, Any]]) -> bytes:
    """Return the options that are not None, as JSON."""
    if not options:
        return b""
    given = {name: value for name, value in options.items() if value is not None}
    texts = []
    for name, value in given.items():
        try:
            texts.append(f"{json.dumps(name)}: {json.dumps(value, allow_nan=False, default=_plain)}")
        except ValueError as e:
            raise ValueError(f"{_in_python(name)} is {shown(value)}; want a finite number or a string") from e
    return f"{{{', '.join(texts)}}}".encode()


def _plain(value: Any) -> Any:
    """Return a NumPy number or array as Python values."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise ValueError(f"{type(value).__name__} cannot be an option")


def refuse_masked(x: Any, name: str) -> None:
    """Raise ValueError for masked elements, since NumPy would pass on the values under the mask."""
    if np.ma.is_masked(x):
        raise ValueError(f"{name} has masked elements: fill them or leave out their rows")


def refuse_dates(x: Any, name: str) -> None:
    """Raise ValueError for dates and times, which NumPy would turn into numbers, even in a list or among objects."""
    if isinstance(x, (list, tuple)):
        with contextlib.suppress(TypeError, ValueError):  # rows of several lengths, which a later check names
            x = np.asarray(x)
    dtypes = list(x.dtypes) if hasattr(x, "iloc") and hasattr(x, "columns") else [getattr(x, "dtype", None)]
    if object in dtypes:
        dtypes += [getattr(cell, "dtype", None) for cell in np.asarray(x).flat]
    for dtype in dtypes:
        if getattr(dtype, "kind", None) in ("m", "M"):
            raise ValueError(f"{name} has dates or times (dtype {dtype}): turn them into numbers, such as days since a given day")


def as_matrix(x: Any, name: str = "X") -> np.ndarray:
    """Return x as a two-dimensional float64 array with contiguous rows, without a copy if possible.

    Parameters
    ----------
    x : array_like
        Numbers. A one-dimensional array becomes a column.
    name : str
        The name of x in error messages.

    Returns
    -------
    numpy.ndarray
        A two-dimensional float64 array that the library can read in place.

    Raises
    ------
    TypeError
        If x is a sparse matrix.
    ValueError
        If x has neither one nor two dimensions, or has elements that are masked or not real numbers.

    Examples
    --------
    >>> as_matrix([1, 2]).shape
    (2, 1)
    """
    refuse_masked(x, name)
    if hasattr(x, "toarray"):
        raise TypeError(f"{name} is a sparse matrix, but a dense array is required: use {name}.toarray()")
    a = np.asarray(x)
    refuse_dates(a, name)
    if a.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {a.dtype}")
    if a.ndim not in (1, 2):
        raise ValueError(f"Found array with dim {a.ndim}: {name} must have one or two dimensions")
    a = a[:, None] if a.ndim == 1 else a
    if not _is_row_major(a):
        try:
            if a.dtype.kind == "V":
                raise TypeError("records are not numbers")
            a = np.array(a, dtype=np.float64, order="C")
        except (TypeError, ValueError, OverflowError) as e:
            raise ValueError(f"{name} of dtype {a.dtype} cannot be converted to numbers: {e}") from e
    return a


def _is_row_major(a: np.ndarray) -> bool:
    """Return whether the library can read the matrix a in place."""
    (rows, cols), (down, right) = a.shape, a.strides
    strides = (cols <= 1 or right == 8) and (rows <= 1 or (down % 8 == 0 and down >= 8 * cols))
    return a.dtype == np.float64 and a.flags.aligned and (strides or a.size == 0)


def as_vector(w: Any, name: str = "sample_weight") -> Optional[np.ndarray]:
    """Return w as a float64 column, and None for None.

    Examples
    --------
    >>> as_vector([1, 2]).shape
    (2, 1)
    """
    if w is None:
        return None
    a = as_matrix(w, name)
    if a.shape[1] != 1:
        raise ValueError(f"{name} has shape {a.shape}; want one number for each sample")
    return a


def _describe(a: Optional[np.ndarray]) -> _Matrix:
    """Return the bls_matrix of an array from as_matrix. None, an omitted array, gives an empty one."""
    if a is None:
        return _Matrix(None, 0, 0, 0)
    if not _is_row_major(a):
        raise ValueError(f"an array of dtype {a.dtype}, shape {a.shape} and strides {a.strides} is not an aligned, row-major array of float64")
    rows, cols = a.shape
    # An empty array may have no address. The library treats an array without rows as omitted.
    return _Matrix(a.__array_interface__["data"][0], rows, cols, a.strides[0] // 8 if rows > 1 and cols > 0 else cols)


def _free(lib: ctypes.CDLL, handle: ctypes.c_int64) -> None:
    if handle.value:
        lib.bls_free(handle)


class Handle:
    """An object of the library, freed with the last reference to it.

    Parameters
    ----------
    kind : str
        One of the kinds of object in blskernel.h.
    options : mapping, optional
        Its options.

    Examples
    --------
    >>> ridge = Handle("ridge", {"Lambda": 1.0})
    >>> _ = ridge.call("add_rows", [np.eye(2), np.ones((2, 1))])
    >>> ridge.call("weights", results=[np.empty((2, 1))])[0].round(12).tolist()
    [[0.5], [0.5]]
    """

    labels: Any = None  # of a classifier: the label of each class, by class number
    targets: int = 0  # of an estimator: the number of columns of its predictions
    kept: int = 0  # of an estimator: the number of rows kept until there are enough for the feature maps

    def __init__(self, kind: str, options: Optional[Mapping[str, Any]] = None) -> None:
        self._keep("bls_open", kind.encode(), _options(options))

    @classmethod
    def decode(cls, data: bytes) -> Handle:
        """Return the object that the bytes of ``encode`` or of a model file describe."""
        data = bytes(data)
        self = cls.__new__(cls)
        self._keep("bls_decode", data, len(data))
        return self

    def _keep(self, function: str, *arguments: Any) -> None:
        """Create the object. It is freed exactly once, even if this call is interrupted."""
        lib, text, self._number = shared_object(), ctypes.create_string_buffer(_CAPACITY), ctypes.c_int64()
        self._finalizer = weakref.finalize(self, _free, lib, self._number)
        self._finalizer.atexit = False  # the end of the process frees everything
        _check(getattr(lib, function)(*arguments, ctypes.byref(self._number), text, _CAPACITY), text)

    @property
    def value(self) -> int:
        """The bls_handle of the object (see blskernel.h)."""
        return self._number.value

    def __reduce__(self) -> Any:
        raise TypeError("a Handle cannot be pickled or copied, since it belongs to its process: pickle the bytes of fetch('encode'), and restore them with Handle.decode")

    def free(self) -> None:
        """Free the object now. Later calls raise HandleError."""
        self._finalizer()

    def call(
        self,
        method: str,
        operands: Sequence[Optional[np.ndarray]] = (),
        results: Sequence[np.ndarray] = (),
        options: Optional[Mapping[str, Any]] = None,
        then: Optional[Callable[[], Any]] = None,
    ) -> Sequence[np.ndarray]:
        """Run a method and return its results; see `run` for the parameters."""
        run(self.value, method, operands, results, options, then=then)
        return results

    def fetch(self, method: str, options: Optional[Mapping[str, Any]] = None) -> bytes:
        """Run a method that takes no arrays and return the bytes that it produces."""
        return run(self.value, method, (), (), options, fetch=True)

    def json(self, method: str, options: Optional[Mapping[str, Any]] = None) -> Any:
        """Run a method that takes no arrays and return its JSON result as Python values."""
        return json.loads(self.fetch(method, options))


# How long the last method of each thread took in Go, in seconds.
elapsed = threading.local()


def run(
    handle: int,
    method: str,
    operands: Sequence[Optional[np.ndarray]] = (),
    results: Sequence[np.ndarray] = (),
    options: Optional[Mapping[str, Any]] = None,
    fetch: bool = False,
    then: Optional[Callable[[], Any]] = None,
) -> bytes:
    """Run a method of an object and wait until it ends.

    Other threads run meanwhile. Ctrl-C cancels the method and raises KeyboardInterrupt. The object then
    stays unchanged, unless the method ends before its next check for cancellation.

    Parameters
    ----------
    handle : int
        The object; 0 is the library itself.
    method : str
        One of the methods that blskernel.h lists for the object.
    operands : sequence of array_like or None
        Arguments that `as_matrix` accepts; None for an omitted operand.
    results : sequence of numpy.ndarray
        Row-major float64 arrays that the method overwrites, such as from `numpy.empty`.
    options : mapping, optional
        Options of the method. An option of None is ignored.
    fetch : bool
        Whether to return the bytes that the method produces in addition to arrays.
    then : callable, optional
        Called if the method has succeeded, and only then, even if a signal handler raises meanwhile.
        The callable must be implemented in C, such as a partial of setattr.

    Returns
    -------
    bytes
        The bytes that the method produces; empty without `fetch`.

    Examples
    --------
    >>> out = np.empty((1, 1))
    >>> run(0, "matmul", [np.ones((1, 3)), np.ones((3, 1))], [out])
    b''
    >>> out.tolist()
    [[3.0]]
    """
    lib, text = shared_object(), ctypes.create_string_buffer(_CAPACITY)
    # The list keeps the arrays alive until the method has ended.
    arrays = [*(a if a is None else as_matrix(a, f"array {i}") for i, a in enumerate(operands)), *results]
    table = (_Matrix * len(arrays))(*map(_describe, arrays))
    given = _options(options)
    job = ctypes.c_int64(0)
    steps: list[Iterable[Any]] = [map(lib.bls_free, [job])]
    if then is not None:
        succeeded = map(OK.__eq__, map(lib.bls_wait, [job], [-1], [None], [0]))
        calls = map(operator.methodcaller("__call__"), itertools.compress([then], succeeded))
        steps = [map(lib.bls_cancel, [job]), calls, *steps]
    end = functools.partial(collections.deque, itertools.chain(*steps), 0)
    try:
        _check(lib.bls_start(handle, method.encode(), given, table, len(arrays), ctypes.byref(job), text, _CAPACITY), text)
        code = RUNNING
        while code == RUNNING:
            code = lib.bls_wait(job.value, _SLICE, text, _CAPACITY)
        _check(code, text)
        elapsed.seconds = int(text.value) * 1e-9
        return _result(lib, job.value) if fetch else b""
    finally:
        end()  # one call into C, which runs all steps before any signal handler can run


def _result(lib: ctypes.CDLL, job: int) -> bytes:
    """Return the result of a job that has ended."""
    n = ctypes.c_int64(0)
    _check(lib.bls_result(job, None, ctypes.byref(n)), ctypes.create_string_buffer(1))
    if n.value == 0:
        return b""
    out = bytearray(n.value)
    _check(lib.bls_result(job, (ctypes.c_char * n.value).from_buffer(out), ctypes.byref(n)), ctypes.create_string_buffer(1))
    return bytes(out)


def info() -> dict[str, Any]:
    """Return a description of the library.

    Returns
    -------
    dict
        ``version`` (of the package), ``backend``, ``kernel`` (for this CPU), ``threads``, ``handles`` (the
        number of objects and methods in use) and ``go`` (the version of the Go compiler).

    Examples
    --------
    >>> info()["backend"]
    'pure'
    """
    lib, text = shared_object(), ctypes.create_string_buffer(_CAPACITY)
    _check(lib.bls_info(text, _CAPACITY), text)
    return {"version": __version__, **json.loads(text.value)}


def set_threads(threads: int) -> None:
    """Set how many threads a matrix product may use; 0 means all CPUs. Results do not depend on the number.

    Examples
    --------
    >>> set_threads(1)
    >>> info()["threads"]
    1
    >>> set_threads(0)
    """
    run(0, "threads", options={"Threads": whole("threads", operator.index(threads))})


def write_file(path: Any, data: bytes) -> None:
    """Write a file atomically: after a failure the path names the old file, if there was one, or the new one.

    A symbolic link stays, and its target is replaced. An existing file keeps its mode.

    Parameters
    ----------
    path : path-like
        The name of the file.
    data : bytes
        Its contents.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.bls")
    >>> write_file(path, b"data")
    >>> os.path.getsize(path)
    4
    """
    path = os.path.realpath(file_name(path))
    try:
        old = os.stat(path).st_mode
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old):
        raise OSError(errno.EISDIR if stat.S_ISDIR(old) else errno.EINVAL, "this is not a regular file: give another name", path)
    mode = 0o666 if old is None else stat.S_IMODE(old) & 0o777  # umask reduces the mode of a new file
    folder, name = os.path.split(path)
    part = os.path.join(folder, f".{name}.{secrets.token_hex(8)}")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            if old is not None and stat.S_IMODE(os.fstat(file.fileno()).st_mode) != mode:
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def file_name(path: Any) -> str:
    """Return the name of a file as a str. A number, which would be a file descriptor, is an error.

    Examples
    --------
    >>> file_name(b"model.bls")
    'model.bls'
    """
    name = os.fsdecode(path)
    if not os.path.basename(name):
        raise ValueError(f"path is {name!r}, which does not name a file: give the name of a file")
    return name
