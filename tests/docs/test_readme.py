import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_rule_to_read_is_what_the_code_above_it_prints(capsys):
    section = README[README.index("## Reading a rule") :]
    code, printed = re.match(r".*?```python\n(.*?)```\s*```\n(.*?)```", section, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed
