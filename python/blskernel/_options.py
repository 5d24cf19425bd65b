"""Parameters of estimators, converted between Python and the library.

The library takes options by their Go names, and a constant as its index in a list. A number of 0 means
that ``fit`` chooses it, and -1 stands for 0.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

import numpy as np

_SCALINGS = (None, "samples", "columns", "none", "ranks")
_METHODS = (None, "improved", "original", "ridge_inverse", "inverse_cholesky", "gram", "qr")


def shown(value: Any) -> str:
    """Return a value for an error: a large integer by its size, since Python may refuse to print it.

    Examples
    --------
    >>> shown(-3), shown(10**400)
    ('-3', 'an integer of 1329 bits')
    """
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def real(name: str, value: Any, want: str = "of at least 0") -> float:
    """Return a number as a float, or raise ValueError if it is negative or not finite.

    `want` says in the error which numbers are valid. -0.0 becomes 0.0, so that equal ridges have equal
    states.

    Examples
    --------
    >>> real("factor", 1), real("lambda_", -0.0)
    (1.0, 0.0)
    """
    try:
        out = float(value)
    except (OverflowError, TypeError, ValueError):
        out = math.nan
    if not 0 <= out < math.inf:
        raise ValueError(f"{name} is {shown(value)}; want a finite number {want}")
    return abs(out)


def whole(name: str, value: Any, least: int = 0, end: int = 2**63, other: str = "") -> int:
    """Return an integer in [`least`, `end`), or raise ValueError. `end` is a power of two.

    Examples
    --------
    >>> whole("threads", np.int64(2))
    2
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not least <= value < end:
        low = least if least >= -1 else f"-2**{(-least).bit_length() - 1}"
        raise ValueError(f"{name} is {shown(value)}; want an integer of at least {low} and below 2**{end.bit_length() - 1}{other}")
    return int(value)


class _Field(NamedTuple):
    """A field of the options of the library, for a parameter.

    `encode` takes the name and the value of the parameter, and returns the value of the field or raises
    ValueError. `decode` undoes it. A field of a group is ``"Group.Name"``.
    """

    name: str
    encode: Callable[[str, Any], Any]
    decode: Callable[[Any], Any] = lambda value: value


def _one_of(field: str, known: Sequence[Optional[str]], others: Sequence[str] = ("None",)) -> _Field:
    """Return the field of a name, as its index in known; None is 0. An error also offers `others`."""

    def encode(name: str, value: Any) -> int:
        if value is None:
            return 0
        if not isinstance(value, str) or value not in known:
            names = [*(repr(k) for k in known if k), *others]
            raise ValueError(f"{name} is {shown(value)}; want {', '.join(names[:-1])} or {names[-1]}")
        return known.index(value)

    return _Field(field, encode, lambda index: known[index] if index else None)


def _optional(field: str, check: Callable[[str, Any], Any], none: int = 0) -> _Field:
    """Return the field of a number that `check` checks. None is 0, and 0 is `none`."""
    return _Field(
        field,
        lambda name, value: 0 if value is None else check(name, value) or none,
        lambda value: None if value == 0 else 0 if value == -1 else value,
    )


