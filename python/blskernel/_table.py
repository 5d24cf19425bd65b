"""Tables with words and missing cells, as the command blskernel reads them for a model."""

from __future__ import annotations

import warnings
from typing import Any, Mapping, Optional

import numpy as np

__all__ = ["Table"]

# The cells that count as missing, as text in lower case: the command's, and those of pandas.
_MISSING = frozenset(["", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?", "<na>", "nat"])


class Table:
    """How the columns of a table become inputs, by the metadata of a model file.

    A number is one input. A word is one input for each level of its column: 1 for the level that it is,
    0 for the others. A missing cell is what its column has for it.

    Parameters
    ----------
    metadata : mapping
        The fields ``columns``, ``inputs`` and ``missing`` of the metadata.

    Attributes
    ----------
    names : list of str or None
        The names of the columns, if they have names.

    Examples
    --------
    >>> columns = [{"levels": ["blue", "red"], "fill": [0.75, 0.25]}, {"fill": [3.5]}]
    >>> table = Table({"columns": columns, "inputs": ["color=blue", "color=red", "size"], "missing": "mean"})
    >>> table.names
    ['color', 'size']
    >>> table.inputs([["red", 2], [None, "?"]]).tolist()
    [[0.0, 1.0, 2.0], [0.75, 0.25, 3.5]]
    """

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.columns = metadata["columns"]
        self.fills = metadata.get("missing") == "mean"
        self.names: Optional[list[str]] = None
        if metadata.get("inputs"):
            self.names, at = [], 0
            for column in self.columns:
                levels = column.get("levels")
                name = metadata["inputs"][at]
                self.names.append(name[: -len(levels[0]) - 1] if levels else name)
                at += len(levels or [0])

    def inputs(self, X: Any) -> np.ndarray:
        """Return the inputs of the rows of X: a DataFrame with these columns in any order, or an array."""
        given = getattr(X, "columns", None)
        if given is not None and self.names is not None:
            absent = [name for name in self.names if name not in list(given)]
            if absent:
                raise ValueError(f"X lacks columns that the model was trained with: {absent}")
            cells = [np.asarray(X[name]) for name in self.names]
        else:
            rows = np.asarray(X) if hasattr(X, "dtype") else np.asarray(X, dtype=object)
            if rows.ndim != 2:
                raise ValueError(f"Expected 2D array, got {rows.ndim}D array instead.")
            if rows.shape[1] != len(self.columns):
                raise ValueError(f"X has {rows.shape[1]} columns, and the table of the model has {len(self.columns)}: {self.names}")
            cells = list(rows.T)
        if not len(cells[0]):
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        names = self.names or [str(i) for i in range(len(cells))]
        return np.hstack([self._column(*each) for each in zip(names, cells, self.columns)])

    def _column(self, name: str, cells: np.ndarray, column: Mapping[str, Any]) -> np.ndarray:
        """Return the inputs of one column."""
        if levels := column.get("levels"):
            texts = [str(cell).strip() for cell in cells]
            place = {level: i for i, level in enumerate(levels)}
            at = np.array([place.get(text, -1) for text in texts])
            missing = np.array([text.lower() in _MISSING for text in texts])
            out = (at[:, None] == np.arange(len(levels))).astype(np.float64)
            unknown = sorted({texts[i] for i in np.flatnonzero((at < 0) & ~missing)})
            if unknown:
                warnings.warn(f"column {name!r} has words that the model does not know, which count as none: {unknown[:5]}", stacklevel=2)
        else:
            out = _numbers(name, cells)[:, None]
            missing = np.isnan(out[:, 0])
        if missing.any():
            if not self.fills or "fill" not in column:
                raise ValueError(f"column {name!r} has no value in row {np.flatnonzero(missing)[0]}, and the model has nothing for missing cells")
            out[missing] = column["fill"]
        return out


def _numbers(name: str, cells: np.ndarray) -> np.ndarray:
    """Return cells as float64, NaN for a missing one."""
    try:
        out = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        out = np.array([_number(name, row, str(cell).strip()) for row, cell in enumerate(cells)])
    if np.isinf(out).any():
        raise ValueError(f"column {name!r} has infinity in row {np.flatnonzero(np.isinf(out))[0]}")
    return out


def _number(name: str, row: int, text: str) -> float:
    try:
        return np.nan if text.lower() in _MISSING else float(text)
    except ValueError:
        raise ValueError(f"column {name!r} has {text!r} in row {row}, which is no number") from None
