"""The command line: what to record, where to, errors in words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from app.compile_notice import Announcer
from app.recording.exit_plan import ExitPlan
from app.recording.file import check_place, write
from app.recording.plan import Plan
from app.recording.recorder import Recording, record
from app.recording.requests import EPOCHS, lesson_plans, plan_of
from app.recording.size import estimate, frames_a_second
from sampler.version import MADE_WITH

GOOD, BAD_INPUT, STOPPED = 0, 1, 130
ALL = "lessons"


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="python -m app", description="Exit-Time Lab as a file, without its server. The dashboard itself:"
        " python -m app serve, with the options of panel serve.",
        epilog="Exit codes: 0 done; 1 bad input; 2 bad command line; 130 interrupted, nothing written.")
    top.add_argument("--version", action="version", version=MADE_WITH)
    commands = top.add_subparsers(dest="command", required=True, metavar="record")
    found = commands.add_parser(
        "record", help="a run of Live as one HTML file", description="Write a run of Live, from its first datum, as one HTML"
        " file of 3 MB at most that plays in any browser and asks nothing of any server: chains, balls, the four charts and,"
        " of a lesson, its text.")
    found.add_argument("what", help="a link of the Live page in quotes (from its ? on is enough), a lesson such as lesson-2"
                       f" or too_hot, or {ALL}: every lesson but the one that asks")
    found.add_argument("out", help=f"the file to write, such as out.html; for {ALL} a folder")
    found.add_argument("--epochs", type=int, metavar="N",
                       help=f"how many epochs (default: {EPOCHS}, or as many as the lesson needs)")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = parser().parse_args(arguments)
    try:
        if options.what == ALL:
            for plan in lesson_plans(options.epochs):
                _record(plan, Path(options.out) / f"{plan.lesson.key}.html")
        else:
            _record(plan_of(options.what, options.epochs), Path(options.out))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nstopped; the file was not written", file=sys.stderr)
        return STOPPED
    return GOOD


def _record(plan: Plan | ExitPlan, path: Path) -> None:
    check_place(path)
    _say_beforehand(plan, path)
    with Announcer(lambda words, share: None if begun else _line(words)):
        begun: list[float] = []
        recording = _recorded(plan, lambda share: _progress(share, begun))
    write(path, recording.html)
    for words in recording.words[0 if isinstance(plan, ExitPlan) else len(plan.words):]:
        print(words, file=sys.stderr)
    print(f"{path}: {recording.size / 1e6:.2f} MB, {recording.epochs:,} {recording.unit}, {recording.frames:,} frames,"
          f" {recording.rate} a second")


def _recorded(plan: Plan | ExitPlan, progress: Callable[[float], None]) -> Recording:
    if isinstance(plan, ExitPlan):
        from app.recording.exit_recorder import record_epoch  # figures take a second to import

        return record_epoch(plan, progress)
    return record(plan, progress)


def _say_beforehand(plan: Plan | ExitPlan, path: Path) -> None:
    if isinstance(plan, ExitPlan):
        print(f"{path.name}: {plan.title}, one epoch of {plan.config.steps:,} steps", file=sys.stderr)
        return
    for words in plan.words:
        print(words, file=sys.stderr)
    rate = frames_a_second(plan)
    size, seconds = estimate(plan, rate), plan.pace.frames(plan.epochs, rate) / rate
    print(f"{path.name}: {plan.title}, {plan.epochs:,} epochs in {seconds:.0f} s, at most {size / 1e6:.1f} MB",
          file=sys.stderr)


def _progress(share: float, begun: list[float]) -> None:
    """Show each percent once."""
    percent = int(100 * share)
    if percent and (not begun or percent > begun[-1]):
        begun.append(percent)
        _line(f"{percent} %")


def _line(words: str) -> None:
    if sys.stderr.isatty():
        end = "\n" if words == "100 %" else ""
        print(f"\r\x1b[K{words}", end=end, file=sys.stderr, flush=True)
