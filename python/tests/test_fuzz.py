"""Random calls with wrong shapes, dtypes, values, handles and options: an exception of a known type, or a result.

BLSKERNEL_FUZZ is the number of calls, and BLSKERNEL_SEED the seed.
"""

import os
import random

import numpy as np

from blskernel import FormatError, HandleError, NotFittedError, NumericError, UnsupportedError, _native, linalg
from blskernel._native import Handle
from blskernel._options import learner_options

CALLS = int(os.environ.get("BLSKERNEL_FUZZ", "10000"))
EXPECTED = (ValueError, TypeError, NotFittedError, HandleError, FormatError, NumericError, UnsupportedError, MemoryError)
KINDS = ["classifier", "regressor", "ridge", "cholesky", "ldlt", "lu"]
NAMES = (
    "fit partial_fit refit remove forget set_lambda merge predict weights condition attributes encode decision_function "
    "predict_proba calibrate relabel add_rows remove_rows rebuild add_nodes add_targets map_targets refine leverage factorize solve inverse matmul threads describe inputs importance predict_interval nothing"
).split()
OPERANDS = {"fit": 3, "importance": 3, "partial_fit": 3, "refit": 3, "remove": 3, "add_rows": 2, "remove_rows": 2, "rebuild": 2, "add_nodes": 3, "refine": 2, "calibrate": 2, "matmul": 2}
OPERANDS.update(dict.fromkeys("predict predict_interval decision_function predict_proba add_targets map_targets leverage factorize solve".split(), 1))
RESULTS = set("predict predict_interval decision_function predict_proba weights leverage solve inverse matmul inputs".split())
LIBRARY = ("matmul", "threads", "describe", "inputs")


SQUARE, VECTOR = [(3, 3)], [(12, 3), (12, 1), (12, 1)]
SHAPES = {"factorize": SQUARE, "solve": [(3, 2)], "matmul": [(2, 3), (3, 4)], "add_targets": [(1, 1)], "map_targets": [(1, 1)], "add_nodes": [(12, 3), (12, 2), (12, 1)]}


def array(rng, name, i, labels):
    """Return operand i of a method: most often a good one."""
    if i == 2 and name != "add_nodes" and rng.random() < 0.8:
        return None
    rows, cols = SHAPES.get(name, VECTOR)[i]
    if rng.random() < 0.06:
        rows, cols = rng.choice([0, 1, 2, 5, 12]), rng.choice([0, 1, 2, 3, 12])
    a = np.array([[rng.choice([0, 1, 2]) if labels else rng.gauss(0, 1) for _ in range(cols)] for _ in range(rows)], dtype=float).reshape(rows, cols)
    change = rng.randrange(80)
    if change == 0 and a.size:
        a[rng.randrange(rows), rng.randrange(cols)] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.5, -7])
    with np.errstate(all="ignore"):
        return changed(rng, a, change)


def changed(rng, a, change):
    """Return the array in another form, or as it is."""
    rows, cols = a.shape
    return {
        1: lambda: np.asfortranarray(a),
        2: lambda: a[::-1],
        3: lambda: a[:, ::-1],
        4: lambda: a.T,
        5: lambda: a[::2],
        6: lambda: a.astype(rng.choice(["f4", "i4", "u1", "?", ">f8", "O", "c16", "U5"])),
        7: lambda: a[0] if rows else a,
        8: lambda: a[None],
        9: lambda: a * 1e200,
        10: lambda: np.zeros_like(a),
        11: lambda: np.broadcast_to(a[:1], (rows, cols)) if rows else a,
        12: lambda: "text",
        13: lambda: None,
    }.get(change, lambda: a)()


def options(rng, name, objects):
    """Return options for a method, with a chance of wrong ones."""
    if rng.random() < 0.05:
        return rng.choice([{"Nothing": 1}, {"Factor": "x"}, {"Lambda": None}, {"To": [1e9]}, {"Features": 3}, {"Method": 99}, {"inputs": [3]}])
    return {
        "forget": {"Factor": rng.choice([0.5, 0.9, 1, 0, -1, 2])},
        "set_lambda": {"Lambda": rng.choice([0, 0.1, 10, -1])},
        "merge": {"Other": rng.choice(objects).value if rng.random() < 0.9 else rng.randrange(2**62)},
        "relabel": {"To": [rng.randrange(-1, 4) for _ in range(rng.randrange(4))], "Classes": rng.choice([0, 1, 2, 3, 4, 2**31])},
        "factorize": {"Packed": rng.random() < 0.3},
        "encode": {"Metadata": rng.choice([{}, {"classes": ["a", "b"]}, {"inputs": [3]}, {"columns": [{}]}, {"notes": {"a": "b"}}, 5])},
        "importance": {"Repeats": rng.choice([0, 1, -1]), "Groups": rng.choice([None, [[0]], [[9]], [[]]])},
        "predict_interval": {"Coverage": rng.choice([0.5, 0.9, 0, 2])},
        "threads": {"Threads": rng.choice([-1, 0, 1, 2])},
        "describe": {"Text": rng.choice(TEXTS), "Named": rng.random() < 0.5, "Words": rng.choice([None, {1: WORDS}, {-1: {}}, {9: {}}, {0: {"fill": [1, 2]}}])},
        "inputs": {"Text": rng.choice(TEXTS), "Named": rng.random() < 0.5, "Metadata": rng.choice([{}, 5, {"columns": [{}]}, {"columns": [{"fill": [1]}, WORDS], "missing": "mean"}, {"columns": [WORDS, {"notation": {"unit": "%"}}]}])},
    }.get(name)


