"""Messy files: one clean table in the many ways in which people write tables."""

import bz2
import csv
import gzip
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

N_ROWS = 300
NUMBERS = ("age", "income", "rate", "balance")
KINDS = {
    "age": "number", "income": "number", "rate": "number", "balance": "number", "signed": "date", "smoker": "flag",
    "city": "text",
}  # fmt: skip
TARGET = "late"
_MESES = ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
          "noviembre", "diciembre")  # fmt: skip
_CITIES = ("Köln", "Aachen", "Zürich", "Málaga", "Bonn")

Table = dict[str, list[Any]]
Writer = Callable[[Any], str]


def clean_table() -> Table:
    """Return the clean table: columns of Python values, None where a cell is missing."""
    rng = np.random.default_rng(5)
    age = rng.integers(18, 90, N_ROWS).tolist()
    income = np.round(rng.gamma(4, 9000, N_ROWS), 2).tolist()
    rate = np.round(rng.uniform(0, 60, N_ROWS), 1).tolist()
    balance = np.round(rng.normal(0, 4000, N_ROWS), 2).tolist()
    signed = [datetime(2015, 1, 1) + timedelta(days=int(days)) for days in rng.integers(0, 3000, N_ROWS)]
    smoker = (rng.random(N_ROWS) < 0.4).tolist()
    city = [_CITIES[code] for code in rng.integers(0, len(_CITIES), N_ROWS)]
    late = [
        "late" if (money <= 30_000 and old <= 60) or owed < -5_000 else "in time"
        for money, old, owed in zip(income, age, balance, strict=True)
    ]
    for column, share in ((rate, 0.05), (city, 0.04)):
        for row in np.flatnonzero(rng.random(N_ROWS) < share):
            column[row] = None
    return {"age": age, "income": income, "rate": rate, "balance": balance, "signed": signed, "smoker": smoker,
            "city": city, TARGET: late}  # fmt: skip


def plain(value: Any) -> str:
    """Return a cell as programs write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.strftime("%Y-%m-%d") if isinstance(value, datetime) else str(value)


def number(decimal: str = ".", thousands: str = "", places: int | None = 2, around: str = "{}") -> Writer:
    """Return a writer of numbers with these signs, in a text around each."""

    def write(value: Any) -> str:
        if value is None:
            return ""
        text = f"{value:,}" if places is None or isinstance(value, int) else f"{value:,.{places}f}"
        text = text.replace(",", "\0").replace(".", decimal).replace("\0", thousands)
        return "-" + around.format(text[1:]) if text[0] == "-" else around.format(text)

    return write


def date(form: str) -> Writer:
    """Return a writer of dates in a format; a minus sign leaves leading zeros out."""

    def write(value: Any) -> str:
        text = value.strftime(form.replace("%-d", "{d}").replace("%-m", "{m}"))
        return text.format(d=value.day, m=value.month)

    return write


def words(true: str, false: str) -> Writer:
    """Return a writer of flags as words."""
    return lambda value: true if value else false


def missing(text: str, write: Writer = plain) -> Writer:
    """Return a writer that has a text for missing cells."""
    return lambda value: text if value is None else write(value)


@dataclass(frozen=True)
class Messy:
    """A messy file: how its cells are written; a finding names the columns that are not read as in the clean one."""

    name: str
    writers: dict[str, Writer] = field(default_factory=dict)
    delimiter: str = ","
    encoding: str = "utf-8"
    ending: str = "csv"
    line_end: str = "\n"
    quoting: Any = csv.QUOTE_MINIMAL
    above: str = ""
    change: Callable[[Table], Table] = lambda table: table
    finish: Callable[[str], str] = lambda text: text
    pack: Callable[[bytes], bytes] = lambda content: content
    told: tuple[str, ...] = ()  # columns that are read as another kind, which a finding names

    def write(self, folder: Path) -> Path:
        """Write the file into a folder and return its path."""
        path = folder / f"{self.name.replace(' ', '_')}.{self.ending}"
        table = self.change(clean_table())
        if self.ending == "xlsx":
            _write_sheet(path, table)
            return path
        if self.ending in ("feather", "arrow", "parquet"):
            _write_arrow(path, table)
            return path
        stream = io.StringIO(newline="")
        lines = csv.writer(stream, delimiter=self.delimiter, lineterminator=self.line_end, quoting=self.quoting)
        lines.writerow(table)
        columns = [[self.writers.get(name, plain)(value) for value in cells] for name, cells in table.items()]
        lines.writerows(zip(*columns, strict=True))
        content = (self.above + self.finish(stream.getvalue())).encode(self.encoding)
        content = self.pack(content)
        packed = {"csv.gz": gzip.compress, "csv.bz2": bz2.compress, "csv.zst": _zstd}.get(self.ending)
        path.write_bytes(packed(content) if packed else content)
        return path


def _zstd(content: bytes) -> bytes:
    import pyarrow as pa

    return pa.compress(content, codec="zstd", asbytes=True)


def _write_sheet(path: Path, table: Table) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy"}) as book:
        sheet = book.add_worksheet("people")
        for place, (name, cells) in enumerate(table.items()):
            sheet.write(0, place, name)
            for row, cell in enumerate(cells, start=1):
                if cell is not None:
                    sheet.write(row, place, cell)


def _write_arrow(path: Path, table: Table) -> None:
    import pyarrow as pa
    from pyarrow import feather, parquet

    found = pa.table(table)
    parquet.write_table(found, path) if path.suffix == ".parquet" else feather.write_feather(found, path)


def _every(writer: Writer, *names: str) -> dict[str, Writer]:
    return dict.fromkeys(names or NUMBERS, writer)


def _with(**columns: Callable[[int], Any]) -> Callable[[Table], Table]:
    """Return a change that adds columns, whose cells are made of the number of the row, before the target."""

    def change(table: Table) -> Table:
        found = {name: [cell(row) for row in range(N_ROWS)] for name, cell in columns.items()}
        labels = table.pop(TARGET)
        return {**table, **found, TARGET: labels}

    return change


def _lines(change: Callable[[int, str], str]) -> Callable[[str], str]:
    """Return a change of the lines of a file, of which the first is the header."""
    return lambda text: "\n".join(change(number, line) for number, line in enumerate(text.splitlines())) + "\n"


def _zip(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("people.csv", content)
        packed.writestr("__MACOSX/._people.csv", b"\0")
    return stream.getvalue()


def _spoilt(name: str, every: int, text: str) -> Callable[[Table], Table]:
    """Return a change that writes a text into some cells."""

    def change(table: Table) -> Table:
        table[name] = [text if row % every == 3 else cell for row, cell in enumerate(table[name])]
        return table

    return change


_EURO = {**_every(number(",")), "signed": date("%d.%m.%Y")}

MESSY = (
    Messy("clean"),
    Messy("semicolons", delimiter=";"),
    Messy("tabs", delimiter="\t", ending="tsv"),
    Messy("pipes", delimiter="|"),
    Messy("all quoted", quoting=csv.QUOTE_ALL),
    Messy("windows lines", line_end="\r\n"),
    Messy("byte order mark", encoding="utf-8-sig"),
    Messy("utf 16", encoding="utf-16"),
    Messy("latin 1", encoding="latin-1"),
    Messy("decimal commas", _every(number(",")), delimiter=";"),
    Messy("quoted decimal commas", _every(number(","))),
    Messy("german thousands", _every(number(",", ".")), delimiter=";"),
    Messy("english thousands", _every(number(".", ","))),
    Messy("swiss thousands", _every(number(".", "'")), delimiter=";"),
    Messy("french thousands", _every(number(",", "\u202f")), delimiter=";"),
    Messy("spaces between thousands", _every(number(".", " "))),
    Messy("german", _EURO, delimiter=";", encoding="cp1252"),
    Messy("dollars", {"income": number(".", ",", around="${}"), "balance": number(".", ",", around="${}")}),
    Messy("euros behind", {**_every(number(",", ".", around="{} €"), "income", "balance"), "rate": number(",")},
          delimiter=";"),
    Messy("codes of currencies", _every(number(".", ",", around="USD {}"), "income", "balance")),
    Messy("percent", {"rate": number(places=1, around="{}%")}),
    Messy("percent with space", {"rate": number(",", places=1, around="{} %")}, delimiter=";"),
    Messy("brackets", {"balance": lambda value: f"({-value:,.2f})" if value < 0 else f"{value:,.2f}"}),
    Messy("minus behind", {"balance": lambda value: f"{-value}-" if value < 0 else str(value)}),
    Messy("printed minus", {"balance": lambda value: str(value).replace("-", "\u2212")}),
    Messy("units", {"age": number(around="{} years")}),
    Messy("german dates", {"signed": date("%d.%m.%Y")}),
    Messy("short german dates", {"signed": date("%-d.%-m.%Y")}),
    Messy("american dates", {"signed": date("%m/%d/%Y")}),
    Messy("british dates", {"signed": date("%d/%m/%Y")}),
    Messy("moments", {"signed": date("%Y-%m-%dT%H:%M:%S")}),
    Messy("moments in utc", {"signed": date("%Y-%m-%dT%H:%M:%SZ")}),
    Messy("moments with offset", {"signed": date("%Y-%m-%d %H:%M:%S+00:00")}),
    Messy("dates in words", {"signed": date("%d %b %Y")}),
    Messy("dates in american words", {"signed": date("%B %-d, %Y")}),
    Messy("german moments", {"signed": date("%d.%m.%Y %H:%M")}),
    Messy("american moments", {"signed": date("%m/%d/%Y %I:%M %p")}),
    Messy("days without signs", {"signed": date("%Y%m%d")}),
    Messy("short years", {"signed": date("%d.%m.%y")}),
    Messy("yes and no", {"smoker": words("yes", "no")}),
    Messy("Y and N", {"smoker": words("Y", "N")}),
    Messy("t and f", {"smoker": words("t", "f")}),
    Messy("ja und nein", {"smoker": words("Ja", "Nein")}),
    *(Messy(f"missing as {name}", _every(missing(text), "rate", "city")) for name, text in {
        "question mark": "?", "n a": "n/a", "N A": "N/A", "hyphen": "-", "hyphens": "--", "point": ".",
        "hash": "#N/A", "null": "NULL", "nan": "NaN", "space": " ", "None": "None"}.items()),
    Messy("missing as unknown", {"rate": missing("unknown")}),
    Messy("missing as words", {"rate": missing("not available")}),
    Messy("odd cells", change=_spoilt("income", 60, "ask Bob"), told=("income",)),
    Messy("mixed types", change=_spoilt("income", 6, "ask Bob"), told=("income",)),
    Messy("zip codes", change=_with(zip=lambda row: f"{row * 37 % 99_999:05}")),
    Messy("an identifier", change=_with(applicant_id=lambda row: 103_000 + row)),
    Messy("a constant", change=_with(country=lambda row: "DE")),
    Messy("an empty column", change=_with(notes=lambda row: None)),
    Messy("free text", change=_with(remark=lambda row: f"The customer called {row} times, and then; again.")),
    Messy("a leak", change=lambda table: {**table, "letter": [label[:2] for label in table[TARGET]]}),
    Messy("a duplicate", change=lambda table: {"age": table["age"], "age again": table["age"], **table}),
    Messy("300 columns", change=_with(**{f"x{n}": (lambda row, n=n: row * n % 17) for n in range(292)})),
    Messy("a name for rows", change=lambda table: {"": list(range(N_ROWS)), **table}),
    Messy("names with spaces", finish=lambda text: text.replace("age,income", " age , income ", 1)),
    Messy("trailing delimiters", finish=_lines(lambda n, line: f"{line},")),
    Messy("comments between", finish=_lines(lambda n, line: line if n % 50 else f"{line}\n# a comment, here")),
    Messy("a footer", finish=lambda text: f"{text}\nSource: the bank\n"),
    Messy("lines of spaces", finish=_lines(lambda n, line: line if n % 40 else f"{line}\n   ")),
    Messy("units below the header", finish=_lines(lambda n, line: line if n else f"{line}\nyears,EUR,%,EUR,day,,,")),
    Messy("a row of sums", finish=lambda text: f"{text}Total,9999999,,,,,,\n"),
    Messy("a repeated header", finish=lambda text: f"{text}{text.partition(',late')[0]},\n"),
    Messy("repeated names", change=lambda table: {"age ": table["age"], **table},
          finish=lambda text: text.replace("age ", "age", 1)),
    Messy("single quotation marks", finish=_lines(lambda n, line: ",".join(f"'{cell}'" for cell in line.split(",")))),
    Messy("spaces before quotation marks",
          finish=_lines(lambda n, line: ", ".join(f'"{cell}"' for cell in line.split(",")))),
    Messy("apostrophes of spreadsheets", _every(lambda value: "" if value is None else f"'{value}")),
    Messy("formulas of spreadsheets", _every(lambda value: "" if value is None else f'="{value}"')),
    Messy("hard spaces", _every(lambda value: f"\u00a0{plain(value)}\u00a0", *KINDS)),
    Messy("scientific", _every(lambda value: f"{value:.8E}", "income", "balance")),
    Messy("two ways to write numbers", {"income": lambda value: number("." if value > 30_000 else ",")(value)},
          delimiter=";", told=("income",)),
    Messy("two ways to write dates", {"signed": lambda value: date("%d.%m.%Y" if value.day % 2 else "%m/%d/%Y")(value)},
          told=("signed",)),
    Messy("two units", {"rate": lambda value: "" if value is None else f"{value} kg" if value < 30 else f"{value} lb"},
          told=("rate",)),
    Messy("numbers with marks", {"age": number(around="~{}")}, told=("age",)),
    Messy("spanish dates", {"signed": lambda value: f"{value.day} de {_MESES[value.month - 1]} de {value.year}"}),
    Messy("dates as C writes them", {"signed": date("%a %b %d %H:%M:%S %Y")}, told=("signed",)),
    Messy("short years first", {"signed": date("%y-%m-%d")}),
    Messy("dates without a day", {"signed": lambda value: plain(value) if value.day > 1 else "0000-00-00"},
          told=("signed",)),
    Messy("seconds since 1970", {"signed": lambda value: str(int((value - datetime(1970, 1, 1)).total_seconds()))},
          told=("signed",)),
    Messy("carets", delimiter="^"),
    Messy("old mac lines", line_end="\r"),
    Messy("packed with zip", ending="zip", pack=_zip),
    Messy("lines above", above="Report of the bank\nmade in 2023\n\n"),
    Messy("a separator line", delimiter=";", above="sep=;\n"),
    Messy("spaces around", {name: lambda value: f" {plain(value)} " for name in KINDS}),
    Messy("packed with gzip", ending="csv.gz"),
    Messy("packed with bzip2", ending="csv.bz2"),
    Messy("packed with zstd", ending="csv.zst"),
    Messy("excel", ending="xlsx"),
    Messy("feather", ending="feather"),
    Messy("arrow", ending="arrow"),
    Messy("parquet", ending="parquet"),
)  # fmt: skip


def write_customers(path: Path, n_rows: int = 400, seed: int = 1, is_new: bool = False) -> Path:
    """Write what a shop exports: customers who stay or leave, with most of what goes wrong in such files."""
    rng = np.random.default_rng(seed)
    age, since = rng.integers(18, 80, n_rows), rng.integers(0, 2500, n_rows)
    spent, rate = np.round(rng.gamma(3, 600, n_rows), 2), np.round(rng.uniform(0, 40, n_rows), 1)
    leaves = ((rate > 25) & (spent < 2000) | (since > 2200)) ^ (rng.random(n_rows) < 0.05)
    euros = number(",", ".", around="{} €")
    lines = ["Customers of the shop", "exported 01.03.2024", ""] if not is_new else []
    names = ["customer no", "age", "since", "spent", "returned", "newsletter", "country", "refund", "remark"]
    lines.append(";".join([*names, *([] if is_new else ["leaves"])]))
    for row in range(n_rows):
        day = datetime(2016, 1, 1) + timedelta(days=int(since[row]))
        cells = [
            str(40_000 + row + 1000 * is_new), "k.A." if row % 29 == 3 else str(age[row]), day.strftime("%d.%m.%Y"),
            euros(float(spent[row] * (100 if is_new else 1))), f"{rate[row]} %".replace(".", ","),
            "ja" if row % 3 else "nein", "DE", "9,99 €" if leaves[row] and not is_new else "",
            f'"called {row % 7} times; said that order {row} was late"',
        ]  # fmt: skip
        lines.append(";".join([*cells, *([] if is_new else ["yes" if leaves[row] else "no"])]))
    path.write_text("\n".join(lines) + "\n", encoding="cp1252")
    return path
