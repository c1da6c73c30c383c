"""What the rivals of the package imodels require: they share one environment."""

REQUIRES: tuple[str, ...] = ("imodels==3.0.4", "six")  # six it imports, without asking for it
