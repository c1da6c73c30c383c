"""Spreadsheets as a source: the cells of a sheet have types, and text among them is read like that of CSV files."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from imli.errors import brief
from imli.table.csv_file import UTF_8, CsvFile, find_header
from imli.table.csv_source import CsvPart, CsvSource
from imli.table.findings import Finding
from imli.table.frame import ColumnKind
from imli.table.readings import Reading


class ExcelSource(CsvSource):
    """A sheet of a spreadsheet; numbers, dates and truth values keep their types where a column has nothing else."""

    def _open(self, contents: Sequence[Path | bytes]) -> list[CsvFile]:
        import pyarrow as pa

        (content,) = contents
        rows, more = _read_sheet(content, self.title, self._form.sheet)
        texts = [[_text(cell) or "" for cell in row] for row in rows]
        if not rows:
            raise ValueError(f"{self.title} is empty.")
        place, names, odd = find_header(self.title, texts[:_FIRST])
        below = [row for row in rows[place + 1 :] if any(cell != "" for cell in row)]
        if not below:
            raise ValueError(f"{self.title} has no rows under its header.")
        columns = [list(cells) for cells in zip(*(row[: len(names)] for row in below), strict=True)]
        for name, cells in zip(names, columns, strict=True):
            found = _reading(cells)
            said = self._form.kinds.get(name) or (
                self._form.remembered[name].kind if name in self._form.remembered else None
            )
            if found is not None and said in (None, found.kind):
                self._known[name] = found
        texts_of = [pa.array([_text(cell) for cell in cells], type=pa.string()) for cells in columns]
        self._cells = pa.RecordBatch.from_arrays(texts_of, names=list(names))
        self._n_rows = len(below)
        return [CsvFile(self.title, content, UTF_8, names, ",", place + 1, True, {}, findings=(*more, *odd))]

    @property
    def n_cells(self) -> int:
        """Return the number of rows times columns."""
        return self.n_rows * len(self.columns)

    def _parts(self, columns: Collection[str], as_they_are: bool = False) -> Iterator[CsvPart]:  # noqa: ARG002
        wanted = [name for name in self.columns if name in columns] or self.columns[:1]
        yield CsvPart(self._files[0], self._files[0].n_lines - 1, self._cells.select(wanted))


_FIRST = 200  # rows among which the header is found


def _read_sheet(content: Path | bytes, title: str, name: str | None) -> tuple[list[list[Any]], list[Finding]]:
    """Return the rows of a sheet, by default of the first."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise ImportError('Excel files need python-calamine. Install it with: pip install "imli[excel]".') from None
    try:
        with CalamineWorkbook.from_object(BytesIO(content) if isinstance(content, bytes) else str(content)) as book:
            sheets = book.sheet_names
            if name is not None and name not in sheets:
                raise ValueError(f"{title} has no sheet {brief(name)}. Name one of: {', '.join(sheets)}.")
            rows: list[list[Any]] = book.get_sheet_by_name(name or sheets[0]).to_python()
    except CalamineError as error:
        raise ValueError(f"{title} cannot be read as a spreadsheet: {error}.") from None
    if name is None and len(sheets) > 1:
        text = f"Of the {len(sheets)} sheets in {title}, the first is read, {sheets[0]!r}."
        return rows, [Finding("reading", (), text, f"Add --sheet {sheets[1]!r} for another.", "notable")]
    return rows, []


def _reading(cells: Sequence[Any]) -> Reading | None:
    """Return how cells that all have one type are read."""
    present = [cell for cell in cells if cell is not None and cell != ""]
    types = {type(cell) for cell in present}
    kinds: dict[ColumnKind, set[type]] = {"flag": {bool}, "number": {int, float}, "date": {date, datetime}}
    kind = next((kind for kind, among in kinds.items() if types and types <= among), None)
    is_whole = kind == "number" and all(float(cell).is_integer() and abs(cell) < 1e15 for cell in present)
    return None if kind is None else Reading(kind, is_whole)


def _text(cell: Any) -> str | None:
    """Return a cell as a CSV file would have it."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    return cell.isoformat(" ") if isinstance(cell, datetime) else str(cell)
