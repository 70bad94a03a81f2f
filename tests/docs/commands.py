"""Commands as pages write them, held against the real parsers, without running them."""

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
ELSEWHERE = ("git", "cd", "export", ".", "apt-get", "python3.11", "ruff", "mypy")
"""Programs that are not ours and whose arguments are not read here."""


def commands_of(text: str) -> Iterator[list[str]]:
    """Yield every command of a shell's text, split into words; a backslash joins lines, a # begins a comment."""
    for line in text.replace("\\\n", " ").splitlines():
        words: list[str] = []
        for word in [*shlex.split(line, comments=True), "&&"]:
            if word != "&&":
                words.append(word)
            elif words:
                yield words
                words = []


def check(words: list[str]) -> None:
    """Raise what the real parser raises where a command is wrong; AssertionError for a command of another program."""
    match words:
        case ["python", "-m", "sampler", *rest]:
            _parse(sampler_parser(), rest)
        case ["python", "-m", "app", *rest] | ["exit-time-lab", *rest]:
            _serve(rest[1:]) if rest[:1] == ["serve"] else _parse(app_parser(), rest)
        case ["panel", "serve", what, *rest]:
            assert (ROOT / what).exists(), f"there is no {what} to serve"
            _serve(rest)
        case ["panel", "secret"] | ["python", "-m", "build"]:
            pass
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module), f"there is no module {module}"
        case ["python", script, *_]:
            assert (ROOT / script).is_file(), f"there is no {script}"
        case ["pip", "install", *rest]:
            for extras in re.findall(r"\.?\[(.*?)\]", " ".join(rest)):
                assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), f"no such extra: {extras}"
        case ["pytest", *rest]:
            paths = [word for word in rest if "/" in word]
            assert all((ROOT / path).exists() for path in paths), f"one of {paths} is not there"
        case ["mkdocs", "build", "--strict", "-f", config]:
            assert (ROOT / config).is_file(), f"there is no {config}"
        case ["dask", "worker", address, *rest]:
            from distributed.cli.dask_worker import main as dask_worker

            for word in rest:  # its parser wants to see the certificates
                if word.endswith((".pem", ".key")):
                    Path(word).touch()
            with dask_worker.make_context("worker", [address, *rest]) as context:
                assert context.params["scheduler"] == address and not context.args
        case [program, *_]:
            assert program in ELSEWHERE, f"no parser for {' '.join(words)}"


def _parse(parser: argparse.ArgumentParser, rest: list[str]) -> None:
    try:
        parser.parse_args(rest)
    except SystemExit as end:
        assert end.code in (0, None), f"{parser.prog} refuses {' '.join(rest)}"


def _serve(rest: list[str]) -> None:
    """Check options of ``panel serve``, and those behind ``--args``, which the dashboard reads itself."""
    before, own = (rest[:rest.index("--args")], rest[rest.index("--args") + 1:]) if "--args" in rest else (rest, [])
    parser = argparse.ArgumentParser(prog="panel serve")
    Serve(parser)
    _parse(parser, ["app", *before])
    named = [word for word in own if not word.startswith("mymodule:")]
    words = read(tuple(word for word in named if word != "--problem")).words
    assert words == (), words
