"""Columns of CSV files: the kind that fits all cells, and the cells as values of that kind.

Cells come as arrays of strings of pyarrow. pyarrow converts those that it reads as Python does; of all others each
distinct text is converted here. Nothing is made by ``pyarrow.array`` or ``pyarrow.scalar``, which import pandas where
it is installed, and that takes longer than to decide a small file.
"""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from imli.table.dates import EARLIEST, read_moment
from imli.table.frame import AnyArray, BoolArray, Column, ColumnKind

KINDS = ("whole", "number", "flag", "date")  # in the order in which they are tried; what fits none is text

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf", re.IGNORECASE)
_FLAGS = {"true": True, "false": False, "1": True, "0": False}
_DTYPES = {"whole": np.int64, "number": np.float64, "flag": np.bool_, "date": np.int64}
_COLUMN_KINDS: dict[str, ColumnKind] = {"whole": "number", "number": "number", "flag": "flag", "date": "date"}


def _is_date(text: str) -> bool:
    try:
        read_moment(text)
    except ValueError:
        return False
    return True


# How a text of each kind is known and read.
_READERS: dict[str, tuple[Callable[[str], object], Callable[[str], Any]]] = {
    "whole": (_INTEGER.fullmatch, int),
    "number": (_NUMBER.fullmatch, float),
    "flag": (lambda text: text.lower() in _FLAGS, lambda text: _FLAGS[text.lower()]),
    "date": (_is_date, read_moment),
}


def _signs(text: str) -> BoolArray:
    found = np.zeros(256, dtype=bool)
    found[list(text.encode())] = True
    return found


# The bytes and lengths of texts that pyarrow converts as Python does. pyarrow also knows nan, 0x1F, dates with an hour
# alone, and whole numbers that rules take as floats because of their many digits.
_SIGNS = {"whole": _signs("0123456789-"), "number": _signs("0123456789+-.eE"), "date": _signs("0123456789-: T.")}
_FRACTION_SIGNS = _signs(".eE")
_LENGTHS = {"whole": range(1, 19), "date": (10, 16, 19, *range(21, 27))}


class MisfitError(ValueError):
    """A cell that is not of the kind that its column was given."""

    def __init__(self, position: int, text: str) -> None:
        super().__init__(position, text)
        self.position, self.text = position, text


def fitting_kinds(cells: Any, among: frozenset[str], missing: Collection[str]) -> frozenset[str]:
    """Return the kinds, of those in ``among``, that fit all cells that are not missing."""
    if not among:
        return among
    signs = _signs_in(cells)
    if not signs.any():
        return among
    if _cast(cells, "whole", signs) is not None:
        return among & {"whole", "number"}
    if (signs & _FRACTION_SIGNS).any() and _cast(cells, "number", signs) is not None:
        return among & {"number"}
    if _cast(cells, "date", signs) is not None:
        return among & {"date"}
    texts = [text for cell in cells.unique().to_pylist() if cell is not None and (text := cell.strip()) not in missing]
    found = frozenset(kind for kind in among if all(map(_READERS[kind][0], texts)))
    # 1 and 0 are flags only in columns that were given as such
    return found - {"flag"} if {"0", "1"} & set(texts) else found


def read_cells(name: str, chunks: Sequence[Any], kind: str, missing: Collection[str]) -> Column:
    """Return a column of some arrays of cells that are of this kind."""
    if kind == "text":
        return _read_text(name, chunks, missing)
    n_before, parts = 0, []
    for cells in chunks:
        try:
            parts.append(_read_values(cells, kind, missing))
        except MisfitError as odd:
            raise MisfitError(n_before + odd.position, odd.text) from None
        n_before += len(cells)
    values = np.concatenate([values for values, _ in parts])
    gone = np.concatenate([gone for _, gone in parts])
    if kind == "whole" and gone.any():
        values = values.astype(np.float64)
    values[gone] = np.nan if values.dtype == np.float64 else 0
    return Column(name, _COLUMN_KINDS[kind], values, gone)


def _read_values(cells: Any, kind: str, missing: Collection[str]) -> tuple[AnyArray, BoolArray]:
    """Return the value of each cell, and which are missing."""
    if kind in _SIGNS:
        with_gaps = _without_empty(cells)
        cast = _cast(with_gaps, kind, _signs_in(with_gaps))
        if cast is not None:
            return _values_of(cast, _DTYPES[kind]), _nulls(cast)
    encoded = cells.dictionary_encode()
    texts = [None if (text := each.strip()) in missing else text for each in encoded.dictionary.to_pylist()]
    test, read = _READERS[kind]
    codes = _codes(encoded)
    if odd := [code for code, text in enumerate(texts) if text is not None and not test(text)]:
        position = int(np.isin(codes, odd).argmax())
        raise MisfitError(position, texts[codes[position]] or "")
    values: AnyArray = np.array([0 if text is None else read(text) for text in [*texts, None]], dtype=_DTYPES[kind])
    return values[codes], np.array([text is None for text in [*texts, None]])[codes]  # the last is for code −1


def _read_text(name: str, chunks: Sequence[Any], missing: Collection[str]) -> Column:
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = [pc.utf8_trim_whitespace(cells) if _has_space_around(cells) else cells for cells in chunks]
    encoded = pa.chunked_array(plain).dictionary_encode().unify_dictionaries()
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


def _cast(cells: Any, kind: str, signs: BoolArray) -> Any:
    """Return the cells as pyarrow converts them, or None where rules may have other numbers or dates than pyarrow."""
    import pyarrow as pa

    if (signs & ~_SIGNS[kind]).any():
        return None
    ends = _bytes_of(cells)[1]
    if kind in _LENGTHS and not set(np.unique(np.diff(ends)).tolist()) <= {0, *_LENGTHS[kind]}:
        return None
    types = {"whole": pa.int64(), "number": pa.float64(), "date": pa.timestamp("us")}
    try:
        found = cells.cast(types[kind])
    except pa.ArrowInvalid:
        return None
    if kind == "date" and (_values_of(found, np.int64)[~_nulls(found)] < EARLIEST).any():
        return None  # pyarrow knows a year 0
    return found


def _signs_in(cells: Any) -> BoolArray:
    """Return which of the 256 bytes occur in the cells."""
    content, ends = _bytes_of(cells)
    found = np.zeros(256, dtype=bool)
    found[content[ends[0] : ends[-1]]] = True
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
