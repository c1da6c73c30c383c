"""Rivals: an :class:`~imli_bench.adapters.forms.Adapter` each, in a module for each family.

A module has ``ADAPTERS``, its adapters by name. It is imported in an environment of the rival's own, where neither imli
nor imli_bench is installed: it may import the standard library, numpy, pandas, its siblings (by relative imports), and
what the rival requires, which it imports in ``fit``.
"""

from importlib import import_module
from typing import Any

_FAMILIES = {
    "scikit_learn": ("cart", "logistic_regression", "linear_svm", "knn", "random_forest", "gradient_boosting"),
    "imodels_rules": ("brl", "brs", "rulefit"),
    "other_packages": ("ripper", "corels", "streed", "ruleopt", "prototype", "ebm"),
    "weka": ("jrip",),
    "ours": ("ours",),
}
MODULES = {name: module for module, names in _FAMILIES.items() for name in names}

# in the order of the tables: those that are read, then those that are not
NAMES = (
    "ripper", "jrip", "cart", "corels", "brl", "brs", "streed", "rulefit", "ruleopt", "prototype",
    "ebm", "logistic_regression", "linear_svm", "knn", "random_forest", "gradient_boosting",
)  # fmt: skip


def find_adapter(name: str) -> Any:
    """Return the adapter of this name; "ours" is imli."""
    return import_module(f"{__name__}.{MODULES[name]}").ADAPTERS[name]
