"""Model files, which the command blskernel also reads and writes."""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timezone
from typing import Any, Optional, Union

import numpy as np

from ._native import FormatError, Handle, __version__, file_name, write_file
from ._options import learner_params, real
from ._table import Table
from .learner import BroadLearningClassifier, BroadLearningRegressor, _now

__all__ = ["load", "save"]


def save(model: Union[BroadLearningClassifier, BroadLearningRegressor], path: Union[str, os.PathLike[str]]) -> None:
    """Write a fitted model to a file, which ``load`` and the command blskernel read.

    An existing file is replaced atomically: after a failure the path names the old file or the new one. The
    file keeps its mode. If path is a symbolic link, its target is replaced. Labels are stored as strings, and
    so are the labels in a dict of class weights. Metadata from a loaded file stays: the words of its columns,
    the names of the files that the model has learned, and the time of its creation.

    Parameters
    ----------
    model : BroadLearningClassifier or BroadLearningRegressor
        The fitted model.
    path : path-like
        The name of the file, usually with the suffix ``.bls``.

    Examples
    --------
    >>> import os, tempfile
    >>> from blskernel import BroadLearningRegressor, load, save
    >>> model = BroadLearningRegressor(random_state=0).fit([[0.0], [1.0], [2.0]] * 20, [1.0, 3.0, 5.0] * 20)
    >>> path = os.path.join(tempfile.mkdtemp(), "line.bls")
    >>> save(model, path)
    >>> float(load(path).predict([[1.0]])[0]) == float(model.predict([[1.0]])[0])
    True
    """
    if not isinstance(model, (BroadLearningClassifier, BroadLearningRegressor)):
        raise TypeError(f"save takes a BroadLearningClassifier or a BroadLearningRegressor, not {type(model).__name__}")
    path, model = file_name(path), _now(model)
    native = model._fitted()
    state = native.json("attributes")
    present = state["metadata"]
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    now = datetime.fromtimestamp(seconds, timezone.utc).isoformat()
    metadata: dict[str, Any] = {"changed": now, "created": present.get("created", now)}
    metadata["software"] = f"blskernel for Python {__version__}"
    if model._table is not None:
        metadata.update(model._table.metadata)
    elif hasattr(model, "feature_names_in_"):
        metadata["inputs"] = [_text(name, "column") for name in model.feature_names_in_]
    if isinstance(model, BroadLearningClassifier):
        metadata["classes"] = [_text(label, "label") for label in native.labels.tolist()]
        if isinstance(model.class_weight, dict) or _noted_weights(present, native.labels) is not None:
            metadata["notes"] = {"class_weight": _weights_text(model.class_weight, native.labels)}
    elif native.targets == 1 and not model._flat:
        metadata["notes"] = {"y": "matrix"}
    if model._weighted and not isinstance(getattr(model, "class_weight", None), dict):  # the command warns, and blskernel-beam refuses
        metadata.setdefault("notes", {})["weight"] = present.get("notes", {}).get("weight") or "sample_weight"
    if model.expected_rows is None and state["options"]["ExpectedRows"]:  # the number of rows of a sparse X
        metadata.setdefault("notes", {})["expected_rows"] = "none"
    write_file(path, native.fetch("encode", {"Metadata": metadata}))


