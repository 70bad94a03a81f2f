"""A file written whole or not at all."""

import os
import tempfile
from pathlib import Path


class atomic_file:  # noqa: N801 - used like a function
    """Open a temporary file beside ``path``; on a clean exit it becomes ``path``, else it is removed."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)

    def __enter__(self):
        folder = self.path.parent
        self.file = tempfile.NamedTemporaryFile(  # noqa: SIM115
            dir=folder, prefix=f".{self.path.name}.", delete=False)
        return self.file

    def __exit__(self, kind, value, trace) -> None:
        try:
            if kind is None:
                self.file.flush()
                os.fsync(self.file.fileno())
            self.file.close()
            if kind is None:
                os.replace(self.file.name, self.path)
        finally:
            if os.path.exists(self.file.name):
                os.unlink(self.file.name)
