"""Go's runtime inside Python: fork, signals, threads and the end of the process. Each in a process of its own."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from blskernel import BroadLearningClassifier, BroadLearningRegressor, HandleError, IncrementalRidge, _native, linalg
from blskernel._native import Handle
from blskernel._options import learner_options
from test_estimators import classifier, regressor, table

HEAD = """
import ctypes, faulthandler, gc, multiprocessing, os, pickle, signal, sys, threading, time
import numpy as np
import blskernel
from blskernel import ForkedError, HandleError, IncrementalRidge, _native, linalg

signal.signal(signal.SIGINT, signal.default_int_handler)  # where a job in the background ignores it

def long_call(ridge=None):
    ridge = ridge or IncrementalRidge("qr", 1.0)
    a = np.random.default_rng(0).normal(size=(20000, 1500))
    return ridge.add(a, a[:, :1])

def interrupt_soon(number, seconds=0.3):
    threading.Timer(seconds, os.kill, (os.getpid(), number)).start()
"""


def run(code, expect=0):
    """Run a program to its end, and return what it prints."""
    program = [sys.executable, "-c", HEAD + textwrap.dedent(code)]
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(_native.__file__))}
    p = subprocess.run(program, capture_output=True, text=True, timeout=100, env=env)
    assert p.returncode == expect, p
    return p.stdout, p.stderr


def test_fork_after_use():
    """A child gets an error for old and new objects, and ends."""
    out, _ = run(
        """
        ridge = IncrementalRidge(lambda_=0).add([[1.0]], [2.0])
        pid = os.fork()
        if pid == 0:
            for act in [ridge.weights, IncrementalRidge, blskernel.info, lambda: _native.Handle.decode(b""), lambda: linalg.matmul([[1.0]], [[1.0]])]:
                try:
                    act()
                    print("no error")
                except ForkedError as e:
                    assert "spawn" in str(e)
            del ridge
            gc.collect()
            print("child", flush=True)
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        print("parent", ridge.weights())
        """
    )
    assert out.split("\n")[:2] == ["child", "parent [[2.]]"]


def test_fork_before_use():
    """A child that uses the library first can, and so can its parent."""
    out, _ = run(
        """
        pid = os.fork()
        product = linalg.matmul([[2.0]], [[3.0]])
        if pid != 0:
            assert os.waitpid(pid, 0)[1] == 0  # or both could print at once
        print(product, flush=True)
        """
    )
    assert out == "[[6.]]\n[[6.]]\n"


def test_multiprocessing():
    """A pool by fork raises the error in its parent; one by spawn or forkserver works, with pickles."""
    out, _ = run(
        """
        ridge = IncrementalRidge(lambda_=0).add([[1.0]], [2.0])
        try:
            with multiprocessing.get_context("fork").Pool(2) as pool:
                pool.map(linalg.inv, [np.eye(2)])
        except ForkedError as e:
            print("forked")
        for method in ["spawn", "forkserver"]:
            with multiprocessing.get_context(method).Pool(2) as pool:
                print(pool.map(IncrementalRidge.weights, [ridge, ridge])[1])
        """
    )
    assert out == "forked\n[[2.]]\n[[2.]]\n"


def test_interrupt():
    """Ctrl-C ends a long update, which leaves every bit of the model as it was, and it goes on."""
    out, _ = run(
        """
        ridge = IncrementalRidge("qr", 1.0).add(np.eye(1500), np.ones((1500, 1)))
        before = ridge.__getstate__()
        interrupt_soon(signal.SIGINT)
        try:
            while True:
                long_call(ridge)
                before = ridge.__getstate__()
        except KeyboardInterrupt:
            print("interrupted", ridge.__getstate__() == before, blskernel.info()["handles"])
        ridge.add(np.eye(1500), np.ones((1500, 1)))
        print(ridge.n_samples_ % 1000)
        """
    )
    assert out == "interrupted True 1\n0\n"


def test_interrupt_of_a_fit():
    """The same for the fit of a classifier that has a model."""
    out, _ = run(
        """
        from blskernel._options import learner_options
        x = np.random.default_rng(0).normal(size=(60000, 30))
        y = (x[:, :1] > 0) * 1.0
        model = _native.Handle("classifier", learner_options(enhancement_nodes=1500))
        model.call("fit", [x[:3000], y[:3000], None])
        before = model.fetch("encode")
        interrupt_soon(signal.SIGINT)
        try:
            while True:
                model.call("fit", [x, y, None])
                before = model.fetch("encode")
        except KeyboardInterrupt:
            print("interrupted", model.fetch("encode") == before)
        """
    )
    assert out == "interrupted True\n"


def test_signals():
    """Python's handlers of all usual signals run during calls, before and after the library is opened."""
    out, _ = run(
        """
        seen = set()
        numbers = [signal.SIGALRM, signal.SIGCHLD, signal.SIGHUP, signal.SIGPROF, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGVTALRM, signal.SIGWINCH]
        handler = lambda number, frame: seen.add(number)
        def hits():
            seen.clear()
            for number in numbers:
                os.kill(os.getpid(), number)
                linalg.matmul(np.eye(300), np.eye(300))
            return seen == set(numbers)
        old = [signal.signal(n, handler) for n in numbers]
        print(hits(), [signal.getsignal(n) is handler for n in numbers].count(False))
        [signal.signal(n, signal.SIG_DFL) for n in numbers]
        [signal.signal(n, handler) for n in numbers]
        print(hits())
        seen.clear()
        signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        for _ in range(3):
            linalg.inv(np.random.default_rng(0).normal(size=(900, 900)))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(seen == {signal.SIGPROF, signal.SIGALRM})
        """
    )
    assert out == "True 0\nTrue\nTrue\n"


