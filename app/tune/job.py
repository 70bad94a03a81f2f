"""A sweep as a piece of background work: what is kept comes back at once, the rest is run, nothing finished is lost."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

from app.background_job import JobHandle
from app.tune.cache import folder, forget_old, only_one, study_path
from app.tune.config import TuneConfig
from app.tune.data import Loaded, load
from app.tune.foresight import BUDGET, ROWS, advice_for, core_seconds, forecast_of, foresee, settle
from app.tune.picture import TunePicture, key_of
from app.user_data import Given
from sampler import Settings, Sweep
from sampler.tuning import Advice, CellResult, Forecast, SweepProgress

WORKERS = 2
LOOK = 0.5
"""Seconds between two looks at a sweep that another page runs."""


class Job:
    """Makes works for one session's `BackgroundJob`; keeps the data and the forecast between them."""

    def __init__(self, given: Callable[[], Given | None], scheduler: str | None = None, workers: int = WORKERS) -> None:
        self._given, self._scheduler, self._workers = given, scheduler, workers
        self._loaded: Loaded | None = None
        self._foresaw: tuple | None = None  # (loaded, rows, forecast, advice)

    def work(self, config: TuneConfig) -> Callable[[JobHandle], TunePicture | None]:
        """Return the work: foresee, read what is kept, and sweep if `config.going`."""
        return lambda control: self._run(control, config)

    def _run(self, control: JobHandle, config: TuneConfig) -> TunePicture | None:
        if self._loaded is None or self._loaded.source != config.source or config.data == "given":
            control.publish(words="reading the data")
            self._loaded = load(config, self._given())
        loaded = self._loaded
        rows = min(config.rows or ROWS[0], loaded.length)
        forecast, advice = self._foresee(control, loaded, rows)
        settled = settle(config, loaded, advice, rows)
        if config.rows is None and loaded.example is None and core_seconds(settled, loaded) > BUDGET:
            rows = min(ROWS[1], loaded.length)
            forecast, advice = self._foresee(control, loaded, rows)
            settled = settle(config, loaded, advice, rows)
        config = settled
        if control.stopped:
            return None
        picture = TunePicture(config, loaded, foresee(config, loaded, forecast, advice))
        sweep = self._sweep(config, loaded, picture)
        picture = replace(picture, last_rung=len(sweep.rungs) - 1)
        picture = _with(picture, sweep.finished(), True)
        if not config.going or len(picture.finished) == picture.total:
            done = len(picture.finished) == picture.total
            return replace(picture, ended="finished" if done else "")
        control.publish(picture, len(picture.finished) / picture.total, "starting the workers")
        return self._sweep_on(control, sweep, picture)

    def _foresee(self, control: JobHandle, loaded: Loaded, rows: int) -> tuple[Forecast, Advice]:
        """Forecast and advice on the first rows, computed once."""
        if self._foresaw is None or self._foresaw[0] is not loaded or self._foresaw[1] != rows:
            control.publish(words="measuring the curvature")
            forecast = forecast_of(loaded, rows)
            self._foresaw = loaded, rows, forecast, advice_for(forecast, loaded)
        return self._foresaw[2:]

    def _sweep_on(self, control: JobHandle, sweep: Sweep, picture: TunePicture) -> TunePicture | None:
        """Run what is left, or look on while another page does."""
        path = study_path(sweep.identity())
        while not control.stopped:
            with only_one(path.with_suffix(".lock")) as mine:
                if mine:
                    return self._sweep_alone(control, sweep, replace(picture, watching=False))
            picture = replace(_with(picture, sweep.finished(), True), watching=True)
            control.publish(picture, len(picture.finished) / picture.total, "another page runs this sweep")
            time.sleep(LOOK)
        return picture

    def _sweep_alone(self, control: JobHandle, sweep: Sweep, picture: TunePicture) -> TunePicture:
        forget_old()
        shown = picture
        began = time.monotonic()

        def on_cell(cell: CellResult, finished: bool) -> None:
            nonlocal shown
            shown = _with(shown, [cell], finished)

        def on_progress(progress: SweepProgress) -> None:
            left, spent = progress.seconds_left, time.monotonic() - began
            fraction = len(shown.finished) / shown.total if left is None else spent / max(spent + left, 1e-9)
            control.publish(shown, min(fraction, 0.999), progress.words)

        outcome = sweep.run(on_cell, on_progress, lambda: control.stopped)
        shown = replace(shown, cells={key: shown.cells[key] for key in shown.finished})  # half-run ones are run again
        return replace(shown, reference=outcome.reference, ended=outcome.ended)

    def _sweep(self, config: TuneConfig, loaded: Loaded, picture: TunePicture) -> Sweep:
        features, labels = loaded.first(config.rows)
        base = loaded.settings.replace(acceptance_radius=config.acceptance_radius)
        options = {"chains": config.chains, "seed": config.seed, "workers": self._workers,
                   "scheduler": self._scheduler, "prune": config.prune, "reference": config.reference,
                   "terms": None if features is not None else config.rows, "escape_radius": radius_of(config, loaded)}
        order = _promise(picture)
        bare = Sweep(loaded.problem, features, labels, config.grid, base, order=order, **options)
        if hasattr(loaded.problem, "named") or loaded.kind != "oracle":
            return Sweep(loaded.problem, features, labels, config.grid, base, order=order,
                         storage=str(study_path(bare.identity())), **options)
        # A gradient without a name may change between two visits: nothing of it is kept.
        own = folder("sweeps") / f"own-{id(loaded):x}-{config.rows}-{config.chains}.db"
        own.unlink(missing_ok=True)
        return Sweep(loaded.problem, features, labels, config.grid, base, order=order, storage=str(own), **options)


def radius_of(config: TuneConfig, loaded: Loaded) -> float:
    """R that exits are counted by: the example's, else in the usual proportion to C'."""
    own = loaded.example.escape_radius if loaded.example is not None else None
    return own or float(f"{config.acceptance_radius * 16 / 22:.3g}")


def _promise(picture: TunePicture) -> Callable[[Settings], float]:
    """Order of trying: accurate ones that forget first, and cheap ones before dear ones that promise little more."""
    top = max((f.true_accuracy for f in picture.foresight.cells.values()), default=1.0)

    def promise(settings: Settings) -> float:
        found = picture.foresight.cells[settings.eta0, settings.i_max, settings.batch_size]
        short = max(0.0, top - 0.01 - found.true_accuracy) + 0.2 * max(0.0, found.memory - 0.3)
        return -short - 0.02 * math.log(found.cost)

    return promise


def _with(picture: TunePicture, cells: list[CellResult], finished: bool) -> TunePicture:
    """The picture with these cells of its grid."""
    mine = {key_of(cell): cell for cell in cells if key_of(cell) in picture.foresight.cells
            and cell.acceptance_radius == picture.config.acceptance_radius}
    more = frozenset(mine) if finished else frozenset()
    return replace(picture, cells={**picture.cells, **mine}, finished=picture.finished | more)
