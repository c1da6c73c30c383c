"""``imli bench``: the comparison with other learners, which the distribution imli-bench has."""

import argparse
from importlib.util import find_spec


def run(options: argparse.Namespace) -> int:
    """Pass the arguments on to imli-bench and return its exit status, or say what to install."""
    if find_spec("imli_bench") is None:
        raise ImportError(
            "'imli bench' needs imli-bench. Install it from a checkout of imli's sources: pip install ./benchmarks."
        )
    from imli_bench.entry import run as run_bench  # of no use to anyone who only learns rules

    status: int = run_bench(options.arguments)
    return status
