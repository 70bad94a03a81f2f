"""Paired timing: contestants take turns many times, and ratios are taken within a turn."""

import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

import numpy as np

PACKAGES = ("numpy", "scipy", "numba", "jax", "blackjax", "polyagamma", "panel", "bokeh", "playwright")


@dataclass(frozen=True)
class Row:
    """One row of the table.

    ``ok`` is None without a target; ``measured`` is NaN for a skipped row, with the reason in ``note``.
    """

    name: str
    target: str
    measured: float
    low: float
    high: float
    unit: str
    ok: bool | None
    note: str = ""
    group: str = ""

    def line(self) -> str:
        if np.isnan(self.measured):
            return f"{self.name:<66} {'skipped':>8}  {self.note}"
        outcome = {True: "pass", False: "MISS", None: ""}[self.ok]
        spread = f"({number(self.low)} - {number(self.high)})"
        return (f"{self.name:<66} {self.target:>10} {number(self.measured):>9} {self.unit:<6} {spread:<21} "
                f"{outcome:<5} {self.note}")


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def row(name: str, values, at_least: float | None = None, at_most: float | None = None, unit: str = "x",
        note: str = "") -> Row:
    """Return a row with the median and range of ``values``; the median decides about the target."""
    values = np.atleast_1d(np.asarray(values, float))
    middle = float(np.median(values))
    target, ok = "", None
    if at_least is not None:
        target, ok = f"≥ {number(at_least)}", middle >= at_least
    elif at_most is not None:
        target, ok = f"≤ {number(at_most)}", middle <= at_most
    return Row(name, target, middle, float(values.min()), float(values.max()), unit, ok, note)


def skipped(name: str, why: str) -> Row:
    return Row(name, "", np.nan, np.nan, np.nan, "", None, why)


def race(contestants: dict[str, tuple[Callable[[], object], float]], turns: int,
         clock: Callable[[], float] = time.process_time) -> dict[str, np.ndarray]:
    """Return contestant -> seconds per unit of work at each turn, (turns,); contestants are (function, units of work).

    Each is called once before the clock starts, then once per turn, in alternating order. The default clock is the
    processor time of all threads of this process.
    """
    seconds = {name: np.empty(turns) for name in contestants}
    for function, _ in contestants.values():
        function()
    names = list(contestants)
    for turn in range(turns):
        for name in names if turn % 2 == 0 else names[::-1]:
            function, work = contestants[name]
            start = clock()
            function()
            seconds[name][turn] = (clock() - start) / work
    return seconds


def versus(name: str, ours: tuple[Callable[[], object], float], theirs: tuple[Callable[[], object], float], turns: int,
           at_least: float | None = None, at_most: float | None = None, note: str = "") -> Row:
    """Return the row of the time per unit of ``theirs`` over that of ``ours``, measured by `race`; both are in the note."""
    seconds = race({"ours": ours, "theirs": theirs}, turns)
    mine, other = (number(1e6 * np.median(seconds[key])) for key in ("ours", "theirs"))
    return row(name, seconds["theirs"] / seconds["ours"], at_least, at_most, note=f"{mine} us and {other} us{note}")


def missing_packages(name: str, *packages: str) -> Iterator[Row]:
    """Yield a skipped row if packages of the extra ``benchmarks`` are not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        yield skipped(name, f"needs {' and '.join(missing)}: pip install -e .[benchmarks]")


def machine() -> dict[str, object]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    return {"cpu": _cpu(), "cores": os.cpu_count(), "python": platform.python_version(), "system": platform.platform(),
            "load": os.getloadavg() if hasattr(os, "getloadavg") else None, "packages": versions}


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
