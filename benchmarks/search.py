"""How close the search comes to the best known costs: excess at 1, 3 and 10 s, and at the default effort.

Each run is a whole ``fit`` from a table of truth values, with its time limit. Beside the excess stands the error on
a fifth of the rows that a second fit with the same limit did not see.

    python benchmarks/search.py --instances FOLDER [--seeds 5] [--limits 1 3 10]
"""

import argparse
import math
import os
from pathlib import Path
from time import perf_counter

import numpy as np
from problems import Instance, instances
from results import Recorder
from sklearn.model_selection import train_test_split

from imli import CNFClassifier, DNFClassifier

HELD_OUT_SEEDS = 3  # so many seeds are also run without a fifth of the rows


def classifier(instance: Instance, limit: float | None, seed: int):
    kind = CNFClassifier if instance.kind == "cnf" else DNFClassifier
    stop = {"effort": math.inf, "time_limit": limit} if limit is not None else {}
    return kind(n_clauses=instance.n_clauses, lam=instance.lam, random_state=seed, **stop)


def run(instance: Instance, limit: float | None, seed: int) -> dict[str, float]:
    began = perf_counter()
    answer = classifier(instance, limit, seed).fit(instance.X, instance.y).answer_
    seconds = perf_counter() - began
    excess = answer.cost - instance.best_known
    measures = {
        "cost": answer.cost,
        "excess": excess,
        "excess_percent": 100 * excess / instance.best_known,
        "bound": answer.bound,
        "seconds": seconds,
    }
    if seed >= HELD_OUT_SEEDS:
        return measures
    train, test = train_test_split(np.arange(len(instance.y)), test_size=0.2, stratify=instance.y, random_state=seed)
    held_out = classifier(instance, limit, seed).fit(instance.X[train], instance.y[train])
    return measures | {"held_out_error_percent": 100 * (1 - held_out.score(instance.X[test], instance.y[test]))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--instances",
        type=Path,
        default=os.environ.get("IMLI_INSTANCES"),
        metavar="FOLDER",
        help="search problems with best known costs (default: IMLI_INSTANCES)",
    )
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limits", type=float, nargs="*", default=[1.0, 3.0, 10.0], help="none: default effort only")
    options = parser.parse_args()
    if options.instances is None:
        parser.error("Where are the search problems? Give --instances FOLDER, or set IMLI_INSTANCES.")
    recorder = Recorder("search")
    for instance in instances(Path(options.instances)):
        for limit in (*options.limits, None):
            for seed in range(options.seeds):
                settings = "default" if limit is None else f"{limit:g} s"
                recorder.add(instance.name, "imli", run(instance, limit, seed), seed=seed, settings=settings)
    recorder.write()


if __name__ == "__main__":
    main()
