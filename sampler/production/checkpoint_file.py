"""Checkpoints of a production run: the current and previous file, recovery from damage, and checks before resuming."""

import contextlib
import json
import mmap
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from sampler.algorithms import state_archive as states
from sampler.algorithms.saved_sampler import saved_problem
from sampler.atomic_file import sync_folder, why_not_written
from sampler.predictive.predictive import Predictive, refuse_without_response
from sampler.streams.row_encoding import RowReading


def write(path: str, saga: Any, plain: dict[str, Any], arrays: dict[str, np.ndarray], rows: bool) -> None:
    """Write the sampler, local or on a cluster, with plain values and arrays to ``path`` atomically.

    The previous checkpoint is kept as ``PATH.before``, to resume from if the disk damages the newer one.
    """
    try:
        exists = os.path.exists(path)
        if exists and _holds_other_epoch(path, saga.t, saga.forgotten):  # a rewrite at the same epoch keeps the older one
            _link_or_copy(path, states.path_before(path))  # so that neither name is ever missing
        saga.save(path, rows=rows, extra={**arrays, "plain": np.array(json.dumps(plain))})
        if not exists:
            states.path_before(path).unlink(missing_ok=True)  # from a run whose checkpoint has been removed
    except OSError as error:
        old = "; the previous checkpoint is intact" if os.path.exists(path) else ""
        raise ValueError(f"checkpoint: {path!r} cannot be written at epoch {saga.t:,} ({why_not_written(error)}){old}; "
                         "then repeat the same command") from None


def _holds_other_epoch(path: str, t: int, forgotten: int) -> bool:
    """Return whether the file holds an intact state of another epoch."""
    try:
        meta = states.read_meta(path)
        return (meta["t"], meta.get("memory", {}).get("forgotten", 0)) != (t, forgotten)
    except (states.UnreadableState, OSError):
        return False


def _link_or_copy(path: str | os.PathLike[str], name: str | os.PathLike[str]) -> None:
    beside = Path(path).parent / f".{Path(path).name}.link"
    beside.unlink(missing_ok=True)
    try:
        try:
            os.link(path, beside)
        except OSError:  # a file system without links
            shutil.copyfile(path, beside)
            with open(beside, "rb+") as copy:
                os.fsync(copy.fileno())
        os.replace(beside, name)
    finally:
        beside.unlink(missing_ok=True)  # it remains if both names already refer to one file
    sync_folder(Path(path).absolute().parent)


def recover(path: str) -> str:
    """Replace a damaged checkpoint by the previous one; return a message on the action, empty for none.

    The damaged file is renamed to ``PATH.damaged``. Without a previous checkpoint it stays, and reading it raises the
    error.

    Raises
    ------
    ValueError
        If both are damaged.
    """
    before = states.path_before(path)
    if not os.path.exists(path) or not before.exists() or not (wrong := _damage(path, states.shares_folder(path))):
        return ""
    if worse := _damage(before, states.shares_folder(path)):
        raise ValueError(f"checkpoint: {path!r} is damaged ({wrong}), and so is {os.fspath(before)!r} before it ({worse}); "
                         "restore a copy of one, or start again with a new checkpoint")
    _link_or_copy(path, f"{path}.damaged")
    _link_or_copy(before, path)
    return (f"checkpoint: {path!r} is damaged ({wrong}); resumed from the previous one at epoch "
            f"{states.read_meta(path)['t']:,}; the damaged file is kept as {path + '.damaged'!r}")


def _damage(path: str | os.PathLike[str], shares: Path) -> str:
    """Return a description of the damage to a state or its files in ``shares``; empty for none."""
    try:
        if words := states.damage_of(path):
            return words
        states.load_extra(path)  # files of older releases have no checksum
        for _, _, name in states.read_meta(path).get("shares", ()):
            share = shares / name
            if words := states.damage_of(share):
                return f"{name}: {words}"
            states.read_meta(share)
    except (FileNotFoundError, PermissionError):  # a missing folder of shares is reported when the shares are read
        return ""
    except states.UnreadableState as error:
        return str(error.__cause__)
    except OSError as error:  # the disk cannot read it
        return error.strerror or str(error)
    return ""


