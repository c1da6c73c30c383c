"""Prints the megabytes of imli and its extras, as in the table of CONTRIBUTING: ``python .ci/megabytes.py``.

Run it where ``imli[cli,dask,cpsat,plot]`` is installed. The size of a distribution is that of all its files but
compiled Python modules.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

EXTRAS = ("", "cli", "report", "plot", "dask", "cpsat")


def required(name: str, extras: frozenset[str] = frozenset()) -> set[str]:
    """Return the names of a distribution and of all that it needs, with these extras."""
    from packaging.requirements import Requirement

    found, waiting = set[str](), [(name, extras)]
    while waiting:
        name, extras = waiting.pop()
        try:
            known = distribution(name)
        except PackageNotFoundError:  # of another system or Python
            continue
        found.add(_plain(name))
        for text in known.requires or ():
            need = Requirement(text)
            wanted = [{"extra": extra} for extra in extras] or [{"extra": ""}]
            if need.marker is None or any(need.marker.evaluate(each) for each in wanted):
                more = (_plain(need.name), frozenset(need.extras))
                if more[0] not in found or more[1]:
                    waiting.append(more)
    return found


def megabytes(name: str) -> float:
    """Return the size of all files of a distribution."""
    paths = [Path(str(file.locate())) for file in distribution(name).files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> None:
    """Print the table."""
    base = required("imli") - {"imli"}
    print("| installed with | brings | MB |\n|---|---|--:|")
    for extra in EXTRAS:
        names = base if not extra else required("imli", frozenset([extra])) - base - {"imli"}
        sizes = sorted(((megabytes(name), name) for name in names), reverse=True)
        listed = ", ".join(f"{name} {size:.0f}" if size >= 0.5 else name for size, name in sizes)
        print(f"| {f'`imli[{extra}]`' if extra else '`imli`'} | {listed} | {sum(size for size, _ in sizes):.0f} |")


if __name__ == "__main__":
    main()
