"""Modules of plain Python as modules of JavaScript: `files`.

`ROOTS` names what a page in a browser calls. What that reaches is translated too, one ES module in `FOLDER` for each Python
module, so that a module may hold other things beside: only what is reached must be plain Python, or call what
``app/js/lab/numpy.js`` has of NumPy. A constant that JSON can hold is written by its value, whatever it is made from.
Annotations, docstrings, assertions and checks of arguments (`sampler.arguments`) leave nothing; a dataclass's constructor
takes an object of its fields; tuples are arrays, dicts with texts for keys are objects. ``app/js/lab/python.js`` has what
JavaScript lacks.
"""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from app.js.bundles import FOLDER as PACKAGE
from app.js.translate.statements import Writer
from app.js.translate.vocabulary import is_plain, literal, safe

ROOT = PACKAGE.parents[1]
FOLDER = PACKAGE / "dist" / "translated"
ROOTS = {
    "sampler.settings": ("Settings",),
    "app.live.timeline": ("Change.*",),
    "app.live.run_commands": ("Session.*",),
    "app.live.run": ("Run.*",),
    "app.live.run_position": ("RunPosition.*",),
    "app.live.flashes": ("Effects.mark_published",),
    "app.state.live": ("RESTARTING", "WINDOW", "live_in", "live_query", "with_problem", "with_algorithm", "view_within"),
    "app.state.live_menu": ("coordinate_names",),
    "app.live.page_words": ("titles_of", "fault_notice", "notice_of"),
    "app.live.moment_link": ("Moment", "moment_query", "read_moment", "link_words"),
    "app.state.parameters.knob_values": ("LinkReader.*", "KnobRules.*", "SwitchRules.*", "ChoiceRules.*", "FollowedRules.*",
                                        "AxesRules.*"),
    "app.live.plotted_plane": ("View.*", "OwnBalls.*", "float32", "LARGEST"),
    "app.live.run_state": ("ROUNDING",),
    "app.live.predicted_accuracy": ("EVERY", "GROWTH", "MOST_NUMBERS"),
    "app.live.recent_samples": ("EPOCHS",),
    "sampler.algorithms.chain_states": ("ChainStates.watch",),
    "sampler.algorithms.checkpoint_calendar": ("CheckpointCalendar.*",),
    "app.live.assumptions": ("Constants.*",),
    "sampler.theory.assumptions": ("concentration_of", "RunningSmoothness.*"),
    "app.live.ghost_run": ("compare",),
    "app.live.charts.view": ("ChartView.*", "empty"),
    "sampler.theory.exit_simulation": ("lanes_of", "stride_of"),
    "sampler.theory.decomposition": ("Pushes.*",),
    "app.exit_time.bound_curves": ("bound_curves", "with_batches", "with_mixture", "CURVES", "QUICK"),
    "app.exit_time.job": ("ExitResult", "filled"),
    "app.exit_time.simulated_chains": ("order",),
    "app.exit_time.target_and_start": ("ExitSetup.walks_free", "prepare_exits", "EPOCH"),
    "app.exit_time.theory_price": ("price",),
    "app.live.run_handover": ("LiveHandover.*", "hand_over"),
    "app.state.exit_time": ("ExitEpoch.*", "turned", "kept_truncation", "chosen", "corrected", "chain_in", "chain_text"),
    "app.exit_time.promise": ("EpochLaw.*", "process_of", "promise_of", "levels_of", "good_events"),
    "app.exit_time.drawings": ("drawings_of", "survival_columns"),
    "app.plots.exit_probability_drawings": ("good_drawing",),
    "app.exit_time.result_words": ("warnings", "splitting", "pushing", "timing", "spoken", "process_caption",
                                   "promise_caption", "promise_spoken", "from_live", "measured_on", "crowd_caption"),
    "app.lessons.story_rules": ("StoryRules.*", "waiting_words"),
    "app.widgets.verdict_card": ("LOOK", "button_words", "symbols"),
    "app.plots.lines": ("columns_of",),
    "app.plots.style": ("chart_words",),
}
"""Module -> names that are called from JavaScript; of a class every method, one, or without a dot those that are called."""
HEAD = """// Translated from {path} by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
"""
HEAD_OF_ARRAYS = HEAD + 'import * as np from "../../lab/numpy.js"\n'
CHECKS = "sampler.arguments"
NATIVE = {"app.live.run_handover": ("numbers", ("new_key",)),
          "app.state.parameters.knob_values": ("numbers", ("endless", "read_number", "shown", "url_text", "written")),
          "sampler.theory.anytime_bound": ("best_weights", ("best_weights",))}
"""Module -> module in ``app/js/lab`` and its functions of the same names: what they call, JavaScript lacks."""
MADE = {("dataclasses", "replace"): "replace", ("math", ""): "math", ("array", "array"): "array", ("numpy", ""): "numpy",
        ("re", ""): "re", ("fractions", "Fraction"): "fraction"}


@dataclass(frozen=True)
class Module:
    """A Python module's top level."""

    path: Path
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)  #: local name -> module and name there

    @property
    def arrays(self) -> bool:
        """Whether its values may be arrays of NumPy, which it imports: ``app/js/lab/numpy.js`` has what they need."""
        return ("numpy", "") in self.imports.values()


