"""A file written whole or not at all, and kept by the disk when the power goes."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``path``; on a clean exit it becomes ``path``, else it is removed.

    Both the file and the name it gets are on the disk before the exit returns: a power loss leaves the file before it, or
    this one. It may be read by whoever could read the file before it; a new one by whom the user's umask lets.
    """
    path = Path(path)
    file = open(path.with_name(f".{path.name}.{secrets.token_hex(6)}"), "x+b")  # noqa: SIM115
    try:
        with file:  # to close it may fail too, where the disk is full
            if path.exists() and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), path.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)
        sync_folder(path.parent)
    finally:
        if os.path.exists(file.name):
            os.unlink(file.name)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Have the disk keep the names in a folder: a file that was renamed is else found under its old name, or under none."""
    if os.name == "nt":  # folders cannot be opened there, and names are kept in order
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # it may be written, not listed
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):  # file systems that know no such call
            raise
    finally:
        os.close(descriptor)


@contextmanager
def disk_errors(argument: str, path: str | os.PathLike[str], advice: str) -> Iterator[None]:
    """Raise a ValueError where the disk refuses what is at an argument's ``path``; not where a pipe's reader has left."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ValueError(f"{argument}: {os.fspath(path)!r} cannot be written ({why_not_written(error)}); {advice}") from None


def why_not_written(error: OSError) -> str:
    """Return what kept a file from being written, and what to do about it, as part of a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "the disk is full: make room"
    if error.errno == errno.EROFS:
        return "the disk can only be read: choose another place"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "it is protected: choose another place"
    return f"{error.strerror or error}"
