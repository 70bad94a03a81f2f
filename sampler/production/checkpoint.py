"""The checkpoint of a production run, and the checks before a run goes on from one."""

import errno
import json
import os
from pathlib import Path

import numpy as np

from sampler.algorithms.state_parts import load_extra, sweep_shares


def write(path: str, saga, plain: dict, arrays: dict[str, np.ndarray], rows: bool) -> None:
    """Write the sampler, here or on a cluster, with plain values and arrays to ``path``, whole or not at all."""
    try:
        saga.save(path, rows=rows, extra={**arrays, "plain": np.array(json.dumps(plain))})
    except OSError as error:
        why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
        old = "; the checkpoint before it is intact" if os.path.exists(path) else ""
        raise ValueError(f"checkpoint: {path!r} cannot be written at epoch {saga.t:,} ({why}){old}; make room and "
                         "start again") from None


def read(path: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Plain values and arrays of a checkpoint."""
    arrays = load_extra(path)
    if "plain" not in arrays:
        raise ValueError(f"checkpoint: {path!r} is a saved sampler, but of no replay; give another name")
    return json.loads(str(arrays.pop("plain"))), arrays


def refuse_change(path: str, kept: dict, now: dict) -> None:
    """A ValueError when what defines the run is not what the checkpoint was made with."""
    for name, value in now.items():
        if kept.get(name) != value:
            raise ValueError(f"checkpoint: {path!r} was made with {name} = {kept.get(name)!r}, now it is {value!r}; "
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
    sweep_shares(path)
