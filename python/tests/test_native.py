"""The border: arrays, handles, codes, and what the library exports."""

import ctypes
import gc
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

from blskernel import FormatError, HandleError, IncrementalRidge, NotFittedError, NumericError, UnsupportedError, _native, info, linalg
from blskernel._native import Handle, as_matrix, run
from blskernel._options import learner_options

LIBRARY = os.path.join(os.path.dirname(_native.__file__), "libblskernel.so")


def ridge(**options):
    handle = Handle("ridge", {"Lambda": 0.5, **options})
    handle.call("add_rows", [np.eye(3), np.ones((3, 2))])
    return handle


def weights(handle, shape=(3, 2)):
    return handle.call("weights", results=[np.empty(shape)])[0]


@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
        lambda a: a[::-1].copy()[::-1],
        lambda a: a[:, ::-1].copy()[:, ::-1],
        lambda a: np.hstack([a, a])[:, : a.shape[1]],
        lambda a: a.astype(">f8"),
        lambda a: a.astype(np.longdouble),
        lambda a: a.astype(object),
        lambda a: a.tolist(),
        lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(np.float64).reshape(a.shape),
    ],
)
def test_arrays_of_all_layouts(change):
    """Every layout gives the same bits, and no call changes an operand."""
    a, b = np.random.default_rng(1).normal(size=(7, 5)), np.random.default_rng(2).normal(size=(5, 4))
    want = linalg.matmul(a, b)
    x, y = change(a), change(b)
    before = np.array(x, dtype=float).tobytes(), np.array(y, dtype=float).tobytes()
    assert linalg.matmul(x, y).tobytes() == want.tobytes()
    assert (np.array(x, dtype=float).tobytes(), np.array(y, dtype=float).tobytes()) == before
    np.testing.assert_allclose(want, a @ b, rtol=1e-13, atol=1e-13)


def test_in_place_and_copied():
    """as_matrix copies only what the library cannot read."""
    a = np.ones((4, 3))
    assert as_matrix(a) is a
    for view in [a[::2], a[:, :2], a[:, 1], a[1:2][::-1], a[:, 2:][::3]]:
        assert np.shares_memory(as_matrix(view), a)
    for view in [a.T, a[::-1], a[:, ::-1], a[:, ::2], np.broadcast_to(a[0], (9, 3)), a.astype(np.float32)]:
        assert not np.shares_memory(as_matrix(view), a)


def test_broadcast_operand():
    assert linalg.matmul(np.broadcast_to(2.0, (2, 3)), np.broadcast_to([1.0, 2.0], (3, 2))).tolist() == [[6, 12], [6, 12]]


@pytest.mark.parametrize("bad", [
    np.ones((2, 2, 2)), np.ones((2, 2), complex), [["a"]], [[1], [1, 2]], [10**400], {"a": 1}, "text", 1.5, None,
    np.zeros(2, "M8[s]"), np.zeros(2, "m8[s]"), np.zeros(2, [("a", "f8")]),
])
def test_bad_arrays(bad):
    with pytest.raises(ValueError):
        as_matrix(bad)


def test_sparse():
    class Sparse:
        def toarray(self):
            raise AssertionError

    with pytest.raises(TypeError, match="sparse"):
        as_matrix(Sparse())


@pytest.mark.parametrize("method", range(1, 7))
def test_nothing_is_kept(method):
    """A model does not change with the arrays that it was given, which no call changes."""
    rng = np.random.default_rng(0)
    a, y = rng.normal(size=(40, 5)), rng.normal(size=(40, 2))
    given, want = Handle("ridge", {"Method": method}), Handle("ridge", {"Method": method})
    for part in [slice(0, 20), slice(20, 40)]:
        rows, targets = a[part].copy(), y[part].copy()
        want.call("add_rows", [a[part], y[part]])
        given.call("add_rows", [rows, targets])
        assert rows.tobytes() == a[part].tobytes() and targets.tobytes() == y[part].tobytes()
        rows[:], targets[:] = np.nan, np.nan
    out = weights(given, (5, 2))
    assert out.tobytes() == weights(want, (5, 2)).tobytes()
    assert given.fetch("encode") == want.fetch("encode")
    out[:] = np.nan
    assert np.isfinite(weights(given, (5, 2))).all()


