"""Generated parts of the site: KaTeX as shipped by Panel, figures, and lists computed from the program.

A page includes them by a comment, ``<!-- list: errata -->`` or ``<!-- figure: paths -->``; `LISTS` and
`figures.FIGURES` contain all of them. Nothing is fetched from a network.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs and tests load this file by its path
import figures  # noqa: E402
import gallery  # noqa: E402

TAGS = re.compile(r"<script[^>]*src=\"https?:[^>]*>\s*</script>|<link[^>]*href=\"https?:[^>]*>")
"""Elements of a template that would load from another host."""
KATEX = re.compile(r"<(?:link|script)[^>]*katex/katex\.[^>]*>(?:</script>)?")


CHANGES = Path(__file__).with_name("changes")
"""Folder of unreleased changes, one file per change."""
WEIGHTS = {"tutorials/questions": 8.0, "reference/api/": 0.1, "notebooks/": 0.2, "contribute/": 0.5}
"""Folder -> search weight of its pages, if not 1: long pages contain every word, questions match what readers type."""


def katex_files() -> Iterator[tuple[str, str | bytes]]:
    """Yield (name, content) of KaTeX for the site: its script, its style sheet and the fonts of the glossary."""
    from app.glossary.browser import FONTS, katex

    parts = katex()
    faces = [f"@font-face{{font-family:{family};font-style:{slant};src:url({family}-{slant}.woff2) format('woff2')}}"
             for family, _, slant in parts["fonts"]]
    yield "katex.js", parts["script"]
    yield "katex.css", "\n".join([*faces, parts["style"]])
    for family, content, slant in parts["fonts"]:
        yield f"{family}-{slant}.woff2", content
    yield "LICENSE", (FONTS / "LICENSE").read_text(encoding="utf-8")


def help_of(main: Callable[[list[str]], Any], *arguments: str) -> str:
    """Return the ``--help`` text of a command, 100 columns wide."""
    columns, printed = os.environ.get("COLUMNS"), io.StringIO()
    os.environ["COLUMNS"] = "102"
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            main([*arguments, "--help"])
    finally:
        os.environ.pop("COLUMNS")
        if columns is not None:
            os.environ["COLUMNS"] = columns
    return printed.getvalue()


def commands() -> str:
    """Return the help texts of all commands."""
    from app.__main__ import main as app_main
    from sampler.__main__ import main as sampler_main

    parts = []
    for program, main, names in (("python -m sampler", sampler_main, ("tune", "replay", "check")),
                                 ("exit-time-lab", app_main, ("export",))):
        for name in names:
            text = help_of(main, name)
            parts.append(f"### {program} {name}\n\n```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts)


def _values(knob: Any) -> str:
    """Return a description of the values that a link accepts for a parameter."""
    if hasattr(knob, "range_words"):
        return knob.range_words
    kind = type(knob).__name__
    if kind == "Choice":
        return ", ".join(f"`{name}`" for name in (knob.tokens or knob.objects) if str(name))
    if kind == "Choices":
        return "some of " + ", ".join(f"`{name}`" for name in knob.options) + ", separated by commas"
    return {"Switch": "`1` or `0`", "MaybeSwitch": "`1` or `0`", "KnobRange": "`smallest,largest`",
            "KnobValues": "whole numbers separated by commas", "Axes": "`1-2` or `principal`",
            "Followed": "a chain, from 0, or `none`", "Chain": "a chain, from 0, or `auto`",
            "ColumnNames": "names of columns separated by bars"}.get(kind, "text")


def links() -> str:
    """Return tables of the link keys of all pages, from the pages' states."""
    from app.state.compare import CompareState
    from app.state.coreset import CoresetState
    from app.state.exit_time import ExitState
    from app.state.live import LiveState
    from app.state.offline import LadderState, OfflineState
    from app.state.tune import TuneState

    states = {"Live": (LiveState,), "Exit time": (ExitState,), "Tune": (TuneState,), "Compare": (CompareState,),
              "Offline": (OfflineState, LadderState), "Coreset": (CoresetState,)}
    parts = []
    for page, classes in states.items():
        rows = [f"| `{knob.key}` | {(knob.doc or knob.label or '').replace('|', '‖')} | {_values(knob)} |"
                for state in classes for knob in state.linked().values()]
        parts.append("\n".join([f"### {page}", "", "| key | description | values |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def lessons() -> str:
    """Return a table of the lessons in order, with key, page and minutes."""
    from app.lessons.reader import gather_lessons

    lessons_, refused = gather_lessons()
    assert not refused, refused
    return _table(("key", "lesson", "page", "minutes"), *(
        (f"`{one.key}`", one.title, {"live": "Live", "exit": "Exit time"}[one.page], str(one.minutes)) for one in lessons_))


def _indices(text: str) -> str:
    """Return a record's text with sub- and superscripts as HTML."""
    return re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", re.sub(r"_\{([^}]*)\}", r"<sub>\1</sub>", " ".join(text.split())))


def errata() -> str:
    """Return all records of `sampler.errata` with the numbers of their counterexamples, computed at build time."""
    from sampler.errata import ERRATA

    parts = []
    for number, one in enumerate(ERRATA, 1):
        case = one.example()
        claim = {"equal": "", "at most": "at most ", "at least": "at least "}[case.relation]
        mended = "" if case.mended is None else f" Corrected bound: {claim}{case.mended:.6g}."
        parts += [f"### {number}. {_indices(one.title)}",
                  f"*{one.paper}, {one.place}: {one.kind}*, key `{one.key}`. Printed: {_indices(one.printed)}",
                  f"Correct: {_indices(one.holds)}",
                  f"Example, {_indices(case.setting)}; {_indices(case.quantity)}: printed"
                  f" **{claim}{case.printed:.6g}**, true value **{case.true:.6g}**.{mended}"]
    return "\n\n".join(parts)


def glossary() -> str:
    """Return all glossary terms in alphabetical order."""
    from app.glossary.term import GLOSSARY

    parts = []
    for term in sorted(GLOSSARY.values(), key=lambda term: term.name.casefold()):
        text = re.sub(r"\[\[(?:([^\]|]*)\|)?([^\]]*)\]\]", lambda match: match[1] or match[2], term.definition)
        symbol = f" ${term.symbol}$" if term.symbol else ""
        formula = f"\n\n$${term.formula}$$" if term.formula else ""
        unit = f"Unit: {term.unit}. " if term.unit else ""
        other = [word for word in term.also if term.name.casefold() not in word.casefold() and "," not in word]
        also = f"Also called in the app: {', '.join(other)}. " if other else ""
        place = "Ours, in no paper." if term.place == "ours" else f"{term.place}."
        parts.append(f"## {term.name}\n\n{symbol} {text}{formula}\n\n*{also}{unit}{place}*".replace("\n\n ", "\n\n"))
    return "\n\n".join(parts)


APART = ("threads", "workers", "load", "nuts")
"""Groups of benchmarks with their own section."""


def _table(*rows: tuple[str, ...]) -> str:
    head, *rest = (f"| {' | '.join(cell.replace('|', '‖') for cell in row)} |" for row in rows)
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest])


