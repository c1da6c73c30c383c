"""Files as people have them: each is read as the clean table, or a finding names the column."""

import pytest
from support.messy import KINDS, MESSY, TARGET, clean_table

from imli import DNFClassifier
from imli.cli.data import open_table
from imli.learning.inspection import inspect_source
from imli.table.csv_source import CsvFormat
from imli.table.readings import Reading
from imli.table.sources import open_files

BY_NAME = {messy.name: messy for messy in MESSY}
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in ("The rule is constant", ".* is text, though", ".* looks like an")
]


def open_messy(messy, folder, is_lenient=True, **form):
    if messy.ending == "xlsx":
        pytest.importorskip("xlsxwriter")
        pytest.importorskip("python_calamine")
    return open_files([messy.write(folder)], form=CsvFormat(is_lenient=is_lenient, **form)).labelled(TARGET)


def odd_columns(frame):
    """Return the columns that are not as in the clean table."""
    clean = clean_table()
    return {
        name
        for name, kind in {**KINDS, TARGET: "text"}.items()
        if frame[name].kind != kind or frame[name].cells().tolist() != clean[name]
    }


@pytest.mark.parametrize("name", BY_NAME)
def test_a_messy_file_is_read_as_the_clean_table_or_a_finding_names_the_column(name, tmp_path):
    messy = BY_NAME[name]
    source = open_messy(messy, tmp_path)
    frame = source.frame()
    odd = odd_columns(frame.take(~frame[TARGET].missing))
    assert odd == set(messy.told)
    found = inspect_source(source, TARGET).findings
    assert odd <= {column for finding in found for column in finding.columns if finding.kind != "personal"}


def learn(source):
    frame = source.frame()
    frame = frame.take(~frame[TARGET].missing)
    columns = [column for column in KINDS if column in frame.names]
    classifier = DNFClassifier(n_clauses=3, lam=2, effort=0.01, random_state=0)
    return str(classifier.fit(frame.select(columns), frame[TARGET]).rule_)


FEW = ("german", "euros behind", "american moments", "missing as hyphen", "excel")


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in BY_NAME if name != "clean"]
)
def test_the_rule_is_that_of_the_clean_table(name, tmp_path):
    messy = BY_NAME[name]
    source = open_messy(messy, tmp_path)
    rule = learn(source)
    assert rule == learn(open_messy(BY_NAME["clean"], tmp_path)) or messy.told


@pytest.mark.parametrize("name", ["german thousands", "american dates", "percent with space", "ja und nein", "excel"])
def test_another_file_is_read_by_its_own_cells_with_what_is_remembered(name, tmp_path):
    readings = open_messy(BY_NAME["clean"], tmp_path)
    readings.frame()
    remembered = {name: Reading(reading.kind) for name, reading in readings.readings.items()}
    assert not odd_columns(open_messy(BY_NAME[name], tmp_path, remembered=remembered).frame())


