"""`LadderView`: card, canvas, figures and texts of a ladder's run, animated by a clock."""

import time
from html import escape
from typing import Any

import param
from panel.viewable import Child

from app.canvas.chain_canvas import ChainCanvas
from app.glossary import marked
from app.jobs.background_job import COMPILING, BackgroundJob, JobUpdate
from app.jobs.worker_processes import in_process
from app.js.component import LabComponent
from app.offline import ladder_words as words
from app.offline.ladder_plane import PlaneView, Player, cost_figure, rungs_figure
from app.offline.ladder_run import LadderRun, run_ladder
from app.plots import ladder, ladder_cost
from app.state.offline import SPEEDS, LadderState
from app.visit import Visit
from app.widgets.cards import TextCard
from app.widgets.choices import RunButtons
from app.widgets.figure_card import FigureCard, FigureView, align


class LadderCard(LabComponent):
    """Card of the animated canvas; forwards its controls to a `LadderView`."""

    canvas = Child()
    title = param.String("")
    subtitle = param.String("")
    betas = param.List([], doc="Text of each rung's inverse temperature.")
    per_rung = param.Integer(1, doc="Frames per rung.")
    playing = param.Boolean(True)
    speed = param.Integer(0, allow_refs=True)
    speeds = param.List([], doc="Text of each speed.")
    zoom = param.String("follow", allow_refs=True)
    progress = param.Number(None, allow_None=True, doc="Completed fraction in [0, 1]; negative if unknown.")
    working = param.String("")
    empty = param.String("", doc="Text in place of the picture.")
    spoken = param.String("", doc="Description of the picture for screen readers.")
    filename = param.String("ladder")

    def __init__(self, view: "LadderView", **params: Any) -> None:
        self._view = view
        super().__init__(sizing_mode="stretch_both", **params)

    def restyle(self, dark: bool) -> None:
        """Set the theme of the canvas."""
        self.canvas.dark = dark

    def send_position(self, frame: int, rung: int, readouts: list[str]) -> None:
        """Display the position of the animation and the texts of rung, beta, step, gradients and full gradients."""
        self.send_msg({"frame": frame, "rung": rung, "readouts": readouts})

    def on_press(self, name: str) -> None:
        """Handle a button: play, step or restart."""
        if name in ("play", "step", "restart"):
            getattr(self._view, name)()

    def on_speed(self, index: int) -> None:
        """Handle the speed slider."""
        self._view.state.speed = min(max(int(index), 0), len(self.speeds) - 1)

    def on_seek(self, frame: int) -> None:
        """Handle the slider of frames."""
        self._view.seek(int(frame))

    def on_zoom(self, value: str) -> None:
        """Handle the segmented control of the zoom."""
        if value in ("follow", "fixed"):
            self._view.state.zoom = value

    def on_png(self) -> None:
        """Save the picture as PNG."""
        self._view.canvas.export_png()

    def on_csv(self) -> None:
        """Send the table of rungs as CSV text."""
        if self._view.run is not None:
            self.send_msg({"csv": words.rungs_csv(self._view.run)})


FIGURE_INTERVAL = 0.2
"""Seconds between two updates of the figures while the chains move."""
LAYOUT = ('grid-template:"ladder-canvas ladder-charts" minmax(0,54fr) "ladder-canvas ladder-text" minmax(0,46fr)'
          "/minmax(0,660fr) minmax(0,484fr);height:calc(var(--lab-room) - 4px);min-height:700px")


def speed_words(rate: float) -> str:
    """Return the text of a speed for the slider."""
    if rate < 1:
        return f"{1 / rate:.0f} s per rung"
    return "1 rung per second" if rate == 1 else f"{rate:.0f} rungs per second"


