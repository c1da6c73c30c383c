"""How many of scikit-learn's own estimator checks each estimator passes.

python benchmarks/checks.py
"""

import os
import warnings
from collections import Counter

os.environ["SCIPY_ARRAY_API"] = "1"  # else scikit-learn skips a check

from results import Recorder
from sklearn.utils.estimator_checks import check_estimator

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier, LiteralEncoder


def main() -> None:
    recorder = Recorder("checks")
    for estimator in (
        CNFClassifier(),
        DNFClassifier(),
        DecisionListClassifier(),
        DecisionSetClassifier(),
        LiteralEncoder(),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check_estimator(estimator, on_fail=None, on_skip=None)
        counts = Counter(each["status"] for each in found)
        measures = {status: counts[status] for status in ("passed", "failed", "xfail", "skipped")}
        recorder.add(type(estimator).__name__, "check_estimator", measures)
        for each in found:
            if each["status"] != "passed":
                print(f"  {each['status']}: {each['check_name']}: {each['exception']}")
    recorder.write()


if __name__ == "__main__":
    main()
