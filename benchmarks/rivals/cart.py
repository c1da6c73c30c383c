"""A decision tree of scikit-learn with 16 leaves, on one-hot categories.

Its conditions are those on the way to each positive leaf.
"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from rivals import TEXT, Fitted, filled


def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    model = encoded(DecisionTreeClassifier(max_leaf_nodes=16, random_state=seed)).fit(filled(X), y)
    n_conditions = positive_conditions(model[-1].tree_)
    return Fitted(lambda table: model.predict(filled(table)), n_conditions, n_conditions)


def encoded(tree: DecisionTreeClassifier) -> Pipeline:
    """A tree that reads categories one-hot."""
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_include=TEXT)),
        remainder="passthrough",
    )
    return make_pipeline(encode, tree)


def positive_conditions(tree: object) -> int:
    total, ahead = 0, [(0, 0)]
    while ahead:
        node, depth = ahead.pop()
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            total += depth * int(tree.value[node][0].argmax())
        else:
            ahead += [(left, depth + 1), (right, depth + 1)]
    return total
