"""The sidebar of the Coreset page."""

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn

from app.coreset.file_choice import FileChoice
from app.glossary import term_name
from app.plots.looks import optimizer_look
from app.state.coreset import MODELS, OPTIMIZERS, PRESETS, RATES, CoresetState
from app.widgets.choices import PresetButtons, RunButtons, Segments
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import menu, segmented, switches


class CoresetSidebar:
    """`choose(name, value)`, `preset(key)`, `run()` and `cancel()` are what the user does."""

    def __init__(self, state: CoresetState, files: FileChoice, *, choose: Callable[[str, Any], None],
                 preset: Callable[[str], None], run: Callable[[], None], cancel: Callable[[], None]) -> None:
        values = state.param

        def one_of(name: str, **options: str) -> Any:
            return segmented(values[name], {words.replace("_", " "): value for words, value in options.items()},
                             partial(choose, name))

        self.knobs = {name: KnobSlider.from_param(values[name], grouped=True) for name in state.knobs()}
        self.model = menu(values.model, {shape.label: key for key, shape in MODELS.items()}, partial(choose, "model"))
        self.data = Segments(partial(choose, "data"), label="", value=state.data,
                             options=[["generated", "generated"], ["file", "your file"]])
        pn.bind(self._show_source, values.data, files.param.wanted, watch=True)
        self.optimizers = switches(values.optimizers, [[key, look.name, *look.sign, "", "", term_name(look.name)]
                                                       for key in OPTIMIZERS for look in [optimizer_look(key)]],
                                   partial(choose, "optimizers"))
        self.kernel = one_of("kernel", exact="exact", with_memory="ar")
        self.runner = RunButtons(run, cancel)
        self.presets = PresetButtons(preset, presets=[[p.key, p.label, p.says] for p in PRESETS.values()])
        self.about = Section("Model", [self.model, self.data, *self._k("n", "dim"), files.view])
        self.rules = Section("Optimizers", [self.optimizers, *self._k("reach", "adam_rate", "adam_constant", "guess")])
        self._show_where_it_counts(state)
        self.view = PageSidebar([
            self.about, Section("Run", [self.runner]),
            self.rules,
            Section("Coreset MCMC", self._k("size", "subsample", "chains", "iterations", "seed")),
            Section("Start", [one_of("hot", on="on", off="off", both="both"),
                              one_of("start", usual="default", near="near", far="far"), self.kernel,
                              *self._k("threshold", "cap")]),
            Section("Pictures to try", [self.presets])])

    def _k(self, *names: str) -> list[KnobSlider]:
        return [self.knobs[name] for name in names]

    def _show_source(self, data: str, wanted: bool) -> None:
        """Mark "your file" while one is asked for as well."""
        self.data.value = "file" if wanted else data

    def _show_where_it_counts(self, state: CoresetState) -> None:
        """Hide the knobs that nothing reads."""
        values = state.param
        for name in ("n", "dim"):
            self.knobs[name].visible = pn.bind(lambda data: data != "file", values.data)
        self.knobs["dim"].words = pn.bind(lambda model: MODELS[model].dim_words, values.model)
        for name in set(RATES.values()):
            self.knobs[name].visible = pn.bind(
                lambda chosen, name=name: any(RATES.get(key) == name for key in chosen), values.optimizers)
        for name in ("threshold", "cap"):
            self.knobs[name].visible = pn.bind(lambda hot: hot != "off", values.hot)
        self.kernel.visible = pn.bind(lambda model: model == "gaussian", values.model)
