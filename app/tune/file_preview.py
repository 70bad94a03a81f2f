"""What the user sees of a file before it is used: first rows, columns and their parts, what is left out and why."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from app.file_columns import class_values, left_out_words, page_words
from app.tune.file_options import FileOptions
from app.tune.file_plan import FilePlan, Source, plan_of
from app.tune.kept_files import plain_name, upload_path
from app.tune.tuning_rows import FEWEST_ROWS
from sampler.streams import Peek, likely_response, peek

CLASSES = ("label", "target", "class")
"""Names of a response whose whole numbers may be classes."""
SHOWN = 5
"""Rows shown."""
_TEXT = "text, not numbers"
_HERE = (
    (r"pass 'linear', 'poisson' for counts \(--model on the command line\)", "choose linear, or Poisson for counts"),
    (r"pass one of logistic, linear, poisson", "choose the gradient above"),
)
"""What the library says of arguments that only this page has -> where they are on it."""


@dataclass(frozen=True)
class FilePreview:
    """What the dialog shows."""

    name: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    options: FileOptions = field(default_factory=FileOptions)  #: with what the data say filled in
    words: list[str] = field(default_factory=list)  #: sentences about what becomes of the rows
    error: str = ""
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)  #: of columns that hold words; none: too many
    classes: tuple[str, ...] = ()  #: values of the response, where one may be set against the others
    kept: str = ""  #: name the file is kept by


def preview(kept: str, options: FileOptions | None = None) -> FilePreview:
    """Look at a kept file with these choices; what is wrong comes as words."""
    return replace(_preview(kept, options), kept=kept)


def _preview(kept: str, options: FileOptions | None) -> FilePreview:
    options = options or FileOptions()
    path, name = upload_path(kept), plain_name(kept)
    if path is None:
        return FilePreview(name, error=f"{name} is not kept here any more: choose it again.")
    source = (name, path)
    try:
        found = peek(source, SHOWN)
        response = options.response or likely_response(found.names) or found.names[-1]
        classes = _classes(source, found, options.kind, response)
    except ValueError as wrong:
        return FilePreview(name, error=_tidy(wrong))
    columns, rows, words = found.names, found.rows, found.words
    features = options.features or tuple(column for column in columns if column != response and column not in words)
    chosen = options.replace(response=response, scale=bool(options.scale), features=features)
    try:
        plan = plan_of(source, options, words)
    except ValueError as wrong:
        return FilePreview(name, columns, rows, chosen, error=_tidy(wrong, classes), levels=words, classes=classes)
    settled = chosen.replace(kind=plan.options.kind, response=plan.report.response or response, features=plan.columns,
                             scale=plan.scale)
    error = _too_few(plan)
    said = [line for line in _said(plan, words, guessed=not options.kind) if line not in error]
    return FilePreview(name, columns, rows, settled, said, error, words, classes)


def _classes(source: Source, found: Peek, kind: str, response: str) -> tuple[str, ...]:
    """Values of the response, where the model needs two."""
    if kind not in ("", "logistic") or (kind == "" and response not in found.words):
        return ()
    return class_values(source, found, response)


def _said(plan: FilePlan, words: dict[str, tuple[str, ...]], guessed: bool) -> list[str]:
    said = [line for line in plan.report.words(plan.whole) if "never varies" not in line and not line.endswith(_TEXT)]
    said += [left_out_words(name, len(words.get(name, ())), "press it above")
             for name, why in plan.report.left_out.items() if why == _TEXT]
    still = tuple(name for name in plan.report.constant if name not in plan.constant)
    if plan.constant:
        said.append(f"left out, since the intercept says it already: {_some(plan.constant)}")
    if still:
        said.append(f"all zero in the rows looked at: {_some(still)}")
    if plan.because:
        said.append(f"standardised as the rows arrive, because {plan.because}")
    if guessed:
        doubt = (f": {plan.report.response!r} was taken for counts; if its values are classes, choose logistic above"
                 if plan.options.kind == "poisson" and str(plan.report.response).lower() in CLASSES else "")
        said.append(f"taken for {plan.options.kind.replace('poisson', 'Poisson')} regression from the response{doubt}")
    return said


def _too_few(plan: FilePlan) -> str:
    if plan.report.rows >= FEWEST_ROWS:
        return ""
    return (f"{plan.report.rows} usable rows; {FEWEST_ROWS} or more are needed to tune."
            + "".join(f" {why}." for why in plan.report.dropped[:1]))


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def _tidy(wrong: ValueError, classes: tuple[str, ...] = ()) -> str:
    """The same words, with the classes that are offered, for somebody who has a page before the eyes."""
    text = page_words(str(wrong), classes)
    for said, here in _HERE:
        text = re.sub(said, here, text)
    return text
