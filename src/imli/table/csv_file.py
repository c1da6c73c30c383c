"""One CSV file: how it is packed and encoded, what stands between its cells, and where its header is."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from imli.errors import brief, first_line
from imli.table.findings import Finding

UTF_8 = "utf-8-sig"
_WESTERN = "cp1252"
_DELIMITERS = ",\t;|^~"
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}  # by their first bytes
_START = 2**18  # characters that tell the delimiter
_BLOCK = 2**20
_MOST_ROWS = 200  # by which the delimiter is found
_FEW_LINES = 10  # that tell whether spaces stand before quotation marks
_MOST_ABOVE = 30  # lines above the header
_MOST = 0.9  # of the rows have as many cells as the header
# What stands beyond ASCII in languages of the West: letters, at most two in turn, and signs, which do not join letters.
_LETTERS = "äöüÄÖÜßéèêëÉÈÊàâáãåæçñóòôõøœúùûíìîïÁÀÂÃÅÆÇÑÓÒÔÕØŒÚÙÛÍÌÎÏ"
_SIGNS = "€£¥§©®°±²³µ¼½¾·«»‘’“”„–—…•™¢¡¿ªº\u00a0´¨×"
_EASTERN = re.compile(rf"[^\x00-\x7f{_LETTERS}{_SIGNS}]|[{_LETTERS}]{{3}}|\w[²³µ¼½¾±¢¡¿ªº§×¥£¨](?=[^\W\d_])")
_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


@dataclass(frozen=True)
class CsvFile:
    """A CSV file, or the content of one, whose header was read."""

    title: str
    content: Path | bytes
    encoding: str
    names: tuple[str, ...]
    delimiter: str
    n_lines: int  # of the header, and above it
    has_rows: bool
    hive: Mapping[str, str]  # columns that have one value, from the names of folders
    quote: str = '"'
    is_spaced: bool = False  # a space may stand between the delimiter and a quotation mark
    findings: tuple[Finding, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return (*self.names, *self.hive)

    @property
    def size(self) -> int:
        """Return the number of bytes, unpacked if they are packed; an estimate then."""
        size = len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size
        return size if packing_of(self.content) is None else 6 * size


def packing_of(content: Path | bytes) -> str | None:
    """Return how a file is packed, None if it is not."""
    if isinstance(content, bytes):
        start = content[:4]
    else:
        with content.open("rb") as stream:
            start = stream.read(4)
    return next((name for sign, name in _PACKED.items() if start.startswith(sign)), None)


def open_binary(content: Path | bytes) -> IO[bytes]:
    """Open the bytes of a file, unpacked."""
    stream: IO[bytes] = io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")
    packing = packing_of(content)
    if packing is None:
        return stream
    import pyarrow as pa

    unpacked: IO[bytes] = pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), packing)
    return unpacked


def open_text(content: Path | bytes, encoding: str) -> IO[str]:
    """Open the text of a file, with its line ends as they are."""
    stream = open_binary(content)
    try:
        return io.TextIOWrapper(stream, encoding=encoding, newline="")
    except LookupError:
        stream.close()
        raise ValueError(f"--encoding must be one that Python knows, such as latin-1. Got {encoding!r}.") from None


@contextmanager
def refusing_text(title: str, encoding: str) -> Iterator[None]:
    """Turn errors about text and cells in this block into sentences."""
    try:
        yield
    except UnicodeError:
        wanted = "UTF-8" if encoding == UTF_8 else encoding
        raise ValueError(f"{title} is not text in {wanted}. Save it as CSV in UTF-8, or name its --encoding.") from None
    except csv.Error as error:
        raise ValueError(f"{title} is not a CSV file: {error}.") from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(f"{title} cannot be unpacked: {first_line(error)}") from None


def read_header(title: str, content: Path | bytes, delimiter: str | None, encoding: str | None) -> CsvFile:
    """Return a CSV file with its encoding, delimiter and header, which are found out where they are not given."""
    findings = []
    if encoding is None:
        with refusing_text(title, UTF_8):
            encoding = _find_encoding(content)
        if encoding == _WESTERN:
            findings.append(Finding(
                "reading", (), f"{title} is not in UTF-8, and read as {_WESTERN}, the encoding of Western Europe.",
                "If words look odd, add --encoding and the name of another.", "notable"))  # fmt: skip
    with refusing_text(title, encoding), open_text(content, encoding) as text:
        start = text.read(_START)
        if _BINARY.search(start, 0, 4096):
            raise ValueError(f"{title} is not a table but binary data; imli reads CSV and Parquet files.")
        n_above = 0
        if said := re.match(r'"?sep=(.)"?\r?\n', start):  # as Excel writes it
            delimiter, n_above, start = delimiter or said[1], 1, start[said.end() :]
        delimiter = delimiter or _find_delimiter(start)
        quote = "'" if re.match(rf"'[^'\n]*'(?: *{re.escape(delimiter)} *'[^'\n]*')+\r?$", start, re.MULTILINE) else '"'
        is_spaced = _is_spaced(start, delimiter, quote)
        rows = list(islice(_numbered(start, delimiter, quote, is_spaced), _MOST_ROWS))
        if len(rows) < 2 and len(start) == _START:  # a row is longer than that
            rows = list(islice(_numbered(start + text.read(), delimiter, quote, is_spaced), 2))
    if not rows:
        raise ValueError(f"{title} is empty.")
    place, names, more = find_header(title, [row for _, row in rows])
    hive = hive_columns(content) if isinstance(content, Path) else {}
    return CsvFile(
        title, content, encoding, names, delimiter, n_above + rows[place][0], len(rows) > place + 1,
        {name: value for name, value in hive.items() if name not in names}, quote, is_spaced, (*findings, *more),
    )  # fmt: skip


def find_header(title: str, rows: Sequence[Sequence[str]]) -> tuple[int, tuple[str, ...], list[Finding]]:
    """Return the position of the header among the first rows, the names of the columns, and what is odd about them."""
    place = _find_first(rows)
    names, odd = _names(rows[place], rows[place + 1 :])
    if place:
        odd.append(f"{place} line{'s' if place > 1 else ''} above the header {'are' if place > 1 else 'is'} left out")
    names, repeated = _told_apart(names)
    findings = [
        Finding("reading", tuple(called), f"{title} has {len(called)} columns named {brief(name)}, here called "
                f"{', '.join(map(repr, called))}.", "Rename all but one.", "notable")
        for name, called in repeated.items()
    ]  # fmt: skip
    findings += [Finding("reading", (), f"In {title}, {'; '.join(odd)}.", "", "notable")] if odd else []
    return place, names, [*findings, *_headless(title, names, rows[place + 1 :])]


def _told_apart(names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """Return names of which each is once, and for those that were there several times what they are called."""
    n_named, taken = Counter(names), set(names)
    found: list[str] = []
    repeated: dict[str, list[str]] = {}
    for name in names:
        new = name
        if n_named[name] > 1:
            called = repeated.setdefault(name, [])
            number = len(called) + 1
            while called and new in taken:
                new = f"{name} {number}"
                number += 1
            called.append(new)
            taken.add(new)
        found.append(new)
    return tuple(found), repeated


def hive_columns(path: Path) -> dict[str, str]:
    """Return the columns that the names of folders say, as in ``year=2024``.

    >>> hive_columns(Path("sales/year=2024/land=de/1.csv"))
    {'year': '2024', 'land': 'de'}
    """
    pairs = (part.partition("=") for part in path.parent.parts)
    return {name: unquote(value) for name, sign, value in pairs if sign and name and value}


def _is_spaced(start: str, delimiter: str, quote: str) -> bool:
    """Return True if a space stands between a delimiter and a quotation mark, outside of quotation marks."""
    other = rf"[^{quote}\n]"
    spaced = re.compile(rf"(?:{other}|{quote}{other}*{quote})*?{re.escape(delimiter)} +{quote}{other}*{quote}\s*")
    return sum(spaced.match(line) is not None for line in start.split("\n")[:_FEW_LINES]) > _FEW_LINES // 2


def _numbered(text: str, delimiter: str, quote: str = '"', is_spaced: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line of each row, and its cells; empty lines are no rows."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote, skipinitialspace=is_spaced)
    for row in reader:
        if row:
            yield reader.line_num, row


def _find_encoding(content: Path | bytes) -> str:
    """Return UTF-8, UTF-16 or the encoding of Western Europe, by all bytes."""
    with open_binary(content) as stream:
        block = stream.read(_BLOCK)
        if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        if len(block) > 3 and 0 in block[:4]:  # every other byte of ASCII is zero
            halves = block[:200:2], block[1:200:2]
            for half, name in zip(halves, ("utf-16-be", "utf-16-le"), strict=True):
                if not any(half):
                    return name
        decoder, is_utf_8 = codecs.getincrementaldecoder("utf-8")(), True
        while block:
            if is_utf_8 and not (block.isascii() and not decoder.getstate()[0]):
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    is_utf_8 = False
            if not is_utf_8 and not _is_western(block):
                return UTF_8  # which is refused where it fails
            block = stream.read(_BLOCK)
    return UTF_8 if is_utf_8 else _WESTERN


def _is_western(block: bytes) -> bool:
    """Return True if bytes are words and signs as they occur in Western Europe."""
    if block.isascii():
        return True
    try:
        return _EASTERN.search(block.decode(_WESTERN)) is None
    except UnicodeDecodeError:
        return False


def _find_delimiter(start: str) -> str:
    """Return the sign that splits the rows into as many cells as the header, or most of them."""

    def judge(delimiter: str) -> tuple[bool, bool, float, int]:
        try:
            lengths = [len(row) for _, row in islice(_numbered(start, delimiter), _MOST_ROWS)]
        except csv.Error:
            lengths = []
        lengths = lengths[: max(2, len(lengths) - 1)]  # the last may be cut off
        usual, count = Counter(lengths).most_common(1)[0] if lengths else (1, 0)
        share = count / max(1, len(lengths))
        # a comma may stand between decimals, so it comes last of those that split all rows alike
        is_even = usual > 1 and lengths[0] == usual and share >= _MOST
        return is_even, is_even and delimiter != ",", share if usual > 1 else 0.0, usual

    if (best := max(_DELIMITERS, key=judge)) and judge(best)[2]:
        return best
    return max(_DELIMITERS, key=start.partition("\n")[0].count)


def _find_first(rows: Sequence[Sequence[str]]) -> int:
    """Return the position of the header: the first row with cells in it that has as many as most, or one less."""
    lengths = [len(row) for row in rows]
    usual, count = Counter(lengths).most_common(1)[0]
    like_a_header = (usual,) if usual <= 2 else (usual, usual - 1)
    for place, row in enumerate(rows[: _MOST_ABOVE + 1]):
        if len(row) in like_a_header and 2 * sum(map(bool, map(str.strip, row))) > usual:
            return place if count >= _MOST * (len(rows) - place - 1) and max(lengths[:place], default=0) <= usual else 0
    return 0


def _names(header: Sequence[str], below: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of all columns, and what is odd about them in words."""
    names, odd = [name.strip() for name in header], []
    if len(below) > 1 and {len(row) for row in below[:-1]} == {len(names) + 1}:  # the last may be cut off
        if not any(row[-1].strip() for row in below[:-1]):
            names.append("")
        elif len({row[0] for row in below}) == len(below):
            names.insert(0, "")
            odd.append("the first column has no name and is called 'column 1'")
    given = set(names)
    for place, name in enumerate(names):
        if not name:
            names[place] = next(new for n in range(place + 1, 10**6) if (new := f"column {n}") not in given)
            given.add(names[place])
    return tuple(names), odd


