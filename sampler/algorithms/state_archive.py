"""Saved states on disk, in one file or several, each with a checksum.

The checksum is the trailing comment of a ZIP archive: reading a truncated or modified state raises an error.

A state is one file with all chains, or a file that names others with some of the chains each (shares), in the folder
``PATH.shares`` next to it. The naming file is written last and atomically, so an interrupted save leaves the previous
state intact. Any range of the chains can be read from either form.
"""

import contextlib
import hashlib
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from sampler.atomic_file import atomic_file
from sampler.version import VERSION

MARK = b"blake2b:"
DIGEST = 16
"""Size of the checksum in bytes."""
LENGTH = len(MARK) + 2 * DIGEST
"""Size of the comment in bytes."""


def damage_of(path: str | os.PathLike[str]) -> str:
    """Return a description of the damage of a saved state; empty if it is intact or has no checksum (older releases)."""
    size = os.path.getsize(path)
    if size == 0:
        return "it is empty"
    with open(path, "rb") as file:
        file.seek(max(size - LENGTH, 0))
        comment = file.read()
        if not comment.startswith(MARK):
            return ""
        if _digest(file, size - LENGTH) != comment[len(MARK):]:
            return "its checksum does not match its content: it was truncated or modified"
    return ""


def _digest(file: IO[bytes], size: int) -> bytes:
    """Return the checksum of the first ``size`` bytes, leaving the file position after them."""
    sum_ = hashlib.blake2b(digest_size=DIGEST)
    file.seek(0)
    while piece := file.read(min(size - file.tell(), 1 << 20)):
        sum_.update(piece)
    return sum_.hexdigest().encode()


WHOLE, SHARED = 2, 3
"""Versions of a file with all chains and of one that names other files."""
BY_CHAIN = ("chains_", "memory_")  # arrays with one row per chain
SHARE = re.compile(r"\.?[0-9a-f]{32}-\d+-\d+\.npz(\..*)?")  # complete, or partly written by a worker that was killed


class UnreadableState(ValueError):
    """Raised for a file that is not a saved state or is damaged; its cause is the original error."""


def share_name(run: str, first: int, done: int) -> str:
    """Return the name of a share with the chains from ``first`` on at ``done``; ``run`` is 32 hexadecimal digits."""
    return f"{run}-{first}-{done}.npz"


def path_before(path: str | os.PathLike[str]) -> Path:
    """Return the path of the previous state of ``path``, for runs that keep both."""
    return Path(f"{os.fspath(path)}.before")


def shares_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder of the shares of the state at ``path``."""
    return Path(f"{os.fspath(path)}.shares")


def write_state(path: str | os.PathLike[str], meta: dict[str, Any], arrays: dict[str, Any],
                extra: dict[str, Any] | None = None, shares: Sequence[tuple[int, int, str]] | None = None) -> None:
    """Write a state with its checksum atomically, and remove unused files from the folder of shares.

    ``extra`` values are stored with it. ``shares`` are the files with chains, each a first chain, one past the last, and
    a name in the folder.
    """
    if shares is not None:
        meta = {**meta, "version": SHARED, "release": VERSION, "shares": [list(share) for share in shares]}
    extras = {f"extra_{name}": np.asarray(a) for name, a in (extra or {}).items()}
    with atomic_file(path) as file:
        np.savez(file, **{"meta": np.array(json.dumps(meta)), **arrays, **extras})
        file.seek(-2, os.SEEK_END)  # the length of the archive's comment, 0 until now
        file.write(struct.pack("<H", LENGTH))
        file.write(MARK + _digest(file, file.tell()))
    sweep_shares(path)


def sweep_shares(path: str | os.PathLike[str]) -> None:
    """Remove shares named neither by the state at ``path`` nor by the previous one; none if either is damaged."""
    folder = shares_folder(path)
    if not folder.is_dir():
        return
    states = [state for state in (path, path_before(path)) if os.path.exists(state)]
    try:
        named = {share[2] for state in states for share in read_meta(state).get("shares", ())}
    except (UnreadableState, OSError):
        return
    for file in folder.iterdir():
        if SHARE.fullmatch(file.name) and file.name not in named:
            file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # not empty
        folder.rmdir()


def read_meta(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the plain values of the state at ``path``; ValueError for an unsupported version."""
    meta = json.loads(str(_read(path, lambda name: name == "meta")["meta"]))
    if (version := meta.get("version", 0)) not in (WHOLE, SHARED):
        raise ValueError(f"path: {os.fspath(path)!r} has version {version}, this release reads {WHOLE} and {SHARED}; "
                         f"{'upgrade the package' if version > SHARED else 'run it with release 0.6'}")
    return meta


def refuse_damaged(path: str | os.PathLike[str]) -> None:
    """Raise a ValueError if the file is damaged."""
    if damage := damage_of(path):
        raise ValueError(f"path: {os.fspath(path)!r} is damaged ({damage}); use a copy of it or an earlier one")


