"""What arguments can be: each type reads the text, or says what it should be."""

import argparse
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one sentence."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        sentence = re.sub(r"^argument ([^:]+): ", r"\1 ", message)
        stop = "" if sentence.endswith((".", "?")) else "."
        self.exit(2, f"imli: {sentence[:1].upper()}{sentence[1:]}{stop} See '{self.prog} --help'.\n")


def meant(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(
                f"must be one of {', '.join(choices)}. Got {text!r}.{meant(text, choices)}"
            )
        return text

    return read


def whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number. Got {text!r}.") from None


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number. Got {text!r}.") from None


def number_or(*words: str) -> Callable[[str], float | str]:
    def read(text: str) -> float | str:
        if text in words:
            return text
        try:
            return float(text)
        except ValueError:
            allowed = " or ".join(["a number", *words])
            raise argparse.ArgumentTypeError(f"must be {allowed}. Got {text!r}.") from None

    return read


def pair(of: Callable[[str], Any], what: str) -> Callable[[str], tuple[str, Any]]:
    """NAME=VALUE. The name may have equals signs in it, as literals do: ``age >= 40=2``."""

    def read(text: str) -> tuple[str, Any]:
        name, sign, value = text.rpartition("=")
        if not sign or not name:
            raise argparse.ArgumentTypeError(f"must be {what}. Got {text!r}.")
        return name, of(value)

    return read
