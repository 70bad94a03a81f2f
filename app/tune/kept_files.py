"""Where the page keeps what must outlive a reload: a folder of the user's, with sweeps and uploaded files.

An upload is found by a name that holds 128 bits of a keyed checksum of its content: whoever has the link of a page finds the
file again, and nobody else does, not even somebody who knows what is in it.
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
"""Environment variable that names another folder."""
DAYS = 30
"""Files that nobody has used for so long are removed."""
MOST_KEPT = 5_000_000_000
"""Bytes of uploads that are kept, all visits' together."""
PATIENCE = 1.0
"""Seconds to wait for another process that writes to a sweep."""
_KEPT = re.compile(r"[0-9a-f]{20,64}-[^/\\\0]{1,80}")


def folder(part: str) -> Path:
    """Return a folder of the cache, made if need be: "sweeps" or "uploads"."""
    root = os.environ.get(FOLDER) or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exit-time-lab"
    for base in (Path(root), Path(tempfile.gettempdir()) / f"exit-time-lab-{os.getuid()}"):
        try:
            (base / part).mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(base / part, os.W_OK) and (base / part).stat().st_uid == os.getuid():
                return base / part
        except OSError:
            continue
    raise ValueError(f"no folder can be written to keep {part} in; set {FOLDER} to one that can")


def sweep_path(identity: dict, ending: str) -> Path:
    """Return the file of a sweep, or of runs, that these plain values define."""
    key = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:20]
    return folder("sweeps") / f"{key}{ending}"


def study_path(identity: dict) -> Path:
    """Return the SQLite file of a sweep; one that is damaged is put aside."""
    path = sweep_path(identity, ".db")
    why = _damage_of(path)
    if why:  # no sweep could be read from it or written to it again
        aside = path.with_suffix(".db.damaged")
        with suppress(FileNotFoundError):  # another process was faster
            os.replace(path, aside)
            logging.getLogger(__name__).warning("A kept sweep is damaged (%s) and begins anew; it is now %s", why, aside)
    return path


def _damage_of(path: Path) -> str:
    """Return what is wrong with a database, as SQLite says it; empty where it is whole, busy or not there."""
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
    """Return the kept file of that name, or None: nothing outside the folder is ever named."""
    path = folder("uploads") / name
    return path if _KEPT.fullmatch(name) and path.parent == folder("uploads") and path.is_file() else None


def keep_upload(path: Path) -> str:
    """Move a file into the cache; return the name `upload_path` finds it by, which ends with its own.

    Raises
    ------
    ValueError
        Where the uploads that are kept have no room for it.
    """
    with open(path, "rb") as file:
        content = hmac.digest(_key(), hashlib.file_digest(file, "sha256").digest(), "sha256").hex()
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in path.name)[-60:].lstrip(".") or "data.csv"
    kept = f"{content[:32]}-{plain}"
    if (folder("uploads") / kept).is_file():  # takes no room again, and is kept from now on as if it were new
        os.utime(folder("uploads") / kept)
        path.unlink()
        return kept
    if _bytes_kept() + path.stat().st_size > MOST_KEPT:
        raise ValueError(f"uploads here fill the {MOST_KEPT / 1e9:g} GB there are for them, each for {DAYS} days")
    with tempfile.NamedTemporaryFile(dir=folder("uploads"), prefix=".coming-", delete=False) as part:
        coming = Path(part.name)
    try:
        shutil.copyfile(path, coming)
        os.replace(coming, folder("uploads") / kept)
    finally:
        coming.unlink(missing_ok=True)  # it stays where the disk is full
    path.unlink()
    return kept


def _bytes_kept() -> int:
    total = 0
    for one in folder("uploads").iterdir():
        with suppress(FileNotFoundError):  # another upload has been given its name since
            total += one.stat().st_size
    return total


def _key() -> bytes:
    """Key of the checksums: 32 random bytes, made once in this folder, which no link can name."""
    path = folder("keys") / "uploads"
    if not path.exists():
        with open(path.with_suffix(".lock"), "a") as lock:  # a lock, not a hard link, which not every file system has
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():  # else another process was faster
                with tempfile.NamedTemporaryFile(dir=folder("keys"), delete=False) as file:  # readable by this user alone
                    file.write(secrets.token_bytes(32))
                os.replace(file.name, path)
    return path.read_bytes()


def plain_name(kept: str) -> str:
    """Return the name an upload had."""
    return kept.partition("-")[2] or kept


def only_one(path: Path) -> IO | None:
    """Return a file that is held for oneself until it is closed; None where another page or process holds it."""
    file = open(path, "a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def forget_old() -> None:
    """Remove what has not been used for a month."""
    for part in ("sweeps", "uploads"):
        for path in folder(part).iterdir():
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > 86_400 * DAYS:
                    path.unlink()
