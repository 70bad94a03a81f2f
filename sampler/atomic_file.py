"""A file written whole or not at all, and kept by the disk when the power goes."""

import errno
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import BinaryIO


class atomic_file:  # noqa: N801 - used like a function
    """Open a temporary file beside ``path``; on a clean exit it becomes ``path``, else it is removed.

    Both the file and the name it gets are on the disk before the exit returns: a power loss leaves the file before it, or
    this one. It may be read by whoever could read the file before it; a new one by whom the user's umask lets.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def __enter__(self) -> BinaryIO:
        self.file = open(self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}"), "x+b")  # noqa: SIM115
        if self.path.exists() and hasattr(os, "fchmod"):
            os.fchmod(self.file.fileno(), self.path.stat().st_mode & 0o777)
        return self.file

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            try:
                if kind is None:
                    self.file.flush()
                    os.fsync(self.file.fileno())
            finally:
                self.file.close()  # it may fail too, where the disk is full
            if kind is None:
                os.replace(self.file.name, self.path)
                sync_folder(self.path.parent)
        finally:
            if os.path.exists(self.file.name):
                os.unlink(self.file.name)


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


def why_not_written(error: OSError) -> str:
    """Return what kept a file from being written, and what to do about it, as part of a sentence."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "the disk is full: make room"
    if error.errno == errno.EROFS:
        return "the disk can only be read: choose another place"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "it is protected: choose another place"
    return f"{error.strerror or error}"
