"""Parameters of estimators, converted between Python and the library.

The library takes options by their Go names, and a constant as its index in a list. A number of 0 means
that ``fit`` chooses it, and -1 stands for 0.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, Mapping, Optional, Sequence

import numpy as np

__all__ = ["condition", "method_name", "learner_options", "learner_params", "real", "shown", "update_options", "update_params", "whole"]

_SCALINGS = (None, "samples", "columns", "none", "ranks")
_METHODS = (None, "improved", "original", "ridge_inverse", "inverse_cholesky", "gram", "qr")
_FORMS = ("auto", "paper", "small", "large", "compressed")
_MODES = ("auto", "zero", "check")
_ENHANCEMENTS = ("orthonormal", "uniform")
_CLASS_WEIGHTS = (None, "balanced")
_CHOICES = {0: None, 1: True, -1: False}


def _place(name: str, value: Any, known: Sequence[Optional[str]], other: str = " or None") -> int:
    """Return the index of value in known, 0 for None. `other` ends the list of choices in an error."""
    if value is None:
        return 0
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} is {shown(value)}; want {', '.join(repr(k) for k in known if k)}{other}")
    return known.index(value)


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

    `want` says in the error which numbers are valid.

    Examples
    --------
    >>> real("factor", 1)
    1.0
    """
    try:
        out = float(value)
    except (OverflowError, TypeError, ValueError):
        out = math.nan
    if not 0 <= out < math.inf:
        raise ValueError(f"{name} is {shown(value)}; want a finite number {want}")
    return out


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


def _number(name: str, value: Any, want: str, least: float = 0, none: Any = None) -> Any:
    """Return a finite number >= `least`, 0 for None, and `none`, if given, for 0. Errors say `want`."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not value >= least:
        raise ValueError(f"{name} is {shown(value)}; want a finite number {want}")
    value = real(name, value, want)
    return none if value == 0 and none is not None else value


def _count(name: str, value: Any, least: int = 0, none: Any = None, end: int = 2**63) -> Any:
    """Return an integer in [`least`, `end`), 0 for None, and `none`, if given, for 0."""
    if value is None:
        return 0
    value = whole(name, value, least, end, ", or None")
    return none if value == 0 and none is not None else value


def _flag(name: str, value: Any) -> bool:
    """Return value as a bool, or raise ValueError if it is not one."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; want True or False")
    return bool(value)


def _choice(name: str, value: Any) -> int:
    """Return 1 for True, -1 for False, and 0 for None."""
    if value is None:
        return 0
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {value!r}; want True, False or None")
    return 1 if value else -1


def update_options(method: Any, lambda_: Any, form: Any, solve: Any, c: Any, workspace: Any, none: float = 0) -> tuple[int, dict[str, Any]]:
    """Return the number of a method, and its options. `none` is the Lambda for a ``lambda_`` of 0.

    Examples
    --------
    >>> update_options("gram", 0.5, None, False, None, 0)[0]
    5
    """
    left = none != 0  # False for IncrementalRidge, which has no fit to choose settings
    return _place("method", method, _METHODS, " or None" if left else ""), {
        "Lambda": _number("lambda_", lambda_, "of at least 0, or None" if left else "of at least 0", none=none),
        "Form": _place("form", form, _FORMS),
        "Solve": _flag("solve", solve),
        "C": _place("c", c, _MODES),
        "Workspace": whole("workspace", workspace, -(2**63)),
    }


