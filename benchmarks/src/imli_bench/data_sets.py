"""The table of data sets: what each is called, where it comes from, how it is read, and how it is cut into folds.

Of a data set that comes from OpenML, the numbers of rows and of positive rows are checked against the table here, so
one that is another than expected is refused.
"""

import difflib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from imli import parse_rule

from imli_bench import generated

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
PLANTED_ROWS = 10_000


@dataclass(frozen=True)
class OpenMLSource:
    """Where OpenML has a data set, and what to do with it. Each step that is given is taken, in this order."""

    title: str
    version: int
    positive: str  # the label that True means
    drop: tuple[str, ...] = ()  # columns that are no features; it is no matter if one is not there
    keep: tuple[str, ...] = ()  # only these columns
    names: tuple[str, ...] = ()  # of the columns, instead of those that OpenML has
    words: dict[str, dict[str, str]] = field(default_factory=dict)  # for codes, by column
    last_rows: int = 0  # only so many, from the end
    is_complete: bool = False  # only rows without missing cells


@dataclass(frozen=True)
class DataSet:
    """What is known of a data set before it is loaded."""

    name: str
    title: str  # on pages
    positive: str  # what True means, in words
    n_rows: int
    n_positive: int | None = None  # None where it is up to chance
    openml: OpenMLSource | None = None  # None where OpenML does not have it with these rows and labels
    original: str | None = None  # the data set that it is a look-alike of

    @property
    def is_planted(self) -> bool:
        return self.name in generated.PLANTED


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows to learn from: ``X`` is as ``tidied`` leaves it, and ``truth`` the rule that made the labels, if one did."""

    name: str
    X: pd.DataFrame
    y: BoolArray
    positive: str  # what True means, in words
    truth: Any = None


_PARKINSONS = (
    "MDVP:Fo(Hz)", "MDVP:Fhi(Hz)", "MDVP:Flo(Hz)", "MDVP:Jitter(%)", "MDVP:Jitter(Abs)", "MDVP:RAP", "MDVP:PPQ",
    "Jitter:DDP", "MDVP:Shimmer", "MDVP:Shimmer(dB)", "Shimmer:APQ3", "Shimmer:APQ5", "MDVP:APQ", "Shimmer:DDA", "NHR",
    "HNR", "RPDE", "DFA", "spread1", "spread2", "D2", "PPE",
)  # fmt: skip
_MAGIC = ("fLength", "fWidth", "fSize", "fConc", "fConc1", "fAsym", "fM3long", "fM3Trans", "fAlpha", "fDist")
_PIMA = (
    "Pregnancies", "Glucose", "BloodPressure", "SkinThickness", "Insulin", "BMI", "DiabetesPedigreeFunction", "Age",
)  # fmt: skip
_ADULT = (
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship", "race",
    "sex", "capital_gain", "capital_loss", "hours_per_week", "native_country",
)  # fmt: skip
_BANK = (
    "age", "job", "marital", "education", "default", "balance", "housing", "loan", "contact", "day", "month",
    "duration", "campaign", "pdays", "previous", "poutcome",
)  # fmt: skip
_CREDIT = (
    "LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", *(f"PAY_{i}" for i in range(2, 7)),
    *(f"BILL_AMT{i}" for i in range(1, 7)), *(f"PAY_AMT{i}" for i in range(1, 7)),
)  # fmt: skip
_CREDIT_WORDS = {
    "SEX": {"1": "male", "2": "female"},
    "EDUCATION": {
        "0": "undocumented_0", "1": "graduate_school", "2": "university", "3": "high_school", "4": "others",
        "5": "undocumented_5", "6": "undocumented_6",
    },
    "MARRIAGE": {"0": "undocumented_0", "1": "married", "2": "single", "3": "others"},
}  # fmt: skip
_TITANIC = ("pclass", "sex", "age", "sibsp", "parch", "fare", "embarked")
_SQUARES = tuple(f"{letter}{number}" for letter in "abcdefg" for number in range(1, 7))
_SIGNS = {square: {"0": "b", "1": "o", "2": "x"} for square in _SQUARES}

# The data sets of the paper that can be had, in its order; wdbc comes with scikit-learn.
_REAL = (
    DataSet("parkinsons", "Parkinsons", "has Parkinson's disease", 195, 147,
            OpenMLSource("parkinsons", 1, "2", names=_PARKINSONS)),
    DataSet("wdbc", "WDBC", "malignant", 569, 212),
    DataSet("pima", "Pima", "has diabetes", 768, 268, OpenMLSource("diabetes", 1, "tested_positive", names=_PIMA)),
    DataSet("titanic", "Titanic", "survived", 1_043, 425,
            OpenMLSource("titanic", 1, "1", keep=_TITANIC, is_complete=True)),
    DataSet("magic", "MAGIC", "gamma", 19_020, 12_332,
            OpenMLSource("MagicTelescope", 1, "g", drop=("ID",), names=_MAGIC)),
    DataSet("tomshardware", "Tom's Hardware", "has the label 1", 28_170, 9_072),
    DataSet("credit_default", "Credit", "defaults next month", 30_000, 6_636,
            OpenMLSource("default-of-credit-card-clients", 1, "1", drop=("id", "ID"), names=_CREDIT,
                         words=_CREDIT_WORDS)),
    DataSet("adult", "Adult", "earns more than 50,000 $", 32_561, 7_841,  # OpenML has the rows of UCI's test file first
            OpenMLSource("adult", 2, ">50K", names=_ADULT, last_rows=32_561)),
    DataSet("bank_marketing", "Bank", "subscribes", 45_211, 5_289, OpenMLSource("bank-marketing", 1, "2", names=_BANK)),
    DataSet("connect4", "Connect-4", "first player wins", 67_557, 44_473,
            OpenMLSource("connect-4", 2, "2", names=_SQUARES, words=_SIGNS)),
    DataSet("weather_aus", "Weather", "rains tomorrow", 107_868, 22_393),
    DataSet("skin", "Skin", "skin", 245_057, 50_859, OpenMLSource("skin-segmentation", 1, "1", names=("B", "G", "R"))),
)  # fmt: skip
_OTHERS = (
    DataSet("vote", "Vote", "republican", 435, 168, OpenMLSource("vote", 1, "republican")),
    DataSet("labor", "Labor", "good", 57, 37, OpenMLSource("labor", 1, "good")),
    DataSet("credit_g", "Credit-g", "good", 1_000, 700, OpenMLSource("credit-g", 1, "good")),
    DataSet("lookalike-vote", "Vote look-alike", "republican", 131_072, original="vote"),
    DataSet("lookalike-labor", "Labor look-alike", "good", 1_000_000, original="labor"),
    DataSet("lookalike-credit_g", "Credit-g look-alike", "good", 1_000_000, original="credit_g"),
    DataSet("planted-dnf", "planted DNF", "true", PLANTED_ROWS),
    DataSet("planted-cnf", "planted CNF", "true", PLANTED_ROWS),
    DataSet("planted-list", "planted list", "true", PLANTED_ROWS),
    DataSet("planted-set", "planted set", "true", PLANTED_ROWS),
    DataSet("planted-noise", "planted DNF, 10 % noise", "true", PLANTED_ROWS),
)
PROBLEMS = {problem.name: problem for problem in (*_REAL, *_OTHERS)}
REAL = tuple(problem.name for problem in _REAL)
LOOKALIKES = tuple(problem.name for problem in _OTHERS if problem.original)


def title_of_data(name: str) -> str:
    """Return what pages call a data set."""
    return PROBLEMS[name].title if name in PROBLEMS else name


def in_order(names: set[str]) -> list[str]:
    """Return names of data sets as the paper lists them, then others by name."""
    known = [*REAL, *LOOKALIKES]
    return sorted(names, key=lambda name: (known.index(name) if name in known else len(known), name))


def find(name: str) -> DataSet:
    """Return the data set of this name, or raise a ValueError with the name that was probably meant."""
    if name not in PROBLEMS:
        near = difflib.get_close_matches(str(name), PROBLEMS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Problems are {', '.join(PROBLEMS)}."
        raise ValueError(f"There is no problem {name!r}. {hint}")
    return PROBLEMS[name]


def load(name: str, data: Path | None = None, cache: Path | None = None) -> LabelledTable:
    """Return the rows of a data set.

    Parameters
    ----------
    name
        One of PROBLEMS.
    data
        A folder that has data sets as Parquet files, with the labels, 0 and 1, in the column ``target``. Without it,
        OpenML is asked; wdbc comes with scikit-learn.
    cache
        A folder to keep look-alikes in, which else are drawn anew.

    Examples
    --------
    >>> table = load("wdbc")
    >>> table.X.shape, int(table.y.sum()), table.positive
    ((569, 30), 212, 'malignant')
    """
    problem, truth = find(name), None
    if problem.is_planted:
        X, y, truth = generated.draw_planted(name, problem.n_rows)
    elif problem.original is not None:
        small = load(problem.original, data)
        if cache is None:
            X, y = generated.draw_lookalike(small.X, small.y, problem.n_rows)
        else:
            X, y = generated.lookalike_once(small.X, small.y, problem.n_rows, problem.original, Path(cache))
            X = tidied(X)
    elif data is not None:
        X, y = read_parquet(name, Path(data))
    elif name == "wdbc":
        X, y = _wdbc()
    elif problem.openml is not None:
        X, y = fetch(problem)
    else:
        raise ValueError(
            f"OpenML does not have {name!r} with the rows and labels that results are about. "
            f"Give a folder that has {name}.parquet."
        )
    return LabelledTable(name, X, y, problem.positive, truth)


def load_frame(name: str, data: Path | None) -> tuple[pd.DataFrame, pd.Series]:
    """Return a table and its labels, 0 and 1; a folder may have more of them than PROBLEMS."""
    X, y = read_parquet(name, Path(data)) if data is not None else ((table := load(name)).X, table.y)
    return X, pd.Series(y.astype(np.int64), name="target")


def read_parquet(name: str, folder: Path) -> tuple[pd.DataFrame, BoolArray]:
    """Return the columns and labels of a file in a folder of data sets."""
    path = folder / f"{name}.parquet"
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {str(folder)!r}. Give one that has {path.name}.")
    if not path.is_file():
        there = sorted(file.stem for file in folder.glob("*.parquet"))
        near = difflib.get_close_matches(name, there, n=1)
        has = f"It has {near[0]}.parquet." if near else "It has others." if there else "It has no Parquet files at all."
        raise FileNotFoundError(f"The folder {str(folder)!r} has no file {path.name!r}. {has}")
    try:
        frame = pd.read_parquet(path)
    except ValueError as error:  # of pyarrow, which says more than a user can do something about
        raise ValueError(f"{str(path)!r} is not a Parquet file that can be read.") from error
    if "target" not in frame:
        raise ValueError(f"{str(path)!r} has no column 'target'. Its labels, 0 and 1, must be there.")
    target = frame.pop("target")
    odd = target[~target.isin([0, 1])]
    if len(odd):
        raise ValueError(f"The column 'target' of {str(path)!r} must hold 0 and 1 only. Got {odd.tolist()[0]!r}.")
    return tidied(frame), target.to_numpy(dtype=bool)


def _wdbc() -> tuple[pd.DataFrame, BoolArray]:
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer(as_frame=True)
    return tidied(found.data), np.asarray(found.target == 0)


def fetch(problem: DataSet) -> tuple[pd.DataFrame, BoolArray]:
    """Return the columns and labels of a data set that OpenML has, from there or from what scikit-learn has kept."""
    from sklearn.datasets import fetch_openml

    source = problem.openml
    assert source is not None
    try:
        found = fetch_openml(source.title, version=source.version, as_frame=True, parser="auto", n_retries=2)
    except OSError as error:  # of any kind: no name server, no route, no answer in time
        said = getattr(error, "reason", None) or error
        raise OSError(
            f"OpenML could not be asked for {source.title!r} ({said}). Give a folder that has {problem.name}.parquet."
        ) from None
    X, y = mapped(source, found.data, found.target)
    refuse_another(problem, y)
    return X, y


def mapped(source: OpenMLSource, data: pd.DataFrame, target: pd.Series) -> tuple[pd.DataFrame, BoolArray]:
    """Return the columns and labels that results are about, out of those that OpenML has.

    >>> colours = pd.DataFrame({"V1": [74.0, 198.0], "V2": [85.0, 198.0], "V3": [123.0, 198.0]})
    >>> mapped(PROBLEMS["skin"].openml, colours, pd.Series(["1", "2"]))
    (     B    G    R
    0   74   85  123
    1  198  198  198, array([ True, False]))
    """
    X = data.drop(columns=list(source.drop), errors="ignore")
    if source.keep:
        X = X[list(source.keep)]
    if source.names:
        if len(source.names) != X.shape[1]:
            raise ValueError(
                f"OpenML's {source.title!r}, version {source.version}, has {X.shape[1]} columns where "
                f"{len(source.names)} were expected. Give a folder of Parquet files."
            )
        X = X.set_axis(list(source.names), axis=1)
    X = X.assign(**{name: _in_words(X[name], words) for name, words in source.words.items()})
    y = target.astype(str).to_numpy() == source.positive
    if source.last_rows:
        X, y = X.iloc[-source.last_rows :], y[-source.last_rows :]
    if source.is_complete:
        complete = X.notna().all(axis=1).to_numpy()
        X, y = X[complete], y[complete]
    X = tidied(X)
    return X.assign(**{name: _whole(X[name]) for name in X.select_dtypes("float64")}), y


def _in_words(column: pd.Series, words: dict[str, str]) -> pd.Series:
    # OpenML has codes as categories or as numbers, whole or not
    codes = column.astype(str).str.removesuffix(".0")
    return codes.map(words).astype(object)


def _whole(column: pd.Series) -> pd.Series:
    """Return whole numbers as integers: in OpenML's files, all numbers are of one type."""
    return column.astype("int64") if (column % 1 == 0).all() else column


