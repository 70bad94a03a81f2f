"""Atomic file writes that survive a power loss."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file next to ``path``; rename it to ``path`` on a clean exit, remove it otherwise.

    The file and its new name are synced to disk before the exit returns: after a power loss ``path`` is either the previous
    file or this one. The permissions of an existing file are kept; those of a new one follow the user's umask.
    """
    path = Path(path)
    file = open(path.with_name(f".{path.name}.{secrets.token_hex(6)}"), "x+b")  # noqa: SIM115
    try:
        with file:  # closing may fail, too, on a full disk
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
    """Sync the names in a folder to disk: without it a renamed file may have its old name, or none, after a power loss."""
    if os.name == "nt":  # folders cannot be opened there, and renames are kept in order
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # writable but not listable
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):  # file systems without this call
            raise
    finally:
        os.close(descriptor)


@contextmanager
def disk_errors(argument: str, path: str | os.PathLike[str], advice: str) -> Iterator[None]:
    """Convert OSErrors on ``path`` into a ValueError for ``argument``; a BrokenPipeError is raised unchanged."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ValueError(f"{argument}: {os.fspath(path)!r} cannot be written ({why_not_written(error)}); {advice}") from None


def why_not_written(error: OSError) -> str:
    """Return the cause of a failed write and a remedy, as part of a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "the disk is full: make room"
    if error.errno == errno.EROFS:
        return "the disk is read-only: choose another folder"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "permission denied: choose another folder"
    return f"{error.strerror or error}"
