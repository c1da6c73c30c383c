"""JRip, the RIPPER of Weka, as a process of its own: what Debian's package ``weka`` installs.

Weka prints thresholds to six decimals. As JRip looks at the order of numbers only, and cuts at one of them, it is given
their ranks, which are printed exactly; the tests compare what the printed rules decide with what Weka decides.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
import pandas as pd

from .forms import (
    MISSING,
    Adapter,
    BoolArray,
    Fitted,
    NotInstalledError,
    Settings,
    categories,
    is_text,
    linear_grid,
    shortened,
    to_floats,
    to_texts,
)

JAR = Path("/usr/share/java/weka.jar")
LEARNER = "weka.classifiers.rules.JRip"
_CLASSES = ("no", "yes")
_RULE = re.compile(r"^(.*?) ?=> class=(no|yes) \(")
_ANTECEDENT = re.compile(r"^\(c(\d+) (<=|>=|=) (?:v)?(\d+)\)$")


def fit_jrip(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    columns = WekaColumns(X)
    with TemporaryDirectory() as folder:
        data = Path(folder) / "train.arff"
        data.write_text(columns.to_arff(X, y))
        # Weka counts seeds from 1, its default
        options = ["-S", str(seed + 1), "-N", str(float(settings.get("min_rows", 2)))]
        rules = read_rules(run_weka([LEARNER, "-t", str(data), "-no-cv", "-v", *options]))
    conditions = [test for rule in rules for test in rule.tests]
    size = len(conditions)
    n_conditions = sum(len({test.column for test in rule.tests}) for rule in rules)
    text = shortened([columns.to_text(rule) for rule in rules])
    return Fitted(lambda frame: columns.decide(rules, frame), n_conditions, size, text)


@dataclass(frozen=True)
class WekaTest:
    """A test on the codes of a column, by its place."""

    __test__ = False  # no test of pytest's

    column: int
    sign: str
    code: int


@dataclass(frozen=True)
class WekaRule:
    tests: tuple[WekaTest, ...]
    decision: bool


class WekaColumns:
    """How cells become codes: numbers their rank among those of the training rows, texts and truth values a place."""

    def __init__(self, X: pd.DataFrame) -> None:
        self.names = list(X.columns)
        self._numbers = {name: np.unique(to_floats(X[name])) for name in X.columns if _is_number(X[name])}
        self._numbers = {name: values[~np.isnan(values)] for name, values in self._numbers.items()}
        texts = {name: categories(_cells(X[name])) for name in X.columns if name not in self._numbers}
        self._texts = {name: [value for value in values if value != MISSING] for name, values in texts.items()}

    def to_arff(self, X: pd.DataFrame, y: BoolArray) -> str:
        lines = ["@relation data"]
        for place, name in enumerate(self.names):
            values = ",".join(f"v{code}" for code in range(len(self._texts.get(name, ())) or 1))
            lines.append(f"@attribute c{place} " + ("numeric" if name in self._numbers else f"{{{values}}}"))
        lines += [f"@attribute class {{{','.join(_CLASSES)}}}", "@data"]
        cells = [self._coded(name, X[name]) for name in self.names]
        lines += [",".join(row) for row in zip(*cells, [_CLASSES[int(label)] for label in y], strict=True)]
        return "\n".join(lines) + "\n"

    def _coded(self, name: str, column: pd.Series) -> list[str]:
        if name not in self._numbers:
            codes = {value: f"v{code}" for code, value in enumerate(self._texts[name])}
            return [codes.get(cell, "?") for cell in _cells(column)]  # JRip takes a new text like a missing one
        numbers, known = to_floats(column), self._numbers[name]
        # a number between two of them gets a rank between theirs
        ranks = (np.searchsorted(known, numbers, side="left") + np.searchsorted(known, numbers, side="right") - 1) / 2
        return ["?" if missing else f"{rank:.1f}" for rank, missing in zip(ranks, np.isnan(numbers), strict=True)]

    def decide(self, rules: Sequence[WekaRule], X: pd.DataFrame) -> BoolArray:
        """Return the decision of the first rule that holds on each row; a test on a missing cell does not hold."""
        decided, undecided = np.zeros(len(X), dtype=np.bool_), np.ones(len(X), dtype=np.bool_)
        for rule in rules:
            holds = undecided.copy()
            for test in rule.tests:
                holds &= self._holds(test, X[self.names[test.column]])
            decided[holds] = rule.decision
            undecided &= ~holds
        return decided

    def _holds(self, test: WekaTest, column: pd.Series) -> BoolArray:
        name = self.names[test.column]
        if test.sign == "=":
            return np.asarray(_cells(column) == self._texts[name][test.code])
        numbers, cut = to_floats(column), self._numbers[name][test.code]
        return np.asarray(numbers <= cut if test.sign == "<=" else numbers >= cut)

    def to_text(self, rule: WekaRule) -> str:
        words = []
        for test in rule.tests:
            name = self.names[test.column]
            value = self._texts[name][test.code] if test.sign == "=" else f"{self._numbers[name][test.code]:.6g}"
            words.append(f"{name} {'is' if test.sign == '=' else test.sign} {value}")
        return (f"IF {' AND '.join(words)} THEN " if words else "ELSE ") + _CLASSES[int(rule.decision)]


def run_weka(arguments: Sequence[str]) -> str:
    """Run one of Weka's programs on one core and return what it prints."""
    if not JAR.exists() or shutil.which("java") is None:
        raise NotInstalledError(f"JRip needs Java and {JAR}. On Debian: apt install weka.")
    command = ["java", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-Djava.awt.headless=true", "-cp", str(JAR)]
    result = subprocess.run([*command, *arguments], capture_output=True, text=True)
    complaint = next((line for line in result.stderr.splitlines() if "xception" in line), "")
    if result.returncode != 0 or complaint:  # of most mistakes its exit status knows nothing
        raise RuntimeError(f"Weka stopped with exit status {result.returncode}. It said: {complaint or result.stderr}")
    return result.stdout


def read_rules(said: str) -> list[WekaRule]:
    """Return the rules that JRip prints, the default last."""
    found = [match for match in map(_RULE.match, said.splitlines()) if match]
    if not found:
        raise RuntimeError(f"Weka printed no rules, but: {said.strip()[:200]}")
    return [WekaRule(_read_tests(match[1]), match[2] == "yes") for match in found]


def _read_tests(text: str) -> tuple[WekaTest, ...]:
    tests = []
    for part in filter(None, text.strip().split(" and ")):
        match = _ANTECEDENT.match(part)
        if match is None:
            raise RuntimeError(f"Weka printed a condition that is none of JRip's: {part}")
        tests.append(WekaTest(int(match[1]), match[2], int(match[3])))
    return tuple(tests)


def _is_number(column: pd.Series) -> bool:
    return not is_text(column) and not pd.api.types.is_bool_dtype(column)


def _cells(column: pd.Series) -> npt.NDArray[np.object_]:
    """Return cells of a column that has no numbers, as text."""
    return to_texts(column.map({True: "true", False: "false"}) if pd.api.types.is_bool_dtype(column) else column)


ADAPTERS = {  # the paper varies how many rows a split must have; of 20,000 rows of 42 columns JRip takes a minute or so
    "jrip": Adapter(
        "RIPPER (Weka)", fit_jrip, partial(linear_grid, "min_rows", 1, 300), is_readable=True, quick_rows=15_000
    )
}