TEXTS = ["a\tb\n1\tx\n2\ty\n", "1\tx\n\ty\n", "x\t5%\ny\t1%\n", "a\ta\n", "", "\n\n", '"', "\0\t\0\r\n", "2020-01-01\t$1\n", "1\n2\t3\n"]
WORDS = {"levels": ["x", "y"], "fill": [0.5, 0.5]}
FEWER = [{}, {}, {"enhancement_nodes": 0}, {"lambda_": None}, {"shrink": None, "validate": True}]


def new(rng):
    kind = rng.choice(KINDS)
    few = {"feature_groups": 2, "feature_nodes": 2, "enhancement_nodes": 3, "lambda_": 0.1, "shrink": 0.5}
    if kind in ("classifier", "regressor"):
        return kind, Handle(kind, learner_options(**{**few, **rng.choice(FEWER)}, method=rng.choice([None, "gram", "qr", "improved"])))
    return kind, Handle(kind, {"Method": rng.randrange(1, 7), "Lambda": rng.choice([0, 0.1]), "Form": rng.randrange(5)} if kind == "ridge" else None)


def shape(rng, handle, name, operands):
    """Return the shape of a result: the right one if it can be told."""
    try:
        if rng.random() < 0.1:
            raise ValueError
        if name == "matmul":
            return len(operands[0]), operands[1].shape[1]
        if name == "inputs":
            return rng.choice([(2, 2), (2, 3), (3, 3)])
        about = handle.json("attributes")
        rows = len(operands[0]) if operands else 0
        return {
            "predict": (rows, about.get("targets", 1) if about.get("kind") == "regressor" else 1),
            "predict_interval": (rows, 2 * about.get("targets", 1)),
            "weights": (about.get("nodes", 1), about.get("targets", 1)),
            "leverage": (rows, 1),
            "solve": getattr(operands[0] if operands else None, "shape", (1, 1)),
            "inverse": (about.get("n", 1),) * 2 if rng.random() < 0.5 else (1, about.get("n", 1) * (about.get("n", 1) + 1) // 2),
        }.get(name, (rows, about.get("targets", 1)))
    except (*EXPECTED, AttributeError):  # not fitted, or None as an operand
        return rng.randrange(4), rng.randrange(4)


def test_random_calls():
    rng = random.Random(int(os.environ.get("BLSKERNEL_SEED", "1")))
    objects = [new(rng) for _ in range(12)]
    good = {name: 0 for name in NAMES}
    for _ in range(CALLS):
        if rng.random() < 0.02:
            objects[rng.randrange(len(objects))] = new(rng)
        kind, handle = rng.choice(objects)
        name = rng.choice(NAMES) if rng.random() < 0.6 else rng.choice({"ridge": ["add_rows", "add_rows", "add_nodes"], "lu": ["factorize", "solve"]}.get(kind, ["fit", "factorize", "predict", "partial_fit"]))
        try:
            if rng.random() < 0.01:
                handle.free()
            if rng.random() < 0.02:
                data = bytearray(handle.fetch("encode"))
                if data and rng.random() < 0.7:
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
                handle = Handle.decode(bytes(data[: rng.choice([len(data), rng.randrange(len(data) + 1)])]))
            labels = kind == "classifier"
            raw = [array(rng, name, i, labels and i == 1) for i in range(OPERANDS.get(name, 0))]
            operands = [a if a is None else _native.as_matrix(a) for a in raw]
            results = [np.empty(shape(rng, handle, name, operands))] if name in RESULTS else []
            _native.run(0 if name in LIBRARY else handle.value, name, operands, results, options(rng, name, [h for _, h in objects]))
            good[name] += 1
        except EXPECTED as e:
            assert str(e)
    _native.set_threads(0)
    assert linalg.matmul([[2.0]], [[3.0]]).tolist() == [[6.0]]
    reached = sorted(name for name, n in good.items() if n > 0)
    assert CALLS < 10000 or len(reached) >= 27, good
