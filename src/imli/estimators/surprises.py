"""What is surprising about a rule that was learned, said in warnings."""

import warnings

from imli.answer import Answer
from imli.query import Query
from imli.rules import Rule

_TO_THE_CALLER = 3  # from here over fit to whoever called it


class ConstantRuleWarning(UserWarning):
    """The rule decides the same for every row."""


def warn_of_surprises(rule: Rule, answer: Answer, query: Query, time_limit: float | None) -> None:
    """Say so if weights were rounded a lot, or if the rule is constant. To be called by ``fit`` itself."""
    if answer.rounding > 1e-3:
        warnings.warn(
            f"The weights differ so much in size that some were rounded by {answer.rounding:.1%} "
            "to make integers of them. Use weights of more similar size for an exact answer.",
            UserWarning,
            stacklevel=_TO_THE_CALLER,
        )
    if not rule.literals:
        decided = rule.predict({"row": [0]}).tolist()[0]
        warnings.warn(
            f"The rule is constant: it decides {decided!r} for every row. {_why_constant(query, time_limit)}",
            ConstantRuleWarning,
            stacklevel=_TO_THE_CALLER,
        )


def _why_constant(query: Query, time_limit: float | None) -> str:
    if not query.literals:
        return "There is nothing else to decide by: each column has the same value in all rows."
    longer = "" if time_limit is None else ", or raise time_limit"
    return (
        "None was found that saves more errors than its literals cost, "
        f"at lam={query.literal_costs.max() / query.scale:g} each. Lower lam{longer}; "
        "where one class is rare, class_weight='balanced' lets it count as much."
    )