def test_children_of_python():
    """SIGCHLD stays Python's: subprocesses end and their codes arrive."""
    out, _ = run(
        """
        import subprocess
        linalg.matmul(np.eye(2), np.eye(2))
        print([subprocess.run([sys.executable, "-c", f"raise SystemExit({n})"]).returncode for n in (0, 3)])
        """
    )
    assert out == "[0, 3]\n"


@pytest.mark.parametrize("first", ["faulthandler.enable()", "blskernel.info()"])
@pytest.mark.parametrize("crash", ["faulthandler._sigsegv()", "ctypes.string_at(8)"])
def test_faulthandler(first, crash):
    """A crash in other C code is reported as without the library, whoever came first."""
    second = "blskernel.info()" if "fault" in first else "faulthandler.enable()"
    _, err = run(f"{first}\n{second}\nlinalg.inv(np.eye(200))\n{crash}", expect=-signal.SIGSEGV)
    assert "Fatal Python error: Segmentation fault" in err and "Current thread" in err


def test_dump_later():
    """faulthandler's timer prints Python's stack while Go computes: once, since it may crash while Python changes its stack."""
    _, err = run(
        """
        a, ridge = np.random.default_rng(0).normal(size=(9000, 1500)), IncrementalRidge("qr", 1.0)
        threading.Thread(target=lambda: [ridge.add(a, a[:, :1]) for _ in range(20)], daemon=True).start()
        faulthandler.dump_traceback_later(0.3)
        time.sleep(0.6)
        faulthandler.cancel_dump_traceback_later()
        """
    )
    assert "in run" in err and "Fatal" not in err


@pytest.mark.parametrize(
    "end",
    ["pass", "sys.exit(0)", "os._exit(0)", "os.kill(os.getpid(), 0)", "threading.Thread(target=long_call, daemon=True).start(); time.sleep(0.1)"],
)
def test_end_of_process(end):
    """A process ends with objects alive, in cycles and in a daemon thread's call."""
    run(f"ridge = IncrementalRidge(lambda_=0).add([[1.0]], [2.0])\ncycle = [ridge]; cycle.append(cycle)\nblskernel.keep = ridge\n{end}")


def test_end_in_a_finalizer():
    """Objects may be used and freed while Python shuts down."""
    out, _ = run(
        """
        import atexit, weakref
        class Last:
            def __del__(self):
                print("last", self.ridge.weights(), flush=True)
        last = Last()
        last.ridge = IncrementalRidge(lambda_=0).add([[1.0]], [2.0])
        atexit.register(lambda: print("atexit", linalg.matmul([[1.0]], [[2.0]]), flush=True))
        """
    )
    assert "atexit [[2.]]" in out and "last [[2.]]" in out


def test_handle_of_another_process():
    """A handle that was carried to another process is unknown there."""
    out, _ = run(
        """
        ridge = IncrementalRidge(lambda_=0).add([[1.0]], [2.0])
        code = "import sys; from blskernel import _native\\ntry: _native.run(int(sys.argv[1]), 'condition')\\nexcept _native.HandleError: print('unknown')"
        import subprocess
        subprocess.run([sys.executable, "-c", code, str(ridge._handle.value)], check=True)
        """
    )
    assert out == "unknown\n"


def in_threads(count, act):
    """Run act(i) on the given number of threads, and raise the first exception."""
    failed = []

    def guarded(i):
        try:
            act(i)
        except BaseException as e:  # noqa: B902
            failed.append(e)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise failed[0]


def test_threads_on_their_own_objects():
    a = np.random.default_rng(0).normal(size=(200, 20))
    want = IncrementalRidge("qr", 1.0).add(a, a).weights().tobytes()

    def act(i):
        for _ in range(10):
            assert IncrementalRidge("qr", 1.0).add(a, a).weights().tobytes() == want

    in_threads(8, act)


