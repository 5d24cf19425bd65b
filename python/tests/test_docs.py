"""What help shows: an example, which doctest runs, of every public method and function."""

import inspect
import re

import pytest

import blskernel
from blskernel import BroadLearningClassifier, BroadLearningRegressor, IncrementalRidge

OURS = [BroadLearningClassifier, BroadLearningRegressor, IncrementalRidge]


def methods(of):
    """The public methods of a class by name, without those of scikit-learn."""
    found = {name: getattr(of, name) for name in dir(of) if not name.startswith("_") and callable(getattr(of, name))}
    modules = {name: getattr(method, "__module__", None) or "" for name, method in found.items()}
    return {f"{of.__name__}.{n}": found[n] for n, m in modules.items() if m.startswith("blskernel") and m != "blskernel._sklearn"}


def public():
    """The public functions and methods of the package, by name."""
    found = {}
    for module in [blskernel, blskernel.linalg]:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) and not issubclass(value, BaseException):
                found.update(methods(value))
            elif inspect.isfunction(value):
                found[f"{module.__name__}.{name}"] = value
    return found


def section(of, title):
    """The text of a section of a docstring, None if there is none."""
    found = re.search(rf"^{title}\n-{{{len(title)}}}\n(.+?)(?=\n\n\w+\n---|\Z)", inspect.getdoc(of) or "", re.M | re.S)
    return found and found.group(1)


@pytest.mark.parametrize("name", sorted(public()))
def test_an_example(name):
    assert ">>> " in (section(public()[name], "Examples") or "")


@pytest.mark.parametrize("name", sorted(name for of in OURS for name in methods(of)))
def test_parameters_and_returns(name):
    method = public()[name]
    signature = inspect.signature(method)
    given = section(method, "Parameters") or ""
    for parameter in signature.parameters:
        assert parameter == "self" or re.search(rf"^(.*, )?{parameter}\b", given, re.M), parameter
    assert section(method, "Returns") or signature.return_annotation == "None"


def test_nothing_is_left_out():
    some = ["Classifier.fit", "Classifier.merge", "Regressor.merge", "Regressor.forget"]
    some = [f"BroadLearning{name}" for name in some] + ["IncrementalRidge.load", "LU.solve", "blskernel.save", "blskernel.linalg.inv"]
    assert set(some) <= set(public())