def refuse_another(problem: DataSet, y: BoolArray) -> None:
    """Raise a ValueError if labels are not those of the data set, which somebody may have changed at its source."""
    if (len(y), int(y.sum())) != (problem.n_rows, problem.n_positive):
        raise ValueError(
            f"What OpenML has as {problem.name!r} is another data set: it has {len(y):,} rows, {int(y.sum()):,} of "
            f"them positive, where {problem.n_rows:,} and {problem.n_positive:,} were expected. "
            f"Give a folder that has {problem.name}.parquet."
        )


def tidied(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the cells in four types: int64, float64 (missing cells are NaN), bool, and object for texts (and None).

    Integers with missing cells become float64, truth values with missing cells texts.

    >>> frame = pd.DataFrame({"n": pd.array([1, None], "Int8"), "word": pd.Categorical(["a", None])})
    >>> [str(dtype) for dtype in tidied(frame).dtypes]
    ['float64', 'object']
    """
    columns = {str(name): _tidied(frame.iloc[:, j]) for j, name in enumerate(frame.columns)}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))


def _tidied(column: pd.Series) -> pd.Series:
    missing = column.isna().to_numpy()
    if pd.api.types.is_bool_dtype(column.dtype) and not missing.any():
        return pd.Series(column.to_numpy(dtype=bool))
    if pd.api.types.is_integer_dtype(column.dtype) and not missing.any():
        return pd.Series(column.to_numpy(dtype=np.int64))
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    codes, values = pd.factorize(column)
    texts = np.array([*map(str, values), None], dtype=object)
    return pd.Series(texts[codes], dtype=object)  # a missing cell has code -1, the last


def folds(table: LabelledTable, n_folds: int, seed: int = 0) -> list[tuple[IntArray, IntArray]]:
    """Return positions to learn from and positions held out, each row once; classes in the same shares everywhere."""
    from sklearn.model_selection import StratifiedKFold

    rarest = int(min(table.y.sum(), (~table.y).sum()))
    if not 2 <= n_folds <= rarest:
        raise ValueError(
            f"n_folds must be 2 or more, and no more than {table.name!r} has rows of its rarer class, {rarest}. "
            f"Got {n_folds}."
        )
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(table.y)), table.y)
    return [(train.astype(np.int64), test.astype(np.int64)) for train, test in splits]


def sub_sample(positions: IntArray, y: BoolArray, most: int, seed: int = 0) -> IntArray:
    """Return at most so many of the positions, in their order; classes in the same shares, and never one of them gone.

    The 1,000 of a seed are among its 2,000. 0 is all of them.

    >>> y = np.arange(100) % 4 == 0
    >>> sub_sample(np.arange(100), y, 8).tolist()
    [7, 22, 53, 78, 80, 82, 84, 86]
    >>> set(sub_sample(np.arange(100), y, 8)) <= set(sub_sample(np.arange(100), y, 9))
    True
    """
    if most < 0:
        raise ValueError(f"most must be a number of rows, or 0 for all. Got {most}.")
    if most == 0 or most >= len(positions):
        return positions
    chance = np.random.default_rng(seed)
    labels = y[positions]
    # Each class is shuffled; the share of its class that comes before a row decides when the row is taken.
    part = np.empty(len(positions))
    for label in (False, True):
        rows = chance.permutation(np.flatnonzero(labels == label))
        part[rows] = np.arange(len(rows)) / max(1, len(rows))
    first = np.argsort(part, kind="stable")[:most]
    return positions[np.sort(first)]


@dataclass(frozen=True)
class Instance:
    """A search problem: truth values, labels, the kind of rule and its price; and the best cost known."""

    name: str
    X: np.ndarray
    y: np.ndarray
    kind: str
    n_clauses: int
    lam: float
    best_known: float


def read_instances(folder: Path) -> list[Instance]:
    """Return all search problems in a folder."""
    best = json.loads((folder / "best.json").read_text())
    found = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as content:
            X = np.unpackbits(content["X"], axis=1)[:, : int(content["n_features"])].astype(bool)
            found.append(
                Instance(path.stem, X, content["y"].astype(bool), str(content["kind"]), int(content["k"]),
                         float(content["lam"]), best[path.stem]["cost"])
            )  # fmt: skip
    return found


def mixed_frame(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, BoolArray]:
    """Return columns of planted problems, texts as categories, and labels of their DNF with a tenth of noise."""
    chance = np.random.default_rng(seed)
    frame = generated.draw_mixed(n_rows, chance)
    frame = frame.astype({name: "category" for name in frame if name.startswith("category")})
    truth = parse_rule(generated.PLANTED["planted-noise"][0])
    return frame, truth.predict(frame).astype(bool) ^ (chance.random(n_rows) < 0.1)
