"""Files packed with gzip, bzip2 or zstd, unpacked as they are read; a few bytes that unpack to far too many are refused."""

import bz2
import gzip
import io
import os
import re
import zlib
from typing import Any, cast

from sampler.streams.parquet_reader import MOST_PACKED, MOST_UNPACKED

SUFFIXES = (".gz", ".bz2", ".zst")
HEAD = 1 << 16
_MAGIC = {"gzip": rb"\x1f\x8b\x08", "bzip2": rb"BZh[1-9]1AY&SY", "zstd": rb"\x28\xb5\x2f\xfd"}


def unpacked(file: Any, name: str) -> Any:
    """Return a binary file whose first bytes say that it is packed as what it holds; any other as it is."""
    place = None if hasattr(file, "peek") or not getattr(file, "seekable", bool)() else file.tell()
    head = file.peek(10) if hasattr(file, "peek") else b"" if place is None else file.read(10)
    if place is not None:
        file.seek(place)
    kind = _kind(head)
    if not kind:
        return file
    try:
        size = os.fstat(file.fileno()).st_size if place is None else file.seek(0, os.SEEK_END)
    except OSError:
        size = 0
    if place is not None:
        file.seek(place)
    return PackedFile(file, kind, name, size)


def unpacked_head(head: bytes) -> bytes:
    """Return the first bytes of what a packed file holds, from its own first bytes; as they are if it is not packed."""
    kind = _kind(head)
    if kind in ("gzip", "bzip2"):
        return (zlib.decompressobj(31) if kind == "gzip" else bz2.BZ2Decompressor()).decompress(head, HEAD)
    return PackedFile(io.BytesIO(head), kind, "", 0).read(HEAD) if kind else head


def _kind(head: bytes) -> str:
    return next((kind for kind, magic in _MAGIC.items() if re.match(magic, head)), "")


class PackedFile(io.RawIOBase):
    """What a packed file holds, from its first byte on.

    Parameters
    ----------
    file : binary file object
        Packed.
    kind : {"gzip", "bzip2", "zstd"}
    name : str
        Of the file, for the words.
    packed : int
        Its size in bytes; 0 where it is not known, as of a pipe.

    Raises
    ------
    ValueError
        At a read of what is damaged, or unpacks to more than 1 GB and a hundred times its size.
    """

    def __init__(self, file: Any, kind: str, name: str, packed: int) -> None:
        self._file, self._kind, self.name, self._read = file, kind, name, 0
        self._most = max(MOST_UNPACKED, MOST_PACKED * packed) if packed else None
        if kind == "zstd":
            import pyarrow as pa

            self._inner: Any = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")
        else:
            self._inner = gzip.GzipFile(fileobj=file) if kind == "gzip" else bz2.BZ2File(file)

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Up to ``size`` bytes; b"" at the end."""
        try:
            data = cast(bytes, self._inner.read(size if size and size > 0 else 1 << 20))
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"source: {self.name!r} is compressed with {self._kind}; unpacking it broke off after "
                             f"{self._read:,} bytes ({error}): copy it again") from None
        self._read += len(data)
        if self._most is not None and self._read > self._most:
            raise ValueError(f"source: {self.name!r} unpacks to more than {self._most:,} bytes; unpack it and look at it")
        return data

    def close(self) -> None:
        """Close the packed file too."""
        if not self.closed:
            self._inner.close()
            self._file.close()
        super().close()
