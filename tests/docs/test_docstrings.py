"""Public names have numpydoc docstrings that describe every parameter; the table of parameters fits the signatures."""

import inspect
import types
from typing import Literal, get_args, get_origin

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import Validator, validate

import imli
from imli.learning.backends import find_backend
from imli.learning.parameter_table import ATTRIBUTES, PARAMETERS
from imli.learning.strategies import find_strategy

# Errors of numpydoc: a docstring (GL08) or summary (SS01) is missing; a summary has no capital letter (SS02) or period
# (SS03), begins with a verb in the third person (SS05) or is on two lines (SS06); a parameter is not in the docstring
# (PR01), not in the signature (PR02), at the wrong place (PR03) or without a description (PR07); a value is returned
# (RT01) or yielded (YD01) but not described; sections are unknown (GL06) or in the wrong order (GL07).
CHECKS = {
    "GL06",
    "GL07",
    "GL08",
    "PR01",
    "PR02",
    "PR03",
    "PR07",
    "RT01",
    "SS01",
    "SS02",
    "SS03",
    "SS05",
    "SS06",
    "YD01",
}
METHODS = (types.FunctionType, property, classmethod, staticmethod)
CLASSIFIERS = [imli.CNFClassifier, imli.DNFClassifier, imli.DecisionListClassifier, imli.DecisionSetClassifier]


def public_names():
    """Return the public names, and where the docstrings of their methods and properties stand, each once."""
    names = [f"imli.{name}" for name in imli.__all__ if name not in ("__version__", "explain")]
    names += [f"imli.explain.{name}" for name in imli.explain.__all__]
    classes = [found for found in map(Validator._load_obj, names) if inspect.isclass(found)]
    return [*names, *dict.fromkeys(name for cls in classes for name in methods_of(cls))]


def methods_of(cls):
    """Yield the public methods and properties of a class that imli defines, by the class that describes each."""
    for member in dir(cls):
        owners = [owner for owner in cls.__mro__ if isinstance(vars(owner).get(member), METHODS)]
        owner = next((owner for owner in owners if vars(owner)[member].__doc__), owners[0] if owners else object)
        if not member.startswith("_") and owner.__module__.startswith("imli."):
            yield f"{owner.__module__}.{owner.__qualname__}.{member}"


@pytest.mark.parametrize("name", public_names())
def test_a_public_name_has_a_numpydoc_docstring(name):
    checked, found = validate(name), Validator._load_obj(name)
    errors = {code: message for code, message in checked["errors"] if code in CHECKS}
    if "PR01" in errors and inspect.isclass(found):  # what is read but rarely given may be an attribute
        sections = ClassDoc(found, config={"show_class_members": False})
        entries = [*sections["Parameters"], *sections["Attributes"]]
        described = {part for entry in entries for part in entry.name.split(", ")}
        if set(inspect.signature(found).parameters) <= described:
            del errors["PR01"]
    summary, *rest = checked["docstring"].splitlines() or [""]
    if not rest or summary.startswith("Return "):  # the first sentence describes what is returned
        errors.pop("RT01", None)
    assert not errors


@pytest.mark.parametrize(
    "documented",
    [*CLASSIFIERS, imli.RuleClassifier, imli.LiteralEncoder, imli.rule_path],
    ids=lambda found: found.__name__,
)
def test_the_table_has_the_defaults_and_words_of_the_signature(documented):
    for name, argument in inspect.signature(documented).parameters.items():
        if name in PARAMETERS and (documented, name) != (imli.rule_path, "kind"):  # a path is of one kind
            assert argument.default == PARAMETERS[name].default, name
            assert list(words_of(argument.annotation)) == list(PARAMETERS[name].words), name


def words_of(annotation):
    if get_origin(annotation) is Literal:
        return [word for word in get_args(annotation) if isinstance(word, str)]
    return [word for part in get_args(annotation) for word in words_of(part)]


def test_every_strategy_and_backend_of_the_table_is_found():
    for word in PARAMETERS["strategy"].words:
        assert find_strategy(word, batch_size=10, rounds=1)
    for word in PARAMETERS["backend"].words:
        assert find_backend(word)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_learned_attribute_is_described(classifier):
    fitted = classifier(lam="cv", cv=2, effort=0.01).fit({"a": [0, 1] * 20, "b": [0, 0, 1] * 13 + [1]}, [0, 1] * 20)
    learned = {name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")}
    assert learned == set(ATTRIBUTES)
    sections = ClassDoc(classifier, config={"show_class_members": False})
    assert [entry.name for entry in sections["Attributes"]] == list(ATTRIBUTES)
