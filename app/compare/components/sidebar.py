"""The Compare page's sidebar: problem, samplers, budget, buttons."""

from __future__ import annotations

from collections.abc import Callable

from app.compare.config import CompareConfig
from app.compare.knobs import KNOBS, turn
from app.compare.picture import RacePicture
from app.compare.problems import CORESET, PROBLEMS, STREAM_KEYS, coreset_choice, coreset_eta0, stream_words
from app.compare.samplers import LOOKS, name_of, reasons
from app.widgets.knob import Knob
from app.widgets.menus import menu
from app.widgets.run_buttons import RunButtons
from app.widgets.segments import Segments
from app.widgets.sidebar import PageSidebar, Section
from app.widgets.switch_list import SwitchList

OTHERS = [["paper", "The paper’s Figure 1", "Eight data sets, 1,000 runs of the last epoch, beside the printed numbers"],
          ["tables", "The papers’ tables", "Evaluations to reach one accuracy against T, slopes fitted"]]


class CompareSidebar:
    """Holds the widgets; `set(config)` is called with what a person makes of them."""

    def __init__(self, config: CompareConfig, coreset: object, set_config: Callable[[CompareConfig], None],
                 run: Callable[[], None], cancel: Callable[[], None], view: Callable[[str], None]) -> None:
        self._config, self._set, self._coreset = config, set_config, coreset
        self._blocked_for, self.blocked = None, {}  #: sampler -> why it cannot run on the problem
        self.problem = menu("target", self._problems(), config.problem, self._choose_problem)
        self.stream = menu("stream", self._streams(config.problem), config.stream, self._choose_stream)
        self.samplers = SwitchList(self._switch, label="Samplers")
        self.budget = Segments(lambda value: self._set(self._config.replace(budget=value)), label="budget",
                               options=[["evaluations", "Evaluations"], ["seconds", "Seconds"]], value=config.budget)
        self.knobs = {name: Knob(spec, self._turn, grouped=True) for name, spec in KNOBS.items()}
        self.buttons = RunButtons(run, cancel, view, label="Compare", others=OTHERS)
        knobs = self.knobs
        self.spend = Section("", [knobs["evaluations"]], css_classes=["spend-evaluations"])
        self.spend_time = Section("", [knobs["seconds"]], css_classes=["spend-seconds"])
        self.view = PageSidebar([
            Section("Problem", [self.problem, self.stream]),
            Section("Samplers", [self.samplers]),
            Section("Run", [self.buttons]),
            Section("Budget", [self.budget, self.spend, self.spend_time]),
            Section("Knobs", [knobs[name] for name in ("t", "eta0", "batch_size", "chains", "seed")])])

    def _problems(self) -> dict[str, str]:
        found = {choice.label: key for key, choice in PROBLEMS.items()}
        return found | ({self._coreset.label: CORESET} if self._coreset is not None else {})

    @staticmethod
    def _streams(problem: str) -> dict[str, str]:
        return {stream_words(key, problem): key for key in STREAM_KEYS}

    def _choose_problem(self, problem: str) -> None:
        if problem and problem != self._config.problem:
            eta0 = coreset_eta0(self._coreset) if problem == CORESET else None
            self._set(self._config.on_problem(problem, eta0))

    def _choose_stream(self, stream: str) -> None:
        if stream and stream != self._config.stream:
            self._set(self._config.replace(stream=stream))

    def _switch(self, key: str, on: bool) -> None:
        self._set(self._config.on(key, on))

    def _turn(self, name: str, given: float | str) -> str:
        try:
            self._set(turn(self._config, name, given))
        except ValueError as wrong:
            return str(wrong)
        return ""

    def reflect(self, config: CompareConfig, race: RacePicture | None, coreset: object) -> None:
        """Make every widget stand as the configuration does."""
        self._config, self._coreset = config, coreset
        subject = (config.problem, id(coreset) if config.problem == CORESET else 0)
        if subject != self._blocked_for:
            choice = coreset_choice(coreset) if config.problem == CORESET else PROBLEMS[config.problem]
            self._blocked_for, self.blocked = subject, reasons(choice)
        if self.problem.options != self._problems():
            self.problem.options = self._problems()
        if self.problem.value != config.problem:
            self.problem.value = config.problem
        streams = self._streams(config.problem)
        if self.stream.options != streams:
            self.stream.options = streams
        if self.stream.value != config.stream:
            self.stream.value = config.stream
        self.stream.disabled = config.problem == CORESET
        self.samplers.param.update(
            rows=[[key, name_of(key, config.paper_step), look.mark, look.token, self.blocked.get(key, "")]
                  for key, look in LOOKS.items()],
            active=list(config.samplers))
        self.budget.value = config.budget
        self.spend.hidden, self.spend_time.hidden = config.budget == "seconds", config.budget != "seconds"
        usual = CompareConfig().on_problem(config.problem) if config.problem != CORESET else config
        for name, knob in self.knobs.items():
            value = getattr(config, name)
            if (knob.value, knob.default) != (value, getattr(usual, name)):
                knob.param.update(value=value, default=getattr(usual, name), error="")
        self.buttons.label = {"race": "Compare", "paper": "Run Figure 1", "tables": "Measure"}[config.view]
        self.buttons.pressed = "" if config.view == "race" else config.view
        stale = race is not None and race.config.raced != config.raced and config.view == "race"
        if stale and not self.buttons.running:
            self.buttons.words = "The knobs have changed since: press Compare."
        elif self.buttons.words.startswith("The knobs have changed"):
            self.buttons.words = ""
        if config.samplers:
            self.buttons.error = ""
