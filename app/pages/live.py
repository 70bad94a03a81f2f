"""The Live page: Online SAGA-LD with all its knobs, its chains, charts and verdict."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import panel as pn

from app.canvas.chain_canvas import ChainCanvas
from app.jobs.frame_rate import FrameRate
from app.live.charts.stack import ChartStack
from app.live.components.cards import ChainsCard, ChartsCard, Transport
from app.live.components.sidebar import LiveSidebar
from app.live.engine import Engine
from app.live.frame_sender import FrameSender
from app.live.moment_link import Moment, link_to, moment_in
from app.live.page_words import NARROW, PHONE, WIDE, notice_of, titles_of
from app.page import Page
from app.state.live import PRESETS, LiveConfig, LiveState
from app.state.live_menu import ALGORITHMS, choice_of, fallback_note, refusal
from app.state.user_data import OWN, UserData
from app.tune.file_choice import OwnFile
from app.visit import SERVER, Visit
from app.widgets.param_controls import axes_menu
from app.widgets.verdict_card import VerdictCard

if TYPE_CHECKING:
    from app.live.snapshot import Series, Snapshot

PRESSES = ("play", "pause", "step", "epoch", "restart")
WORDS_EVERY = 0.5
"""Seconds between two updates of verdict, meters and assumptions, which must stay readable."""


class LivePage(Page):
    """Page object: served as a tab, or displayed as the last line of a notebook cell.

    ``page.state`` has all parameters that the user can set: ``page.state.eta0 = 5`` moves the slider and reaches the
    sampler, and changes by the user appear there.

    Parameters
    ----------
    config
        Initial configuration; by default the paper's logistic regression in two dimensions.
    moment
        Moment of a link: the run is replayed to it and pauses. By default the run plays from the first datum.
    words, dark, framed
        See `Page`.
    """

    in_frames = True

    def __init__(self, config: LiveConfig | None = None, *, moment: Moment | None = None, dark: bool = False,
                 **params: Any) -> None:
        super().__init__(**params)
        if config is not None and config.user_data is not None:  # from a notebook cell; shared with other pages
            self.visit.user_data = config.user_data
        self.state = LiveState(user_data=self.visit.user_data)
        if config is not None:
            self.state.load(config)
        self.engine = Engine(self.config, server=self.visit.server)
        self.stack = ChartStack(later=True)
        self.canvas = ChainCanvas(sizing_mode="stretch_both")
        self._build()
        self.sender = FrameSender(self.engine.take, lambda: self.canvas.ready, self.show,
                                  self.visit.server.part(FrameRate))
        self.engine.notify = self.sender.wake
        self.canvas.painted = self._painted
        self.canvas.followed = lambda one: one in (None, *range(self.state.chains)) and self._setter("follow")(one)
        self.watch(self._changed, self.state.settable())
        self.watch(self._problem_changed, ["problem", "user_data", "algorithm"])
        self._resume, self._seen = True, False
        self._shown: Snapshot | None = None
        self._ghost: Series | None = None
        self.watcher: Callable[[Snapshot], None] | None = None  #: called with each displayed snapshot
        self._words_at = 0.0
        self._run, self._rewound_from = -1, None  # the displayed run; the run of the last rewind
        self._refusals: set[str] = set()  # messages about the chosen problem, removed with it
        self._problem_changed()
        self.dark(dark)
        if moment is not None:
            self._recall(moment)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False, visit: Visit | None = None) -> LivePage:
        """Return the page of a link, with its moment."""
        config, sentences = cls.read_link(query, visit or SERVER.alone)
        moment, more = moment_in(query, config)
        return cls(config, moment=moment, words=[*sentences, *more], dark=dark, framed=True, visit=visit)

    @classmethod
    def read_link(cls, query: dict[str, Any], visit: Visit) -> tuple[LiveConfig, list[str]]:
        """Return the configuration in a link's query and messages about its faults."""
        user_data = visit.user_data
        if user_data is not None and "problem" not in query:
            query = {**query, "problem": OWN}
        return LiveState.from_query(query, user_data)

    def _build(self) -> None:
        params = self.state.param
        self.file = OwnFile(self._take_file, self.visit)
        self.workers = self.file.workers
        self.sidebar = LiveSidebar(self.state, self._show_preset, self.file.items)
        names = pn.bind(lambda problem, data: list(choice_of(problem, data).coordinates), params.problem, params.user_data)
        axes = axes_menu(params.axes, names)
        self.transport = Transport(self._press, self._setter("speed"), self._rewind, self._appear, speed=params.speed,
                                   playing=True,
                                   step=pn.bind(lambda key: list(ALGORITHMS[key].step), params.algorithm))
        self.chains = ChainsCard(self._setter("rescaled"), canvas=self.canvas, axes=axes, rescaled=params.rescaled)
        self.verdict = VerdictCard(self._apply)
        self.charts = ChartsCard(
            self.stack, lambda keep: self.engine.post("keep_ghost" if keep else "let_ghost_go"))
        self.once_shown(self.charts.draw())
        self.shell = self.framed_shell(
            {"chains": self.chains, "verdict": self.verdict, "charts": self.charts}, label="Live", top=self.transport,
            sidebar=self.sidebar, foot="", layout=WIDE, narrow=NARROW, phone=PHONE)

    _titles = staticmethod(titles_of)  # titles of the cards, from a snapshot

    @property
    def period(self) -> int:
        """Polling interval in milliseconds: polls supervise the flow of frames, or drive it if the engine cannot."""
        return 500 if self.sender.wakes else 33

    # Actions of the user

    def _setter(self, name: str) -> Callable[[Any], None]:
        return lambda value: self.state.param.update(**{name: value})

    def _show_preset(self, key: str) -> None:
        """Start the run of a preset at the current speed."""
        self.sidebar.forget_errors()
        self.state.load(PRESETS[key].config.replace(speed=self.state.speed))
        self.engine.post("restart")
        self.engine.post("play")

    def _take_file(self, user_data: UserData) -> None:
        """Start a run on the user's own rows."""
        self.state.param.update(user_data=user_data, problem=OWN)
        self.engine.post("play")

    def _press(self, name: str) -> None:
        if name in PRESSES:
            self._after_fault(restarts=name == "restart")
            self.engine.post(name)

    def _rewind(self, t: int) -> None:
        self._after_fault()
        self._rewound_from = self._run
        self.engine.post("rewind", t)

    def _appear(self, still: bool) -> None:
        """Start the run when its page is first visible; ``still``: the browser prefers reduced motion."""
        if not self._seen:
            self._seen = True
            self.engine.post("appear", still)

    def _after_fault(self, restarts: bool = False) -> None:
        """After a fault, resume the run at its last picture, or at its start if `restarts`, with the current knobs."""
        shown = self._shown
        if shown is None or shown.notice_kind != "error":
            return
        if shown.moment is not None and shown.moment.t and not restarts:
            self.engine.post("recall", shown.config, shown.moment)
        else:
            self.engine.post("restart")
        self.engine.post("configure", self.config)

    def take_notice(self, kind: str) -> None:
        """Handle the button of a notice: continue from a link's moment or after an error, or restart at the end."""
        if kind == "error":
            self._after_fault()
        elif kind != "arrived":
            self.engine.post("restart")
        self.engine.post("play")

    def _recall(self, moment: Moment) -> None:
        """Replay to the moment of a link and restore its knobs."""
        self._rewound_from, self._resume = self._run, False
        self.engine.post("recall", self.config, moment)

    def _apply(self, change: dict) -> None:
        diverged = self.verdict.kind == "diverged"
        self.state.param.update(**{name: value for name, value in change.items() if name in self.state.param})
        if diverged:
            self.engine.post("revive")

    # Reactions

    def _changed(self, *events: Any) -> None:
        """Send the configuration to the engine."""
        self._rewound_from = None  # a later change of a knob overrides the knobs of the rewound epoch
        self.engine.post("configure", self.config)
        self.unwritten = True

    def _problem_changed(self, *events: Any) -> None:
        """Display notes about the chosen problem once, and why it changed the algorithm; show or hide the menu of axes."""
        choice = self.state.choice
        self.chains.has_axes = choice.dim > 2
        given_up = [event.old for event in events if event.name == "algorithm"]
        refusals = {words for key in ALGORITHMS if (words := refusal(key, choice))}  # the menu displays the reasons
        refusals |= {fallback_note(choice)} if refusals else set()
        words = [sentence for sentence in self.notices.words if sentence not in self._refusals - refusals]
        for note in (choice.note, *(fallback_note(choice) for key in given_up if refusal(key, choice))):
            if note and note not in words:
                words.append(note)
        self.notices.words, self._refusals = words, refusals

    # Snapshots of the engine

    def show(self, snapshot: Snapshot) -> None:
        """Display one snapshot; called under the document's lock.

        The canvas comes last: in a notebook its message includes the changes before it.
        """
        config, now = snapshot.config, time.monotonic()
        another, self._run, self._shown = snapshot.run != self._run, snapshot.run, snapshot
        arrived = snapshot.moment is not None and snapshot.notice_kind not in ("replaying", "compiling")
        if self._rewound_from not in (None, snapshot.run) and arrived:
            self.state.load(config)  # the knobs of that epoch
        self.transport.show(snapshot)
        self.notices.show(**notice_of(snapshot))
        if snapshot.ghost is not self._ghost:
            self._ghost, self._words_at = snapshot.ghost, 0.0
            self.stack.set_ghost(snapshot.ghost)
        fresh = snapshot.series is not None  # verdict and series of one snapshot are displayed together
        due = another or not snapshot.playing or fresh and now - self._words_at > WORDS_EVERY
        if fresh:
            self.charts.show(snapshot, snapshot.series, held=not due)
            self.transport.mark(snapshot.series.events)
        elif due and self.stack.view.release():  # titles name the accuracies of the displayed series
            self.stack.show()
        if due:
            self._words_at = now
            self.verdict.show(snapshot.verdict, snapshot.meters)
            self.sidebar.assumptions.show(snapshot.assumptions)
            self.sidebar.promise.show(snapshot.promise)
            titles = self._titles(snapshot)
            self.chains.change(title=titles.chains, hint=titles.hint)
            self.charts.show_words(titles.accuracy, titles.variance, snapshot.comparison)
        self.canvas.send(snapshot.cloud, snapshot.frame, snapshot.t, snapshot.run, config.follow,
                         config.rescaled)
        if self.watcher is not None:
            self.watcher(snapshot)

    def look(self) -> None:
        """Start the flow of frames, or restart it if the browser has not acknowledged a frame."""
        self.canvas.change(answered=self.visit.server.part(FrameRate).answered)
        self.sender.tick()

    def _painted(self) -> None:
        """Send the next frame if the page is still in front."""
        if self.active:
            self.sender.tick()

    # Interface of other pages and links

    def load(self, query: dict[str, Any]) -> None:
        """Start a run with the state of URL parameters, from the first datum or replayed to their moment."""
        config, words = LiveState.from_query(query, self.visit.user_data)
        moment, more = moment_in(query, config)
        self.state.load(config)
        self.notices.words = [*words, *more]
        self._problem_changed()
        if moment is not None:
            self._recall(moment)
            return
        self.engine.post("restart")
        self.engine.post("play")

    @property
    def own_data(self) -> bool:
        """Whether the run is on the user's own data, which a saved file must not contain."""
        return self.state.problem == OWN

    def run_on_show(self) -> tuple[LiveConfig, Moment | None] | None:
        """Return the configuration and the moment of the displayed picture; the moment is None before the first."""
        shown = self._shown
        return (self.config, None) if shown is None else (shown.config, shown.moment)

    def shared(self) -> tuple[dict[str, str], str]:
        """Return the URL parameters of the displayed picture, with its epoch and history, and a message about them."""
        shown = self._shown
        return link_to(shown) if shown is not None and shown.moment is not None and shown.moment.t else super().shared()

    # Lifecycle

    def note_document(self) -> None:
        """Record the document that shows the page; a new run waits until a browser displays it."""
        super().note_document()
        if self._shown_in is not None and not self._seen:
            self.engine.post("hold")

    @property
    def going(self) -> bool:
        """Whether the displayed run is playing."""
        return self.engine.playing if self._shown is None else self._shown.playing

    @property
    def returning(self) -> bool:
        """Whether the run is being replayed."""
        return self._shown is not None and self._shown.notice_kind == "replaying"

    @property
    def settled(self) -> tuple[Any, ...]:
        """Content of the link; the progress of the run only while it is paused."""
        shown = self._shown
        if shown is None:
            return super().settled
        return shown.playing, shown.config, shown.run, None if shown.playing else (shown.t, shown.step)

    def go_on(self) -> None:
        """Continue playing, after the replay to a link's moment."""
        self._resume = True
        if self.active:
            self.engine.post("play")

    def restyle(self, dark: bool) -> None:
        """Redraw in another theme."""
        self.canvas.dark = dark
        self.stack.restyle(dark)

    def begin(self) -> None:
        """Start the engine, or continue a run that was playing."""
        self.state.user_data = self.visit.user_data  # another page may have loaded data
        self.sender.attach()
        self.engine.start()
        if self._resume:
            self.engine.post("play")

    def leave(self) -> None:
        """Pause, and pass the run's state to other pages."""
        self._resume = self.engine.playing
        self.engine.post("pause")
        self.engine.post("hand_over", self.visit.leave_live)

    def rest(self) -> None:
        """Pause while no browser is connected: the worker thread ends, the run is kept."""
        super().rest()
        self.engine.rest()

    def end(self) -> None:
        """End the worker thread; release the run and the uploaded file."""
        self.file.choice.picker.close()
        self.engine.close()
