"""Mixed tables, and models of all sorts for them."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

CITIES = ("Bath", "Rome", "York", "Ulm")


def mixed(n_rows: int = 300, seed: int = 0) -> pd.DataFrame:
    """Numbers, integers, text, truth values and dates; ages and cities have gaps."""
    chance = np.random.default_rng(seed)
    day = pd.Timestamp("2020-01-01")
    return pd.DataFrame(
        {
            "age": np.where(chance.random(n_rows) < 0.1, np.nan, chance.normal(45, 15, n_rows).round(1)),
            "visits": chance.integers(0, 12, n_rows),
            "city": np.where(chance.random(n_rows) < 0.1, None, chance.choice(CITIES, n_rows)),
            "smoker": chance.random(n_rows) < 0.3,
            "since": [day + dt.timedelta(days=int(days)) for days in chance.integers(0, 900, n_rows)],
        }
    )


def outcome(table: pd.DataFrame) -> np.ndarray:
    """Three classes, of which one is rare."""
    high = (table["age"] > 50) & (table["smoker"] | (table["visits"] > 7))
    odd = (table["city"] == "Ulm") & (table["since"] > "2021-06-01")
    return np.where(odd, "odd", np.where(high, "high", "low"))


def pipeline(table: pd.DataFrame, classifier: object = None) -> object:
    """A model of scikit-learn that reads some of the columns, each kind its own way."""
    encode = make_column_transformer(
        (SimpleImputer(), ["age", "visits"]),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city"]),
        ("passthrough", ["smoker"]),
    )
    model = make_pipeline(encode, classifier or RandomForestClassifier(20, random_state=0))
    return model.fit(table, np.where(outcome(table) == "high", "high", "low"))


def by_hand(table: pd.DataFrame) -> np.ndarray:
    """A function of a pandas frame that looks at every column."""
    return outcome(table)


MODELS = {
    "forest": lambda table: pipeline(table),
    "boosting": lambda table: pipeline(table, HistGradientBoostingClassifier(max_iter=5, random_state=0)),
    "logistic": lambda table: pipeline(table, LogisticRegression(max_iter=5000)),
    "neighbours": lambda table: pipeline(table, KNeighborsClassifier(3)),
    "function": lambda _: by_hand,
}


def to_polars(table: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": [None if np.isnan(age) else age for age in table["age"]],
            "visits": table["visits"].tolist(),
            "city": [city if isinstance(city, str) else None for city in table["city"]],
            "smoker": table["smoker"].tolist(),
            "since": [moment.date() for moment in table["since"]],
        }
    )
