"""What data sets and rivals are called on a page."""

from functools import cache
from importlib import import_module

REAL = {
    "parkinsons": "Parkinsons",
    "wdbc": "WDBC",
    "pima": "Pima",
    "titanic": "Titanic",
    "magic": "MAGIC",
    "tomshardware": "Tom's Hardware",
    "credit_default": "Credit",
    "adult": "Adult",
    "bank_marketing": "Bank",
    "connect4": "Connect-4",
    "weather_aus": "Weather",
    "skin": "Skin",
}
LOOKALIKES = {
    "lookalike-vote": "Vote look-alike",
    "lookalike-labor": "Labor look-alike",
    "lookalike-credit_g": "Credit-g look-alike",
}
# Large data sets of the paper, drawn from Bayesian networks, and the tables of ours that stand in for them.
STANDS_FOR = {"bng_vote": "lookalike-vote", "bng_labor": "lookalike-labor", "bng_credit_g": "lookalike-credit_g"}

OURS = "imli chosen"
KINDS = ("imli dnf", "imli cnf", "imli list", "imli set")


def title_of_data(problem: str) -> str:
    """A data set, as people know it."""
    return (REAL | LOOKALIKES).get(problem, problem)


@cache
def _adapter(rival: str) -> object | None:
    """The adapter that a rival's name stands for; None for rivals that there was an adapter for once."""
    try:
        return import_module(f"imli.bench.rivals.{rival.replace(' ', '_')}")
    except ModuleNotFoundError:
        return None


def title_of(rival: str) -> str:
    """A rival: what its adapter calls it, or its name."""
    return rival if is_ours(rival) else str(getattr(_adapter(rival), "TITLE", rival.replace("_", " ")))


def is_readable(rival: str) -> bool:
    """Whether its models are known to be made for reading."""
    return is_ours(rival) or bool(getattr(_adapter(rival), "IS_READABLE", False))


def is_ours(rival: str) -> bool:
    return rival.startswith("imli ")


def is_ripper(rival: str) -> bool:
    return rival.startswith(("ripper", "jrip"))


def in_order(problems: set[str]) -> list[str]:
    """Data sets as the paper lists them, then others by name."""
    known = [*REAL, *LOOKALIKES]
    return sorted(problems, key=lambda name: (known.index(name) if name in known else len(known), name))
