"""Extras: each can be removed; the pages open without it, and nothing depends on it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.chrome.extras import FOLDERS, registered
from app.chrome.frame import PAGES

ROOT = Path(__file__).parents[3]
REMAINING = ["tests/app/chrome/test_extras.py", "tests/app/server/test_arguments.py", "tests/test_architecture.py"]
"""Tests that run without an extra: all pages in the frame, the command line, the imports (without their diagram)."""


@pytest.mark.parametrize("key", list(PAGES))
def test_every_page_opens_in_a_frame(frame, key):
    one = frame({"page": key})
    assert one._front is one._pages[key] and one._header.page == key


def test_each_folder_that_exists_is_registered():
    present = [folder for folder in FOLDERS if (ROOT / "app/extras" / folder).is_dir()]
    assert [type(extra).__module__ for extra in registered()] == [f"app.extras.{folder}.extra" for folder in present]


@pytest.mark.in_turn
@pytest.mark.parametrize("folders", [pytest.param(FOLDERS, id="any", marks=pytest.mark.journey), *(
    pytest.param((folder,), id=folder, marks=pytest.mark.slow) for folder in FOLDERS)])
def test_the_rest_works_without_an_extra(tmp_path, folders):
    for part in ("app", "tests"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    for part in ("sampler", "assets"):
        (tmp_path / part).symlink_to(ROOT / part)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in folders:
        shutil.rmtree(tmp_path / "app/extras" / folder)
        shutil.rmtree(tmp_path / "tests/app/extras" / folder)
        for path in (tmp_path / "tests").glob(f"*/test_{folder}.py"):
            path.unlink()
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *REMAINING, "-k", "not picture"]
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(command, cwd=tmp_path, env=outer | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stdout[-3000:]
