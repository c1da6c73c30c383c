"""How long it takes to prove one clause optimal: ten folds of breast cancer data, closed bins, three values of λ.

The time is that of the whole fit: reading, search and proof.

    python benchmarks/proof.py
"""

from time import perf_counter

from results import Recorder
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from imli import CNFClassifier


def main() -> None:
    recorder = Recorder("proof")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for fold, (train, _) in enumerate(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)):
        for lam in (0.1, 1.0, 3.0):
            classifier = CNFClassifier(
                n_clauses=1, lam=lam, binning="uniform", intervals="closed", prove=True, time_limit=60
            )
            began = perf_counter()
            answer = classifier.fit(X.iloc[train], y.iloc[train]).answer_
            measures = {"seconds": perf_counter() - began, "cost": answer.cost, "bound": answer.bound}
            recorder.add("breast cancer", "imli", measures, seed=fold, settings=f"lam={lam:g}")
    recorder.write()


if __name__ == "__main__":
    main()
