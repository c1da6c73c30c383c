"""Problems whose rule is known: columns of every kind, drawn at random, and labels by a rule that is written down here.

Where there is noise, a part of the labels is turned around, and the accuracy of the rule is 1 less that part. No model
does better on rows that it has not seen.
"""

import numpy as np
import pandas as pd

from imli.bench.tables import Table
from imli.parsing import parse_rule

_DNF = """
IF    number 0 > 2 AND integer 0 <= 3
   OR number 1 <= -0.5 AND category 0 is value 1
   OR flag 0 AND number 3 > 1
THEN  true
ELSE  false
"""
_CNF = """
IF    (number 0 > 1 OR flag 1)
  AND (integer 1 <= 20 OR category 1 is value 2)
  AND (number 1 <= 1 OR integer 3 > 30)
THEN  true
ELSE  false
"""
_LIST = """
IF      flag 0 AND number 1 > 0.5  THEN false
ELSE IF number 0 > 2               THEN true
ELSE IF category 2 is value 3      THEN false
ELSE IF integer 2 <= 16            THEN true
ELSE                                    false
"""
_SET = """
IF number 0 > 2 AND flag 1 is false    THEN true
IF category 0 is value 1 AND integer 1 > 13 THEN true
IF number 0 <= 2 AND category 0 is not value 1 AND flag 2 THEN true
OTHERWISE false
"""

# The rule of each, and which part of the labels is turned around.
RULES = {
    "planted-dnf": (_DNF, 0.0),
    "planted-cnf": (_CNF, 0.0),
    "planted-list": (_LIST, 0.0),
    "planted-set": (_SET, 0.0),
    "planted-noise": (_DNF, 0.1),
}


def make(name: str, n_rows: int, seed: int = 0) -> Table:
    """So many rows of a planted problem. The same seed gives the same rows.

    >>> table = make("planted-noise", 1000)
    >>> print(table.truth)
    IF    number 0 > 2 AND integer 0 <= 3
       OR number 1 <= -0.5 AND category 0 is value 1
       OR flag 0 AND number 3 > 1
    THEN  true
    ELSE  false
    >>> float((table.truth.predict(table.X) == table.y).mean())
    0.9
    """
    text, noise = RULES[name]
    chance = np.random.default_rng(seed)
    X, truth = mixed_frame(n_rows, chance), parse_rule(text)
    y = truth.predict(X).astype(bool)
    # as many as there should be, not each by chance, so that the rule's accuracy on the table is known to one row
    y[chance.choice(n_rows, round(noise * n_rows), replace=False)] ^= True
    return Table(name, X, y, "true", truth)


def mixed_frame(n_rows: int, chance: np.random.Generator) -> pd.DataFrame:
    """Twenty columns of numbers, integers, categories and truth values."""
    columns: dict[str, object] = {}
    for i in range(6):
        columns[f"number {i}"] = chance.normal(size=n_rows) if i % 2 else chance.gamma(2.0, size=n_rows)
    for i in range(4):
        columns[f"integer {i}"] = chance.integers(0, 8 + 20 * i, n_rows)
    for i in range(6):
        names = np.array([f"value {code}" for code in range(4 + i)], dtype=object)
        columns[f"category {i}"] = pd.Series(names[chance.integers(0, len(names), n_rows)], dtype=object)
    for i in range(4):
        columns[f"flag {i}"] = chance.random(n_rows) < 0.3
    return pd.DataFrame(columns)