def load(path: Union[str, os.PathLike[str]]) -> Union[BroadLearningClassifier, BroadLearningRegressor]:
    """Read a model file that ``save`` or the command blskernel has written.

    Labels become ints if all are whole numbers, bools if they are True and False, and otherwise strings.
    A model of a table with words or missing cells takes such a table as X: a DataFrame that has its
    columns, in any order, or an array of objects in the order of its columns. Cells are read as the command
    reads them for this model, such as "43.3%" or "1.234,5" if the training data was written that way. None,
    NaN, words such as "NA", and -999.0 after ``--na -999`` are missing, which is an error if training left
    out such rows. A word that the model does not know gives a warning.

    Parameters
    ----------
    path : path-like
        The name of the file.

    Returns
    -------
    model : BroadLearningClassifier or BroadLearningRegressor
        The model, with the parameters with which it was fitted.

    Raises
    ------
    ValueError
        If the file is not a model, was cut off or altered, or has another version of the format.

    Examples
    --------
    >>> import os, tempfile
    >>> from blskernel import BroadLearningClassifier, load, save
    >>> model = BroadLearningClassifier(random_state=0).fit([[0.0], [1.0]] * 20, [3, 7] * 20)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.bls")
    >>> save(model, path)
    >>> load(path).classes_.tolist()
    [3, 7]
    """
    path = os.fsdecode(path)
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith((b"blsridg", b"blsstate")):
        raise FormatError(f"{path} holds the state of a ridge regression, not a model: use IncrementalRidge.load for a file of IncrementalRidge.save")
    native = Handle.decode(data)
    state = native.json("attributes")
    metadata = state["metadata"]
    model: Any = BroadLearningClassifier() if state["kind"] == "classifier" else BroadLearningRegressor()
    model.set_params(**learner_params(state["options"]))
    model._weighted = any(metadata.get("notes", {}).get(name) for name in ("weight", "class_weight"))
    if metadata.get("notes", {}).get("expected_rows") == "none":
        model.expected_rows = None
    model._adopt(native, state)
    table = Table(metadata, state["names"], state["features"])
    table.tell(model)
    model._table = table if metadata.get("columns") or metadata.get("na") else None
    if isinstance(model, BroadLearningClassifier):
        model._closed = state["options"]["Classes"] > 0
        native.labels = _labels(metadata.get("classes"), state["targets"])
        if (weights := _noted_weights(metadata, native.labels)) is not None:
            model.class_weight = weights
    else:
        model._flat = state["targets"] == 1 and metadata.get("notes", {}).get("y") != "matrix"
    return model


def _text(name: Any, what: str) -> str:
    """Return a label or name as the command writes it, such as 3 for 3.0. Raise ValueError if it is not valid Unicode."""
    try:
        if isinstance(name, bytes):
            return name.decode()
        text = str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)
        text.encode()
        return text
    except UnicodeError as e:
        raise ValueError(f"the {what} {name!r} is not valid Unicode, which a model file needs: {e}") from e


def _labels(texts: Optional[list[str]], classes: int) -> np.ndarray:
    """Return labels from strings: bools, int64 if all are integers as Python prints them, or strings. None gives 0, 1, ..."""
    if not texts:
        return np.arange(classes)
    if set(texts) == {"True", "False"}:
        return np.array([text == "True" for text in texts])
    try:
        numbers = np.array([int(text) for text in texts], dtype=np.int64)
        if numbers.astype(str).tolist() == texts:
            return numbers
    except (ValueError, OverflowError):
        pass
    labels = np.array(texts)  # NumPy drops a NUL at the end of a string
    return labels if labels.tolist() == texts else np.array(texts, dtype=object)


def _weights_text(weights: Any, labels: np.ndarray) -> str:
    """Return a dict of class weights as JSON, with the labels of the file as keys; "" for other weights."""
    if not isinstance(weights, dict):
        return ""
    own = {label: label for label in labels.tolist()}  # 1 and 1.0 stand for True
    return json.dumps({_text(own.get(label, label), "label"): real(f"class_weight[{label!r}]", weight) for label, weight in weights.items()})


def _noted_weights(metadata: dict[str, Any], labels: np.ndarray) -> Optional[dict[Any, float]]:
    """Return the class weights from the note of `_weights_text`, or None if there is no such note."""
    try:
        weights = json.loads(metadata.get("notes", {}).get("class_weight", ""))
    except (ValueError, RecursionError):
        return None
    if not isinstance(weights, dict) or not all(type(weight) in (int, float) for weight in weights.values()):
        return None
    known = {_text(label, "label"): label for label in labels.tolist()}
    whole = labels.dtype.kind == "i"  # then labels that the model has not met yet are integers too
    named = {label: int(label) if whole and label[label.startswith("-") :].isdecimal() else label for label in weights}
    return {known.get(label, named[label]): weight for label, weight in weights.items()}
