"""Places in a page that are filled from files, and the tables and lists that go there.

A place is ``<!-- table: name -->…<!-- end -->``. What stands between the two is written anew each time.
"""

import re
from collections.abc import Callable, Iterable, Mapping

_PLACE = re.compile(r"<!-- table: (\w+) -->.*?<!-- end -->", re.DOTALL)


def fill(page: str, makers: Mapping[str, Callable[[], str]]) -> str:
    """The page with each place filled by the maker of its name.

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
    """A table in Markdown.

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
    """What is shown when a reader asks for it."""
    return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"


def listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def counted(n: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "fold"), counted(1200, "trial")
    ('1 fold', '1,200 trials')
    """
    return f"{n:,} {word}{'' if n == 1 else 's'}"
