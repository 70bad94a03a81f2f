"""The checkpoint of a production run and the one before it, and the checks before a run goes on from one of them."""

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
    """Write the sampler, here or on a cluster, with plain values and arrays to ``path``, whole or not at all.

    What stood there stays beside it, as ``PATH.before``: so there is a state to go on from when the disk damages one.
    """
    try:
        goes_on = os.path.exists(path)
        if goes_on and _holds_another(path, saga.t, saga.forgotten):  # written once more it keeps an older one
            _second_name(path, states.path_before(path))  # so that neither name is ever missing
        saga.save(path, rows=rows, extra={**arrays, "plain": np.array(json.dumps(plain))})
        if not goes_on:
            states.path_before(path).unlink(missing_ok=True)  # of a run whose checkpoint has been removed
    except OSError as error:
        old = "; the checkpoint before it is intact" if os.path.exists(path) else ""
        raise ValueError(f"checkpoint: {path!r} cannot be written at epoch {saga.t:,} ({why_not_written(error)}){old}; "
                         "then start again with the same command") from None


def _holds_another(path: str, t: int, forgotten: int) -> bool:
    """Whether a state of another epoch stands there; one that the disk has damaged meanwhile is not worth keeping."""
    try:
        meta = states.read_meta(path)
        return (meta["t"], meta.get("memory", {}).get("forgotten", 0)) != (t, forgotten)
    except (states.UnreadableState, OSError):
        return False


def _second_name(path: str | os.PathLike[str], name: str | os.PathLike[str]) -> None:
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
        beside.unlink(missing_ok=True)  # it stays where both names are of one file already
    sync_folder(Path(path).absolute().parent)


def newest_whole(path: str) -> str:
    """See to it that ``path`` is the newest state that is whole; words about what was done, empty for nothing.

    A damaged file is moved to ``PATH.damaged``, and the one before it takes its place. With none before it a damaged one
    stays: whoever reads it says so.

    Raises
    ------
    ValueError
        When both are damaged.
    """
    before = states.path_before(path)
    if not os.path.exists(path) or not before.exists() or not (wrong := _damage(path, states.shares_folder(path))):
        return ""
    if worse := _damage(before, states.shares_folder(path)):
        raise ValueError(f"checkpoint: {path!r} is damaged ({wrong}), and so is {os.fspath(before)!r} before it ({worse}); "
                         "give a copy of one back, or start again with a new checkpoint")
    _second_name(path, f"{path}.damaged")
    _second_name(before, path)
    return (f"checkpoint: {path!r} is damaged ({wrong}), so the one before it, of epoch {states.read_meta(path)['t']:,}, is "
            f"gone on from; the damaged one is kept as {path + '.damaged'!r}")


def _damage(path: str | os.PathLike[str], shares: Path) -> str:
    """What is wrong with a state or the files in ``shares`` it names, in words; empty for nothing."""
    try:
        if words := states.damage_of(path):
            return words
        states.load_extra(path)  # an older release wrote no checksum
        for _, _, name in states.read_meta(path).get("shares", ()):
            share = shares / name
            if words := states.damage_of(share):
                return f"{name}: {words}"
            states.read_meta(share)
    except (FileNotFoundError, PermissionError):  # a folder that was not brought along: whoever reads it says so
        return ""
    except states.UnreadableState as error:
        return str(error.__cause__)
    except OSError as error:  # the disk cannot read it
        return error.strerror or str(error)
    return ""


def read(path: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Plain values and arrays of a checkpoint."""
    states.refuse_damaged(path)
    arrays = states.load_extra(path)
    if "plain" not in arrays:
        raise ValueError(f"checkpoint: {path!r} is a saved sampler, but of no replay; give another name")
    return json.loads(str(arrays.pop("plain"))), arrays


def load_predictive(path: str | os.PathLike[str]) -> Predictive:
    """Predictions from the chains saved at ``path``, by a replay, which knows how its rows were read, or by ``save``.

    Raises
    ------
    ValueError
        For no such file, a damaged one, one without draws, chains that had diverged, and those of a GradientOracle.
    """
    if not os.path.isfile(path):
        raise ValueError(f"path: there is no file {os.fspath(path)!r} (from {os.getcwd()}); check the path")
    meta, positions, diverged = states.read_positions(path)
    refuse_without_response(meta["problem"]["kind"])
    if meta["t"] == 0 or diverged.any():
        why = f"chains that had diverged, {diverged.sum()} of them" if meta["t"] else "no draws yet"
        raise ValueError(f"path: {os.fspath(path)!r} holds {why}; save it after "
                         f"{'restart_diverged()' if meta['t'] else 'the first datum'}")
    reading = json.loads(str(states.load_extra(path).get("plain", "{}"))).get("reading")  # earlier releases wrote none
    return Predictive(positions, saved_problem(meta["problem"]), None if reading is None else RowReading.from_dict(reading))


class TakenCount:
    """How many rows a queue has given, in a file beside the checkpoint, ``PATH.taken``, that a killed process leaves there.

    It is in the memory of the machine at once, on the disk some time later.

    Attributes
    ----------
    left : int or None
        What an earlier process left.
    """

    def __init__(self, path: str) -> None:
        self._path, self._base = Path(f"{path}.taken"), 0
        whole = self._path.is_file() and self._path.stat().st_size == 8
        self.left: int | None = int.from_bytes(self._path.read_bytes(), "little") if whole else None

    def begin(self, base: int) -> None:
        """Count from ``base`` on."""
        self._base = base
        with open(self._path, "w+b") as file:
            file.write(base.to_bytes(8, "little"))
            file.flush()
            self._map = mmap.mmap(file.fileno(), 8)

    def __call__(self, taken: int) -> None:
        """So many rows have been taken since it began."""
        self._map[:] = (self._base + taken).to_bytes(8, "little")

    def remove(self) -> None:
        """All that was counted is in the checkpoint."""
        self._path.unlink(missing_ok=True)


def refuse_change(path: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    """A ValueError when what defines the run is not what the checkpoint was made with."""
    for name, value in now.items():
        if before.get(name) != value:
            raise ValueError(f"checkpoint: {path!r} was made with {name} = {before.get(name)!r}, now it is {value!r}; "
                             "give the same, or start again with a new checkpoint")


def refuse_place(path: str) -> None:
    """A ValueError where no checkpoint can be written, before any work is done for one."""
    folder = Path(path).absolute().parent
    if Path(path).is_dir() or not folder.is_dir():
        why = "is a folder" if Path(path).is_dir() else f"is in {str(folder)!r}, which is no folder"
        raise ValueError(f"checkpoint must be a file in a folder that exists, {path!r} {why}; make it, or give another name")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"checkpoint must be in a folder that can be written, {str(folder)!r} cannot; give another")


def sweep_leftovers(path: str) -> None:
    """Remove half-written files of a process that was killed while it wrote."""
    for leftover in Path(path).parent.glob(f".{Path(path).name}.*"):
        leftover.unlink(missing_ok=True)
    with contextlib.suppress(ValueError):  # a damaged state names nothing: what it may need stays
        states.sweep_shares(path)
