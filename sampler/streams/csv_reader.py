"""A reader of text files as chunks of named columns; every cell stays text until it must be a number."""

import io
import os
from collections.abc import Callable, Iterator
from typing import Any

from sampler.streams.chunk import Chunk
from sampler.streams.libsvm_rows import is_libsvm
from sampler.streams.line_blocks import BLOCK, LineBlocks
from sampler.streams.number_column import MISSING_WORDS
from sampler.streams.text_layout import LOOKED_AT, Layout, after_header, layout_of


class CsvReader:
    """Chunks of a CSV file; memory of a block only.

    Options as in ``open_source``; ``name`` is the file's own, where its path is not.
    """

    def __init__(self, path: str | os.PathLike[str], separator: str | None = None, header: bool | None = None,
                 follow: bool = False, stop: Callable[[], bool] | None = None, layout: Layout | None = None,
                 block: int = BLOCK, name: str = "", encoding: str | None = None) -> None:
        self.place = name or (os.path.basename(os.fspath(path)) if not hasattr(path, "read") else "")
        where = self.place or "the upload"
        self._lines = LineBlocks(path, follow, stop, block, where, encoding, True, separator)
        self._blocks = iter(self._lines)
        self._first = self._next_with_lines()
        text = self._first.decode()
        if is_libsvm([line for line in text.splitlines()[:2 * LOOKED_AT] if line.strip()][:LOOKED_AT]):
            raise ValueError(f"source: {self.place or 'the pipe'!r} holds libsvm rows, whose number of columns is known at "
                             "their end only; give the path of a file that has rows already")
        self.layout = layout_of(text, where, separator, header)
        if layout is not None and layout.names != self.layout.names:
            raise ValueError(f"source: {self.place!r} has the columns {', '.join(self.layout.names)}, the files "
                             f"before it {', '.join(layout.names)}; give all files the same columns")
        self.names = self.layout.names
        self._beyond = [f"\0{i}" for i in range(self.layout.trailing)]  # columns that hold nothing
        self.decimal = self.layout.decimal
        self.rows = None if follow or hasattr(path, "read") or self._lines.packed else self._guess(os.path.getsize(path))

    @property
    def said(self) -> tuple[str, ...]:
        """How the text was read, where that is worth a sentence."""
        commas = "read with decimal commas" if self.decimal == "," else ""
        return (*self._lines.said, *filter(None, (commas, self.layout.said)))

    def _guess(self, size: int) -> int:
        """Number of rows, from the length of the first ones and a little more."""
        lines = self._first.count(b"\n") + 1
        return int(1.03 * size * lines / len(self._first)) + 64

    def _next_with_lines(self) -> bytes:
        for block in self._blocks:
            if block.strip():
                return block
        return b""

    def chunks(self, names: tuple[str, ...]) -> Iterator[Chunk]:
        """The named columns, a block at a time."""
        first = 1
        block, header = self._first, self.layout.header
        self._first = b""
        while True:
            if header:
                block, header = block[after_header(block.decode(), self.layout.separator):], False
            if block.strip():
                chunk = self._parse(block, names, first)
                first += chunk.n + len(chunk.skipped)
                yield chunk
            more = next(self._blocks, None)
            if more is None:
                return
            block = more

    def _parse(self, block: bytes, names: tuple[str, ...], first: int) -> Chunk:
        import pyarrow as pa
        from pyarrow import csv

        skipped = []

        def on_bad_row(row: Any) -> str:
            words = f"{row.actual_columns} cells where {row.expected_columns} are expected"
            skipped.append((row.number, words))
            return "skip"

        try:
            table = csv.read_csv(
                io.BytesIO(block),
                read_options=csv.ReadOptions(use_threads=False, column_names=[*self.layout.names, *self._beyond],
                                             block_size=max(len(block), 1)),
                parse_options=csv.ParseOptions(delimiter=self.layout.separator, invalid_row_handler=on_bad_row,
                                               newlines_in_values=b'"' in block),
                convert_options=csv.ConvertOptions(
                    column_types={name: pa.string() for name in self.layout.names}, include_columns=list(names),
                    null_values=list(MISSING_WORDS), strings_can_be_null=True, check_utf8=False))
        except pa.ArrowInvalid as error:
            raise ValueError(f"source: {self.place or 'the upload'!r} cannot be read from row {first:,} on ({error}); "
                             "open it in an editor") from None
        columns = {name: table[name].combine_chunks() for name in names}
        return Chunk(columns, table.num_rows, first, self.place, tuple(skipped))