class LadderView:
    """Runs a ladder in the background and plays it; follows the speed, window and axes of its state."""

    def __init__(self, state: LadderState, visit: Visit | None = None) -> None:
        self.state = state
        self.background = BackgroundJob("offline-ladder", self._on_update, visit=visit)
        self.player = Player()
        self._planned: tuple = ()  #: key of the current plane
        self._figures_at, self._cuts, self._followed = 0.0, 0, None
        self._forget()
        self.cost = FigureView(ladder_cost([], [], []), 190, 0.42)
        self.rungs = FigureView(ladder((0.5, 1.0), (), (), ()), 230, 0.58)
        align(self.cost, self.rungs)
        self.canvas = ChainCanvas(filename="ladder", sizing_mode="stretch_both")
        self.canvas.followed = self._follow
        self.card = LadderCard(
            self, canvas=self.canvas, title="Down the ladder", speeds=[speed_words(rate) for rate in SPEEDS],
            speed=state.param.speed, zoom=state.param.zoom, filename="ladder")
        self.charts = FigureCard(
            [self.cost, self.rungs], acts={"csv": lambda: self.run and words.rungs_csv(self.run)},
            label="Cost and accuracy", exports=["csv", "png", "svg"], filename="ladder-cost",
            heads=[["Cost", marked("[[gradient evaluations]] per chain, log scale")],
                   [marked("[[Accuracy]] at each [[rung]]"), "against that rung’s own target"]])
        self.text = TextCard(title="Summary", announces=True, heading="No run yet.", look=["wait", "cold", "coldbg"])
        self.buttons = RunButtons(self.start, self.background.cancel, label="Run")
        self.cards = {"canvas": self.card, "charts": self.charts, "text": self.text}

    # The run

    def start(self) -> None:
        """Start a run and cancel the running one."""
        config = self.state.frozen()
        self.background.start(in_process(run_ladder, config))
        self._forget()
        self.card.progress = -1.0

    def _forget(self) -> None:
        self.run: LadderRun | None = None
        self._plane: PlaneView | None = None
        self._drawn = self._scored = ()  #: keys of the displayed texts and figures
        self._position, self._cut = -1.0, True
        self.player.restart()

    def show_run(self, run: LadderRun | None, words: str) -> None:
        """Display an earlier run, or none, with a text next to the button."""
        self._forget()
        self.buttons.words = words
        if run is None:
            self.card.param.update(empty=words, title="Down the ladder", subtitle="")
        else:
            self._keep(run, done=True)

    def tick(self) -> None:
        """Advance the animation to the current time."""
        run = self.run
        if run is None or run.last < 0:
            return
        now, self.player.rate = time.monotonic(), SPEEDS[self.state.speed]
        frame = self.player.tick(now, run.last)
        if frame >= run.last and self.background.settled:
            self.player.playing = False  # cancelled or failed: there will be no further frames
        if self.card.playing != self.player.playing:
            self.card.playing = self.player.playing
        moved = self.player.position != self._position or self._cut or self._replan(run)
        if moved and self.canvas.ready:
            self._show(run, frame, now)

    def _on_update(self, update: JobUpdate) -> None:
        run = update.value
        self.buttons.show(update)
        self.card.param.update(progress=update.progress, working=update.working)
        if update.error:
            self.text.param.update(heading="This cannot be run.", look=["warn", "hot", "hotbg"],
                                   body=f"<p>{escape(update.error)}</p>")
        if run is None:
            if update.done:
                self.card.empty = "There are no results: press Run."
            elif self.card.empty or update.words == COMPILING:  # else the previous run stays visible until the first frame
                self.card.empty = update.words
            return
        self._keep(run, update.done)

    def _keep(self, run: LadderRun, done: bool) -> None:
        self.player.per_rung, self.player.rungs = run.per_rung, run.rungs
        self.run = run
        key = len(run.truths), run.rung(run.last), run.complete, done, bool(run.frames)
        if key != self._drawn and run.frames:
            self._load(run)
            self._drawn = key

    def _load(self, run: LadderRun) -> None:
        """Update everything that depends on the run but not on the position."""
        self.card.param.update(
            title=f"{run.config.chains:,} chains down the ladder", subtitle=words.subtitle(run), empty="",
            betas=[words.beta_words(beta) for beta in run.betas], per_rung=run.per_rung)
        self.canvas.rungs = self.card.betas
        self._show_figures(run)
        self.charts.caption = words.caption(run)
        self.text.param.update(heading=words.heading(run), look=words.look(run), body=words.body(run))
        if run.trouble:
            self.card.working = "The chains diverged."

    @property
    def _ended(self) -> int:
        """Number of rungs completed at the displayed frame."""
        return max(int(self._position), 0) // max(1, self.player.per_rung)

    def _replan(self, run: LadderRun) -> bool:
        """Recompute contours and windows if the run's targets or the view have changed; return whether they have."""
        key = id(run.betas), len(run.truths), self.state.zoom, self.state.axes
        if self._plane is not None and key == self._planned:
            self._plane.run = run
            return False
        other_plane = self._plane is None or self._planned[3] != self.state.axes
        self._plane, self._planned = PlaneView(run, self.state), key
        self._cut = self._cut or other_plane
        return True

    def _show(self, run: LadderRun, frame: int, now: float) -> None:
        self._replan(run)
        position, before = self.player.position, self._position
        if self._cut or position < before or position > before + max(8, run.per_rung // 3):
            self._cuts += 1  # start new trails: the picture jumps without a transition
        rung = run.rung(frame)
        inside = int(round(run.steps[frame])) - rung * run.config.i_max
        self.canvas.send(self._plane.cloud(position), frame, rung + 1, self._cuts, self._followed)
        self.card.send_position(frame, rung + 1, [
            f"{rung + 1} <small>of {run.rungs}</small>", words.beta_words(run.betas[rung]),
            f"{max(0, inside):,} <small>of {run.config.i_max:,}</small>", f"{run.evaluations[frame]:,.0f}",
            f"{run.config.terms * run.steps[frame]:,.0f}"])
        ended = self._ended
        self._position, self._cut = position, False
        if now - self._figures_at > FIGURE_INTERVAL or not self.player.playing or self._ended != ended:
            self._figures_at = now
            self._show_figures(run)
        if self._ended != ended or not self.player.playing:
            self.card.spoken = self.canvas.spoken = words.spoken(run, frame)

    def _follow(self, chain: int | None) -> None:
        """Draw a longer trail for one chain, or none if None."""
        self._followed, self._position = chain, -1.0

    def _show_figures(self, run: LadderRun) -> None:
        """Draw cost and accuracy up to the position of the animation."""
        self.cost.show(cost_figure(run, max(int(self._position), 0)))
        key = self._ended, len(run.accuracies), len(run.truths), run.plain
        if key != self._scored:
            self._scored = key
            self.rungs.show(rungs_figure(run, self._ended))

    # The transport

    def play(self) -> None:
        """Play or pause."""
        if self.player.playing:
            self.player.playing = False
        elif self.run is not None and self.player.frame >= self.run.last:
            self.player.restart()
        else:
            self.player.play()
            self._cut = self.player.frame == 0
        self.card.playing = self.player.playing

    def step(self) -> None:
        """Go to the next end of a rung."""
        if self.run is not None:
            self.player.step(self.run.last)

    def restart(self) -> None:
        """Play from the cold start."""
        self.player.restart()
        self._cut = True

    def seek(self, frame: int) -> None:
        """Pause at a frame."""
        if self.run is not None:
            self.player.seek(frame, self.run.last)

    def shown(self) -> dict[str, str]:
        """Return the displayed state for tests and scripts, without the animated values."""
        run = self.run if self.background.settled else None
        return {"frames": str(0 if run is None else run.last + 1), "playing": str(int(self.player.playing)),
                "plain": "" if run is None or run.plain is None else f"{run.plain:.4f}"}
