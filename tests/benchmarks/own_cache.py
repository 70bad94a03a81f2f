"""A cache folder that is empty at first and gone at the end: what the user has kept stays out of a measurement."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from app.tune.kept_files import FOLDER


@contextmanager
def own_cache() -> Iterator[None]:
    """For this process and those it starts."""
    before = os.environ.get(FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            os.environ.pop(FOLDER)
            if before is not None:
                os.environ[FOLDER] = before
