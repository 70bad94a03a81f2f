"""What a person sees of a file before she uses it: first rows, columns and their parts, what is left out and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.tune.cache import plain_name, upload_path
from app.tune.config import LIMITS
from app.tune.data import plan_of
from app.tune.reading import Reading
from sampler.streams import peek

SHOWN = 5
"""Rows shown."""


@dataclass(frozen=True)
class Preview:
    """The dialog's contents."""

    name: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    response: str = ""
    features: tuple[str, ...] = ()
    kind: str = ""
    intercept: bool = True
    scale: bool = False
    words: list[str] = field(default_factory=list)
    error: str = ""


def preview(kept: str, kind: str = "", reading: Reading | None = None) -> Preview:
    """Look at a kept file with these choices; what is wrong comes as words."""
    reading = reading or Reading()
    path, name = upload_path(kept), plain_name(kept)
    if path is None:
        return Preview(name, error=f"{name} is not kept here any more: choose it again.")
    try:
        found = peek(str(path), SHOWN)
    except ValueError as wrong:
        return Preview(name, error=_tidy(wrong, str(path), name))
    columns, rows = found.names, found.rows
    response = reading.response or columns[-1]
    chosen = reading.features or tuple(column for column in columns if column != response)
    try:
        plan = plan_of(str(path), kind, reading)
    except ValueError as wrong:
        return Preview(name, columns, rows, response, chosen, kind, reading.intercept, bool(reading.scale), [],
                       _tidy(wrong, str(path), name))
    words = list(plan.report.words())
    still = [name for name in plan.report.constant if name not in plan.constant]
    words = [line for line in words if "never varies" not in line]
    if plan.constant:
        words.append(f"left out, since the intercept says it already: {_some(plan.constant)}")
    if still:
        words.append(f"all zero in the rows looked at: {_some(tuple(still))}")
    if plan.because:
        words.append(f"standardised as the rows arrive, because {plan.because}")
    if not kind:
        words.append(f"taken for {plan.kind.replace('poisson', 'Poisson')} regression from the response")
    error = "" if plan.report.rows >= LIMITS["rows"][0] else (
        f"{plan.report.rows} usable rows; 16 or more are needed to tune."
        + "".join(f" {why}." for why in plan.report.dropped[:1]))
    return Preview(name, columns, rows, plan.report.response or response, plan.columns, plan.kind, reading.intercept,
                   plan.scale, words, error)


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def _tidy(wrong: ValueError, path: str, name: str) -> str:
    """Words about the file by the name the person knows."""
    text = str(wrong).replace(path, name)
    kept = path.rpartition("/")[2]
    text = text.replace(kept, name).removeprefix("source: ").removeprefix("path: ")
    return text.replace("pass 'linear', 'poisson' for counts (--model on the command line)",
                        "choose linear, or Poisson for counts")
