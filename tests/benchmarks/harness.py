"""Paired timing: two things in turn, A B A B ..., and the ratio pair by pair, so that a drifting machine cancels."""

import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    measured: str
    target: str
    met: bool | None  #: None where there is no target, or a peer is missing


def seconds(run: Callable[[], object]) -> float:
    """Process CPU time of one call: other people's load does not count."""
    start = time.process_time()
    run()
    return time.process_time() - start


def paired(a: Callable[[], object], b: Callable[[], object], repeats: int) -> tuple[float, float, float]:
    """Median, least and largest ratio time(b)/time(a) over pairs, after one warm-up of each."""
    a(), b()
    ratios = sorted(seconds(b) / seconds(a) for _ in range(repeats))
    return statistics.median(ratios), ratios[0], ratios[-1]


def at_least(name: str, target: float, found: tuple[float, float, float], unit: str = "x") -> Row:
    """Row whose median must reach ``target``."""
    middle, low, high = found
    return Row(name, f"{middle:.3g}{unit} ({low:.3g} to {high:.3g})", f">= {target:g}{unit}", middle >= target)


def at_most(name: str, target: float, found: tuple[float, float, float], unit: str = "x") -> Row:
    """Row whose median must not pass ``target``."""
    middle, low, high = found
    return Row(name, f"{middle:.3g}{unit} ({low:.3g} to {high:.3g})", f"<= {target:g}{unit}", middle <= target)


def skipped(name: str, why: str) -> Row:
    """Row of a peer that is not there."""
    return Row(name, f"skipped: {why}", "", None)


def machine() -> str:
    """The machine and the versions that made the numbers."""
    import numba
    import numpy

    info = Path("/proc/cpuinfo")
    models = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")] \
        if info.exists() else []
    cpu = f"{models[0]}, {len(models)} cores" if models else platform.processor()
    return (f"{cpu}; Python {platform.python_version()}, NumPy {numpy.__version__}, numba {numba.__version__}")