def test_empty():
    assert linalg.matmul(np.ones((0, 3)), np.ones((3, 2))).shape == (0, 2)
    assert linalg.matmul(np.ones((2, 0)), np.ones((0, 2))).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ValueError):
        ridge().call("add_rows", [np.ones((0, 3)), np.ones((0, 2))])
    with pytest.raises(ValueError):
        ridge().call("add_rows", [np.ones((2, 0)), np.ones((2, 0))])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite(value):
    r, a = ridge(), np.eye(3)
    before = r.fetch("encode")
    a[1, 2] = value
    with pytest.raises(ValueError, match=r"element \(1,2\) of"):
        r.call("add_rows", [a, np.ones((3, 2))])
    assert r.fetch("encode") == before


def test_codes():
    """Each kind of failure is an exception of its type, which says what to do."""
    r = ridge()
    for exception, text, act in [
        (ValueError, "want 3 columns", lambda: r.call("add_rows", [np.eye(2), np.ones((2, 2))])),
        (NotFittedError, "call fit, partial_fit, add", lambda: Handle("ridge").call("weights", results=[np.empty((1, 1))])),
        (FormatError, "ends too early|EOF|end", lambda: Handle.decode(r.fetch("encode")[:-1])),
        (FormatError, "not a model file", lambda: Handle.decode(b"something")),
        (FormatError, "not a model file", lambda: Handle.decode(b"")),
        (NumericError, "exactly zero", lambda: linalg.lu(np.zeros((2, 2)))),
        (np.linalg.LinAlgError, "not positive definite", lambda: linalg.cholesky(-np.eye(2))),
        (UnsupportedError, "gram or qr", lambda: ridge(Method=3).call("set_lambda", options={"Lambda": 1})),
        (ValueError, 'unknown kind of object "nothing"; want classifier', lambda: Handle("nothing")),
        (ValueError, "no method", lambda: r.call("fly")),
        (ValueError, "no method", lambda: r.call("inverse", results=[np.empty((1, 1))])),
        (ValueError, "unknown field", lambda: r.call("forget", options={"Faktor": 1})),
        (ValueError, "the result is 2×2; want 3×2", lambda: weights(r, (2, 2))),
        (ValueError, "factor is nan; want a finite number", lambda: r.call("forget", options={"Factor": float("nan")})),
    ]:
        with pytest.raises(exception, match=text):
            act()


def test_results_need_rows():
    """A result with other strides or of another dtype is refused before anything runs."""
    for out in (np.empty((2, 3)).T, np.empty((3, 2))[::-1], np.empty((3, 2), np.float32)):
        with pytest.raises(ValueError, match="not an aligned, row-major"):
            ridge().call("weights", results=[out])


def test_truncated_models():
    """No prefix and no altered bit of the bytes of a model is accepted."""
    model = Handle("classifier", learner_options(feature_groups=2, feature_nodes=2, enhancement_nodes=0, lambda_=0.1, method="gram"))
    model.call("fit", [np.eye(4), as_matrix([0, 1, 0, 1]), None])
    ridge_bytes, model_bytes = IncrementalRidge("gram").add(np.eye(3), np.ones(3)).__getstate__()["state"], model.fetch("encode")
    for data, decode in [(model_bytes, Handle.decode), (ridge_bytes, lambda d: IncrementalRidge.__new__(IncrementalRidge).__setstate__({"state": d}))]:
        decode(data)
        for n in [*range(0, 60), *range(60, len(data), 17)]:
            with pytest.raises(FormatError):
                decode(data[:n])
        for n in range(0, len(data), 7):
            with pytest.raises(FormatError):
                decode(data[:n] + bytes([data[n] ^ 1]) + data[n + 1 :])


def test_handles():
    r = ridge()
    with pytest.raises(TypeError):
        pickle.dumps(r)
    r.free()
    r.free()
    with pytest.raises(HandleError, match="freed"):
        weights(r)
    for unknown in [1, -1, 2**62, r.value]:
        with pytest.raises(HandleError):
            run(unknown, "weights", results=[np.empty((1, 1))])
        assert _native.shared_object().bls_free(unknown) == 5
    assert _native.shared_object().bls_free(0) == 5
    with pytest.raises(HandleError):
        ridge().call("merge", options={"Other": r.value})


