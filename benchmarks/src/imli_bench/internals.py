"""Names of imli that are not public, each reached where it lives when a module here first asks for it.

No other module of imli_bench imports from imli what is not public, so a module that moves there changes one line here.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    # the command line
    "Parser": "imli.cli.options",
    "connected": "imli.cli.clusters",
    "imli_main": "imli.cli:main",
    "one_of": "imli.cli.options",
    "whole": "imli.cli.options",
    # files and workers
    "count_workers": "imli.learning.path.folds",
    "is_here": "imli.learning.path.folds",
    "new_file": "imli.files",
    "spread": "imli.learning.path.folds",
    # what measurements look into
    "Binning": "imli.learning.vocabulary",
    "CPSAT": "imli.learning.backends",
    "Compare": "imli.rules.literals",
    "CsvFormat": "imli.table.csv_source",
    "Encoding": "imli.learning.backends.maxsat",
    "IsIn": "imli.rules.literals",
    "KernelPart": "imli._kernel:Part",
    "KernelRows": "imli._kernel:Rows",
    "Neighbourhood": "imli.explain.neighbours",
    "PackedFile": "imli.learning.rows.on_disk",
    "PackedOnCluster": "imli.learning.rows.on_cluster",
    "RC2": "imli.learning.backends",
    "as_frame": "imli.table.read",
    "lower": "imli.learning.backends.maxsat",
    "open_files": "imli.table.sources",
    "read_row": "imli.explain.neighbours",
    "read_template": "imli.explain.neighbours",
    "tabulate": "imli.learning.bits",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a name from its module in imli and return it."""
    if name not in _HOMES:
        raise AttributeError(f"imli_bench.internals has no {name!r}. Add it with the module of imli that it lives in.")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute or name)