@pytest.mark.parametrize(
    ("cells", "kind", "values", "said"),
    [
        (["1,5", "2,25"] * 20, "number", [1.5, 2.25],
         "'c' is read as numbers: '2,25' is 2.25. If that is wrong, add --decimal, --thousands or --type c=text."),
        (["1.234", "12"] * 20, "number", [1234, 12],
         None),
        (["1.234", "1200"] * 20, "number", [1.234, 1200], None),
        (["1,234", "2,345"], "number", [1234, 2345],
         "'c' is read as numbers: '1,234' is taken as 1234, and may be 1.234. Add --decimal , if it is."),
        (["(12)", "−3", "4-", "+5"], "number", [-12, -3, -4, 5],
         "'c' is read as numbers: '(12)' is -12. If that is wrong, add --decimal, --thousands or --type c=text."),
        (["12%", "7 %"], "number", [12, 7],
         "'c' is read as numbers: '7 %' is 7. If that is wrong, add --decimal, --thousands or --type c=text."),
        (["€ 1.234", "€ 2.345"], "number", [1234, 2345],
         "'c' is read as numbers: '€ 1.234' is 1234. If that is wrong, add --decimal, --thousands or --type c=text."),
        (["1,5", "2.5"], "text", ["1,5", "2.5"],
         "'c' is read as text, since its numbers are written in two ways: '2.5' and '1,5'. Write them in one way."),
        ([f"2023-01-{day:02}" for day in range(1, 32)] + ["2023-02-30"], "date", ["2023-01-01"],
         "'c' is read as dates; 1 cell '2023-02-30' is taken as missing. Add --type c=text to keep them."),
        (["16-04-22", "17-04-23", "16-04-24"], "date", ["2016-04-22", "2017-04-23"],
         "'c' is read as dates with the year first, as in '16-04-22', but no cell tells year from day. Add "
         "--date-format %d-%m-%y if the day is first."),
        (["01.02.45", "16.11.01"], "date", ["2045-02-01", "2001-11-16"],
         "'c' is read as dates with years of two digits, of which 00 to 68 are those from 2000 on: '01.02.45' is "
         "2045-02-01. Write years with four digits."),
        (["'01234", "'98765"], "text", ["01234", "98765"],
         "'c' is read as text: codes such as '01234' begin with 0. Add --type c=number if they are numbers."),
        (["2023-04-05 10:00 CEST"], "date", ["2023-04-05"],
         "'c' is read as dates in UTC: '2023-04-05 10:00 CEST' is 2023-04-05 08:00. If that is wrong, add "
         "--date-format or --type c=text."),
        (["$5", "€7"], "text", ["$5", "€7"],
         "'c' is read as text, since the numbers have different units: '$' and '€'. Write them in one unit, or, to "
         "leave the most frequent one out, add --type c=number."),
        (["1", "2", "unknown"], "number", [1, 2, None],
         "'c' is read as numbers; 1 cell 'unknown' is taken as missing. Add --type c=text to keep them."),
        ([str(n) for n in range(40)] + ["4O"], "number", [0, 1],
         "'c' is read as numbers; 1 cell '4O' is taken as missing. Add --type c=text to keep them."),
        (["1", "2", "3", "abc"], "text", ["1", "2"],
         "'c' is read as text: 75 % of the cells are numbers, but others are not, such as 1 cell 'abc'. Correct them, "
         "or add --missing abc if that is missing."),
        (["unknown", "low", "high"], "text", ["unknown", "low"], None),
        (["+", "-"] * 3, "text", ["+", "-"], None),
        (["low", "high", "-"], "text", ["low", "high", None],
         "1 cell '-' is taken as missing, in 'c'. Add --missing NA to keep them as they are."),
        (["01234", "98765"], "text", ["01234", "98765"],
         "'c' is read as text: codes such as '01234' begin with 0. Add --type c=number if they are numbers."),
        (["03/04/2023", "05/06/2023"], "date", ["2023-03-04", "2023-05-06"],
         "'c' is read as dates with the month first, as in '03/04/2023', but no cell tells day from month. Add "
         "--date-format %d/%m/%Y if the day is first."),
        (["10:30", "11:45"], "text", ["10:30", "11:45"],
         "'c' is read as text: times of day such as '10:30' are neither numbers nor dates. Write them as numbers, such "
         "as hours."),
        (["yes", "no"], "flag", [True, False],
         "'c' is read as true or false: 'yes' is true. Add --type c=text to keep the words."),
        (["yes", "no", "maybe"], "text", ["yes", "no"], None),
    ],
)  # fmt: skip
def test_what_a_column_is_read_as_is_said(cells, kind, values, said, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("c,d\n" + "".join(f'"{cell}",x\n' for cell in cells))
    source = open_table(str(path), CsvFormat())
    column = source.frame()["c"]
    found = [str(cell)[:10] if kind == "date" else cell for cell in column.cells().tolist()]
    assert (column.kind, found[: len(values)]) == (kind, values)
    if said is None:
        assert not any("may be" in str(finding) or finding.grade == "serious" for finding in source.findings)
    else:
        assert said in map(str, source.findings)


def test_what_was_said_wins(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("c;d;e\n1.234;03/04/2023;-999\n2.345;05/06/2023;7\n")

    def read(**form):
        frame = open_table(str(path), CsvFormat(**form)).frame()
        return [column.cells().tolist()[0] for column in frame.columns.values()]

    assert [str(cell)[:10] for cell in read()] == ["1234", "2023-04-03", "-999"]
    assert read(decimal=".")[0] == 1.234
    assert read(thousands=".")[0] == 1234
    assert str(read(date_formats={"d": "%m/%d/%Y"})[1])[:10] == "2023-03-04"
    assert read(missing=("-999",))[2] is None
    assert read(kinds={"d": "text"})[1] == "03/04/2023"


def test_what_is_odd_about_rows_is_said(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{row},b{row}\n" for row in range(40))
    path.write_text(f"a,a\n{rows}1,2,3\na,a\nTotal,\n")

    def told():
        source = open_files([path], form=CsvFormat(is_lenient=True))
        source.frame()
        return [str(finding) for finding in source.findings]

    assert told() == [
        f"{str(path)!r} has 2 columns named 'a', here called 'a', 'a 2'. Rename all but one.",
        f"In {str(path)!r}, 1 row is left out, since it has not 2 cells as the header has: '1,2,3'. Correct what is "
        "wrong.",
        "A row may hold sums or means of the others: 'a' is 'Total' there. If so, remove it.",
        "'a' is read as numbers; 2 cells 'a', 'Total' are taken as missing. Add --type a=text to keep them.",
    ]
    path.write_text(f"a,b\n{rows}a,b\n")
    assert told() == [
        "The header is repeated in 1 row, where 'a' and 'b' are taken as missing. Remove these rows.",
    ]


def test_rows_that_are_to_be_decided_are_not_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 40 + "3\n")
    with pytest.raises(ValueError) as caught:
        open_files([path]).frame()
    assert str(caught.value) == f"{str(path)!r} has 1 cells in row 42, but 2 columns."