def test_threads_on_one_object():
    """Changes run one after another, and predictions beside each other see a whole model."""
    ridge = IncrementalRidge("gram", 1.0).add([[1.0]], [1.0])
    in_threads(8, lambda i: [ridge.add([[1.0]], [1.0]) for _ in range(50)])
    assert ridge.n_samples_ == 401
    for _ in range(60):
        new = IncrementalRidge()
        with contextlib.suppress(ValueError):  # of parameters after the rows
            in_threads(2, lambda i, new=new: new.set_params(lambda_=2.0) if i else new.add([[1.0]], [1.0]))
        assert new.n_samples_ == 1
    x = np.random.default_rng(0).normal(size=(300, 5))
    y = (x[:, :1] > 0) * 1.0
    model = Handle("classifier", learner_options(enhancement_nodes=30, lambda_=0.1, shrink=1.0, method="gram"))
    model.call("fit", [x, y, None])

    def act(i):
        for _ in range(20):
            if i % 4 == 0:
                model.call("partial_fit", [x, y, None])
            else:
                out = np.full((300, 2), np.nan)
                model.call("decision_function", [x], [out])
                assert np.isfinite(out).all()

    in_threads(8, act)
    assert model.json("attributes")["samples"] == 300 * 41


def test_predictions_during_fits_are_of_one_model():
    """Models of other shapes, labels and columns replace each other while they predict, are pickled and are saved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    few = {"feature_groups": 2, "feature_nodes": 3, "enhancement_nodes": 5, "lambda_": 0.1, "shrink": 0.8, "method": "gram", "random_state": 0}
    targets = [X[:, 0], X[:, :2]]
    labels = [np.where(X[:, 0] > 0, "a", "b"), np.where(X[:, 0] > 0, "x", np.where(X[:, 1] > 0, "longer", "z"))]
    ends = threading.Event()
    interval = sys.getswitchinterval()

    def of_one(make, y, read):
        model, want = make(**few).fit(X, y[0]), [read(make(**few).fit(X, each)).tolist() for each in y]

        def act(i):
            if i == 0:
                for n in range(60):
                    model.fit(X, y[n % 2])
                ends.set()
            elif i == 1:
                while not ends.is_set():
                    model.set_params(expected_rows=len(X)).set_params(expected_rows=None)
            else:
                while not ends.is_set():
                    assert read(model).tolist() in want

        ends.clear()
        in_threads(4, act)

    try:
        sys.setswitchinterval(1e-5)
        of_one(BroadLearningRegressor, targets, lambda m: m.predict(X))
        of_one(BroadLearningClassifier, labels, lambda m: m.predict(X))
        more = np.where(X[:, 1] > 1, "0", labels[0])
        of_one(BroadLearningClassifier, [labels[0], more], lambda m: m.importance(X, labels[0], repeats=1)[0])
        of_one(BroadLearningClassifier, labels, lambda m: pickle.loads(pickle.dumps(m)).predict_proba(X))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("make", [classifier, regressor])
def test_predictions_only_read(make, monkeypatch):
    """They call nothing that waits for other predictions of the same model, also after a pickle."""
    X, y = table()
    model, methods, run = make().fit(X, np.eye(3)[y] if make is regressor else y), [], _native.run
    model = pickle.loads(pickle.dumps(model))
    monkeypatch.setattr(_native, "run", lambda handle, method, *rest, **more: methods.append(method) or run(handle, method, *rest, **more))
    assert len(model.predict(X)) == 300 and methods == ["predict"]
    if make is classifier:
        model.predict_proba(X)
        model.decision_function(X)
        assert methods[1:] == ["predict_proba", "decision_function"]


def test_parameters_that_are_set_during_a_fit_stay():
    X = np.random.default_rng(0).normal(size=(60, 4))
    model = BroadLearningRegressor(enhancement_nodes=5, random_state=0)

    class Rows:
        def __array__(self, *_, **__):
            model.lambda_, model.note = 0.5, "new"  # as another thread would
            return X

    model.fit(Rows(), X[:, 0])
    assert model.lambda_ == 0.5 and model.note == "new" and model.predict(X).shape == (60,)


def test_weights_while_nodes_are_added():
    """The shape of the weights is that of the model when they are taken."""
    a, h = np.random.default_rng(0).normal(size=(20, 3)), np.random.default_rng(1).normal(size=(20, 9))
    for _ in range(10):
        ridge = IncrementalRidge("gram", 1.0).add(a, a[:, :1])

        def act(i, ridge=ridge):
            for n in range(9):
                if i == 0:
                    ridge.add_nodes(np.hstack([a, h[:, :n]]), h[:, n : n + 1], a[:, :1])
                else:
                    assert 3 <= len(ridge.weights()) <= 12

        in_threads(4, act)
        assert ridge.weights().shape == (12, 1)


def test_merges_in_circles():
    """Objects that merge each other at the same time do not wait for each other."""
    ring = [IncrementalRidge("gram", 1.0).add([[1.0]], [1.0]) for _ in range(4)]
    in_threads(4, lambda i: [ring[i].merge(ring[(i + 1) % 4]) for _ in range(5)])
    assert all(r.n_samples_ > 5 for r in ring)


def test_freed_while_it_runs():
    """An object that is freed in the middle of a call ends it well, or before it begins."""
    a = np.random.default_rng(0).normal(size=(3000, 300))
    for _ in range(5):
        ridge = IncrementalRidge("qr", 1.0)

        def add(ridge=ridge):
            try:
                ridge.add(a, a[:, :1])
            except HandleError:
                pass

        t = threading.Thread(target=add)
        t.start()
        ridge._handle.free()
        t.join()


def test_signals_that_come_again_leave_nothing():
    """A handler raises, and raises again while the call that it ended is stopped: no handle is left, and no half of a change."""
    out, _ = run(
        """
        class Late(Exception):
            pass

        def late(_, frame):
            if armed and frame.f_code is _native.run.__code__:
                raise Late

        before = blskernel.info()["handles"]
        a = np.random.default_rng(0).normal(size=(20000, 500))
        signal.signal(signal.SIGALRM, late)
        halves, armed = 0, False
        for n in range(20):
            ridge, rows = IncrementalRidge("gram", 1.0, fit_intercept=n % 2 == 1), a[: 300 if n % 2 else 20000]
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, 0.02, 0.0003)
                while True:
                    ridge.add(rows, rows[:, :1])
            except Late:
                armed = False  # a thread of Go may deliver a signal after the timer has stopped
                signal.setitimer(signal.ITIMER_REAL, 0)
            halves += ridge.n_samples_ != ridge._handle.json("attributes")["samples"]
        del ridge
        gc.collect()
        print(blskernel.info()["handles"] - before, halves)
        """
    )
    assert out == "0 0\n"


def test_threads_that_add_classes():
    """Changes of one estimator wait for each other, and a prediction meets a whole model."""
    out, _ = run(
        """
        X = np.random.default_rng(0).normal(size=(60, 3))
        y = (X[:, 0] > 0) * 1
        model = blskernel.BroadLearningClassifier(feature_groups=1, enhancement_nodes=2, lambda_=1e-3, shrink=0.8, method="gram", random_state=0).fit(X, y)
        faults = []

        def repeat(act):
            for i in range(60):
                try:
                    act(i)
                except Exception as e:
                    faults.append(e)

        acts = [
            lambda i: model.partial_fit(X[:5], np.full(5, 2 + i)),
            lambda i: model.partial_fit(X[:5], np.full(5, 1000 + i)),
            lambda i: model.predict(X),
            lambda i: model.predict_proba(X),
            lambda i: pickle.loads(pickle.dumps(model)).predict_proba(X),
            lambda i: model.partial_fit(X[:1], y[:1]).remove(X[:1], y[:1]),
        ]
        threads = [threading.Thread(target=repeat, args=(act,)) for act in acts]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        print(faults, len(model.classes_), model.predict_proba(X).shape[1])
        print(model._model.json("attributes")["samples"])
        """
    )
    assert out == "[] 122 122\n660\n"


def test_fork_while_another_thread_opens_the_library():
    """The fork waits for the end of the opening, so the child knows that it is one."""
    run(
        """
        forks, opened = threading.Event(), _native._open

        def slow(path):
            forks.set()
            time.sleep(0.3)
            return opened(path)

        _native._open = slow
        thread = threading.Thread(target=blskernel.info)
        thread.start()
        forks.wait()
        pid = os.fork()
        if pid == 0:
            try:
                blskernel.info()
            except ForkedError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        thread.join()
        """
    )


def test_fork_during_a_fit_of_another_thread():
    """The child does not wait for the lock of the estimator, which would never be released there."""
    run(
        """
        X = np.random.default_rng(0).normal(size=(12000, 20))
        model = blskernel.BroadLearningRegressor(enhancement_nodes=1000, shrink=1.0, lambda_=0.1, method="qr", random_state=0)
        thread = threading.Thread(target=lambda: model.fit(X, X[:, 0]))
        thread.start()
        time.sleep(0.1)
        assert thread.is_alive()
        pid = os.fork()
        if pid == 0:
            try:
                model.fit(X, X[:, 0])
            except ForkedError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        thread.join()
        """
    )
