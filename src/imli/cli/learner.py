"""Classifiers with the parameters that were typed."""

import argparse
import shlex
import shutil
from typing import TYPE_CHECKING, Any, get_args

from imli.cli.options import DIRECTIONS
from imli.errors import brief
from imli.learning.parameter_table import BackendName

if TYPE_CHECKING:
    from imli.estimators.base import BaseRuleClassifier

_BACKENDS = get_args(BackendName)
_OF_CARDS = ("max_items", "max_points", "item_literals", "loss")  # parameters of scores and checklists only


def make_classifier(options: argparse.Namespace, kind: Any, labels: list[Any]) -> "BaseRuleClassifier":
    """Return a classifier of a kind, or one that chooses it, with the parameters that were typed."""
    from imli.estimators import RuleClassifier
    from imli.estimators.classifiers import CLASSIFIERS

    parameters = typed_parameters(options, kind, labels)
    return RuleClassifier(**parameters) if kind == "auto" else CLASSIFIERS[kind](**parameters)


def typed_parameters(options: argparse.Namespace, kind: Any, labels: list[Any]) -> dict[str, Any]:
    """Return the parameters of a classifier that were typed, as the classifier takes them."""
    from imli.estimators import RuleClassifier
    from imli.estimators.classifiers import CLASSIFIERS
    from imli.learning.constraints import Every
    from imli.rules import RULES

    given = {name: value for name, value in vars(options).items() if value is not None}
    given.pop("verbose", None)  # the progress on the screen writes these lines
    if "every" in given:
        given["always"] = [*given.get("always", ()), *map(Every, given["every"])]
    for name in ("feature_costs", "monotone"):
        if name in given:
            given[name] = dict(given[name])
    if "monotone" in given:
        given["monotone"] = {column: DIRECTIONS[text] for column, text in given["monotone"].items()}
    if "class_weight" in given:
        given["class_weight"] = _class_weight(given["class_weight"], labels)
    if "positive" in given:
        by_text = {str(label): label for label in labels}
        given["positive"] = by_text.get(given["positive"], given["positive"])
    if "backend" in given:
        given["backend"] = _backend(given["backend"])
    if "warm_start" in given:
        given["start"] = _saved_rule(given.pop("warm_start"), kind, given.get("start"))
    typed = [name for name, _ in given.get("types", ()) if name not in (given.get("target"), given.get("weight"))]
    if typed or "use" in given:  # who says the type of a column knows it
        given["use"] = [*given.get("use", ()), *typed]
    known = RuleClassifier().get_params()
    own = known if kind == "auto" else CLASSIFIERS[kind]().get_params()
    for name in given:
        if name not in own and name in (*known, *_OF_CARDS) and name not in ("kind", "callback"):
            flag = name.replace("_", "-")
            raise ValueError(f"--{flag} is not for a {RULES[kind].title if kind in RULES else 'kind to be chosen'}.")
    return {name: value for name, value in given.items() if name in own and (name != "kind" or kind == "auto")}


def _class_weight(texts: list[str], labels: list[Any]) -> Any:
    if texts == ["balanced"]:
        return "balanced"
    weights = {}
    by_text = {str(label): label for label in labels}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign or name not in by_text:
            known = ", ".join(f"{label}=X" for label in by_text)
            raise ValueError(f"--class-weight must be 'balanced' or one of {known}. Got {brief(text)}.")
        try:
            weights[by_text[name]] = float(value)
        except ValueError:
            raise ValueError(f"--class-weight must end in a number. Got {brief(text)}.") from None
    return weights


def _backend(text: str) -> Any:
    if text in _BACKENDS:
        return text
    command = shlex.split(text)
    if not command or shutil.which(command[0]) is None:
        raise ValueError(
            f"--backend must be {', '.join(_BACKENDS)} or a MaxSAT program on this machine. Got {brief(text)}."
        )
    from imli.learning.backends import ExternalSolver

    return ExternalSolver(command)


def _saved_rule(path: str, kind: str, start: str | None) -> Any:
    from imli.models import load

    if start is not None:
        raise ValueError("--start and --warm-start both say where to start from. Give one of them.")
    rule = load(path).rule
    if kind not in (rule.kind, "auto"):
        raise ValueError(f"{path!r} has a rule of kind {rule.kind}. Add --kind {rule.kind} to go on from it.")
    return rule