def read(path: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the plain values and arrays of a checkpoint."""
    states.refuse_damaged(path)
    arrays = states.load_extra(path)
    if "plain" not in arrays:
        raise ValueError(f"checkpoint: {path!r} is a saved sampler, not a replay's checkpoint; choose another name")
    return json.loads(str(arrays.pop("plain"))), arrays


def load_predictive(path: str | os.PathLike[str]) -> Predictive:
    """Return predictions from the chains saved at ``path`` by a replay, with its row reading, or by ``save``.

    Raises
    ------
    ValueError
        If the file is missing, damaged or without draws, a chain had diverged, or the problem is a GradientOracle.
    """
    if not os.path.isfile(path):
        raise ValueError(f"path: there is no file {os.fspath(path)!r} (from {os.getcwd()}); check the path")
    meta, positions, diverged = states.read_positions(path)
    refuse_without_response(meta["problem"]["kind"])
    if meta["t"] == 0 or diverged.any():
        why = f"chains that had diverged, {diverged.sum()} of them" if meta["t"] else "no draws yet"
        raise ValueError(f"path: {os.fspath(path)!r} holds {why}; save it after "
                         f"{'restart_diverged()' if meta['t'] else 'the first datum'}")
    reading = json.loads(str(states.load_extra(path).get("plain", "{}"))).get("reading")  # absent in earlier releases
    return Predictive(positions, saved_problem(meta["problem"]), None if reading is None else RowReading.from_dict(reading))


class TakenCount:
    """Number of rows taken from a queue, in the memory-mapped file ``PATH.taken`` that survives a killed process.

    A count is visible to other processes immediately, and on the disk some time later.

    Attributes
    ----------
    left : int or None
        Count left by an earlier process.
    """

    def __init__(self, path: str) -> None:
        self._path, self._base = Path(f"{path}.taken"), 0
        whole = self._path.is_file() and self._path.stat().st_size == 8
        self.left: int | None = int.from_bytes(self._path.read_bytes(), "little") if whole else None

    def begin(self, base: int) -> None:
        """Start counting from ``base``."""
        self._base = base
        with open(self._path, "w+b") as file:
            file.write(base.to_bytes(8, "little"))
            file.flush()
            self._map = mmap.mmap(file.fileno(), 8)

    def __call__(self, taken: int) -> None:
        """Store the number of rows ``taken`` since `begin`."""
        self._map[:] = (self._base + taken).to_bytes(8, "little")

    def remove(self) -> None:
        """Remove the file, once all counted rows are in the checkpoint."""
        self._path.unlink(missing_ok=True)


def check_unchanged(path: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise a ValueError if a parameter of the run differs from that of the checkpoint."""
    for name, value in now.items():
        if before.get(name) != value:
            raise ValueError(f"checkpoint: {path!r} was made with {name} = {before.get(name)!r}, now it is {value!r}; "
                             "pass the same, or start again with a new checkpoint")


def check_writable(path: str) -> None:
    """Raise a ValueError if a checkpoint cannot be written to ``path``, before the run starts."""
    folder = Path(path).absolute().parent
    if Path(path).is_dir() or not folder.is_dir():
        why = "is a folder" if Path(path).is_dir() else f"is in {str(folder)!r}, which is not a folder"
        raise ValueError(f"checkpoint must be a file in an existing folder, {path!r} {why}; make it, or choose another name")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"checkpoint must be in a writable folder, {str(folder)!r} is not; choose another")


def sweep_leftovers(path: str) -> None:
    """Remove partially written files of a killed process."""
    for leftover in Path(path).parent.glob(f".{Path(path).name}.*"):
        leftover.unlink(missing_ok=True)
    with contextlib.suppress(ValueError):  # a damaged state cannot be read: the shares it may need stay
        states.sweep_shares(path)
