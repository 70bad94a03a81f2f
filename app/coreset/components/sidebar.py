"""The sidebar of the Coreset page: what is run, as controls that stand as a configuration does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import panel as pn

from app.coreset.components.file_desk import FileDesk
from app.coreset.components.preset_buttons import PresetButtons
from app.coreset.config import CoresetConfig
from app.coreset.files import choices
from app.coreset.kinds import KINDS
from app.coreset.knobs import KNOBS, RATES
from app.coreset.methods import METHODS
from app.coreset.presets import PRESETS
from app.widgets.knob import Knob
from app.widgets.menus import menu, switch
from app.widgets.run_buttons import RunButtons
from app.widgets.segments import Segments
from app.widgets.sidebar import PageSidebar, Section
from app.widgets.switch_list import SwitchList


class Acts(Protocol):
    """What a person can do in the sidebar."""

    def turn(self, name: str, given: float | str) -> str: ...  # noqa: D102
    def choose(self, field: str, value: str) -> None: ...  # noqa: D102
    def switch(self, optimizer: str, on: bool) -> None: ...  # noqa: D102
    def show_preset(self, key: str) -> None: ...  # noqa: D102
    def run(self) -> None: ...  # noqa: D102
    def cancel(self) -> None: ...  # noqa: D102


class CoresetSidebar:
    """Built once; `reflect` makes it stand as a configuration."""

    def __init__(self, acts: Acts, desk: FileDesk) -> None:
        self._acts, self._desk, self._quiet = acts, desk, False
        self.knobs = {name: Knob(spec, acts.turn, grouped=True, lowest=spec.lowest) for name, spec in KNOBS.items()}
        self.model = menu("model", {kind.label: key for key, kind in KINDS.items()}, "gaussian", self._choice("model"))
        self.data = Segments(self._choice("data"), label="", options=[["generated", "generated"], ["file", "your file"]])
        self.response = menu("response", {"the last column": ""}, "", self._response)
        self.standardise = switch("Standardise features", "", True, self._standardise)
        self.optimizers = SwitchList(acts.switch, label="Optimizers", rows=[
            [key, method.label, method.mark, method.token, ""] for key, method in METHODS.items()])
        self.hot = Segments(self._choice("hot"), label="hot start", options=[["on", "on"], ["off", "off"], ["both", "both"]])
        self.start = Segments(self._choice("start"), label="start", options=[
            ["default", "usual"], ["near", "near"], ["far", "far"]])
        self.kernel = Segments(self._choice("kernel"), label="kernel", options=[["exact", "exact"], ["ar", "with memory"]])
        self.runner = RunButtons(acts.run, acts.cancel)
        self.presets = PresetButtons(acts.show_preset, presets=[[p.key, p.label, p.says] for p in PRESETS.values()])
        self.file_items = pn.Column(desk.picker, self.response, self.standardise, margin=0, sizing_mode="stretch_width")
        self.about = Section("Model", [self.model, self.data, self._k("n"), self._k("dim"), self.file_items])
        self.rules = Section("Optimizers", [self.optimizers, *(self._k(name) for name in RATES)])
        self.view = PageSidebar([
            self.about, Section("Run", [self.runner]),
            self.rules,
            Section("Coreset MCMC", [self._k(name) for name in ("size", "subsample", "chains", "iterations", "seed")]),
            Section("Start", [self.hot, self.start, self.kernel, self._k("threshold"), self._k("cap")]),
            Section("Pictures to try", [self.presets])])

    def _k(self, name: str) -> Knob:
        return self.knobs[name]

    def _choice(self, field: str) -> Callable[[str], None]:
        return lambda value: None if self._quiet else self._acts.choose(field, value)

    def _response(self, value: str) -> None:
        if not self._quiet:
            self._desk.response = value or None
            self._desk.read()

    def _standardise(self, on: bool) -> None:
        if not self._quiet:
            self._desk.standardise = bool(on)
            self._desk.read()

    def ask_for_file(self, config: CoresetConfig) -> None:
        """Offer to choose a file; the runs stay as they are until one was read."""
        self.data.value, self._desk.kind = "file", config.model
        self.file_items.visible, self.response.visible, self.standardise.visible = True, False, False
        self._desk.picker.hint = f"CSV or Parquet: {KINDS[config.model].wants}."

    def reflect(self, config: CoresetConfig, base: CoresetConfig, preset: str) -> None:
        """Stand as a configuration; ``base`` holds the defaults that the ticks mark."""
        self._quiet = True
        try:
            kind, own = KINDS[config.model], self._desk.own
            file = config.data == "file" and own is not None
            self._desk.kind = config.model
            for name, knob in self.knobs.items():
                knob.param.update(value=getattr(config, name), default=getattr(base, name), error="")
            self.model.value, self.data.value = config.model, config.data
            self._k("n").visible = self._k("dim").visible = not file
            self._k("dim").words = kind.dim_words
            self.file_items.visible = file
            self._desk.picker.hint = f"CSV or Parquet: {kind.wants}."
            regression = config.model in ("sparse", "linear", "logistic", "poisson")
            self.response.visible = self.standardise.visible = file and regression
            columns = {"the last column": ""} | {name: name for name in choices(own)}
            if self.response.options != columns:
                self.response.options = columns
            self.about.note = " ".join(f"{words}." for words in own.words) if file else kind.note
            self.optimizers.active = list(config.optimizers)
            rates = {METHODS[key].rate for key in config.optimizers}
            for name in RATES:
                self._k(name).visible = name in rates
            self.hot.value, self.start.value, self.kernel.value = config.hot, config.start, config.kernel
            self.kernel.visible = config.model == "gaussian"
            self._k("threshold").visible = self._k("cap").visible = config.hot != "off"
            self.presets.param.update(chosen=preset, says=PRESETS[preset].says if preset else "")
        finally:
            self._quiet = False
