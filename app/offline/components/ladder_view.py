"""The ladder's view: canvas, cost, accuracy and words, played by a clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape

from bokeh.models import Range1d

from app.background_job import BackgroundJob, JobUpdate
from app.canvas.chain_canvas import ChainCanvas
from app.offline import words
from app.offline.charts.cost import CostChart
from app.offline.charts.rungs import RungsChart
from app.offline.components.ladder_card import LadderCard
from app.offline.config import SPEEDS, LadderConfig
from app.offline.ladder import LadderRun, run_ladder
from app.offline.plane_view import PlaneView, coordinate_names
from app.offline.player import Player
from app.widgets.figure_card import FigureCard
from app.widgets.run_buttons import RunButtons
from app.widgets.text_card import TextCard

MARGIN = 0.2
"""Of a rung, right of the last one."""
SLOWLY = 0.12
"""Seconds between two looks of the charts while the chains move."""
LAYOUT = ('grid-template:"canvas charts" minmax(0,54fr) "canvas text" minmax(0,46fr)/minmax(0,660fr) minmax(0,484fr);'
          "height:calc(100cqh - 4px);min-height:700px")


def speed_words(rate: float) -> str:
    """Return a speed as the slider says it."""
    if rate < 1:
        return f"a rung in {1 / rate:.0f} s"
    return "a rung a second" if rate == 1 else f"{rate:.0f} rungs a second"


class LadderView:
    """`changed(config)` is called when the way to look at the run is changed here."""

    def __init__(self, config: LadderConfig, changed: Callable[[LadderConfig], None]) -> None:
        self.config, self._changed = config, changed
        self.background = BackgroundJob("offline-ladder")
        self.player = Player(rate=SPEEDS[config.speed])
        self.run: LadderRun | None = None
        self._plane: PlaneView | None = None
        self._planned: tuple = ()
        self._drawn: tuple = ()
        self._position, self._cut, self._looked, self._number, self._settled = -1.0, True, 0.0, 0, 0
        self._cuts, self._followed = 0, None
        x_range = Range1d(start=0.0, end=1.0)
        self.cost, self.rungs = CostChart(x_range), RungsChart(x_range)
        self.canvas = ChainCanvas(filename="ladder", sizing_mode="stretch_both")
        self.canvas.on_follow(self._follow)
        self.card = LadderCard({
            "play": self.play, "step": self.step, "restart": self.restart, "speed": self.set_speed, "seek": self.seek,
            "zoom": self.set_zoom, "csv": lambda: words.rungs_csv(self.run), "png": self.canvas.export_png},
            canvas=self.canvas, title="Down the ladder", speeds=[speed_words(rate) for rate in SPEEDS], speed=config.speed,
            zoom=config.zoom, empty="Setting the ladder up …", filename="ladder")
        self.charts = FigureCard(
            [self.cost.figure, self.rungs.figure], self._fit, {"csv": lambda: words.rungs_csv(self.run)},
            label="Cost and accuracy", exports=["csv", "png"], filename="ladder-cost",
            heads=[["Cost so far", "gradient evaluations of a chain, log scale"],
                   ["Accuracy at each rung", "against that rung’s own target"]])
        self.text = TextCard(title="What this says", heading="On its way down the ladder.", look=["wait", "cold", "coldbg"])
        self.buttons = RunButtons(lambda: self.start(self.config), self.background.cancel, label="Run again")
        self.cards = {"canvas": self.card, "charts": self.charts, "text": self.text}

    # The run

    def start(self, config: LadderConfig) -> None:
        """Run a ladder; one under way is dropped."""
        self.config = config
        self._number = self.background.start(lambda control: run_ladder(config, control))
        self.run, self._plane, self._drawn, self._position, self._cut = None, None, (), -1.0, True
        self.player.rate = SPEEDS[config.speed]
        self.player.restart()
        self.card.progress = -1.0

    def look(self, config: LadderConfig) -> None:
        """Show the same run another way."""
        self.config = config
        self.player.rate = SPEEDS[config.speed]
        self.card.param.update(speed=config.speed, zoom=config.zoom)

    @property
    def busy(self) -> bool:
        """Whether a run is under way, or its end has not been shown yet."""
        return self._number != self._settled

    @property
    def number(self) -> int:
        """Of the run under way or done."""
        return self._number

    def tick(self) -> None:
        """Take what the worker has, and move the animation on by the clock."""
        update = self.background.take()
        if update is not None and update.number == self._number:
            self._take(update)
        run = self.run
        if run is None or run.last < 0:
            return
        now = time.monotonic()
        frame = self.player.tick(now, run.last)
        if frame >= run.last and not self.busy:
            self.player.pause()  # cancelled, or lost: nothing more comes
        if self.card.playing != self.player.playing:
            self.card.playing = self.player.playing
        moved = self.player.position != self._position or self._cut or self._replan(run)
        if moved and self.canvas.ready:
            self._show(run, frame, now)

    def _take(self, update: JobUpdate) -> None:
        run = update.value
        self._settled = update.number if update.done else self._settled
        self.buttons.show(update)
        waiting = not update.done
        self.card.param.update(progress=None if not waiting else -1.0 if update.fraction is None else update.fraction,
                               working=update.words if waiting else "")
        if update.error:
            self.text.param.update(heading="This cannot be run.", look=["warn", "hot", "hotbg"],
                                   body=f"<p>{escape(update.error)}</p>")
        if run is None:
            self.card.empty = update.words if waiting else "Nothing was done yet: press Run again."
            return
        if self.run is None or run.betas != self.run.betas or run.per_rung != self.player.per_rung:
            self.player.per_rung, self.player.rungs = run.per_rung, run.rungs
        self.run = run
        key = len(run.truths), run.rung(run.last), run.complete, update.done, bool(run.frames)
        if key != self._drawn and run.frames:
            self._load(run, fresh=not self._drawn or self._drawn[4] != key[4])
            self._drawn = key

    def _load(self, run: LadderRun, fresh: bool) -> None:
        """Everything that depends on the run but not on the moment."""
        self.card.param.update(
            title=f"{run.config.chains:,} chains down the ladder", subtitle=words.subtitle(run), empty="",
            betas=[words.beta_words(beta) for beta in run.betas], per_rung=run.per_rung)
        self.canvas.rungs = self.card.betas
        if fresh:
            self.cost.x_range.update(start=0.0, end=run.rungs + MARGIN)
            self.cost.load(run)
        self.rungs.load(run)
        self.rungs.show(self._ended)
        self.charts.caption = words.caption(run)
        self.text.param.update(heading=words.heading(run), look=words.look(run), body=words.body(run))
        if run.trouble:
            self.card.working = "The chains left for infinity."

    @property
    def _ended(self) -> int:
        """Rungs that have ended at the frame shown."""
        return max(int(self._position), 0) // max(1, self.player.per_rung)

    def _replan(self, run: LadderRun) -> bool:
        """Make contours and windows anew when the run's targets or the view have changed."""
        key = self._number, len(run.truths), self.config.zoom, self.config.axes
        if self._plane is not None and key == self._planned:
            self._plane.run = run
            return False
        other_plane = self._plane is None or self._planned[3] != self.config.axes
        self._plane, self._planned = PlaneView(run, self.config), key
        self._cut = self._cut or other_plane
        return True

    def _show(self, run: LadderRun, frame: int, now: float) -> None:
        self._replan(run)
        position, before = self.player.position, self._position
        if self._cut or position < before or position > before + max(8, run.per_rung // 3):
            self._cuts += 1  # a new run of trails: the picture jumps there rather than gliding
        rung = run.rung(frame)
        inside = int(round(run.steps[frame])) - rung * run.config.i_max
        self.canvas.send(self._plane.cloud(position), frame, rung + 1, self._cuts, self._followed)
        self.card.tell(frame, rung + 1, [
            f"{rung + 1} <small>of {run.rungs}</small>", words.beta_words(run.betas[rung]),
            f"{max(0, inside):,} <small>of {run.config.i_max:,}</small>", f"{run.evaluations[frame]:,.0f}",
            f"{run.config.terms * run.steps[frame]:,.0f}"])
        ended = self._ended
        self._position, self._cut = position, False
        if now - self._looked > SLOWLY or not self.player.playing or self._ended != ended:
            self._looked = now
            self.cost.show(frame)
            self.rungs.show(self._ended)
        if self._ended != ended or not self.player.playing:
            self.card.spoken = self.canvas.spoken = words.spoken(run, frame)

    def _follow(self, chain: int | None) -> None:
        """Draw one chain's trail longer, until the user lets go of it."""
        self._followed, self._position = chain, -1.0

    def _fit(self, width: float, height: float, compact: bool) -> None:
        top = 0.42 * height if height else (150.0 if compact else 180.0)
        bottom = 0.58 * height if height else (200.0 if compact else 240.0)
        self.cost.resize(top, compact)
        self.rungs.resize(bottom, compact)

    # The transport

    def play(self) -> None:
        """Play or pause."""
        if self.player.playing:
            self.player.pause()
        elif self.run is not None and self.player.frame >= self.run.last:
            self.player.restart()
        else:
            self.player.play()
            self._cut = self.player.frame == 0
        self.card.playing = self.player.playing

    def step(self) -> None:
        """Go to the end of the rung."""
        if self.run is not None:
            self.player.step(self.run.last)

    def restart(self) -> None:
        """Play from the cold start."""
        self.player.restart()
        self._cut = True

    def seek(self, frame: int) -> None:
        """Go to a frame."""
        if self.run is not None:
            self.player.seek(frame, self.run.last)

    def set_speed(self, index: int) -> None:
        """Change how fast it plays."""
        self._changed(self.config.replace(speed=index))

    def set_zoom(self, value: str) -> None:
        """Follow the target, or stand still."""
        if value in ("follow", "fixed"):
            self._changed(self.config.replace(zoom=value))

    # Life

    def names(self) -> tuple[str, ...]:
        """Return the coordinates that can be plotted."""
        return coordinate_names(self.config.dim)

    def restyle(self, dark: bool) -> None:
        """Repaint canvas and charts."""
        self.canvas.dark = dark
        self.cost.restyle(dark)
        self.rungs.restyle(dark)

    def state(self) -> dict[str, str]:
        """Return what is shown, for tests and scripts; nothing that changes from frame to frame."""
        run = self.run if not self.busy else None
        return {"frames": str(0 if run is None else run.last + 1), "playing": str(int(self.player.playing)),
                "plain": "" if run is None or run.plain is None else f"{run.plain:.4f}"}
