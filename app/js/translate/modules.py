"""`files`: translation of modules of plain Python to modules of JavaScript.

`ROOTS` names the definitions that a page in a browser calls. Their dependencies are translated too, into one ES module in
`FOLDER` per Python module. The rest of a module is ignored: only translated definitions must be plain Python or use the
part of NumPy in ``app/js/lab/numpy.js``. A constant that JSON can represent is written by value.
Annotations, docstrings, assertions and checks of arguments (`sampler.arguments`) are dropped; the constructor of a
dataclass takes an object of its fields; tuples become arrays and dicts with text keys become objects.
``app/js/lab/python.js`` defines the built-ins of Python that JavaScript lacks.
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
"""Module -> names called from JavaScript. ``Class.*``: all methods, ``Class.name``: one, ``Class``: the methods called."""
HEAD = """// Translated from {path} by `python -m app.js.translate`: change that file.
import * as py from "../../lab/python.js"
"""
HEAD_OF_ARRAYS = HEAD + 'import * as np from "../../lab/numpy.js"\n'
CHECKS = "sampler.arguments"
NATIVE = {"app.live.run_handover": ("numbers", ("new_key",)),
          "app.state.parameters.knob_values": ("numbers", ("endless", "read_number", "shown", "url_text", "written")),
          "sampler.theory.anytime_bound": ("best_weights", ("best_weights",))}
"""Module -> module in ``app/js/lab`` and its hand-written functions of the same names, which cannot be translated."""
MADE = {("dataclasses", "replace"): "replace", ("math", ""): "math", ("array", "array"): "array", ("numpy", ""): "numpy",
        ("re", ""): "re", ("fractions", "Fraction"): "fraction"}


@dataclass(frozen=True)
class Module:
    """Top level of a Python module."""

    path: Path
    definitions: dict[str, ast.stmt] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)  #: local name -> module and name there

    @property
    def arrays(self) -> bool:
        """Whether the module imports NumPy, so that values may be arrays of ``app/js/lab/numpy.js``."""
        return ("numpy", "") in self.imports.values()


@cache
def module(name: str) -> Module | None:
    """Read a module of this project; return None for other modules."""
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
    """Return the module and name that define ``name`` of a module, following imports."""
    while (here := module(of)) is not None and name not in here.definitions and name in here.imports:
        of, name = here.imports[name]
    return of, name


@cache
def methods(of: str, kind: str) -> dict[str, list[ast.FunctionDef]]:
    """Return the methods of a class by name (a property and its setter share one), or none for a function."""
    node, named = module(of).definitions[kind], {}
    for one in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(one, ast.FunctionDef):
            named.setdefault(one.name, []).append(one)
    return named


class Reached:
    """Definitions that the roots depend on, with the JavaScript text of each.

    Parameters
    ----------
    roots : dict, optional
        As `ROOTS`.
    """

    def __init__(self, roots: dict[str, tuple[str, ...]] = ROOTS) -> None:
        called = [(of, name) for of, names in roots.items() for name in names]
        self._whole = {(of, name.removesuffix(".*")) for of, name in called if name.endswith(".*")}
        self.wanted = {(of, name.partition(".")[0]) for of, name in called}
        self._attributes = {name.partition(".")[2] for _, name in called} - {"", "*"}
        self._here, size = "", 0
        while size != (size := len(self.wanted) + len(self._attributes)):
            self.texts = {one: self._text(*one) for one in sorted(self.wanted)}

    def definition(self, name: str) -> ast.AST | str:
        """See `app.js.translate.calls.Names.definition`."""
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
            raise ValueError(f"{name!r} in {self._here} must be plain Python of this project to be translated, got"
                             f" {of}.{name}; avoid it, or move it to another module")
        self.wanted.add((of, name))
        return read.definitions[name]

    def method(self, name: str) -> ast.FunctionDef | None:
        """See `app.js.translate.calls.Names.method`."""
        matching = [one for wanted in self.wanted for one in methods(*wanted).get(name, ())]
        return matching[0] if len(matching) == 1 else None

    def use(self, name: str) -> None:
        """See `app.js.translate.calls.Names.use`."""
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
    """Return the texts of the JavaScript modules by file name."""
    reached, made = Reached(roots), {}
    for of in sorted({one for one, _ in reached.wanted}):
        read = module(of)
        own = {name: reached.texts[of, name] for name in read.definitions if (of, name) in reached.wanted}
        text = "\n\n".join(dict.fromkeys(own.values()))
        imported: dict[str, list[str]] = {}
        for name in read.imports:
            if name not in read.definitions and (there := home(name, of)) in reached.wanted \
                    and re.search(rf"\b{safe(name)}\b", text):
                imported.setdefault(there[0], []).append(
                    safe(name) if there[1] == name else f"{safe(there[1])} as {safe(name)}")
        native: dict[str, list[str]] = {}
        for place, names in NATIVE.values():
            native.setdefault(place, []).extend(name for name in names if re.search(rf"(?<![\w.]){name}\(", text))
        lines = [f'import {{{", ".join(names)}}} from "../../lab/{place}.js"' for place, names in native.items() if names]
        lines += [f'import {{{", ".join(sorted(names))}}} from "./{_file(one)}"' for one, names in sorted(imported.items())]
        head = (HEAD_OF_ARRAYS if read.arrays else HEAD).format(path=read.path.relative_to(ROOT).as_posix())
        made[_file(of)] = "\n".join([head + "\n".join([*lines, ""]), text, ""])
    return made


def _file(of: str) -> str:
    return f"{of.replace('.', '_')}.js"
