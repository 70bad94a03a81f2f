"""Saved states on disk, in one file or several, each with a checksum.

The checksum is the comment that may end a ZIP archive: a state that was cut off, or changed on the disk, is refused.

All chains are in one file, or in a file that names others with some of the chains each. The others stand in a folder
beside it, ``PATH.shares``. The file that names them is written after them, whole or not at all, so whatever ends a save in
between leaves the state before it. Any range of the chains is read from either form.
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
"""Bytes of the checksum."""
LENGTH = len(MARK) + 2 * DIGEST
"""Bytes of the comment."""


def damage_of(path: str | os.PathLike[str]) -> str:
    """Return what is wrong with a saved state, in words; empty where nothing is, or an older release wrote no checksum."""
    size = os.path.getsize(path)
    if size == 0:
        return "it is empty"
    with open(path, "rb") as file:
        file.seek(max(size - LENGTH, 0))
        comment = file.read()
        if not comment.startswith(MARK):
            return ""
        if _digest(file, size - LENGTH) != comment[len(MARK):]:
            return "its checksum is not that of what it holds: it was cut off, or changed on the disk"
    return ""


def _digest(file: IO[bytes], size: int) -> bytes:
    """Checksum of the first ``size`` bytes, behind which the file stands then."""
    sum_ = hashlib.blake2b(digest_size=DIGEST)
    file.seek(0)
    while piece := file.read(min(size - file.tell(), 1 << 20)):
        sum_.update(piece)
    return sum_.hexdigest().encode()


WHOLE, SHARED = 2, 3
"""Versions of a file with all chains and of one that names other files."""
BY_CHAIN = ("chains_", "memory_")  # arrays of one row a chain
SHARE = re.compile(r"\.?[0-9a-f]{32}-\d+-\d+\.npz(\..*)?")  # whole, or half written by a worker that was killed


class UnreadableState(ValueError):
    """A file that is no saved state, or no more; its cause says why."""


def share_name(run: str, first: int, done: int) -> str:
    """Name of a file of the chains from ``first`` on, in their state ``done`` of the run, 32 hexadecimal digits."""
    return f"{run}-{first}-{done}.npz"


def path_before(path: str | os.PathLike[str]) -> Path:
    """File of the state that stood at ``path`` before the present one, where a run keeps both."""
    return Path(f"{os.fspath(path)}.before")


def shares_folder(path: str | os.PathLike[str]) -> Path:
    """Folder of the files that the state at ``path`` may name."""
    return Path(f"{os.fspath(path)}.shares")


def write_state(path: str | os.PathLike[str], meta: dict[str, Any], arrays: dict[str, Any],
                extra: dict[str, Any] | None = None, shares: Sequence[tuple[int, int, str]] | None = None) -> None:
    """Write a state with its checksum, whole or not at all, and sweep the folder of shares.

    ``extra`` values stand beside it. Of chains in other files it names the ``shares``, each a first chain, one past the
    last and a name in the folder.
    """
    if shares is not None:
        meta = {**meta, "version": SHARED, "release": VERSION, "shares": [list(share) for share in shares]}
    beside = {f"extra_{name}": np.asarray(a) for name, a in (extra or {}).items()}
    with atomic_file(path) as file:
        np.savez(file, **{"meta": np.array(json.dumps(meta)), **arrays, **beside})
        file.seek(-2, os.SEEK_END)  # where an archive says how long its comment is: 0 until now
        file.write(struct.pack("<H", LENGTH))
        file.write(MARK + _digest(file, file.tell()))
    sweep_shares(path)


def sweep_shares(path: str | os.PathLike[str]) -> None:
    """Remove from the folder what neither the state at ``path`` names nor the one before it: left by saves that were cut
    short, or replaced. Nothing where one of the two is damaged: what it names is not known.
    """
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
    with contextlib.suppress(OSError):  # it is not empty
        folder.rmdir()


def read_meta(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Plain values of the state at ``path``; ValueError for one of another version."""
    meta = json.loads(str(_read(path, lambda name: name == "meta")["meta"]))
    if (version := meta.get("version", 0)) not in (WHOLE, SHARED):
        raise ValueError(f"path: {os.fspath(path)!r} has version {version}, this release reads {WHOLE} and {SHARED}; "
                         f"{'upgrade the package' if version > SHARED else 'run it with release 0.6'}")
    return meta


def refuse_damaged(path: str | os.PathLike[str]) -> None:
    """ValueError where the file is not as it was written."""
    if words := damage_of(path):
        raise ValueError(f"path: {os.fspath(path)!r} is damaged ({words}); give a copy of it, or an earlier one")


def load_extra(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Return the ``extra`` values that ``save(path, extra=...)`` stored beside a sampler's state."""
    return {name[6:]: a for name, a in _read(path, lambda name: name.startswith("extra_")).items()}


def read_rows(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Rows of the stream that were saved with the state at ``path``, as ``Rows.restore`` takes them."""
    return {name[5:]: a for name, a in _read(path, lambda name: name.startswith("rows_")).items()}


def read_state(path: str | os.PathLike[str], first: int = 0, last: int | None = None,
               rows: bool = True) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain values and arrays of chains ``first`` to ``last`` - 1 (all: 0, None) of the state at ``path``.

    Counts of gradients are kept for whole files only: a file's go to whoever takes its first chain. ``rows=False`` leaves
    out the rows of the stream.
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
    """Plain values of the state at ``path``, where all chains stood, (chains, dim), and which had diverged, (chains,) bool.

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
    """A file with some of the chains, and its plain values."""
    file = shares_folder(path) / name
    if not file.is_file():
        raise ValueError(f"path: {os.fspath(path)!r} names {os.fspath(file)!r}, which is not there; bring the folder "
                         f"{shares_folder(path).name!r} along, or start again")
    share = read_meta(file)
    if share["t"] != meta["t"]:
        raise ValueError(f"path: {os.fspath(file)!r} is of epoch {share['t']:,}, {os.fspath(path)!r} of {meta['t']:,}; "
                         "bring the folder that was saved with it")
    return file, share


def _read(path: str | os.PathLike[str], wanted: Callable[[str], bool], first: int = 0,
          last: int | None = None) -> dict[str, np.ndarray]:
    """Wanted arrays of a file, or rows ``first`` to ``last`` - 1 of each."""
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
        raise UnreadableState(f"path: {os.fspath(path)!r} is not a saved sampler ({error}), or one that was cut off; write "
                              "one with save()") from error


def _rows(archive: zipfile.ZipFile, name: str, first: int, last: int | None) -> np.ndarray:
    """Rows of one array; the others, which may be larger than memory, are passed over."""
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
