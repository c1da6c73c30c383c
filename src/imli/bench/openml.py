"""Data sets as OpenML has them, brought into the form that results speak of: the same rows, columns and labels.

All that is known of OpenML is the table here. What comes of it is checked against the numbers of rows that a problem
has, so a data set that is another one than we think is refused.
"""

from dataclasses import dataclass, field

import pandas as pd

from imli.arrays import BoolArray
from imli.bench.tables import tidied


@dataclass(frozen=True)
class Source:
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
_SQUARES = tuple(f"{letter}{number}" for letter in "abcdefg" for number in range(1, 7))

# Missing: wdbc, which comes with scikit-learn; tomshardware and weather_aus, which OpenML does not have with the labels
# and rows that the paper's results are about.
SOURCES = {
    "parkinsons": Source("parkinsons", 1, "2", names=_PARKINSONS),
    "pima": Source("diabetes", 1, "tested_positive", names=_PIMA),
    "titanic": Source(
        "titanic", 1, "1", keep=("pclass", "sex", "age", "sibsp", "parch", "fare", "embarked"), is_complete=True
    ),
    "magic": Source("MagicTelescope", 1, "g", drop=("ID",), names=_MAGIC),
    "credit_default": Source(
        "default-of-credit-card-clients", 1, "1", drop=("id", "ID"), names=_CREDIT, words=_CREDIT_WORDS
    ),
    # OpenML has the rows of UCI's test file first
    "adult": Source("adult", 2, ">50K", names=_ADULT, last_rows=32_561),
    "bank_marketing": Source("bank-marketing", 1, "2", names=_BANK),
    "connect4": Source(
        "connect-4", 2, "2", names=_SQUARES, words={square: {"0": "b", "1": "o", "2": "x"} for square in _SQUARES}
    ),
    "skin": Source("skin-segmentation", 1, "1", names=("B", "G", "R")),
    "vote": Source("vote", 1, "republican"),
    "labor": Source("labor", 1, "good"),
    "credit_g": Source("credit-g", 1, "good"),
}


def fetch(name: str) -> tuple[pd.DataFrame, BoolArray]:
    """A data set's columns and labels, from OpenML or from what scikit-learn has kept of it."""
    from sklearn.datasets import fetch_openml

    source = SOURCES[name]
    try:
        found = fetch_openml(source.title, version=source.version, as_frame=True, parser="auto", n_retries=2)
    except OSError as error:  # of any kind: no name server, no route, no answer in time
        said = getattr(error, "reason", None) or error
        raise OSError(
            f"OpenML could not be asked for {source.title!r} ({said}). Give a folder that has {name}.parquet."
        ) from None
    return mapped(source, found.data, found.target)


def mapped(source: Source, data: pd.DataFrame, target: pd.Series) -> tuple[pd.DataFrame, BoolArray]:
    """The columns and labels of ours, out of those that OpenML has.

    >>> colours = pd.DataFrame({"V1": [74.0, 198.0], "V2": [85.0, 198.0], "V3": [123.0, 198.0]})
    >>> mapped(SOURCES["skin"], colours, pd.Series(["1", "2"]))
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
    """Integers as integers: in OpenML's files, all numbers are of one type."""
    return column.astype("int64") if (column % 1 == 0).all() else column
