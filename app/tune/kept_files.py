"""Cache folder of the server's user for sweeps and uploaded files, which survive a reload of the page.

The name of an upload includes 128 bits of a keyed checksum of its content: the file can be accessed with the link of a page,
but not by guessing, even if its content is known.
"""

import fcntl
import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

FOLDER = "EXIT_TIME_LAB_CACHE"
"""Environment variable for another folder."""
DAYS = 30
"""Days without use after which files are removed."""
MOST_KEPT = 5_000_000_000
"""Limit on the total size of uploads, in bytes."""
PATIENCE = 1.0
"""Seconds to wait for another process that is writing to a sweep's file."""
_KEPT = re.compile(r"[0-9a-f]{20,64}-[^/\\\0]{1,80}")


def folder(part: str) -> Path:
    """Return a folder of the cache, "sweeps", "uploads" or "keys"; create it if missing."""
    root = os.environ.get(FOLDER) or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exit-time-lab"
    for base in (Path(root), Path(tempfile.gettempdir()) / f"exit-time-lab-{os.getuid()}"):
        try:
            (base / part).mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(base / part, os.W_OK) and (base / part).stat().st_uid == os.getuid():
                return base / part
        except OSError:
            continue
    raise ValueError(f"no writable folder for {part}; set {FOLDER} to one")


def sweep_path(identity: dict, ending: str) -> Path:
    """Return the path of the file of a sweep, or of runs, identified by these plain values."""
    key = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:20]
    return folder("sweeps") / f"{key}{ending}"


def study_path(identity: dict) -> Path:
    """Return the path of a sweep's SQLite file; a damaged file is renamed."""
    path = sweep_path(identity, ".db")
    why = _damage_of(path)
    if why:  # it can be neither read nor written
        aside = path.with_suffix(".db.damaged")
        with suppress(FileNotFoundError):  # another process was faster
            os.replace(path, aside)
            logging.getLogger(__name__).warning("A stored sweep is damaged (%s) and restarts; file moved to %s", why, aside)
    return path


def _damage_of(path: Path) -> str:
    """Return SQLite's message on a damaged database; empty if it is intact, busy or missing."""
    if not path.exists():
        return ""
    try:
        with closing(sqlite3.connect(path, timeout=PATIENCE)) as base:
            verdict = str(base.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError:  # another process is writing
        return ""
    except sqlite3.DatabaseError as wrong:
        return str(wrong)
    return "" if verdict == "ok" else verdict


def upload_path(name: str) -> Path | None:
    """Return the path of a stored upload, or None; never a path outside the folder."""
    path = folder("uploads") / name
    return path if _KEPT.fullmatch(name) and path.parent == folder("uploads") and path.is_file() else None


def keep_upload(path: Path) -> str:
    """Move a file into the cache and return its name for `upload_path`, which ends with the original name.

    Raises
    ------
    ValueError
        If the total size of uploads would exceed `MOST_KEPT`.
    """
    with open(path, "rb") as file:
        content = hmac.digest(_key(), hashlib.file_digest(file, "sha256").digest(), "sha256").hex()
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in path.name)[-60:].lstrip(".") or "data.csv"
    kept = f"{content[:32]}-{plain}"
    if (folder("uploads") / kept).is_file():  # stored already: renew its age
        os.utime(folder("uploads") / kept)
        path.unlink()
        return kept
    if _bytes_kept() + path.stat().st_size > MOST_KEPT:
        raise ValueError(f"uploads fill the {MOST_KEPT / 1e9:g} GB of this server; each is stored for {DAYS} days")
    with tempfile.NamedTemporaryFile(dir=folder("uploads"), prefix=".coming-", delete=False) as part:
        coming = Path(part.name)
    try:
        shutil.copyfile(path, coming)
        os.replace(coming, folder("uploads") / kept)
    finally:
        coming.unlink(missing_ok=True)  # left over if the disk is full
    path.unlink()
    return kept


def _bytes_kept() -> int:
    total = 0
    for one in folder("uploads").iterdir():
        with suppress(FileNotFoundError):  # a temporary file that has been renamed meanwhile
            total += one.stat().st_size
    return total


def _key() -> bytes:
    """Return the key of the checksums: 32 random bytes, created once in a folder that no link can access."""
    path = folder("keys") / "uploads"
    if not path.exists():
        with open(path.with_suffix(".lock"), "a") as lock:  # not a hard link: some file systems have none
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():  # else another process was faster
                with tempfile.NamedTemporaryFile(dir=folder("keys"), delete=False) as file:  # readable by this user only
                    file.write(secrets.token_bytes(32))
                os.replace(file.name, path)
    return path.read_bytes()


def plain_name(kept: str) -> str:
    """Return the original name of an upload."""
    return kept.partition("-")[2] or kept


def exclusive_lock(path: Path) -> IO | None:
    """Lock a file and return it, to be closed for unlocking; None if another page or process has locked it."""
    file = open(path, "a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def remove_old() -> None:
    """Remove files that have not been used for `DAYS` days."""
    for part in ("sweeps", "uploads"):
        for path in folder(part).iterdir():
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > 86_400 * DAYS:
                    path.unlink()
