"""Columns of text cells: what kinds of text a column has, and the cells as values of the kind that they are read as.

Cells come as arrays of strings of pyarrow. pyarrow converts those that it reads as Python does; of all others each
distinct text is looked at, by its shape. Nothing is made by ``pyarrow.array`` or ``pyarrow.scalar``, which import
pandas where it is installed, and that takes longer than to decide a small file.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from imli.table.dates import EARLIEST, LATEST
from imli.table.frame import AnyArray, BoolArray, Column, IntArray, with_gaps
from imli.table.readings import (
    CODE_ZERO,
    FLAGS,
    LONE_ZERO,
    Reading,
    date_shape,
    has_digits,
    is_infinite,
    number_shape,
    read_clock,
    read_day,
    read_formatted,
)

WHOLE, FRACTION, DAY = "0", "0.00", "0000-00-00"  # shapes that stand for all cells that pyarrow reads at once


def _signs(text: str) -> BoolArray:
    found = np.zeros(256, dtype=bool)
    found[list(text.encode())] = True
    return found


# The bytes and lengths of texts that pyarrow converts as Python does. pyarrow also knows nan, 0x1F, dates with an hour
# alone, and whole numbers that rules take as floats because of their many digits.
_SIGNS = {"whole": b"0123456789-", "number": b"0123456789+-.eE", "date": b"0123456789-: T."}
_DIGITS = _signs("0123456789")
_LENGTHS = {"whole": range(1, 19), "date": (10, 16, 19, *range(21, 27))}
_FEW = 100  # cells that show what most columns are not
_COMPACT = 8  # digits of a day such as 20231116
_SHAPE_OF = np.where(_DIGITS, ord("0"), np.arange(256)).astype(np.uint8)


class MisfitError(ValueError):
    """A cell that is not of the kind that its column was given."""

    def __init__(self, position: int, text: str) -> None:
        super().__init__(position, text)
        self.position, self.text = position, text


@dataclass(frozen=True)
class Texts:
    """The distinct texts among some cells, without space around, and the position of each cell's text, -1 for null."""

    texts: Any  # an array of strings of pyarrow
    codes: AnyArray

    @cached_property
    def counts(self) -> IntArray:
        """Return how many cells have each text."""
        codes: IntArray = self.codes.astype(np.int64)
        return np.bincount(codes[codes >= 0], minlength=len(self.texts))

    @cached_property
    def _encoded_shapes(self) -> Any:
        return _shapes_of(self.texts).dictionary_encode()

    @cached_property
    def shapes(self) -> list[str]:
        """Return the distinct shapes."""
        found: list[str] = self._encoded_shapes.dictionary.to_pylist()
        return found

    @cached_property
    def shape_codes(self) -> AnyArray:
        """Return the position of the shape of each text."""
        return _codes(self._encoded_shapes)

    def words(self, rows: AnyArray) -> list[str]:
        """Return the texts at these positions."""
        found: list[str] = _take(self.texts, rows).to_pylist()
        return found

    def first(self, most: int) -> "Texts":
        """Return the first of the texts, as those of as many cells."""
        return Texts(self.texts.slice(0, most), np.arange(min(most, len(self.texts))))

    def days_and_clocks(self) -> "list[tuple[str, AnyArray, Texts, Texts | None]]":
        """Return each shape of dates, the positions of its texts, their days, and their times of day if any."""
        import pyarrow.compute as pc

        found: list[tuple[str, AnyArray, Texts, Texts | None]] = []
        for number, shape in enumerate(self.shapes):
            date = date_shape(shape)
            if date is not None:
                rows = np.flatnonzero(self.shape_codes == number)
                among = _take(self.texts, rows)
                day, clock = (
                    None if start < 0 else distinct(pc.utf8_slice_codeunits(among, start, end))
                    for start, end in (date.day, date.clock)
                )
                assert day is not None
                found.append((shape, rows, day, clock))
        return found


def distinct(cells: Any) -> Texts:
    """Return the distinct texts of an array of cells."""
    encoded = _trimmed(cells).dictionary_encode()
    return Texts(encoded.dictionary, _codes(encoded))