def load_extra(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Return the ``extra`` values that ``save(path, extra=...)`` stored with a sampler's state."""
    return {name[6:]: a for name, a in _read(path, lambda name: name.startswith("extra_")).items()}


def read_rows(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Return the rows of the stream saved with the state at ``path``, in the form of ``Rows.restore``."""
    return {name[5:]: a for name, a in _read(path, lambda name: name.startswith("rows_")).items()}


def read_state(path: str | os.PathLike[str], first: int = 0, last: int | None = None,
               rows: bool = True) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return plain values and arrays of chains ``first`` to ``last`` - 1 (all: 0, None) of the state at ``path``.

    Gradient counts are stored per file: those of a file are included if its first chain is. ``rows=False`` omits the
    rows of the stream.
    """
    refuse_damaged(path)
    meta = read_meta(path)
    last = meta["chains"] if last is None else last
    others = ("meta", "extra_", *BY_CHAIN) if rows else ("meta", "extra_", "rows_", *BY_CHAIN)
    arrays = _read(path, lambda name: not name.startswith(others))
    parts = [(0, meta["chains"], path, meta)]
    if "shares" in meta:
        parts = [(low, high, *_share(path, meta, name)) for low, high, name in meta["shares"]]
    parts = [part for part in parts if part[0] < last and part[1] > first]
    for _, _, file, _ in parts if "shares" in meta else ():
        refuse_damaged(file)
    read = [_read(file, lambda name: name.startswith(BY_CHAIN), max(first - low, 0), last - low if last < high else None)
            for low, high, file, _ in parts]
    arrays |= {name: read[0][name] if len(read) == 1 else np.concatenate([one[name] for one in read]) for name in read[0]}
    counted = [one for low, _, _, one in parts if low >= first]
    return {**meta, "chains": last - first, "rows": meta["rows"] and rows, "memory": parts[0][3]["memory"],
            "gradient_evaluations": sum(one["gradient_evaluations"] for one in counted),
            "epoch_counts": [sum(count) for count in zip((0, 0, 0, 0), *(one["epoch_counts"] for one in counted),
                                                         strict=True)]}, arrays


def read_positions(path: str | os.PathLike[str]) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Return the plain values of the state at ``path``, its positions (chains, dim), and (chains,) bool of divergence.

    Neither caches nor rows are read.
    """
    refuse_damaged(path)
    meta = read_meta(path)
    files = [_share(path, meta, name)[0] for _, _, name in meta["shares"]] if "shares" in meta else [path]
    names = "chains_position", "chains_diverged_epoch"
    read = [_read(file, lambda name: name in names) for file in files]
    positions, diverged = (np.concatenate([part[name] for part in read]) for name in names)
    return meta, positions[:, :meta["problem"]["dim"]], diverged > 0


def _share(path: str | os.PathLike[str], meta: dict[str, Any], name: str) -> tuple[Path, dict[str, Any]]:
    """Return the path of a file with some of the chains, and its plain values."""
    file = shares_folder(path) / name
    if not file.is_file():
        raise ValueError(f"path: {os.fspath(path)!r} names {os.fspath(file)!r}, which does not exist; copy the folder "
                         f"{shares_folder(path).name!r} too, or start again")
    share = read_meta(file)
    if share["t"] != meta["t"]:
        raise ValueError(f"path: {os.fspath(file)!r} is of epoch {share['t']:,}, {os.fspath(path)!r} of {meta['t']:,}; "
                         "copy the folder that was saved with it")
    return file, share


def _read(path: str | os.PathLike[str], wanted: Callable[[str], bool], first: int = 0,
          last: int | None = None) -> dict[str, np.ndarray]:
    """Return the ``wanted`` arrays of a file, or rows ``first`` to ``last`` - 1 of each."""
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            if "meta" not in file.files:
                raise KeyError("it has no meta")
            names = [name for name in file.files if wanted(name)]
            if first == 0 and last is None:
                return {name: file[name] for name in names}
            return {name: _rows(file.zip, name, first, last) for name in names}
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, AttributeError, OverflowError, struct.error, zlib.error,
            NotImplementedError, RuntimeError) as error:
        raise UnreadableState(f"path: {os.fspath(path)!r} is not a saved sampler, or is truncated ({error}); write one "
                              "with save()") from error


def _rows(archive: zipfile.ZipFile, name: str, first: int, last: int | None) -> np.ndarray:
    """Return rows of one array without reading the others, which may be larger than memory."""
    with archive.open(f"{name}.npy") as member:
        header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, by_column, dtype = header[np.lib.format.read_magic(member)](member)
        last = shape[0] if last is None else last
        if by_column:
            values = np.frombuffer(member.read(), dtype).reshape(shape, order="F")[first:last]
        else:
            row = int(np.prod(shape[1:])) * dtype.itemsize
            member.seek(first * row, os.SEEK_CUR)
            values = np.frombuffer(member.read((last - first) * row), dtype).reshape(last - first, *shape[1:])
        return np.array(values)
