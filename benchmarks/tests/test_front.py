"""The figures of the README, against figures by hand."""

from test_standings import two_data_sets

from imli_bench.pages.front import front_of

HEADER = "part,problem,rival,settings,fold,most_rows,seed,status"


def write(folder, part, figures, *lines):
    rows = [f'{part},{problem},"{rival}",{settings},0,0,0,done,{values}' for problem, rival, settings, values in lines]
    (folder / f"{part}.csv").write_text("\n".join([f"{HEADER},{figures}", *rows]) + "\n")


def test_nothing_measured(tmp_path):
    assert {name: make() for name, make in front_of(tmp_path, tmp_path).items()} == {
        "points": "Not measured yet.", "beside": "Not measured yet.",
    }  # fmt: skip


def test_a_line_for_each_thing_that_was_measured(add, tmp_path):
    two_data_sets(add)
    write(
        tmp_path,
        "proof",
        "seconds,cost,bound",
        ("tumours", "imli", "1", "0.5,3,3"),
        ("tumours", "imli", "2", "0.9,4,3"),
    )
    write(tmp_path, "large", "seconds,peak_mb", ("1 million rows", "parts", "", "9,900"),
          ("20 million rows", "parts", "", "101.6,1260"), ("20 million rows", "predict", "", "3,200"))  # fmt: skip
    write(tmp_path, "command_line", "seconds", ("rows", "imli predict, to CSV", "", "0.87"))
    write(tmp_path, "explain", "fidelity_percent", ("adult", "dnf", "surrogates", "92.6"),
          ("magic", "dnf", "surrogates", "95.4"), ("adult", "cart for dnf, nodes", "surrogates", "50"))  # fmt: skip
    lines = front_of(tmp_path, tmp_path)["points"]().splitlines()
    assert [line.split(".**")[0] for line in lines] == [
        "- **Proven", "- **Large tables", "- **Ready for work", "- **Explains other models",
    ]  # fmt: skip
    assert "in 1 of 2 cases, in 0.7 seconds" in lines[0]
    assert "20 million rows on disk in 102 seconds with 1.3 GB" in lines[1]
    assert "takes 0.9 seconds for a million rows" in lines[2]
    assert "on 93 to 95 % of the rows held out" in lines[3]


def test_ours_beside_some_others(add, tmp_path):
    two_data_sets(add)
    assert front_of(tmp_path, tmp_path)["beside"]().splitlines()[2:] == [
        "|  | accuracy | conditions | seconds |",
        "| --- | --- | --- | --- |",
        "| **imli, `RuleClassifier`** | 89.5 % | 5 | 1 |",
        "| RIPPER (Weka) | 87.6 % | 5 | 3 |",
    ]