def _number(want: str, least: float = 0) -> Callable[[str, Any], float]:
    """Return a check for finite numbers >= `least`, and no strings. Errors say `want`."""

    def check(name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not value >= least:
            raise ValueError(f"{name} is {shown(value)}; want a finite number {want}")
        return real(name, value, want)

    return check


def _count(least: int = 0, end: int = 2**63) -> Callable[[str, Any], int]:
    """Return a check for integers in [`least`, `end`)."""
    return lambda name, value: whole(name, value, least, end, ", or None")


def _flag(name: str, value: Any, want: str = "True or False") -> bool:
    """Return value as a bool, or raise ValueError if it is not one."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; want {want}")
    return bool(value)


def _choice(field: str) -> _Field:
    """Return the field of True, False or None, which are 1, -1 and 0."""

    def encode(name: str, value: Any) -> int:
        return 0 if value is None else 1 if _flag(name, value, "True, False or None") else -1

    return _Field(field, encode, {0: None, 1: True, -1: False}.get)


_FIELDS = {
    "scaling": _one_of("Features.Scaling", _SCALINGS),
    "feature_groups": _optional("Features.Groups", _count(1)),
    "feature_nodes": _optional("Features.GroupNodes", _count(1)),
    "enhancement_nodes": _optional("Features.EnhancementNodes", _count(), none=-1),
    "shrink": _optional("Features.Shrink", _number("above 0, or None", 5e-324)),
    "unscaled": _Field("Features.Unscaled", _flag),
    "enhancement": _one_of("Features.Enhancement", ("orthonormal", "uniform")),
    "direct": _choice("Features.Direct"),
    "relevance": _optional("Features.Relevance", _count(), none=-1),
    "steps": _choice("Features.Steps"),
    "random_state": _Field("Features.Seed", _count(end=2**64)),
    "method": _one_of("Method", _METHODS),
    "lambda_": _optional("Update.Lambda", _number("of at least 0, or None"), none=-1),
    "form": _one_of("Update.Form", ("auto", "paper", "small", "large", "compressed")),
    "solve": _Field("Update.Solve", _flag),
    "c": _one_of("Update.C", ("auto", "zero", "check")),
    "workspace": _Field("Update.Workspace", lambda name, value: whole(name, value, -(2**63))),
    "expected_rows": _optional("ExpectedRows", _count()),
    "validate": _Field("Validate", _flag),
    "class_weight": _one_of("ClassWeight", (None, "balanced"), ("a dict", "None")),
    "no_intercept": _Field("NoIntercept", _flag),
    "log_targets": _choice("LogTargets"),
}


def _encoded(fields: Mapping[str, _Field], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as options: the values of their fields."""
    out: dict[str, Any] = {}
    for name, value in params.items():
        group, _, field = fields[name].name.rpartition(".")
        (out.setdefault(group, {}) if group else out)[field] = fields[name].encode(name, value)
    return out


def ridge_options(**params: Any) -> dict[str, Any]:
    """Return the options of a ridge for bls_open. Unlike fit, a ridge chooses neither method nor lambda_.

    Examples
    --------
    >>> ridge_options(method="gram", lambda_=0.5, form=None)
    {'Lambda': 0.5, 'Form': 0, 'Method': 5}
    """
    given = {"method": _one_of("Method", _METHODS, ()), "lambda_": _Field("Update.Lambda", _number("of at least 0"))}
    out = _encoded({**_FIELDS, **given}, params)
    return {**out.pop("Update"), **out}


def learner_options(*, classes: Optional[int] = None, **params: Any) -> dict[str, Any]:
    """Return the options of a learner for bls_open.

    Parameters
    ----------
    classes : int, optional
        The number of classes of a classifier, if it is known.
    **params
        The parameters of an estimator. fit chooses a parameter that is None or absent. enhancement_nodes,
        relevance or lambda_ of 0 means none. random_state is the seed, an integer from 0 to 2**64-1.

    Examples
    --------
    >>> learner_options(enhancement_nodes=0, method="qr")
    {'Features': {'EnhancementNodes': -1}, 'Method': 6}
    """
    if params.get("unscaled") and params.get("shrink") is not None:
        raise ValueError(f"shrink is {shown(params['shrink'])}; want None, since unscaled leaves out this factor")
    known = {} if classes is None else {"Classes": classes}
    return {**_encoded(_FIELDS, params), **known}


def learner_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Undo `learner_options`: return its parameters, without ``classes``.

    Parameters
    ----------
    options : mapping
        The value of ``options`` in the attributes of a learner.

    Examples
    --------
    >>> learner_params({"Features": {"Scaling": 3, "EnhancementNodes": -1}, "Update": {}, "Validate": True})
    {'scaling': 'none', 'enhancement_nodes': 0, 'validate': True}
    """
    given = dict(options)
    for group in ("Features", "Update"):
        given.update((f"{group}.{name}", value) for name, value in options[group].items())
    return {name: field.decode(given[field.name]) for name, field in _FIELDS.items() if field.name in given}


def method_name(method: int) -> Optional[str]:
    """Return the name of the method with this number.

    Examples
    --------
    >>> method_name(6)
    'qr'
    """
    return _METHODS[method]


def condition(model: Any) -> dict[str, Any]:
    """Return the condition of a model, with ``instead`` as the name of a method."""
    about = model.json("condition")
    return {**about, "instead": method_name(about["instead"])}


def fitted_params(fitted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a fitted model, whether given or chosen by fit.

    Parameters
    ----------
    fitted : mapping
        The value of ``fitted`` in the attributes of a learner.

    Examples
    --------
    >>> maps = {"Scaling": 3, "Groups": 3, "GroupNodes": 10, "EnhancementNodes": -1, "Shrink": 0.5}
    >>> fitted = fitted_params({"Features": maps, "Method": 6, "Lambda": 0.25})
    >>> fitted["scaling"], fitted["enhancement_nodes"], fitted["method"], fitted["lambda_"]
    ('none', 0, 'qr', 0.25)
    """
    f = fitted["Features"]
    return {
        "scaling": _SCALINGS[f["Scaling"]],
        "feature_groups": f["Groups"],
        "feature_nodes": f["GroupNodes"],
        "enhancement_nodes": max(f["EnhancementNodes"], 0),
        "shrink": f["Shrink"],
        "method": method_name(fitted["Method"]),
        "lambda_": fitted["Lambda"],
    }
