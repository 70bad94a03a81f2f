"""Checks of documented commands with the real parsers, without running them."""

import argparse
import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

from panel.command.serve import Serve

from app.__main__ import parser as app_parser
from app.server.arguments import read
from sampler.__main__ import parser as sampler_parser
from tests.docs.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OTHER_PROGRAMS = ("git", "cd", "export", ".", "apt-get", "python3.11", "ruff", "mypy")
"""Other programs, with unchecked arguments."""


def commands_of(text: str) -> Iterator[list[str]]:
    """Yield every shell command, split into words; a backslash joins lines, a # starts a comment."""
    for line in text.replace("\\\n", " ").splitlines():
        words: list[str] = []
        for word in [*shlex.split(line, comments=True), "&&"]:
            if word != "&&":
                words.append(word)
            elif words:
                yield words
                words = []


def check(words: list[str]) -> None:
    """Raise the error of the real parser for a wrong command; AssertionError for an unlisted program."""
    match words:
        case ["python", "-m", "sampler", *rest]:
            _parse(sampler_parser(), rest)
        case ["python", "-m", "app", *rest] | ["exit-time-lab", *rest]:
            _serve(rest[1:]) if rest[:1] == ["serve"] else _parse(app_parser(), rest)
        case ["panel", "serve", what, *rest]:
            assert (ROOT / what).exists(), f"{what} does not exist"
            _serve(rest)
        case ["panel", "secret"] | ["python", "-m", "build"]:
            pass
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module), f"no module {module}"
        case ["python", script, *_]:
            assert (ROOT / script).is_file(), f"{script} does not exist"
        case ["pip", "install", *rest]:
            for extras in re.findall(r"\.?\[(.*?)\]", " ".join(rest)):
                assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), f"no such extra: {extras}"
        case ["pytest", *rest]:
            paths = [word for word in rest if "/" in word]
            assert all((ROOT / path).exists() for path in paths), f"one of {paths} does not exist"
        case ["mkdocs", "build", "--strict", "-f", config]:
            assert (ROOT / config).is_file(), f"{config} does not exist"
        case ["dask", "worker", address, *rest]:
            from distributed.cli.dask_worker import main as dask_worker

            for word in rest:  # its parser checks that the certificates exist
                if word.endswith((".pem", ".key")):
                    Path(word).touch()
            with dask_worker.make_context("worker", [address, *rest]) as context:
                assert context.params["scheduler"] == address and not context.args
        case [program, *_]:
            assert program in OTHER_PROGRAMS, f"no parser for {' '.join(words)}"


def _parse(parser: argparse.ArgumentParser, rest: list[str]) -> None:
    try:
        parser.parse_args(rest)
    except SystemExit as end:
        assert end.code in (0, None), f"{parser.prog} rejects {' '.join(rest)}"


def _serve(rest: list[str]) -> None:
    """Check the options of ``panel serve`` and the dashboard's own options after ``--args``."""
    before, own = (rest[:rest.index("--args")], rest[rest.index("--args") + 1:]) if "--args" in rest else (rest, [])
    parser = argparse.ArgumentParser(prog="panel serve")
    Serve(parser)
    _parse(parser, ["app", *before])
    named = [word for word in own if not word.startswith("mymodule:")]
    words = read(tuple(word for word in named if word != "--problem")).words
    assert words == (), words
