"""Task files: what is written comes back the same, where imli is not there."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import imli_bench
from imli_bench.adapters.forms import read_task
from imli_bench.data_sets import LabelledTable, tidied
from imli_bench.workers import write_task

COLUMNS = {
    "texts": ["a", "", None, "a"],
    "ünicode, 'quoted'": ["grün", "日本語", "🙂", "e\u0301"],
    "odd texts": ["trailing\0", "new\nline", " ", "\udc80"],
    "no text at all": [None, None, None, None],
    "large integers": [2**53 + 1, -(2**63), 2**63 - 1, 0],
    "reals": [0.1, float("nan"), float("inf"), -0.0],
    "flags": [True, False, True, True],
    "": ["a column", "without", "a", "name"],
}
Y = np.array([True, False, True, False])


def made(columns):
    texts = {name for name, cells in columns.items() if isinstance(cells[0], str | None)}
    frame = {name: pd.Series(cells, dtype=object if name in texts else None) for name, cells in columns.items()}
    return LabelledTable("made", pd.DataFrame(frame, index=range(4)), Y, "true")


@pytest.mark.parametrize(
    "names", [tuple(COLUMNS), ("large integers", "flags"), ("texts",), ()], ids=["all", "no texts", "texts", "none"]
)
def test_it_comes_back(tmp_path, names):
    table = made({name: COLUMNS[name] for name in names})
    write_task(tmp_path / "data.npz", table, np.array([0, 1, 3]), np.array([2]))
    X, y, train, test = read_task(tmp_path / "data.npz")
    pd.testing.assert_frame_equal(X, table.X)
    for name in names:
        assert X[name].map(type).tolist() == table.X[name].map(type).tolist()
    assert y.tolist() == Y.tolist()
    assert y.dtype == bool
    assert train.tolist() == [0, 1, 3]
    assert test.tolist() == [2]


@pytest.mark.parametrize("n_values", [127, 128, 129, 40_000])
def test_many_texts(tmp_path, n_values):
    texts = pd.Series([*(f"value {i}" for i in range(n_values)), None], dtype=object)
    n_rows = len(texts)
    table = LabelledTable("made", pd.DataFrame({"a": texts}), np.zeros(n_rows, dtype=bool), "true")
    write_task(tmp_path / "data.npz", table, np.arange(n_rows), np.arange(0))
    X, _, _, test = read_task(tmp_path / "data.npz")
    assert X["a"].tolist() == texts.tolist()
    assert len(test) == 0


def test_it_holds_plain_arrays_only(tmp_path):
    write_task(tmp_path / "data.npz", made(COLUMNS), np.arange(2), np.arange(2))
    with np.load(tmp_path / "data.npz", allow_pickle=False) as content:
        assert {content[key].dtype.kind for key in content.files} <= set("biuf")


def test_it_is_read_where_imli_is_not(tmp_path):
    """As the package ``adapters`` of a folder that is on the path, like in an environment of a rival."""
    write_task(tmp_path / "data.npz", made(COLUMNS), np.arange(3), np.array([3]))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from adapters.forms import read_task\n"
        "X, y, train, test = read_task(sys.argv[2])\n"
        "assert not {name.partition('.')[0] for name in sys.modules} & {'imli', 'imli_bench', 'sklearn', 'narwhals'}\n"
        "print(ascii(X.to_dict('list')), y.tolist(), train.tolist(), test.tolist())\n"
    )
    folder = Path(imli_bench.__file__).parent
    said = subprocess.run(
        [sys.executable, "-c", program, folder, tmp_path / "data.npz"], capture_output=True, text=True, check=True
    )
    assert said.stdout == f"{COLUMNS!a} {Y.tolist()} [0, 1, 2] [3]\n"


def test_what_is_no_text(tmp_path):
    frame = pd.DataFrame({"a": pd.Series(["x", 3, None, "y"], dtype=object)})
    with pytest.raises(TypeError) as caught:
        write_task(tmp_path / "data.npz", LabelledTable("made", frame, Y, "true"), np.arange(2), np.arange(2))
    assert str(caught.value) == (
        "The column 'a' holds 3 among texts. A task file takes texts, numbers and truth values, each in columns of "
        "their own."
    )
    assert list(tmp_path.iterdir()) == []
    write_task(tmp_path / "data.npz", LabelledTable("made", tidied(frame), Y, "true"), np.arange(2), np.arange(2))
    assert read_task(tmp_path / "data.npz")[0]["a"].tolist() == ["x", "3", None, "y"]