def test_handles_are_freed():
    gc.collect()
    before = info()["handles"]
    many = [ridge() for _ in range(20)]
    assert info()["handles"] == before + 20
    del many
    gc.collect()
    assert info()["handles"] == before


def test_job_handles():
    """A job waits once or often, keeps its result, and cannot be an object."""
    lib, text, job, n = _native.shared_object(), ctypes.create_string_buffer(200), ctypes.c_int64(), ctypes.c_int64()
    r = ridge()
    assert lib.bls_start(r.value, b"encode", None, None, 0, ctypes.byref(job), text, 200) == 0
    for _ in range(2):
        assert lib.bls_wait(job, -1, text, 200) == 0
        assert int(text.value) > 0  # nanoseconds
    assert lib.bls_result(job, None, ctypes.byref(n)) == 0 and n.value > 0
    assert lib.bls_start(job, b"encode", None, None, 0, ctypes.byref(ctypes.c_int64()), text, 200) == 5
    assert lib.bls_cancel(job) == 0 and lib.bls_wait(job, 0, None, 0) == 0
    assert lib.bls_free(job) == 0 and lib.bls_free(job) == 5
    assert lib.bls_wait(job, 0, text, 200) == 5 and b"freed" in text.value


def test_free_ends_a_job():
    """bls_free of a method under way stops it and waits: after it nothing touches the arrays."""
    lib, text, job = _native.shared_object(), ctypes.create_string_buffer(200), ctypes.c_int64()
    r, a = Handle("ridge"), np.random.default_rng(0).normal(size=(20000, 1000))
    rows = (_native._Matrix * 2)(_native._describe(a), _native._describe(a[:, :1]))
    before = info()["handles"]
    assert lib.bls_start(r.value, b"add_rows", None, rows, 2, ctypes.byref(job), text, 200) == 0
    assert lib.bls_free(job) == 0 and lib.bls_free(job) == 5
    assert info()["handles"] == before
    assert r.json("attributes")["samples"] == 0


def test_texts_are_cut():
    """A text ends with 0 and between two characters, whatever its capacity."""
    lib, out = _native.shared_object(), ctypes.c_int64()
    for capacity in range(0, 60):
        text = ctypes.create_string_buffer(b"\x01" * 64, 64)
        assert lib.bls_open("×é".encode() * 10, None, ctypes.byref(out), text, capacity) == 3
        assert text.raw[capacity:] == b"\x01" * (64 - capacity)
        if capacity:
            text.value.decode()


def test_null_pointers():
    """A NULL that is not allowed, or a negative number, is an error of values and does nothing."""
    lib, out, text = _native.shared_object(), ctypes.byref(ctypes.c_int64(7)), ctypes.create_string_buffer(200)
    array = (_native._Matrix * 3)()
    model = ridge()
    handles = info()["handles"]
    for call, *arguments in [
        (lib.bls_open, None, None, None), (lib.bls_open, b"ridge", None, None), (lib.bls_open, None, None, out),
        (lib.bls_decode, None, 5, None), (lib.bls_decode, None, 5, out), (lib.bls_decode, None, -1, None), (lib.bls_decode, None, -1, out),
        (lib.bls_decode, b"blsmodel", -1, out), (lib.bls_decode, b"blsmodel", 8, None),
        (lib.bls_start, 0, None, None, None, 0, None), (lib.bls_start, 0, None, None, None, 0, out),
        (lib.bls_start, 0, b"matmul", None, None, 3, None), (lib.bls_start, 0, b"matmul", None, None, 3, out),
        (lib.bls_start, 0, b"matmul", None, None, -3, out), (lib.bls_start, 0, b"matmul", None, array, -3, out),
        (lib.bls_start, 0, b"matmul", None, array, 3, None), (lib.bls_start, model.value, b"attributes", None, None, 0, None),
    ]:
        assert call(*arguments, None, 0) == 3, arguments
        assert call(*arguments, text, 200) == 3 and text.value, arguments
    assert out._obj.value == 7 and info()["handles"] == handles
    assert lib.bls_decode(None, 0, out, None, 0) == 6
    assert lib.bls_result(0, None, None) == 3
    assert lib.bls_info(None, 0) == 0
    assert info()["handles"] == handles


def test_impossible_arrays():
    """Sizes that overflow, or have no memory behind them, are refused."""
    lib, text, job = _native.shared_object(), ctypes.create_string_buffer(200), ctypes.c_int64()
    for rows, cols, stride, data in [
        (-1, 1, 1, 0), (1, -1, 1, 0), (2**62, 2**62, 2**62, 8), (2**63 - 1, 2, 2, 8), (2**32, 2**32, 2**32, 8), (1, 1, 1, 0), (2**40, 2**40, 2**40, 0),
        (2, 2, 1, 8), (2, 2, 0, 8), (2, 2, -2, 8), (2, 1, 2**62, 8), (2**62, 1, 2**62, 8),
    ]:
        table = (_native._Matrix * 3)(*[_native._Matrix(data, rows, cols, stride)] * 3)
        assert lib.bls_start(0, b"matmul", None, table, 3, ctypes.byref(job), text, 200) == 3, (rows, cols, stride)


def test_labels_of_no_columns():
    """Their rows, of which none is there, are not counted on."""
    lib, text, job, x = _native.shared_object(), ctypes.create_string_buffer(200), ctypes.c_int64(), np.eye(4)
    model, none = Handle("classifier"), _native._Matrix(x.ctypes.data, 2**40, 0, 0)
    assert lib.bls_start(model.value, b"fit", None, (_native._Matrix * 3)(_native._describe(x), none, none), 3, ctypes.byref(job), text, 200) == 0
    assert lib.bls_wait(job, -1, text, 200) == 3 and b"want one column" in text.value
    assert lib.bls_free(job) == 0


def test_memory():
    """Work beyond the memory of the machine is refused before it begins."""
    huge = np.broadcast_to(1.0, (1 << 20, 1 << 20))
    with pytest.raises(MemoryError):
        ridge().call("add_rows", [huge, np.ones((1 << 20, 1))])


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm of binutils")
def test_exports():
    """The library exports the functions of blskernel.h alone, and asks for no BLAS."""
    symbols = subprocess.run(["nm", "-D", LIBRARY], capture_output=True, text=True, check=True).stdout.split("\n")
    defined = {line.split()[-1] for line in symbols if len(line.split()) == 3 and line.split()[1] not in "wU"}
    assert defined == {"bls_" + name for name in ("open", "decode", "start", "wait", "cancel", "result", "free", "info")}
    assert not [line for line in symbols if "blas" in line.lower().replace("bls_", "") or "dlopen" in line or "dlsym" in line]
    with open(LIBRARY, "rb") as file:
        data = file.read()
    assert b"libopenblas" not in data and b"cblas_dgemm" not in data


@pytest.mark.parametrize("threads", [1.5, "2", None])
def test_threads_are_whole(threads):
    with pytest.raises(TypeError):
        _native.set_threads(threads)


@pytest.mark.parametrize("threads", [-1, 2**63, 2**70, 10**400])
def test_threads_are_in_range(threads):
    with pytest.raises(ValueError, match="threads is .*; want an integer"):
        _native.set_threads(threads)


def test_backend_of_the_environment():
    """The package has the pure backend alone, whatever the environment names."""
    code = "import blskernel; print(blskernel.info()['backend'], blskernel.linalg.matmul([[2.0]], [[3.0]]))"
    for value in ["openblas", "nonsense"]:
        out = subprocess.run([sys.executable, "-c", code], env={**os.environ, "BLSKERNEL_BACKEND": value}, capture_output=True, text=True)
        assert out.stdout.startswith("pure [[6.]]"), out


def test_masked_elements_are_refused():
    for mask in ([[True, False]], [[True, True]]):
        with pytest.raises(ValueError, match="masked"):
            _native.as_matrix(np.ma.array([[1.0, 2.0]], mask=mask))
    for act in (linalg.inv, linalg.lu, linalg.cholesky, linalg.pack, lambda a: linalg.unpack(a[0]), linalg.lu([[1.0]]).solve):
        with pytest.raises(ValueError, match="masked"):
            act(np.ma.array([[1.0]], mask=[[True]]))
    assert _native.as_matrix(np.ma.array([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