def _unsearched(text: str) -> str:
    """Return text wrapped so that it is excluded from the search index, which is loaded with the first page."""
    return f"<div markdown data-search-exclude>\n\n{text}\n\n</div>"


def _measured() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("benchmarks.toml").read_text(encoding="utf-8"))


def benchmarks() -> str:
    """Return the measured rows of all groups except `APART`, and a table of all runs."""
    data = _measured()
    return _unsearched("\n\n".join([
        _table(("group", "what", "measured", "target", "run"),
               *((f"`{row['group']}`", row["what"], row["measured"], row["target"], row["run"]) for row in data["rows"]
                 if row["group"] not in APART)),
        _table(("run", "machine", "software"),
               *((name, run["machine"], run["software"]) for name, run in data["runs"].items()))]))


def benchmarks_of(group: str) -> str:
    """Return the measured rows of one group with their run, or the command that measures them."""
    rows = [row for row in _measured()["rows"] if row["group"] == group]
    if not rows:
        return f"*Not measured yet: run `python -m tests.benchmarks {group} --write`.*"
    runs = ", ".join(dict.fromkeys(row["run"] for row in rows))
    return _unsearched(_table((f"run {runs}", "measured", "target"),
                              *((row["what"], row["measured"], row["target"]) for row in rows)))


def changes(folder: Path = CHANGES) -> str:
    """Return the unreleased changes: the texts of the files of ``changes``, sorted by name."""
    texts = [" ".join(path.read_text(encoding="utf-8").split()) for path in sorted(folder.glob("*.md"))]
    return "\n".join(["- **Next**", "", *(f"    - {text}" for text in texts)]) if texts else ""


LISTS: dict[str, Callable[[], str]] = {
    "changes": changes, "commands": commands, "lessons": lessons, "links": links, "errata": errata, "glossary": glossary,
    "notebooks": gallery.gallery, "benchmarks": benchmarks,
    **{f"benchmarks_{group}": partial(benchmarks_of, group) for group in APART}}


def on_files(files: Any, config: Any) -> Any:
    """Add KaTeX, the style sheet of figures and the pictures of notebooks to the site."""
    from mkdocs.structure.files import File

    made = {f"katex/{name}": content for name, content in katex_files()} | {"stylesheets/figures.css": figures.style()}
    made |= gallery.pictures()
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any = None, **_: Any) -> str:
    """Insert the lists and figures of a page, and set its search weight."""
    if page is not None:
        weight = next((weight for folder, weight in WEIGHTS.items() if page.file.src_uri.startswith(folder)), 1.0)
        page.meta["search"] = {"boost": weight}
    made = {"list": LISTS, "figure": figures.FIGURES}
    return re.sub(r"<!-- (list|figure): (\w+) -->", lambda match: made[match[1]][match[2]](), markdown)


def on_post_page(output: str, **_: Any) -> str:
    """Remove elements that a notebook's template loads from another host, and KaTeX (300 kB) on pages without formulas."""
    output = TAGS.sub("", output)
    return output if "arithmatex" in output else KATEX.sub("", output)