@cache
def module(name: str) -> Module | None:
    """Read a module of this project; None for others'."""
    base = ROOT.joinpath(*name.split("."))
    path = next((one for one in (base.with_suffix(".py"), base / "__init__.py") if one.exists()), None)
    if path is None or name.split(".")[0] not in ("app", "sampler"):
        return None
    read = Module(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            read.imports.update({one.asname or one.name: (node.module, one.name) for one in node.names})
        elif isinstance(node, ast.Import):
            read.imports.update({one.asname or one.name: (one.name, "") for one in node.names})
        elif isinstance(node, ast.Module):
            for one in node.body:
                targets = getattr(one, "targets", [getattr(one, "target", one)])
                names = [getattr(word, "id", getattr(word, "name", "")) for top in targets for word in ast.walk(top)]
                names = names if isinstance(one, ast.Assign) else names[:1]
                read.definitions.update(dict.fromkeys(filter(None, names), one))
    return read


def home(name: str, of: str) -> tuple[str, str]:
    """Return module and name of what a module calls ``name``, through every import on the way."""
    while (here := module(of)) is not None and name not in here.definitions and name in here.imports:
        of, name = here.imports[name]
    return of, name


@cache
def methods(of: str, kind: str) -> dict[str, list[ast.FunctionDef]]:
    """Return the methods of a class by their names, two of a property and its setter; of a function none."""
    node, named = module(of).definitions[kind], {}
    for one in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(one, ast.FunctionDef):
            named.setdefault(one.name, []).append(one)
    return named


class Reached:
    """What the roots reach, and the text of each of its definitions.

    Parameters
    ----------
    roots : dict, optional
        As `ROOTS`.
    """

    def __init__(self, roots: dict[str, tuple[str, ...]] = ROOTS) -> None:
        asked = [(of, name) for of, names in roots.items() for name in names]
        self._whole = {(of, name.removesuffix(".*")) for of, name in asked if name.endswith(".*")}
        self.wanted = {(of, name.partition(".")[0]) for of, name in asked}
        self._attributes = {name.partition(".")[2] for _, name in asked} - {"", "*"}
        self._here, size = "", 0
        while size != (size := len(self.wanted) + len(self._attributes)):
            self.texts = {one: self._text(*one) for one in sorted(self.wanted)}

    def definition(self, name: str) -> ast.AST | str:
        """As `app.js.translate.calls.Names` has it."""
        of, name = home(name, self._here)
        if of == CHECKS and isinstance(module(of).definitions[name], ast.FunctionDef):
            return "checked"
        if name in NATIVE.get(of, ("", ()))[1]:
            return "native"
        if (of, name) in MADE:
            return MADE[of, name]
        read = module(of)
        if of == "sampler.kernels" and module(f"{of}.{name}"):
            return "kernels"
        if of.startswith("sampler.kernels.") and isinstance(read.definitions.get(name), ast.FunctionDef):
            return "kernel"
        if read is None or name not in read.definitions:
            raise ValueError(f"{name!r} in {self._here} must be of this project's plain Python to be translated, got"
                             f" {of}.{name}; write it without, or apart")
        self.wanted.add((of, name))
        return read.definitions[name]

    def method(self, name: str) -> ast.FunctionDef | None:
        """As `app.js.translate.calls.Names` has it."""
        matching = [one for wanted in self.wanted for one in methods(*wanted).get(name, ())]
        return matching[0] if len(matching) == 1 else None

    def use(self, name: str) -> None:
        """As `app.js.translate.calls.Names` has it."""
        self._attributes.add(name)

    def _text(self, of: str, name: str) -> str:
        self._here, node = of, module(of).definitions[name]
        writer = Writer(self, module(of).path.relative_to(ROOT).as_posix(), module(of).arrays)
        if isinstance(node, ast.FunctionDef):
            return writer.function(node, f"export function{{star}} {safe(name)}")
        if isinstance(node, ast.ClassDef):
            whole = (of, name) in self._whole
            return writer.klass(node, [one for one in node.body if isinstance(one, ast.FunctionDef) and (
                one.name == "__init__" or one.name in self._attributes or whole and not one.name.startswith("__"))])
        value = getattr(importlib.import_module(of), name)
        return f"export const {safe(name)} = {literal(value)};" if is_plain(value) else writer.constant(node)


def files(roots: dict[str, tuple[str, ...]] = ROOTS) -> dict[str, str]:
    """Return the texts of the JavaScript modules by the names of their files."""
    reached, made = Reached(roots), {}
    for of in sorted({one for one, _ in reached.wanted}):
        read = module(of)
        own = {name: reached.texts[of, name] for name in read.definitions if (of, name) in reached.wanted}
        text = "\n\n".join(dict.fromkeys(own.values()))
        asked: dict[str, list[str]] = {}
        for name in read.imports:
            if name not in read.definitions and (there := home(name, of)) in reached.wanted \
                    and re.search(rf"\b{safe(name)}\b", text):
                asked.setdefault(there[0], []).append(
                    safe(name) if there[1] == name else f"{safe(there[1])} as {safe(name)}")
        native: dict[str, list[str]] = {}
        for place, names in NATIVE.values():
            native.setdefault(place, []).extend(name for name in names if re.search(rf"(?<![\w.]){name}\(", text))
        lines = [f'import {{{", ".join(names)}}} from "../../lab/{place}.js"' for place, names in native.items() if names]
        lines += [f'import {{{", ".join(sorted(names))}}} from "./{_file(one)}"' for one, names in sorted(asked.items())]
        head = (HEAD_OF_ARRAYS if read.arrays else HEAD).format(path=read.path.relative_to(ROOT).as_posix())
        made[_file(of)] = "\n".join([head + "\n".join([*lines, ""]), text, ""])
    return made


def _file(of: str) -> str:
    return f"{of.replace('.', '_')}.js"
