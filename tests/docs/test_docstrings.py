"""Public names have numpydoc docstrings that describe every parameter; the table of parameters fits the signatures."""

import inspect
from typing import Literal, get_args, get_origin

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate

import imli
from imli.learning.backends import find_backend
from imli.learning.parameters import ATTRIBUTES, PARAMETERS
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
CLASSIFIERS = [imli.CNFClassifier, imli.DNFClassifier, imli.DecisionListClassifier, imli.DecisionSetClassifier]


def public_names():
    """Yield the public names, and those of public methods and properties where they are first defined."""
    seen = set()
    names = [f"imli.{name}" for name in imli.__all__ if name not in ("__version__", "explain")]
    for name in [*names, *(f"imli.explain.{name}" for name in imli.explain.__all__)]:
        yield name
        found = found_at(name)
        for owner in inspect.getmro(found) if inspect.isclass(found) else ():
            for member, value in vars(owner).items():
                is_own = owner.__module__.startswith("imli.") and not member.startswith("_")
                if is_own and (owner, member) not in seen and isinstance(value, METHODS):
                    seen.add((owner, member))
                    yield f"{name}.{member}"


METHODS = (type(lambda: None), property, classmethod, staticmethod)


def found_at(name):
    found = imli
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", list(public_names()))
def test_a_public_name_has_a_numpydoc_docstring(name):
    found = found_at(name)
    errors = {code: message for code, message in validate(name)["errors"] if code in CHECKS}
    if inspect.isclass(found) and "PR01" in errors:  # what is read but rarely given may be an attribute
        sections = ClassDoc(found, config={"show_class_members": False})
        described = {
            item
            for title in ("Parameters", "Attributes")
            for entry in sections[title]
            for item in entry.name.split(", ")
        }
        if set(inspect.signature(found).parameters) <= described:
            del errors["PR01"]
    if "\n" not in (found.__doc__ or ""):  # its only sentence describes what is returned
        errors.pop("RT01", None)
    assert not errors


@pytest.mark.parametrize(
    "documented", [*CLASSIFIERS, imli.LiteralEncoder, imli.rule_path], ids=lambda found: found.__name__
)
def test_the_table_has_the_defaults_and_words_of_the_signature(documented):
    for name, argument in inspect.signature(documented).parameters.items():
        if name in PARAMETERS:
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
