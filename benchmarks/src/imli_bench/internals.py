"""Names of imli that are not public, each reached where it lives when a module here first asks for it.

No other module of imli_bench imports from imli what is not public, so a module that moves there changes one line here.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    # the command line
    "Parser": "imli.cli.types",
    "connected": "imli.cli.clusters",
    "imli_main": "imli.cli:main",
    "one_of": "imli.cli.types",
    "whole": "imli.cli.types",
    # files and workers
    "count_workers": "imli.estimators.spreading",
    "is_here": "imli.estimators.spreading",
    "new_file": "imli.files",
    "spread": "imli.estimators.spreading",
    # what measurements look into
    "Binning": "imli.binarize",
    "CPSAT": "imli.backends",
    "Compare": "imli.literals",
    "Encoding": "imli.lowering",
    "IsIn": "imli.literals",
    "KernelPart": "imli._kernel:Part",
    "KernelRows": "imli._kernel:Rows",
    "Neighbourhood": "imli.explain.neighbours",
    "PackedFile": "imli.parts.local",
    "PackedOnCluster": "imli.parts.cluster",
    "RC2": "imli.backends",
    "as_frame": "imli.frames",
    "covers": "imli.explain.conjunctions",
    "lower": "imli.lowering",
    "read_row": "imli.explain.source",
    "read_source": "imli.explain.source",
    "tabulate": "imli.tabulate",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a name from its module in imli and return it."""
    if name not in _HOMES:
        raise AttributeError(f"imli_bench.internals has no {name!r}. Add it with the module of imli that it lives in.")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(module), attribute or name)
