"""The sidebar of the Tune page: data, ranges, how cells are judged, and the buttons that run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.background_job import JobUpdate
from app.tune import words
from app.tune.cache import plain_name
from app.tune.components.batches import Batches
from app.tune.components.data_dialog import DataDialog
from app.tune.components.range_knob import RangeKnob
from app.tune.config import BATCHES, REFERENCES, TuneConfig
from app.tune.data import KINDS
from app.tune.examples import EXAMPLES
from app.tune.knobs import KNOBS
from app.tune.picture import TunePicture
from app.widgets.knob import Knob
from app.widgets.menus import menu
from app.widgets.run_buttons import RunButtons
from app.widgets.sidebar import PageSidebar, Section
from app.widgets.switch_list import SwitchList

if TYPE_CHECKING:
    from app.tune.bringing import Bringing

OWN = "oracle"


class TunePanel:
    """Makes the sidebar and keeps it in step with a configuration; what is pressed goes to the page."""

    def __init__(self, page: Any, bringing: Bringing) -> None:
        self._page, self._quiet = page, False
        config = page.config
        self.data = menu("data", self._streams(config), config.data, lambda key: self._choose("data", key))
        self.kind = menu("gradient", {words_: key for key, words_ in KINDS.items()}, config.kind or "logistic",
                         lambda key: self._choose("kind", key))
        self.reference = menu("reference", {words_: key for key, words_ in REFERENCES.items()}, config.reference,
                              lambda key: self._choose("reference", key))
        self.dialog = DataDialog(bringing.acts, kinds=[[key, words_] for key, words_ in KINDS.items()])
        bringing.dialog = self.dialog
        self.ranges = {name: RangeKnob(KNOBS[name], page.turn_range) for name in ("eta0", "i_max")}
        self.batches = Batches(page.add_batch, page.remove_batch, page.show_batch)
        self.knobs = {name: Knob(KNOBS[name], page.turn) for name in ("acceptance_radius", "chains", "rows")}
        self.early = SwitchList(lambda key, on: self._choose("prune", on), label="Giving up",
                                rows=[["prune", "Give poor cells up early", "", "", ""]])
        self.run = RunButtons(page.sweep, page.cancel, label="Sweep")
        self.sweep = Section("Sweep", [self.ranges["eta0"], self.ranges["i_max"], self.batches,
                                       self.knobs["acceptance_radius"], self.knobs["chains"], self.early])
        self.score = Section("Score", [self.knobs["rows"], self.reference])
        self.view = PageSidebar([Section("Your problem", [self.data, self.kind, self.dialog]), self.sweep, self.score,
                                 Section("", [self.run])])

    def _streams(self, config: TuneConfig) -> dict[str, str]:
        found = {example.label: example.key for example in EXAMPLES.values()}
        if self._page.session.given is not None:
            found[self._page.session.given.label] = "given"
        if config.data.startswith("file-"):
            found[plain_name(config.data.removeprefix("file-"))] = config.data
        return found

    def _choose(self, field: str, value: Any) -> None:
        if not self._quiet:
            self._page.choose(field, value)

    @property
    def batch_error(self) -> str:
        """Why a batch was not added."""
        return self.sweep.note

    @batch_error.setter
    def batch_error(self, words_: str) -> None:
        self.sweep.note = words_

    def reflect(self, config: TuneConfig, picture: TunePicture | None) -> None:
        """Make everything stand as the configuration does."""
        self._quiet = True
        try:
            self._reflect_menus(config, picture)
        finally:
            self._quiet = False
        for name, knob in self.ranges.items():
            pair = getattr(config, name)
            if pair is not None:
                values = config.etas if name == "eta0" else config.lengths
                knob.param.update(value=list(pair), count=f"{len(values)}", error="")
        if config.batches is not None:
            offered = [b for b in BATCHES if b not in config.batches][:3]
            shown = picture.looked_at[2] if picture is not None else config.batches[0]
            self.batches.param.update(swept=list(config.batches), offered=offered, shown=shown)
        for name, knob in self.knobs.items():
            value = getattr(config, name)
            if value is not None:
                default = 64 if name == "chains" else knob.default if knob.value == value and knob.default else value
                knob.param.update(value=value, default=default, error="")
        self.early.active = ["prune"] if config.prune else []

    def _reflect_menus(self, config: TuneConfig, picture: TunePicture | None) -> None:
        streams = self._streams(config)
        self.data.param.update(options=streams, value=config.data)
        kind = picture.loaded.kind if picture is not None and picture.loaded.source == config.source else config.kind
        kinds = {words_: key for key, words_ in KINDS.items()}
        if kind and kind not in KINDS:
            kinds = {"your own" if kind == OWN else "mean, built in": kind}
        elif config.data == "given":
            kinds = {KINDS[kind]: kind} if kind else kinds
        self.kind.param.update(options=kinds, value=kind or next(iter(kinds.values())))
        self.reference.value = config.reference
        if config.rows is not None:
            self.score.note = words.judged(config.rows)

    def progress(self, update: JobUpdate, picture: TunePicture | None) -> None:
        """Show how the sweep stands."""
        run, going = self.run, self._page.config.going and not update.done
        count = "" if picture is None else f"{len(picture.finished)} of {picture.total} cells"
        run.show(update, count)
        some = picture is not None and picture.finished
        whole = picture is not None and len(picture.finished) == picture.total
        label = "Swept" if whole else "Go on" if some else "Sweep"
        says = update.words if not update.done else ""
        if picture is not None and (update.done or update.words == "trying settings"):
            says = words.about_sweep(picture, self._page.workers, self._page.session.scheduler is not None)
        fraction = len(picture.finished) / picture.total if picture is not None and update.done else run.fraction
        run.param.update(label="Sweep again" if whole else label, words=says, running=going or not update.done,
                         fraction=fraction)
