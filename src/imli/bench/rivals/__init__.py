"""Rivals, one adapter each.

An adapter is a module with

- ``TITLE``: how tables call it;
- ``REQUIRES``: what ``pip`` installs for it, versions pinned; empty if the harness's own environment has it all (it may
  ask for another Python and for an order, see :mod:`imli.bench.environments`);
- ``IS_READABLE``: whether its models are meant to be read;
- ``QUICK_ROWS``: how many rows it can take in seconds, for quick comparisons; 0 is any number;
- ``QUICK_SETTINGS``, if it takes minutes for any number of rows: shorter chains or fewer rounds than its own, for quick
  comparisons, whose rows say so;
- ``grid(n)``: at most ``n`` settings out of those printed in the paper, spread evenly, the default first;
- ``fit(X, y, settings, seed)``: a :class:`~imli.bench.rivals.fitted.Fitted`, learned on one core unless the settings
  have ``n_jobs``; it raises NotInstalledError where something that is no package of Python is missing.

It is imported in an environment of the rival's own, where imli is not installed: it may import the standard library,
numpy, pandas, its siblings (by relative imports), and what it requires, which it imports in ``fit``.
"""

# in the order of the tables: those that are read, then those that are not
NAMES = (
    "ripper", "jrip", "cart", "corels", "brl", "brs", "streed", "rulefit", "ruleopt", "prototype",
    "ebm", "logistic_regression", "linear_svm", "knn", "random_forest", "gradient_boosting",
)  # fmt: skip