def _trimmed(cells: Any) -> Any:
    """Return the cells without space around, and without the signs by which spreadsheets keep numbers as text."""
    import pyarrow.compute as pc

    if _has_space_around(cells):
        cells = pc.utf8_trim_whitespace(cells)
    content, ends = _bytes_of(cells)
    firsts = content[ends[:-1][ends[1:] > ends[:-1]]]
    if ((firsts == ord("'")) | (firsts == ord("="))).any():  # '01234 and ="01234"
        return pc.replace_substring_regex(cells, pattern='^(?:\'|="?)([-+]?[0-9.,$€£][^\'"]*)"?$', replacement=r"\1")
    return cells


def _shapes_of(texts: Any) -> Any:
    """Return the shape of each text, with 0 for its digits, and signs of their own for zeros that tell more."""
    import pyarrow as pa

    content, ends = _bytes_of(texts)
    starts = np.zeros(len(content) + 1, dtype=bool)
    starts[ends] = True
    is_digit = np.append(_DIGITS[content], False)
    zeros = np.flatnonzero(content == ord("0"))
    is_first = starts[zeros] | ~is_digit[zeros - 1]
    zeros = zeros[is_first & ~starts[zeros + 1]]
    follows = content[zeros + 1]
    shaped = _SHAPE_OF[content]
    shaped[zeros[(follows == ord(".")) | (follows == ord(","))]] = ord(LONE_ZERO)
    shaped[zeros[starts[zeros] & _DIGITS[follows]]] = ord(CODE_ZERO)
    return pa.Array.from_buffers(texts.type, len(texts), [None, pa.py_buffer(ends), pa.py_buffer(shaped)])


def count_empty(cells: Any) -> int:
    """Return the number of cells without any sign."""
    ends = _bytes_of(cells)[1]
    return int((ends[1:] == ends[:-1]).sum())  # a null has no sign


