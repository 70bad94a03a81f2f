"""Where the page keeps what must outlive a reload: a folder of the user's, with sweeps and uploaded files."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = "EXIT_TIME_LAB_CACHE"
"""Environment variable that names another folder."""
DAYS = 30
"""Files that nobody has used for so long are removed."""


def folder(part: str) -> Path:
    """Return a folder of the cache, made if need be: "sweeps" or "uploads"."""
    root = os.environ.get(FOLDER) or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exit-time-lab"
    for base in (Path(root), Path(tempfile.gettempdir()) / f"exit-time-lab-{os.getuid()}"):
        try:
            (base / part).mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(base / part, os.W_OK):
                return base / part
        except OSError:
            continue
    raise ValueError(f"no folder can be written to keep {part} in; set {FOLDER} to one that can")


def study_path(identity: dict) -> Path:
    """Return the SQLite file of the sweep that these plain values define."""
    key = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:20]
    return folder("sweeps") / f"{key}.db"


def upload_path(name: str) -> Path | None:
    """Return the kept file of that name, or None: nothing outside the folder is ever named."""
    path = folder("uploads") / name
    return path if path.parent == folder("uploads") and path.is_file() and name == path.name else None


def keep_upload(path: Path) -> str:
    """Move a file into the cache, named by its content with its own name after it; the name `upload_path` finds it by."""
    with open(path, "rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in path.name)[-60:].lstrip(".") or "data.csv"
    kept = f"{content[:20]}-{plain}"
    with tempfile.NamedTemporaryFile(dir=folder("uploads"), prefix=".coming-", delete=False) as part:
        shutil.copyfile(path, part.name)
    os.replace(part.name, folder("uploads") / kept)
    path.unlink()
    return kept


def plain_name(kept: str) -> str:
    """Return the name an upload had."""
    return kept.partition("-")[2] or kept


@contextmanager
def only_one(path: Path) -> Iterator[bool]:
    """Hold a file for oneself; False where another page or process holds it."""
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        try:
            yield True
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def forget_old() -> None:
    """Remove what has not been used for a month."""
    for part in ("sweeps", "uploads"):
        for path in folder(part).iterdir():
            try:
                if time.time() - path.stat().st_mtime > 86_400 * DAYS:
                    path.unlink()
            except OSError:
                continue
