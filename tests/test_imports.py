"""What is loaded when: `import imli` is light, and a rule at work needs no learner."""

import json
import subprocess
import sys

import imli
from imli import DNF
from imli.rules.literals import Compare


def loaded_after(code):
    code = f"{code}\nimport sys, json; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_importing_loads_nothing_heavy():
    assert not loaded_after("import imli") & {"sklearn", "pysat", "pandas", "polars", "numpy", "narwhals"}


def test_a_saved_rule_decides_without_the_learner():
    rule = DNF(((Compare("age", ">", 40),),)).to_dict()
    loaded = loaded_after(f"import imli; assert imli.rule_from_dict({rule!r}).predict({{'age': [50]}}).all()")
    assert not loaded & {"sklearn", "pysat", "pandas", "polars", "scipy"}


def test_a_model_decides_without_a_solver_and_explains_without_the_learner(tmp_path):
    path = str(tmp_path / "rule.json")
    imli.save(DNF(((Compare("age", ">", 40),),)), path)
    decide = f"import imli; model = imli.load({path!r}); assert model.predict({{'age': [50]}}).all()"
    assert not loaded_after(decide) & {"sklearn", "pysat", "pandas", "polars", "scipy"}
    explain = f"{decide}\nassert model.why({{'age': 50}}).literals and model.what_if({{'age': 50}}).changes"
    assert loaded_after(explain) & {"sklearn", "pysat", "pandas", "polars", "scipy"} == {"pysat"}


def test_every_public_name_can_be_reached():
    for name in imli.__all__:
        assert getattr(imli, name) is not None
    assert set(imli.__all__) <= set(dir(imli))