def without(cells: Any, texts: Sequence[str]) -> Any:
    """Return the cells with null where they have one of these texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for text in texts:
        found = pc.equal(pc.utf8_trim_whitespace(cells), text)
        cells = pc.if_else(found, pa.scalar(None, cells.type), cells)
    return cells


def read_plain(cells: Any) -> tuple[str, Any] | None:
    """Return cells as pyarrow reads them, and one shape for all, or None where each text is to be looked at."""
    cells = _without_empty(cells)
    content, ends = _bytes_of(cells)
    lengths = np.diff(ends)
    starts = ends[:-1][lengths > 1]
    if ((content[starts] == ord("0")) & _DIGITS[content[starts + 1]]).any():
        return None  # codes such as 01234
    cast = _cast(cells, "whole")
    if cast is not None:
        longest = int(lengths.max(initial=0))
        return None if longest == _COMPACT and int(lengths[lengths > 0].min()) == _COMPACT else (WHOLE, cast)
    cast = _cast(cells, "number")
    if cast is not None:
        return None if _are_thousands(content[ends[0] : ends[-1]], ends - ends[0]) else (FRACTION, cast)
    cast = _cast(cells, "date")
    return None if cast is None else (DAY, cast)


def _are_thousands(content: npt.NDArray[np.uint8], ends: npt.NDArray[np.int32]) -> bool:
    """Return True if three signs follow each point, as in 1.234, which may be more than a thousand."""
    points = np.flatnonzero(content == ord("."))
    for some in (points[:100], points):
        behind = ends[np.searchsorted(ends, some, side="right")] - some - 1
        if not len(some) or (behind != 3).any():
            return False
    return True


def read_cells(
    name: str, chunks: Sequence[Any], reading: Reading, missing: Collection[str], known: Sequence[Any] = ()
) -> Column:
    """Return a column of some arrays of cells, of which some may be ``known`` as pyarrow has read them."""
    numeric = sorted(filter(has_digits, {*missing, *reading.missing}))
    chunks = [without(cells, numeric) for cells in chunks]
    if reading.kind == "text":
        return _read_text(name, chunks, {*missing, *reading.missing})
    n_before, parts = 0, []
    for cells, plain in zip(chunks, known or [None] * len(chunks), strict=True):
        try:
            parts.append(_read_values(cells, reading, missing, plain))
        except MisfitError as odd:
            raise MisfitError(n_before + odd.position, odd.text) from None
        n_before += len(cells)
    values = np.concatenate([values for values, _ in parts])
    gone = np.concatenate([gone for _, gone in parts])
    if reading.kind == "number" and gone.any() and values.dtype == np.int64:
        values = with_gaps(values, gone)
    values[gone] = np.nan if values.dtype == np.float64 else 0
    return Column(name, reading.kind, values, gone)


def _read_values(
    cells: Any, reading: Reading, missing: Collection[str], known: Any = None
) -> tuple[AnyArray, BoolArray]:
    """Return the value of each cell, and which are missing."""
    kind = "whole" if reading.is_whole and reading.kind == "number" else reading.kind
    if kind in _SIGNS and (kind != "number" or reading.decimal == ".") and "%" not in reading.order:
        cast = known if _is_of(known, kind) else _cast(_without_empty(cells), kind)
        if cast is not None:
            return _values_of(cast, np.float64 if kind == "number" else np.int64), _nulls(cast)
    texts = distinct(cells)
    values, is_read = _VALUES[reading.kind](texts, reading)
    gone = [text in missing or text in reading.missing for text in texts.words(np.flatnonzero(~is_read))]
    is_gone = np.zeros(len(is_read), dtype=bool)
    is_gone[~is_read] = gone
    if reading.is_strict and not (is_read | is_gone).all():
        odd = np.flatnonzero(~(is_read | is_gone))
        position = int(np.isin(texts.codes, odd).argmax())
        raise MisfitError(position, texts.words(texts.codes[position : position + 1])[0])
    return np.append(values, values.dtype.type(0))[texts.codes], np.append(~is_read, True)[texts.codes]


def _numbers(texts: Texts, reading: Reading) -> tuple[AnyArray, BoolArray]:
    """Return the number of each text, and which have one."""
    shapes = [number_shape(shape) for shape in texts.shapes]
    fits = [each is not None and reading.format in each.formats and each.unit in ("", reading.unit) for each in shapes]
    known = [each if fit else None for each, fit in zip(shapes, fits, strict=True)]
    codes = texts.shape_codes
    starts, ends = (
        np.array([0 if each is None else getattr(each, end) for each in known], dtype=np.int32)[codes]
        for end in ("start", "end")
    )
    cleaned = _within(texts.texts, starts, ends, reading.decimal)
    values = _values_of_numbers(cleaned, reading.is_whole)
    values[np.array([each is not None and each.is_negative for each in known], dtype=bool)[codes]] *= -1
    is_read = np.array(fits, dtype=bool)[codes]
    infinite = np.array([is_infinite(shape) for shape in texts.shapes], dtype=bool)[codes]
    if infinite.any():
        values[infinite] = [float(text) for text in texts.words(np.flatnonzero(infinite))]
    return values, is_read | infinite


def _within(texts: Any, starts: AnyArray, ends: AnyArray, decimal: str) -> Any:
    """Return the digits of each text between two of its bytes, with a decimal point; 0 where there are none."""
    import pyarrow as pa

    content, edges = _bytes_of(texts)
    content, edges = content[edges[0] : edges[-1]], edges - edges[0]
    lengths = np.diff(edges)
    row = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    place = np.arange(len(content), dtype=np.int32) - np.repeat(edges[:-1], lengths)
    keep = _signs("0123456789eE+-" + decimal)[content] & (place >= starts[row]) & (place < ends[row])
    kept, sizes = content[keep], np.bincount(row[keep], minlength=len(lengths))
    if decimal != ".":
        kept = np.where(kept == ord(decimal), ord("."), kept).astype(np.uint8)
    kept = np.insert(kept, np.cumsum(sizes)[sizes == 0], ord("0"))
    offsets = np.concatenate([[0], np.cumsum(np.maximum(sizes, 1))]).astype(np.int32)
    return pa.Array.from_buffers(pa.string(), len(lengths), [None, pa.py_buffer(offsets), pa.py_buffer(kept)])


def _values_of_numbers(cleaned: Any, is_whole: bool) -> AnyArray:
    import pyarrow as pa

    try:
        cast = cleaned.cast(pa.int64() if is_whole else pa.float64())
    except pa.ArrowInvalid:  # numbers past what pyarrow knows, which are infinite or 0 for Python
        return np.array([float(text) for text in cleaned.to_pylist()])
    found: AnyArray = np.array(_values_of(cast, np.int64 if is_whole else np.float64))
    return found


def _moments(texts: Texts, reading: Reading) -> tuple[AnyArray, BoolArray]:
    """Return the moment of each text, and which have one."""
    if "%" in reading.order:
        values, is_read = parse_each(texts, lambda text: read_formatted(text, reading.order))
        if is_read.any():
            return values, is_read
    values, is_read = np.zeros(len(texts.texts), dtype=np.int64), np.zeros(len(texts.texts), dtype=bool)
    for _, rows, days, clocks in texts.days_and_clocks():
        starts, are_days = parse_each(days, lambda text: read_day(text, reading.order))
        moments, are_read = starts[days.codes], are_days[days.codes]
        if clocks is not None:
            times, are_times = parse_each(clocks, read_clock)
            moments, are_read = moments + times[clocks.codes], are_read & are_times[clocks.codes]
        values[rows] = moments
        is_read[rows] = are_read & (moments >= EARLIEST) & (moments <= LATEST)
    return values, is_read


def parse_each(texts: Texts, read: Callable[[str], int]) -> tuple[IntArray, BoolArray]:
    """Return what a function makes of each distinct text, and for which it does not raise a ValueError."""
    values, is_read = np.zeros(len(texts.texts), dtype=np.int64), np.zeros(len(texts.texts), dtype=bool)
    for row, text in enumerate(texts.texts.to_pylist()):
        try:
            values[row], is_read[row] = read(text), True
        except (ValueError, OverflowError, KeyError):
            continue
    return values, is_read


def _flags(texts: Texts, reading: Reading) -> tuple[AnyArray, BoolArray]:
    """Return the truth value of each text, and which have one."""
    found = [None if text in reading.missing else FLAGS.get(text.lower()) for text in texts.texts.to_pylist()]
    return np.array([bool(flag) for flag in found], dtype=bool), np.array(
        [flag is not None for flag in found], dtype=bool
    )


_VALUES: dict[str, Callable[[Texts, Reading], tuple[AnyArray, BoolArray]]] = {
    "number": _numbers, "date": _moments, "flag": _flags,
}  # fmt: skip


def value_of(text: str, reading: Reading) -> float | int | bool:
    """Return the number, moment or truth value of one text."""
    import pyarrow as pa

    content = np.frombuffer(text.encode(), dtype=np.uint8)
    edges = np.array([0, len(content)], dtype=np.int32)
    cells = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(edges), pa.py_buffer(content)])
    found: float | int | bool = _VALUES[reading.kind](distinct(cells), reading)[0].tolist()[0]
    return found


def _take(array: Any, rows: AnyArray) -> Any:
    import pyarrow as pa

    positions = np.ascontiguousarray(rows, dtype=np.int64)
    return array.take(pa.Array.from_buffers(pa.int64(), len(positions), [None, pa.py_buffer(positions)]))


def _read_text(name: str, chunks: Sequence[Any], missing: Collection[str]) -> Column:
    import pyarrow as pa

    encoded = pa.chunked_array(list(map(_trimmed, chunks))).dictionary_encode().unify_dictionaries()
    return read_dictionary(name, encoded, missing)


def read_dictionary(name: str, encoded: Any, missing: Collection[str] = ()) -> Column:
    """Return a column of text from chunks of pyarrow that share a dictionary, in which each text is once."""
    import pyarrow.compute as pc

    texts = encoded.chunk(0).dictionary
    order = pc.array_sort_indices(texts)  # by bytes of UTF-8, which is the order of Python
    categories = texts.take(order).to_pylist()
    is_there = np.array([text not in missing for text in categories], dtype=bool)
    kind = np.int8 if len(categories) < 128 else np.int32
    ours = np.full(len(categories) + 1, -1, dtype=kind)  # −1, the last, is missing
    ours[_values_of(order, np.uint64)] = np.where(is_there, np.cumsum(is_there) - 1, -1)
    codes = ours[np.concatenate([_codes(chunk) for chunk in encoded.chunks])]
    return Column(name, "text", codes, codes < 0, tuple(text for text in categories if text not in missing))


def _codes(encoded: Any) -> AnyArray:
    """Return the position of each cell in the dictionary, −1 where it is null."""
    codes = _values_of(encoded.indices, np.int32)
    return np.where(_nulls(encoded.indices), np.int32(-1), codes) if encoded.indices.null_count else codes


def _values_of(array: Any, dtype: Any) -> Any:
    """Return the values of an array of numbers or dates; what is under a null means nothing."""
    return np.frombuffer(array.buffers()[1], dtype=dtype)[array.offset : array.offset + len(array)]


def _nulls(array: Any) -> BoolArray:
    """Return which cells are null."""
    if not array.null_count:
        return np.zeros(len(array), dtype=bool)
    bits = np.frombuffer(array.buffers()[0], dtype=np.uint8)
    valid = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    is_null: BoolArray = valid[array.offset :] == 0
    return is_null


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    return {"whole": pa.int64(), "number": pa.float64(), "date": pa.timestamp("us")}[kind]


def _is_of(cast: Any, kind: str) -> bool:
    return cast is not None and cast.type == _arrow_type(kind)


def _cast(cells: Any, kind: str) -> Any:
    """Return the cells as pyarrow converts them, or None where rules may have other numbers or dates than pyarrow."""
    import pyarrow as pa

    content, ends = _bytes_of(cells)
    for last in (min(int(ends[0]) + 1000, int(ends[-1])), int(ends[-1])):  # most columns show at once what they are not
        if content[ends[0] : last].tobytes().translate(None, _SIGNS[kind]):
            return None
    if kind in _LENGTHS and not set(np.unique(np.diff(ends)).tolist()) <= {0, *_LENGTHS[kind]}:
        return None
    try:
        cells.slice(0, _FEW).cast(_arrow_type(kind))  # to fail in all cells takes far longer than to read them
        found = cells.cast(_arrow_type(kind), memory_pool=pa.system_memory_pool())
    except pa.ArrowInvalid:
        return None
    if kind == "date" and (_values_of(found, np.int64)[~_nulls(found)] < EARLIEST).any():
        return None  # pyarrow knows a year 0
    return found


def _has_space_around(cells: Any) -> bool:
    """Return True if a cell may begin or end with white space, of which some is not of ASCII."""
    content, ends = _bytes_of(cells)
    is_filled = ends[1:] > ends[:-1]
    outer = content[ends[:-1][is_filled]], content[ends[1:][is_filled] - 1]
    return any(bool(((signs <= ord(" ")) | (signs > 127)).any()) for signs in outer)


def _without_empty(cells: Any) -> Any:
    """Return the cells with nulls instead of empty texts."""
    import pyarrow as pa

    ends = _bytes_of(cells)[1]
    is_filled = ends[1:] > ends[:-1]
    if cells.null_count or cells.offset or is_filled.all():
        return cells
    valid = pa.py_buffer(np.packbits(is_filled, bitorder="little"))
    return pa.Array.from_buffers(cells.type, len(cells), [valid, *cells.buffers()[1:]])


def _bytes_of(cells: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """Return the content of an array of strings, and where each string begins, with the end of the last."""
    _, offsets, content = cells.buffers()
    if content is None:
        return np.zeros(0, dtype=np.uint8), np.zeros(len(cells) + 1, dtype=np.int32)
    ends = np.frombuffer(offsets, dtype=np.int32)[cells.offset : cells.offset + len(cells) + 1]
    return np.frombuffer(content, dtype=np.uint8), ends
