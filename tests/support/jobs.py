"""Work that tests hand to other processes, which must be able to import it."""

import shutil

from sklearn.datasets import load_breast_cancer

from imli import CNFClassifier, DecisionListClassifier, DNFClassifier, ExternalSolver


def jobs():
    """Classifiers of several kinds, with solvers in this process and outside of it."""
    parameters = {"n_clauses": 2, "bins": 4, "strategy": "incremental", "batch_size": 150, "random_state": 1}
    backends = ["rc2", ExternalSolver(["clasp", "--outf=1"])] if shutil.which("clasp") else ["rc2"]
    native = [kind(n_clauses=3, effort=0.1, n_jobs=2) for kind in (CNFClassifier, DecisionListClassifier)]
    return native + [
        kind(**parameters, lam=lam, backend=backend)
        for kind in (CNFClassifier, DNFClassifier, DecisionListClassifier)
        for lam in (1.0, 3.0)
        for backend in backends
    ]


def learn(classifier):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = classifier.fit(X.iloc[:300, :8], y[:300])
    return str(fitted.rule_), fitted.answer_.cost


def fit_with_a_typo():
    DNFClassifier(never="agee").fit({"age": [1, 2]}, [0, 1])
