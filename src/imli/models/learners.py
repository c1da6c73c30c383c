"""The classifier that a card speaks of."""

from typing import Any

from imli.models.card import Card
from imli.models.parameters import NotPlainError, from_plain
from imli.places import brief


def build_learner(card: Card | None, given: dict[str, Any], asked: str = "estimator") -> Any:
    """The classifier, not fitted, with the parameters of the card except for those given.

    ``asked`` is the method of a model that asks for it.
    """
    if card is None or card.learner is None:
        raise ValueError("The card of this model names no learner, so there is no classifier to build.")
    learners = _learners()
    if card.learner not in learners:
        listed = ", ".join(sorted(learners))
        raise ValueError(f"The learner {brief(card.learner)} is not one of imli's, which are {listed}.")
    learner = learners[card.learner]
    known = learner().get_params()
    for name in (*card.parameters, *given):
        if name not in known:
            raise ValueError(f"{card.learner} has no parameter {brief(name)}.")
    kept = {name: _parameter(name, value, asked) for name, value in card.parameters.items() if name not in given}
    return learner(**kept, **given)


def resume_learner(model: Any, given: dict[str, Any]) -> Any:
    """The classifier of a model, fitted, with its parameters except for those given."""
    from imli.estimators.resuming import resume

    return resume(build_learner(model.card, given, "resume"), model)


def _learners() -> dict[str, Any]:
    from imli.estimators import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

    kinds = (CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier)
    return {kind.__name__: kind for kind in kinds}


def _parameter(name: str, value: Any, asked: str) -> Any:
    try:
        return from_plain(value)
    except NotPlainError as error:
        raise ValueError(
            f"The parameter {name} was an object, which a model file can only describe: {error}. "
            f"Give it yourself: model.{asked}({name}=...)."
        ) from None