def _headless(title: str, names: Sequence[str], below: Sequence[Sequence[str]]) -> list[Finding]:
    """Return a finding if the names of columns look like cells."""
    numbers = [place for place, name in enumerate(names) if _NUMBER.fullmatch(name) and not _YEAR.fullmatch(name)]
    is_counted = [names[place] for place in numbers] in (
        [str(n + first) for n in range(len(numbers))] for first in (0, 1)
    )
    if not below or 2 * len(numbers) < len(names) or (is_counted and len(numbers) > 2):
        return []
    if not all(_NUMBER.fullmatch(cell.strip()) for place, cell in enumerate(below[0]) if place in numbers):
        return []
    text = f"{title} may have no header: its first row, {', '.join(names[:4])}, is taken as names."
    return [Finding("misread", tuple(names), text, "Add a row of names above it.", "serious")]


class Blocks:
    """The content of a file in UTF-8, in blocks that never end between the two signs of a line end.

    pyarrow would drop the second sign, also inside quotation marks.
    """

    closed = False

    def __init__(self, file: CsvFile) -> None:
        self._is_text = codecs.lookup(file.encoding).name not in ("utf-8", UTF_8)
        self._stream: IO[Any] = open_text(file.content, file.encoding) if self._is_text else open_binary(file.content)
        self._kept = b""
        self._end = re.compile(rb"\r\Z")
        if file.is_spaced:
            delimiter, quote = re.escape(file.delimiter).encode(), file.quote.encode()
            self._end = re.compile(rb"(?:\r|%b *)\Z" % delimiter)
            self._spaced: re.Pattern[bytes] | None = re.compile(rb"(?<=%b) +(?=%b)" % (delimiter, quote))
        else:
            self._spaced = None

    def read(self, size: int) -> bytes:
        """Return at most so many bytes, and none at the end of the file."""
        while True:
            wanted = max(1, size - len(self._kept))
            more: bytes = (
                self._stream.read(max(1, wanted // 4)).encode() if self._is_text else self._stream.read(wanted)
            )
            block = self._kept + more
            end = self._end.search(block) if more else None
            self._kept = b"" if end is None else end[0]
            block = block[: len(block) - len(self._kept)]
            if block or not more:
                return block if self._spaced is None else self._spaced.sub(b"", block)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
