"""Weighted CNF files, which MaxSAT programs read."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from imli.lowering import Encoding, Stopped

WcnfFormat = Literal["classic", "2022"]


def write_wcnf(
    encoding: Encoding, path: Path, form: WcnfFormat = "classic", should_stop: Callable[[], bool] = lambda: False
) -> None:
    """Write the encoding as a file: the classic form has a ``p`` line, that of 2022 marks hard clauses with h."""
    with path.open("w", encoding="ascii") as file:
        for number, line in enumerate(wcnf_lines(encoding, form)):
            if number % 10_000 == 0 and should_stop():
                raise Stopped
            file.write(line)


def wcnf_lines(encoding: Encoding, form: WcnfFormat) -> Iterator[str]:
    hard = "h"
    if form == "classic":
        hard = str(sum(encoding.soft_weights) + 1)  # more than all soft clauses together
        yield f"p wcnf {encoding.n_variables} {encoding.n_clauses} {hard}\n"
    for clauses in encoding.groups.values():
        for clause in clauses:
            yield f"{hard} {' '.join(map(str, clause))} 0\n"
    for clause, weight in zip(encoding.soft, encoding.soft_weights, strict=True):
        yield f"{weight} {' '.join(map(str, clause))} 0\n"
