"""Places in a page that are filled from files, the tables and lists that go there, and what rivals are called.

A place is ``<!-- table: name -->…<!-- end -->``. What stands between the two is written anew each time.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from imli_bench.adapters import NAMES, find_adapter

NOTHING = "Not measured yet."
_PLACE = re.compile(r"<!-- table: (\w+) -->.*?<!-- end -->", re.DOTALL)


def fill(page: str, makers: Mapping[str, Callable[[], str]]) -> str:
    """Return the page with each place filled by the maker of its name.

    >>> print(fill("Seven: <!-- table: seven -->8<!-- end -->", {"seven": lambda: "7"}))
    Seven: <!-- table: seven -->
    <BLANKLINE>
    7
    <BLANKLINE>
    <!-- end -->
    """

    def filled(place: re.Match[str]) -> str:
        if place[1] not in makers:
            known = ", ".join(sorted(makers))
            raise ValueError(f"The page has a place for '{place[1]}', which nothing makes. Known are: {known}.")
        return f"<!-- table: {place[1]} -->\n\n{makers[place[1]]()}\n\n<!-- end -->"

    return _PLACE.sub(filled, page)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown.

    >>> print(table(["data", "rows"], [["Adult", "32,561"]]))
    | data | rows |
    | --- | --- |
    | Adult | 32,561 |
    """
    lines = [list(header), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def folded(title: str, content: str) -> str:
    """Return content that is shown when a reader asks for it."""
    return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"


def listed(words: Iterable[str]) -> str:
    """Join words as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def counted(n: int, word: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "fold"), counted(1200, "trial")
    ('1 fold', '1,200 trials')
    """
    return f"{n:,} {word}{'' if n == 1 else 's'}"


# Large data sets of the paper, drawn from Bayesian networks, and the tables of ours that stand in for them.
STANDS_FOR = {"bng_vote": "lookalike-vote", "bng_labor": "lookalike-labor", "bng_credit_g": "lookalike-credit_g"}

OURS = "imli chosen"
KINDS = ("imli dnf", "imli cnf", "imli list", "imli set")


def title_of(rival: str) -> str:
    """Return what tables call a rival, of which some have no adapter any more."""
    return rival if is_ours(rival) else find_adapter(rival).title if rival in NAMES else rival.replace("_", " ")


def is_readable(rival: str) -> bool:
    """Return True if the models of a rival are known to be made for reading."""
    return is_ours(rival) or (rival in NAMES and find_adapter(rival).is_readable)


def is_ours(rival: str) -> bool:
    return rival.startswith("imli ")


def is_ripper(rival: str) -> bool:
    return rival.startswith(("ripper", "jrip"))
