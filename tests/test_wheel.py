"""The wheel contains the whole program: installed into an empty folder, it reads its data and serves the dashboard."""

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from sampler.version import MADE_WITH, VERSION

ROOT = Path(__file__).parents[1]
PARTS = ("app", "sampler")
LEFT_OUT = {Path("sampler/racing/data/pima-indians-diabetes.csv")}  # licence unclear
pytestmark = pytest.mark.journey

READ_ALL = """
import app, sampler
from pathlib import Path
from app.compare.method_map import shipped_map
from app.compare.race_job import shipped_results
from app.glossary import GLOSSARY
from sampler.racing import paper_split
assert all(Path(part.__file__).is_relative_to(Path.cwd()) for part in (app, sampler)), app.__file__
from sampler.racing import PAPER_DATA
assert len(paper_split("mushrooms").train_labels) == 6000 and not PAPER_DATA["pima"].here
try:
    paper_split("pima")
except ValueError as error:
    assert "pima does not come with an installed library" in str(error)
assert len(GLOSSARY) > 40 and shipped_results() and shipped_map().methods
from app.__main__ import main
main(["--version"])
"""
"""Reads files that are loaded on use, not on import."""


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", arguments[0], "-q", "--no-deps", "--no-index", *arguments[1:]], check=True,
                   capture_output=True, text=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    tree, built, folder = (tmp_path_factory.mktemp(name) for name in ("tree", "built", "installed"))
    for part in PARTS:  # a copy: a build leaves folders behind and reuses stale ones
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    pip("wheel", "--no-build-isolation", "-w", built, tree)
    wheel, = built.glob("*.whl")
    assert wheel.name == f"exit_time_lab-{VERSION}-py3-none-any.whl"
    pip("install", "--no-compile", "--target", folder, wheel)
    return folder


def python(folder, *arguments, at=None):
    """Start Python in a folder, by default that of the wheel, so that app and sampler are imported from the wheel."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen([sys.executable, *arguments], cwd=at or folder, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def test_every_file_of_the_packages_is_in_the_wheel(installed):
    def files(root):
        return {file.relative_to(root) for part in PARTS for file in (root / part).rglob("*")
                if file.is_file() and "__pycache__" not in file.parts}

    assert files(ROOT) - files(installed) == LEFT_OUT and files(installed) <= files(ROOT)
    metadata = (installed / f"exit_time_lab-{VERSION}.dist-info/METADATA").read_text(encoding="utf-8")
    assert f"\nVersion: {VERSION}\n" in metadata and "\nLicense-Expression: MIT\n" in metadata
    scripts = (installed / f"exit_time_lab-{VERSION}.dist-info/entry_points.txt").read_text()
    assert "exit-time-lab = app.__main__:main" in scripts


def test_files_loaded_on_use_are_in_the_wheel(installed):
    done = python(installed, "-c", READ_ALL)
    output = done.communicate(timeout=120)[0]
    assert done.returncode == 0 and output.strip() == MADE_WITH, output


@pytest.fixture
def namesakes(tmp_path):
    for part in PARTS:
        (tmp_path / part).mkdir()
        (tmp_path / part / "__init__.py").write_text("raise SystemExit('this is the user\'s own')\n")
    return tmp_path


@pytest.mark.parametrize("command", [("-m", "app"), ("bin/exit-time-lab",)])
def test_the_dashboard_is_served(installed, namesakes, command):
    """As a module from the wheel's folder, and by its command from a folder with packages of the same names."""
    by_name = command[0] == "-m"
    start = command if by_name else [installed / command[0]]
    server = python(installed, *start, "serve", "--port", "0", "--address", "127.0.0.1", at=None if by_name else namesakes)
    output = []
    try:
        for line in server.stdout:
            output.append(line)
            if match := re.search(r"running at: (http://\S+)", line):
                break
        else:
            pytest.fail(f"the server ended, {server.wait()}: {output}")
        with urllib.request.urlopen(match[1], timeout=120) as answer:
            page = answer.read().decode()
        assert answer.status == 200 and "<title>Exit-Time Lab</title>" in page and match[1].endswith("/app")
    finally:
        server.terminate()
        rest = server.communicate(timeout=60)[0]
    assert "Traceback" not in rest, rest
