"""The Live page: Online SAGA-LD running, every knob of it, and what each does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import panel as pn

from app.canvas.chain_canvas import ChainCanvas
from app.handover import session
from app.live import commands as do
from app.live.charts.stack import ChartStack
from app.live.components.chains_card import ChainsCard
from app.live.components.charts_card import ChartsCard
from app.live.components.pump import Pump
from app.live.components.sidebar import LiveSidebar
from app.live.components.transport import Transport
from app.live.engine import Engine
from app.live.layouts import NARROW, PHONE, WIDE
from app.live.linked_moment import link_to, moment_of, settled_of
from app.live.moment import Moment
from app.live.notice import notice_of
from app.live.presets import PRESETS
from app.live.titles import Titles, titles_of
from app.page import Page
from app.recording.page_job import PageJob
from app.state.algorithm_menu import ALGORITHMS, refusal, taken_instead
from app.state.live import LiveConfig, LiveState
from app.state.own_data_defaults import OWN
from app.state.problem_menu import choice_of
from app.widgets.axes_menu import axes_menu
from app.widgets.notices import Notices
from app.widgets.shell import PageShell
from app.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from app.live.snapshot import Comparison, Series, Snapshot

PRESSES = {"play": do.Play, "pause": do.Pause, "step": do.Step, "epoch": do.Epoch, "restart": do.Restart}
WORDS_EVERY = 0.5
"""Seconds between two updates of verdict, meters and assumptions: faster than this nobody reads."""


class LivePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    ``page.state`` holds everything the user can set: ``page.state.eta0 = 5`` moves the slider and reaches the
    sampler, and what the user turns is seen there.

    Parameters
    ----------
    config
        Where the run starts; by default logistic regression in two dimensions as the paper has it.
    moment
        What a link shows: the run is replayed to it, and pauses there. By default it plays from the first datum.
    words, dark, framed
        See `CellView`.
    """

    def __init__(self, config: LiveConfig | None = None, *, moment: Moment | None = None,
                 words: tuple[str, ...] | list[str] = (), dark: bool = False, framed: bool = False,
                 **params: Any) -> None:
        super().__init__(**params)
        self.session = session()
        if config is not None and config.given is not None:  # brought in a notebook cell: the other pages may have it too
            self.session.given = config.given
        self.state = LiveState(given=self.session.given)
        if config is not None:
            self.state.load(config)
        self.engine = Engine(self.config)
        self.stack = ChartStack()
        self.canvas = ChainCanvas(dark=dark, sizing_mode="stretch_both")
        self._build(list(words), framed)
        self.pump = Pump(self.engine.take, lambda: self.canvas.ready, self.show)
        self.engine.notify = self.pump.wake
        self.canvas.on_ack(self._painted)
        self.canvas.on_follow(lambda one: one in (None, *range(self.state.chains)) and self._setter("follow")(one))
        self.state.param.watch(self._changed, self.state.settable())
        self.state.param.watch(self._problem_changed, ["problem", "given", "algorithm"])
        self._dark, self._resume = dark, True
        self._shown: Snapshot | None = None
        self._ghost: Series | None = None
        self.saving = PageJob()
        self.watcher: Callable[[Snapshot], None] | None = None  #: called with each snapshot that is shown
        self._words_at = 0.0
        self._titles: Titles | None = None
        self._run, self._rewound_from = -1, None  # the run on show; the one a rewind was asked of
        self._refusals: set[str] = set()  #: of the chosen problem; they go with it
        self._problem_changed()
        if dark:
            self.stack.restyle(True)
        if moment is not None:
            self._recall(moment)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> LivePage:
        """Return the page that a link describes, with the moment it shows."""
        config, said = cls.read_link(query)
        moment, more = moment_of(query, config)
        return cls(config, moment=moment, words=[*said, *more], dark=dark, framed=True)

    @classmethod
    def read_link(cls, query: dict[str, Any]) -> tuple[LiveConfig, list[str]]:
        """Return what a link describes, and what was wrong with it in words."""
        given = session().given
        if given is not None and "problem" not in query:
            query = {**query, "problem": OWN}
        return LiveState.from_query(query, given)

    @property
    def controls(self) -> LiveState:
        """What `state` was called in 0.2."""
        return self.state

    def _build(self, words: list[str], framed: bool) -> None:
        params = self.state.param
        self.sidebar = LiveSidebar(self.state, self._show_preset)
        self.knobs, self.problem, self.stream = self.sidebar.knobs, self.sidebar.problem, self.sidebar.stream
        self.switches, self.assumptions, self.promise = self.sidebar.switches, self.sidebar.assumptions, self.sidebar.promise
        names = pn.bind(lambda problem, given: list(choice_of(problem, given).coordinates), params.problem, params.given)
        axes = axes_menu(params.axes, names)
        self.transport = Transport(self._press, self._setter("speed"), self._rewind, speed=params.speed, playing=True,
                                   step=pn.bind(lambda key: list(ALGORITHMS[key].step), params.algorithm))
        self.notices = Notices(self._act, words=words)
        self.chains = ChainsCard(self._setter("rescaled"), canvas=self.canvas, axes=axes, rescaled=params.rescaled)
        self.verdict = VerdictCard(self._apply)
        self.charts = ChartsCard(self.stack, lambda keep: self.engine.post(do.KeepGhost() if keep else do.LetGhostGo()))
        self.shell = PageShell({"chains": self.chains, "verdict": self.verdict, "charts": self.charts}, label="Live",
                               top=self.transport, notices=self.notices, sidebar=self.sidebar, foot="", framed=framed,
                               layout=WIDE, narrow=NARROW, phone=PHONE)

    @property
    def period(self) -> int:
        """Milliseconds between two looks: these watch over the flow of frames, or drive it where the engine cannot."""
        return 100 if self.pump.wakes else 33

    # What the user does

    def _setter(self, name: str) -> Callable[[Any], None]:
        return lambda value: self.state.param.update(**{name: value})

    def _show_preset(self, key: str) -> None:
        """Begin the run of a picture to try, at the speed that has been chosen."""
        self.sidebar.forget_errors()
        self.state.load(PRESETS[key].config.replace(speed=self.state.speed))
        self.engine.post(do.Restart())
        self.engine.post(do.Play())

    def _press(self, name: str) -> None:
        command = PRESSES.get(name)
        if command is not None:
            self.engine.post(command())

    def _rewind(self, t: int) -> None:
        self._rewound_from = self._run
        self.engine.post(do.Rewind(t))

    def _act(self, kind: str) -> None:
        """Take the button of a notice: a link's moment offers to play on, an error to go on, the end to start again."""
        if kind == "error":
            self.engine.post(do.Recover())
            return
        if kind != "arrived":
            self.engine.post(do.Restart())
        self.engine.post(do.Play())

    def _recall(self, moment: Moment) -> None:
        """Replay to the moment of a link; the knobs then stand as they did there."""
        self._rewound_from, self._resume = self._run, False
        self.engine.post(do.Recall(self.config, moment))

    def _apply(self, change: dict) -> None:
        diverged = self.verdict.kind == "diverged"
        self.state.param.update(**{name: value for name, value in change.items() if name in self.state.param})
        if diverged:
            self.engine.post(do.Revive(change))

    # What follows from it

    def _changed(self, *events: Any) -> None:
        """Hand what is set to the engine."""
        self._rewound_from = None  # a knob turned since then wins over what stood at that epoch
        self.engine.post(do.Configure(self.config))
        self.address.due = True

    def _problem_changed(self, *events: Any) -> None:
        """Say, once, what the chosen problem has to say, or why it gives up the algorithm; make room for its axes."""
        choice = self.state.choice
        self.chains.has_axes = choice.dim > 2
        given_up = [event.old for event in events if event.name == "algorithm"]
        refusals = {words for key in ALGORITHMS if (words := refusal(key, choice))}  # why, the menu says beside its buttons
        refusals |= {taken_instead(choice)} if refusals else set()
        words = [said for said in self.notices.words if said not in self._refusals - refusals]
        for note in (choice.note, *(taken_instead(choice) for key in given_up if refusal(key, choice))):
            if note and note not in words:
                words.append(note)
        self.notices.words, self._refusals = words, refusals

    # What the engine shows

    def show(self, snapshot: Snapshot) -> None:
        """Show one snapshot; called under the document's lock.

        The canvas comes last: in a notebook its message carries along what changed before it.
        """
        config, now = snapshot.config, time.monotonic()
        another, self._run, self._shown = snapshot.run != self._run, snapshot.run, snapshot
        arrived = snapshot.moment is not None and snapshot.notice_kind not in ("replaying", "compiling")
        if self._rewound_from not in (None, snapshot.run) and arrived:
            self.state.load(config)  # the knobs as they stood at that epoch
        self.transport.show(snapshot)
        self.notices.show(**notice_of(snapshot))
        if snapshot.ghost is not self._ghost:
            self._ghost, self._words_at = snapshot.ghost, 0.0
            self.stack.set_ghost(snapshot.ghost)
        fresh = snapshot.series is not None  # the words were read with it, so both are shown at once
        due = another or not snapshot.playing or fresh and now - self._words_at > WORDS_EVERY
        if fresh:
            self._show_series(snapshot, snapshot.series, held=not due)
        elif due:
            self.stack.release()
        if due:
            self._words_at = now
            self.verdict.show(snapshot.verdict, snapshot.meters)
            self.assumptions.show(snapshot.assumptions)
            self.promise.show(snapshot.promise)
            self._compare(snapshot.comparison)
            self._title(snapshot)
        self.canvas.send(snapshot.cloud, snapshot.frame, snapshot.t, snapshot.run, config.follow,
                         config.rescaled)
        if self.watcher is not None:
            self.watcher(snapshot)

    def _show_series(self, snapshot: Snapshot, series: Series, held: bool) -> None:
        config = snapshot.config
        self.stack.update(series, snapshot.t, config.chains, config.settings.variance_reduction, config.algorithm, held)
        self.charts.empty = len(series.t) == 0
        marks = sorted({t for event in series.events for t in (event.t, event.t_end) if t is not None})
        if marks != self.transport.marks:
            self.transport.marks = marks

    def _compare(self, found: Comparison | None) -> None:
        said = [] if found is None else [found.words, list(map(list, found.knobs)), list(map(list, found.measured))]
        if said != self.charts.ghost:
            self.charts.ghost = said

    def _title(self, snapshot: Snapshot) -> None:
        titles = titles_of(snapshot)
        if titles == self._titles:
            return
        self._titles = titles
        self.chains.param.update(title=titles.chains, hint=titles.hint)
        subtitles = [titles.accuracy, None, titles.variance, None]
        self.charts.titles = [[title, said if new is None else new, short]
                              for (title, said, short), new in zip(self.charts.titles, subtitles, strict=True)]

    def look(self) -> None:
        """Start the flow of frames, or start it again where the browser has not answered."""
        self.pump.tick()
        self.saving.look()

    def _painted(self) -> None:
        """Send the next frame, unless the page has gone behind another since."""
        if self.active:
            self.pump.tick()

    # What other pages and links ask of it

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe, from the first datum."""
        config, words = LiveState.from_query(query, self.session.given)
        moment, more = moment_of(query, config)
        self.state.load(config)
        self.notices.words = [*words, *more]
        self._problem_changed()
        if moment is not None:
            self._recall(moment)
            return
        self.engine.post(do.Restart())
        self.engine.post(do.Play())

    @property
    def own_data(self) -> bool:
        """Whether the run is on the user's own data, which leave with what is saved of it."""
        return self.state.problem == OWN

    def save(self, names: bool, tell: Callable[[dict[str, Any]], None]) -> None:
        """Record the run, from its start to the epoch on show, as a page; `tell` hears how far it is, then has the file."""
        shown = self._shown
        config, moment = (self.config, None) if shown is None else (shown.config, shown.moment)
        self.saving.start(config, moment, names, tell)

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters of the very picture on show, its epoch and history among them, and words about it."""
        shown = self._shown
        return link_to(shown) if shown is not None and shown.moment is not None and shown.moment.t else super().shared()

    # Life

    @property
    def going(self) -> bool:
        """Whether the run on show plays."""
        return self.engine.playing if self._shown is None else self._shown.playing

    @property
    def returning(self) -> bool:
        """Whether the run is replayed."""
        return self._shown is not None and self._shown.notice_kind == "replaying"

    @property
    def settled(self) -> tuple[Any, ...]:
        """What its link says; how far the run has come only while it is paused."""
        return super().settled if self._shown is None else settled_of(self._shown)

    def go_on(self) -> None:
        """Play on, from the moment of the link once it is replayed."""
        self._resume = True
        if self.active:
            self.engine.post(do.Play())

    def restyle(self, dark: bool) -> None:
        """Draw in another theme."""
        self.canvas.dark = dark
        self.stack.restyle(dark)

    def begin(self) -> None:
        """Start the engine, or have it go on playing if it was."""
        self.state.given = self.session.given  # another page may have left data
        self.pump.hurry()
        self.engine.start()
        if self._resume:
            self.engine.post(do.Play())

    def leave(self) -> None:
        """Stand still, and leave the run's state for other pages."""
        self._resume = self.engine.playing
        self.engine.post(do.Pause())
        self.engine.post(do.HandOver(self.session.leave_live))

    def rest(self) -> None:
        """Stand still while nobody watches: the worker thread ends, the run stays."""
        super().rest()
        self.engine.rest()

    def end(self) -> None:
        """End the worker thread and let go of the run."""
        self.engine.close()
        self.saving.close()
