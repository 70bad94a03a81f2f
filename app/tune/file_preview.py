"""What the user sees of a file before it is used: first rows, columns and their parts, what is left out and why."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.tune.file_options import FileOptions
from app.tune.file_plan import FilePlan, plan_of
from app.tune.kept_files import plain_name, upload_path
from app.tune.tuning_rows import FEWEST_ROWS
from sampler.streams import peek

SHOWN = 5
"""Rows shown."""


@dataclass(frozen=True)
class FilePreview:
    """What the dialog shows."""

    name: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    options: FileOptions = field(default_factory=FileOptions)  #: with what the data say filled in
    words: list[str] = field(default_factory=list)  #: sentences about what becomes of the rows
    error: str = ""


def preview(kept: str, options: FileOptions | None = None) -> FilePreview:
    """Look at a kept file with these choices; what is wrong comes as words."""
    options = options or FileOptions()
    path, name = upload_path(kept), plain_name(kept)
    if path is None:
        return FilePreview(name, error=f"{name} is not kept here any more: choose it again.")
    try:
        found = peek(str(path), SHOWN)
    except ValueError as wrong:
        return FilePreview(name, error=_tidy(wrong, str(path), name))
    columns, rows = found.names, found.rows
    response = options.response or columns[-1]
    chosen = options.replace(response=response, scale=bool(options.scale), features=options.features or tuple(
        column for column in columns if column != response))
    try:
        plan = plan_of(str(path), options)
    except ValueError as wrong:
        return FilePreview(name, columns, rows, chosen, error=_tidy(wrong, str(path), name))
    settled = chosen.replace(kind=plan.options.kind, response=plan.report.response or response, features=plan.columns,
                             scale=plan.scale)
    return FilePreview(name, columns, rows, settled, _words(plan, guessed=not options.kind), _too_few(plan))


def _words(plan: FilePlan, guessed: bool) -> list[str]:
    words = [line for line in plan.report.words() if "never varies" not in line]
    still = tuple(name for name in plan.report.constant if name not in plan.constant)
    if plan.constant:
        words.append(f"left out, since the intercept says it already: {_some(plan.constant)}")
    if still:
        words.append(f"all zero in the rows looked at: {_some(still)}")
    if plan.because:
        words.append(f"standardised as the rows arrive, because {plan.because}")
    if guessed:
        words.append(f"taken for {plan.options.kind.replace('poisson', 'Poisson')} regression from the response")
    return words


def _too_few(plan: FilePlan) -> str:
    if plan.report.rows >= FEWEST_ROWS:
        return ""
    return (f"{plan.report.rows} usable rows; {FEWEST_ROWS} or more are needed to tune."
            + "".join(f" {why}." for why in plan.report.dropped[:1]))


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def _tidy(wrong: ValueError, path: str, name: str) -> str:
    """Words about the file by the name the user knows."""
    text = str(wrong).replace(path, name)
    kept = path.rpartition("/")[2]
    text = text.replace(kept, name).removeprefix("source: ").removeprefix("path: ")
    return text.replace("pass 'linear', 'poisson' for counts (--model on the command line)",
                        "choose linear, or Poisson for counts")
