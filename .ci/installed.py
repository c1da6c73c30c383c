"""What a user does first, with imli as it is installed and nothing beside it: ``python .ci/installed.py``."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

import imli

installed = Path(imli.__file__).resolve().parent
assert installed.is_relative_to(Path(sysconfig.get_path("platlib")).resolve()), f"imli was imported from {installed}"
assert (installed / "py.typed").exists()
assert (installed / "_kernel.pyi").exists()
for name in imli.__all__:
    assert getattr(imli, name) is not None, name

for kind, data in [
    (imli.CNFClassifier, load_breast_cancer()),
    (imli.DNFClassifier, load_breast_cancer()),
    (imli.DecisionListClassifier, load_iris()),
    (imli.DecisionSetClassifier, load_iris()),
]:
    X = dict(zip(data.feature_names, data.data.T, strict=True))
    y = data.target_names[data.target]
    classifier = kind(effort=0.1).fit(X, y)
    assert classifier.score(X, y) > 0.93, kind
    assert np.array_equal(imli.parse_rule(str(classifier.rule_)).predict(X), classifier.predict(X)), kind

command = Path(sysconfig.get_path("scripts")) / ("imli.exe" if sys.platform == "win32" else "imli")
result = subprocess.run([command, "fit", "--effort", "0.1"], capture_output=True, text=True, encoding="utf-8")
assert result.returncode == 0, result.stderr
assert "THEN" in result.stdout, result.stdout
