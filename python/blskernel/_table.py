"""Tables with words and missing cells, which the library reads as the command reads CSV."""

from __future__ import annotations

import collections
import csv
import io
import json
import numbers
import warnings
from decimal import Decimal
from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy as np

from ._native import run

_DESCRIBED = 4096  # rows, as in the command
_LEVELS = 64  # of a column, as in the command
_FIELDS = ("columns", "inputs", "missing", "decimal", "thousands", "na")
_MISSING = ("", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?")  # ignoring case, as in the library


class Table:
    """How the columns of a table become inputs, according to the metadata of a model file.

    A number becomes one input. A word becomes one input for each level of its column: 1 for its own
    level, 0 for the others. A missing cell becomes the ``fill`` of its column. If ``fill`` has one number
    more than a column has levels, or two numbers for a column of numbers, the column has one more input:
    an indicator of missing cells, 0 for all other cells.

    Parameters
    ----------
    metadata : mapping
        Metadata of a model file.
    names : sequence of str or None
        The names of the columns, if they have names.
    inputs : int
        The number of columns if the metadata does not describe them, since all are numbers.

    Examples
    --------
    >>> columns = [{"levels": ["blue", "red"], "fill": [0.75, 0.25]}, {"fill": [3.5], "notation": {"unit": "%"}}]
    >>> table = Table({"columns": columns, "missing": "mean"}, ["color", "share"])
    >>> table.inputs([["red", "2%"], [None, "?"], ["blue", 1.5]]).tolist()
    [[0.0, 1.0, 2.0], [0.75, 0.25, 3.5], [1.0, 0.0, 1.5]]
    """

    def __init__(self, metadata: Mapping[str, Any], names: Optional[Sequence[str]], inputs: int = 0) -> None:
        self.metadata = {field: metadata[field] for field in _FIELDS if field in metadata}
        self.columns = metadata.get("columns") or [{}] * inputs
        self.widths = [max(len(column.get("levels", [0])), len(column.get("fill", ()))) for column in self.columns]  # inputs for each column
        self.names = names
        self.indicated: Optional[Table] = None  # with indicators of missing cells, if they may help

    @classmethod
    def of(cls, X: Any) -> Optional[Table]:
        """Return the table of a DataFrame with words, bools or missing cells, from its first rows; else None.

        The levels of a categorical column are its categories, and "" for all other words. An empty category is a missing cell.
        """
        names = list(getattr(X, "columns", ()))
        if not hasattr(X, "dtypes") or not hasattr(X, "iloc"):
            return None
        columns = [X.iloc[:, i] for i in range(len(names))]
        if len(X) == 0 or not any(_is_special(column) for column in columns):
            return None
        _refuse_twice(names, names)
        first = [(column.dtype, _cells(column.head(_DESCRIBED))) for column in columns]
        head = [cells if dtype == "category" else _floats(cells) for dtype, cells in first]
        words = {}
        for i, column in enumerate(columns):
            if column.dtype == "category":
                cells = [word for word in (_read(cell) for cell in head[i] if cell == cell) if word]
                levels = sorted({"", *map(_read, column.dtype.categories)})
                if len(levels) > 1 + _LEVELS:
                    remedy = f"turn it into numbers, or leave it out with X.drop(columns=[{names[i]!r}])"
                    raise ValueError(f"column {names[i]!r} has {len(levels) - 1} categories; want at most {_LEVELS}: {remedy}")
                if len(levels) > 1:  # a column without a category has only missing cells
                    words[i] = {"levels": levels, "fill": [float(f"{cells.count(level) / max(1, len(cells)):.7g}") for level in levels]}
                head[i] = [0 if len(levels) > 1 and cell == cell else None for cell in head[i]]
        named = all(isinstance(name, str) for name in names)
        options = {"Text": _text(names if named else None, head), "Named": named, "Words": words}
        about = json.loads(run(0, "describe", options=options, fetch=True))
        if "metadata" not in about:  # more numeric columns than a model file describes
            return None
        for note in about["notes"] or ():
            warnings.warn(note, stacklevel=2)
        table = cls(about["metadata"], names if named else None)
        if about["indicated"]:
            table.indicated = cls(about["indicated"], table.names)
        return table

    def chosen(self, estimator: Any, X: Any, y: np.ndarray, weights: Any) -> Table:
        """Return the table with indicators if they clearly lower the held-out error; else this table."""
        if self.indicated is None:
            return self
        given = np.ones(len(y)) if weights is None else weights
        first, choices = np.flatnonzero(given)[:_DESCRIBED], []
        for table in (self, self.indicated):
            trial = type(estimator)(**estimator.get_params())
            trial.validate = True
            if not isinstance(trial.random_state, (int, np.integer)):
                trial.random_state = 0  # both trials have the same random weights
            try:
                some = None if weights is None else given[first]
                trial.fit(table.inputs(X.iloc[first]), y[first], some)
            except ValueError:  # the fit to all rows will report it
                return self
            choices.append(trial.choice_)
        (held, also), (before, after) = (c["held_out"] for c in choices), (1 - c["score"] for c in choices)
        if min(held, also) == 0:
            return self
        least = held**-0.5 if held == also else 0.5  # more than chance
        return self.indicated if after < before * (1 - least) else self

    def tell(self, estimator: Any) -> None:
        """Set the attributes of an estimator that describe its columns."""
        estimator.n_features_in_ = len(self.columns)
        vars(estimator).pop("feature_names_in_", None)
        if self.names:
            estimator.feature_names_in_ = np.array(self.names, dtype=object)

    def inputs(self, X: Any) -> np.ndarray:
        """Return the inputs for X: a DataFrame (columns in any order), an array or a sparse matrix."""
        names = getattr(X, "columns", None)
        if names is not None:
            _refuse_twice(self.names or names, names)
            known = {_read(name): name for name in names}
            absent = [name for name in self.names or () if _read(name) not in known]
            if absent:
                raise ValueError(f"X lacks columns that the model was trained with: {absent}")
            cells = [list(X[known[_read(name)]]) for name in self.names or names]
        else:
            X = X.toarray() if hasattr(X, "toarray") else X  # a SciPy sparse matrix
            rows = np.asarray(X) if hasattr(X, "dtype") else np.asarray(X, dtype=object)
            if rows.ndim != 2:
                raise ValueError(f"Expected 2D array, got {rows.ndim}D array instead.")
            cells = rows.T.tolist()
        if len(cells) != len(self.columns):
            raise ValueError(f"the number of columns of X is {len(cells)}; want {len(self.columns)}, as in training{f': {self.names}' if self.names else ''}")
        if not cells[0]:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        text = _text(self.names, [self._written(*each) for each in zip(cells, self.columns)])
        out = np.empty((len(cells[0]), sum(self.widths)))
        options = {"Text": text, "Named": self.names is not None, "Metadata": self.metadata}
        unknown = json.loads(run(0, "inputs", results=[out], options=options, fetch=True))
        for i in np.flatnonzero(unknown or ()):
            name = repr(self.names[i]) if self.names else i
            warnings.warn(f"column {name} has unknown words, all read as the same word (rows affected: {unknown[i]})", stacklevel=2)
        return out

    def _written(self, cells: list[Any], column: Mapping[str, Any]) -> list[Any]:
        """Return the cells of a column, with numbers and bools written in the notation of its strings.

        A number that is a word for a missing cell, such as -999.0 for "-999", becomes "".
        """
        notation, levels = column.get("notation", {}), column.get("levels", ())
        decimal = self.metadata.get("decimal") or ("," if self.metadata.get("thousands") == "." else notation.get("decimal", "."))
        both = self.metadata if self.metadata.get("decimal") or self.metadata.get("thousands") else notation
        unit, thousands = notation.get("unit", ""), both.get("thousands", "")
        missing, exact = _numbers(word.replace(thousands, "").replace(decimal, ".").strip(unit + " ") for word in self.metadata.get("na", ()))
        if decimal == "." and not unit and not levels and not missing:
            return cells

        def written(cell: Any) -> Any:
            cell = float(cell) if isinstance(cell, Decimal) and str(cell) not in levels else cell
            if not isinstance(cell, (bool, np.bool_, numbers.Real)) or cell != cell:
                return cell
            text = str(cell).replace(".", decimal) + unit
            if text in levels:
                return text
            if isinstance(cell, (bool, np.bool_)):  # pandas reads TRUE and true as True
                return next((word for word in (text.lower(), text.upper()) if word in levels), text)
            if int(cell) in exact if isinstance(cell, numbers.Integral) else cell in missing:
                return ""
            if text + ".0" in levels:  # categories that pandas stored as floats, since the column had a missing cell
                return text + ".0"
            return str(int(cell)) if levels and cell % 1 == 0 else text  # pandas stores 1 as 1.0 in a column with a missing cell

        return [written(cell) for cell in cells]


def _read(text: Any) -> str:
    """Return a name or a cell as the library reads it: stripped of spaces and tabs, with Unix line ends."""
    return str(text).replace("\r\n", "\n").strip(" \t")


def _refuse_twice(needed: Iterable[Any], names: Iterable[Any]) -> None:
    """Raise ValueError if two columns share a needed name, as the library reads names."""
    times = collections.Counter(_read(name) for name in names)
    for name in needed:
        if times[_read(name)] > 1:
            raise ValueError(f"X has two columns named {name!r}: rename one or leave it out")


def _numbers(words: Iterable[str]) -> tuple[set[float], set[Decimal]]:
    """Return the words that are finite numbers, as float64 and as float32, and exactly, for integers."""
    floats: set[float] = set()
    exact: set[Decimal] = set()
    for word in words:
        try:
            with np.errstate(over="ignore"):
                floats |= {float(word), float(np.float32(word))}
            exact.add(Decimal(word))
        except ValueError:
            pass
    return {number for number in floats if np.isfinite(number)}, {number for number in exact if number.is_finite()}


def _floats(cells: list[Any]) -> list[Any]:
    """Return numbers, if some are floats, as strings with exponents: the point of 1.471 could separate thousands."""
    real = [isinstance(cell, (numbers.Real, Decimal)) and not isinstance(cell, (bool, np.bool_)) for cell in cells]
    if not any(isinstance(cell, (float, Decimal)) and cell == cell for cell in cells):
        return cells
    if not all(number or cell is None or _read(cell).lower() in _MISSING for number, cell in zip(real, cells)):
        return cells
    try:
        texts = [repr(float(cell)) if number and cell == cell else "" for number, cell in zip(real, cells)]
    except OverflowError:  # the library names the integer
        return cells
    return [text if "e" in text or not text[-1:].isdigit() else text + "e0" for text in texts]


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column, with None for missing ones, such as pandas.NA, and floats for NumPy's floats."""
    cells = list(column)
    if column.dtype == "category":
        return cells
    return [None if gone else float(cell) if isinstance(cell, np.floating) else cell for cell, gone in zip(cells, column.isna())]


def _is_special(column: Any) -> bool:
    """Return whether a column of a DataFrame has words, bools, dates or missing cells."""
    if column.dtype == "category" or column.dtype.kind not in "iufc":
        return True
    return bool(column.isna().any()) or bool((column != column).any())  # isna misses the 0/0 of a Float64


def _text(names: Optional[Sequence[str]], cells: Iterable[Sequence[Any]]) -> str:
    """Return columns as text: a line of names, if any, then the rows. Tabs separate the cells, quoted as in CSV."""
    out = io.StringIO()
    out.write("\ufeff")  # the mark of UTF-8: one that begins the first name is then part of the name
    writer = csv.writer(out, delimiter="\t")
    writer.writerows([names] if names else [])
    writer.writerows(zip(*cells))
    text = out.getvalue()
    text.encode()  # raises an error for invalid Unicode
    return text