def update_params(method: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Undo `update_options`: return its arguments. A Lambda of 0 gives None, and -1 gives 0.

    Examples
    --------
    >>> update_params(6, {"Lambda": -1, "Form": 2, "Solve": False, "C": 0, "Workspace": 0})["form"]
    'small'
    """
    return {
        "method": method_name(method),
        "lambda_": _given(options["Lambda"], 0.0),
        "form": None if options["Form"] == 0 else _FORMS[options["Form"]],
        "solve": options["Solve"],
        "c": None if options["C"] == 0 else _MODES[options["C"]],
        "workspace": options["Workspace"],
    }


def _given(value: Any, none: Any) -> Any:
    """Return None for 0, which fit replaces, `none` for -1, and any other value unchanged."""
    return None if value == 0 else none if value == -1 else value


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


def learner_options(
    classifier: bool,
    *,
    scaling: Any = None,
    feature_groups: Any = None,
    feature_nodes: Any = None,
    enhancement_nodes: Any = None,
    shrink: Any = None,
    unscaled: Any = False,
    enhancement: Any = None,
    direct: Any = None,
    relevance: Any = None,
    steps: Any = None,
    random_state: Any = 0,
    method: Any = None,
    lambda_: Any = None,
    form: Any = None,
    solve: Any = False,
    c: Any = None,
    workspace: Any = 0,
    expected_rows: Any = None,
    validate: Any = False,
    class_weight: Any = None,
    classes: Any = None,
    no_intercept: Any = False,
    log_targets: Any = None,
) -> dict[str, Any]:
    """Return the options of a learner for bls_open, with every field set.

    Parameters
    ----------
    classifier : bool
        True for a classifier, which has class_weight and classes (their number); False for a regressor,
        which has no_intercept and log_targets.
    **params
        The parameters of an estimator. fit chooses a parameter that is None. enhancement_nodes, relevance
        or lambda_ of 0 means none. random_state is the seed, an integer from 0 to 2**64-1; None means 0.

    Examples
    --------
    >>> learner_options(True, enhancement_nodes=0, lambda_=0.5)["Features"]["EnhancementNodes"]
    -1
    """
    if unscaled and shrink is not None:
        raise ValueError(f"shrink is {shown(shrink)}; want None, since unscaled leaves out this factor")
    number, update = update_options(method, lambda_, form, solve, c, workspace, none=-1)
    out = {
        "Features": {
            "Scaling": _place("scaling", scaling, _SCALINGS),
            "Groups": _count("feature_groups", feature_groups, 1),
            "GroupNodes": _count("feature_nodes", feature_nodes, 1),
            "EnhancementNodes": _count("enhancement_nodes", enhancement_nodes, none=-1),
            "Shrink": _number("shrink", shrink, "above 0, or None", 5e-324),
            "Unscaled": _flag("unscaled", unscaled),
            "Enhancement": _place("enhancement", enhancement, _ENHANCEMENTS),
            "Direct": _choice("direct", direct),
            "Relevance": _count("relevance", relevance, none=-1),
            "Steps": _choice("steps", steps),
            "Seed": _count("random_state", random_state, end=2**64),
        },
        "Method": number,
        "Update": update,
        "ExpectedRows": _count("expected_rows", expected_rows),
        "Validate": _flag("validate", validate),
    }
    if classifier:
        out["ClassWeight"] = _place("class_weight", class_weight, _CLASS_WEIGHTS, ", a dict or None")
        out["Classes"] = _count("classes", classes)
    else:
        out["NoIntercept"] = _flag("no_intercept", no_intercept)
        out["LogTargets"] = _choice("log_targets", log_targets)
    return out


def learner_params(options: Mapping[str, Any]) -> dict[str, Any]:
    """Undo `learner_options`: return its parameters, without ``classes``.

    Parameters
    ----------
    options : mapping
        The value of ``options`` in the attributes of a learner.

    Examples
    --------
    >>> learner_params(learner_options(True, enhancement_nodes=0, scaling="none"))["scaling"]
    'none'
    """
    f = options["Features"]
    out = {
        "scaling": _SCALINGS[f["Scaling"]],
        "feature_groups": _given(f["Groups"], 0),
        "feature_nodes": _given(f["GroupNodes"], 0),
        "enhancement_nodes": _given(f["EnhancementNodes"], 0),
        "shrink": _given(f["Shrink"], None),
        "unscaled": f["Unscaled"],
        "enhancement": None if f["Enhancement"] == 0 else _ENHANCEMENTS[f["Enhancement"]],
        "direct": _CHOICES[f["Direct"]],
        "relevance": _given(f["Relevance"], 0),
        "steps": _CHOICES[f["Steps"]],
        "random_state": f["Seed"],
        **update_params(options["Method"], options["Update"]),
        "expected_rows": _given(options["ExpectedRows"], None),
        "validate": options["Validate"],
    }
    if "ClassWeight" in options:
        out["class_weight"] = _CLASS_WEIGHTS[options["ClassWeight"]]
    if "NoIntercept" in options:
        out["no_intercept"] = options["NoIntercept"]
        out["log_targets"] = _CHOICES[options["LogTargets"]]
    return out


def fitted_params(fitted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a fitted model, whether given or chosen by fit.

    Parameters
    ----------
    fitted : mapping
        The value of ``fitted`` in the attributes of a learner.

    Examples
    --------
    >>> maps = learner_options(True, scaling="none", feature_groups=3, shrink=0.5)["Features"]
    >>> fitted = fitted_params({"Features": maps, "Method": 6, "Lambda": 0.25})
    >>> fitted["scaling"], fitted["feature_groups"], fitted["method"], fitted["lambda_"]
    ('none', 3, 'qr', 0.25)
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
