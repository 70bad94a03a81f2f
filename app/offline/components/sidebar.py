"""The Offline page's sidebar: which experiment, and the knobs of the one in front."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.background_job import JobUpdate
from app.offline.components.race_view import rows_of_samplers
from app.offline.config import (
    DEFAULT_LADDERS,
    DEFAULT_RACES,
    GAUSSIAN,
    LADDER,
    LIKELIHOOD,
    TARGETS,
    OfflineConfig,
)
from app.offline.knobs import KNOBS, default_every, present, turn
from app.offline.own_file import BEYOND, LARGEST, OwnFile
from app.offline.plane_view import coordinate_names
from app.offline.samplers import SAMPLERS
from app.widgets.file_picker import FilePicker
from app.widgets.knob import Knob
from app.widgets.menus import AxesMenu, menu
from app.widgets.run_buttons import RunButtons
from app.widgets.segments import Segments
from app.widgets.sidebar import PageSidebar, Section
from app.widgets.switch_list import SwitchList

RACES = (GAUSSIAN, LIKELIHOOD)
SAYS = {
    LADDER: "Offline SAGA-LD (LMV Algorithm 3): β doubles from rung to rung.",
    GAUSSIAN: "Zou, Xu and Gu, Figures 1 and 2.",
    LIKELIHOOD: "Zou, Xu and Gu, Figures 3 and 4, on a stream or on a file of your own.",
}


class OfflineSidebar:
    """Reads and changes the page's configuration. `page` has `config`, `rows`, `change` and `use_file`."""

    def __init__(self, page: Any, buttons: dict[str, RunButtons]) -> None:
        self.page, self._quiet = page, False
        self.knobs = {name: Knob(spec, self._turn, grouped=True, lowest=spec.lowest) for name, spec in KNOBS.items()}
        config = page.config
        self.which = Segments(self._view, label="", value=config.view, options=[
            [LADDER, "Ladder"], [GAUSSIAN, "Gaussian"], [LIKELIHOOD, "Likelihood"]])
        self.target = menu("target", {words: key for key, words in TARGETS.items()}, config.ladder.target, self._target)
        self.axes = AxesMenu(self._axes)
        for widget in (self.axes.first, self.axes.second):
            widget.width = 103  # both fit beside each other
        self.every, self.step, self.lists = {}, {}, {}
        for view in RACES:
            self.every[view] = Segments(lambda value, view=view: self._every(view, value), label="m", options=[
                ["auto", "B/b"], ["own", "my own"]])
            self.step[view] = Segments(lambda value, view=view: self._step(view, value), label="η", options=[
                ["best", "each its best" if view == GAUSSIAN else "from curvature"], ["common", "one for all"]])
            self.lists[view] = SwitchList(lambda key, on, view=view: self._switch(view, key, on), label="Samplers",
                                          rows=rows_of_samplers())
        self.source = Segments(self._source, label="", options=[["generated", "generated"], ["file", "my own file"]])
        self.picker = FilePicker(self._got, self._gone, LARGEST, BEYOND,
                                 hint="CSV or libsvm, two classes; at most 100 MB. Deleted when the page closes.")
        self.label = menu("label column", {"last column": "-1"}, "-1", self._relabel)
        self.label.visible = False
        self.sections = self._build(buttons)
        self.view = PageSidebar(self.sections[""] + [s for view in SAYS for s in self.sections[view]])

    def _build(self, buttons: dict[str, RunButtons]) -> dict[str, list[Section]]:
        def knobs(view: str, *fields: str) -> list[Knob]:
            return [self.knobs[f"{view}-{field}"] for field in fields]

        self.generated = Section("", knobs(LIKELIHOOD, "n", "dim"))
        self.file = Section("", [self.picker, self.label, *knobs(LIKELIHOOD, "train")])
        self.about = Section("Experiment", [self.which])
        sections: dict[str, list[Section]] = {"": [self.about], LADDER: [
            Section("", [buttons[LADDER]]),
            Section("Target", [self.target, self.axes.view]),
            Section("Algorithm 3", knobs(LADDER, "terms", "eta0", "batch_size", "i_max"), self._defaults,
                    action="defaults", hint="Put the ladder's knobs back"),
            Section("Chains", knobs(LADDER, "start", "chains", "seed"))]}
        for view in RACES:
            own = [Section("Data", [self.source]), self.generated, self.file] if view == LIKELIHOOD else []
            last = ["prior_precision", "chains", "seed"] if view == LIKELIHOOD else ["chains", "seed"]
            first = ["passes"] if view == LIKELIHOOD else ["n", "passes"]
            sections[view] = [
                Section("", [buttons[view]]), *own, Section("Samplers", [self.lists[view]]),
                Section("Run", [*knobs(view, *first, "batch_size", "anchor_batch"), self.every[view],
                                *knobs(view, "anchor_every"), self.step[view], *knobs(view, "step_size", *last)],
                        lambda view=view: self._race_defaults(view), action="defaults", hint="Put the knobs back")]
        return sections

    def show(self, config: OfflineConfig) -> None:
        """Make everything stand as the configuration does."""
        self._quiet = True
        try:
            self._show(config)
        finally:
            self._quiet = False

    def _show(self, config: OfflineConfig) -> None:
        bases = OfflineConfig(ladder=DEFAULT_LADDERS[config.ladder.target])
        for name, knob in self.knobs.items():
            view, field = name.split("-", 1)
            default = present(bases, name)
            if field == "anchor_every":
                default = default_every(config.race(view))
            elif field == "anchor_batch":
                default = max(1, ((self.page.rows if view == LIKELIHOOD else None) or config.race(view).n) // 5)
            knob.param.update(value=present(config, name), default=default, error="")
        for view, sections in self.sections.items():
            for section in sections:
                section.hidden = view not in ("", config.view)
        self.which.value, self.about.note = config.view, SAYS[config.view]
        self.target.value = config.ladder.target
        self.axes.view.visible = config.ladder.dim > 2
        if config.ladder.dim > 2:
            self.axes.show(coordinate_names(config.ladder.dim), config.ladder.axes)
        for view in RACES:
            race = config.race(view)
            self.every[view].value = "auto" if race.anchor_every is None else "own"
            self.step[view].value = race.step
            self.lists[view].active = list(race.samplers)
        own = config.nll.source == "file"
        self.source.value = config.nll.source
        self.generated.hidden = config.view != LIKELIHOOD or own
        self.file.hidden = config.view != LIKELIHOOD or not own

    def show_file(self, own: OwnFile, update: JobUpdate) -> None:
        """Say what the worker found in the file."""
        self.picker.param.update(words=own.words(), error=update.error if own.table is None or update.error else "")

    # What a person does

    def _change(self, config: OfflineConfig) -> None:
        if not self._quiet:
            self.page.change(config)

    def _turn(self, name: str, given: float | str) -> str:
        """Turn a knob; return what was wrong with it, or nothing."""
        try:
            self._change(turn(self.page.config, name, given, self.page.rows if name.startswith(LIKELIHOOD) else None))
        except ValueError as wrong:
            return str(wrong)
        return ""

    def _view(self, view: str) -> None:
        self._change(self.page.config.replace(view=view))

    def _target(self, key: str) -> None:
        if key != self.page.config.ladder.target:
            old = self.page.config.ladder
            self._change(self.page.config.replace(ladder=DEFAULT_LADDERS[key].replace(speed=old.speed, zoom=old.zoom)))

    def _axes(self, axes: tuple[int, int] | str) -> None:
        self._change(self.page.config.replace(ladder=self.page.config.ladder.replace(axes=axes)))

    def _defaults(self) -> None:
        ladder = self.page.config.ladder
        self._change(self.page.config.replace(ladder=DEFAULT_LADDERS[ladder.target].replace(
            speed=ladder.speed, zoom=ladder.zoom, axes=ladder.axes)))

    def _race(self, view: str, **changes: Any) -> None:
        self._change(self.page.config.replace(**{view: self.page.config.race(view).replace(**changes)}))

    def _race_defaults(self, view: str) -> None:
        race = self.page.config.race(view)
        base = DEFAULT_RACES[view].replace(source=race.source, samplers=race.samplers)
        if view == LIKELIHOOD and self.page.rows is not None:
            base = base.replace(anchor_batch=max(1, self.page.rows // 5))
        self._change(self.page.config.replace(**{view: base}))

    def _every(self, view: str, value: str) -> None:
        self._race(view, anchor_every=None if value == "auto" else default_every(self.page.config.race(view)))

    def _step(self, view: str, value: str) -> None:
        self._race(view, step=value)

    def _switch(self, view: str, key: str, on: bool) -> None:
        active = set(self.page.config.race(view).samplers) - {key} | ({key} if on else set())
        self._race(view, samplers=tuple(known for known in SAMPLERS if known in active))

    def _source(self, value: str) -> None:
        if value == "file" and self.page.own is None:  # nothing to run on yet: only the picker appears
            self.generated.hidden, self.file.hidden = True, False
        elif not self._quiet:
            self._race(LIKELIHOOD, source=value)

    def _got(self, path: Path) -> None:
        own = OwnFile(path)
        columns = own.columns()
        self._quiet = True
        last = str(max(columns.values(), default=-1))
        self.label.options = {name: str(j) for name, j in columns.items()} or {"last column": "-1"}
        self.label.value, self.label.visible = last, len(columns) > 1
        self._quiet = False
        self.page.use_file(OwnFile(path, int(last)))

    def _gone(self) -> None:
        self.label.visible = False
        self.page.use_file(None)

    def _relabel(self, key: str) -> None:
        if not self._quiet and self.page.own is not None:
            self.page.use_file(self.page.own.relabelled(int(key)))

    def close(self) -> None:
        """Delete the person's file."""
        self.picker.close()
