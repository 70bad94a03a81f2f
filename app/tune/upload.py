"""A file on its way in: pieces written to the cache as they come, kept by content when the last one is there."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import tempfile

from app.tune.cache import folder, upload_name
from sampler.streams import LARGEST_UPLOAD


def refusal(name: str, size: int) -> str:
    """Say why a file of this size is not taken; "" when it is."""
    if size <= 0:
        return f"{name} is empty: choose another file."
    if size <= LARGEST_UPLOAD:
        return ""
    return (f"{name} has {size / 1e9:.1f} GB; a browser hands over {LARGEST_UPLOAD / 1e6:.0f} MB at most. Use its path"
            f" instead, a file of any size is read from there: python -m sampler tune /path/to/{name}")


class Upload:
    """One file. `add` takes base64 text; `finish` returns the name it is kept by."""

    def __init__(self, name: str, size: int) -> None:
        wrong = refusal(name, size)
        if wrong:
            raise ValueError(wrong)
        self.name, self.size, self.got = os.path.basename(name), size, 0
        self._hash = hashlib.sha256()
        self._file = tempfile.NamedTemporaryFile(dir=folder("uploads"), prefix=".coming-", delete=False)  # noqa: SIM115

    def add(self, text: str) -> float:
        """Take a piece; the share that is there."""
        try:
            piece = base64.b64decode(text, validate=True)
            self.got += len(piece)
            if self.got > self.size:
                raise ValueError("more came than was announced")
            self._hash.update(piece)
            self._file.write(piece)
        except (binascii.Error, ValueError, OSError) as error:
            self.drop()
            why = "the disk is full" if isinstance(error, OSError) else str(error)
            raise ValueError(f"{self.name} could not be taken in ({why}); try again, or use its path") from None
        return self.got / self.size

    def finish(self) -> str:
        """Keep the file; the name that `upload_path` finds it by."""
        if self.got != self.size:
            self.drop()
            raise ValueError(f"{self.name} came in part only ({self.got:,} of {self.size:,} bytes); try again")
        self._file.close()
        kept = upload_name(self.name, self._hash.hexdigest())
        os.replace(self._file.name, folder("uploads") / kept)
        return kept

    def drop(self) -> None:
        """Forget what has come."""
        self._file.close()
        if os.path.exists(self._file.name):
            os.unlink(self._file.name)
