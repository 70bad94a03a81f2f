"""What is on show between the moment a new run is asked for and its first picture: its knobs, and nothing of an old run."""

from __future__ import annotations

import numpy as np

from app.canvas.cloud import Cloud
from app.live.assumptions import not_measured
from app.live.history import History
from app.live.meters import meters
from app.live.snapshot import HORIZON, Snapshot
from app.state.live import LiveConfig
from app.state.problem_menu import choice_of
from sampler.algorithms import PLAIN
from sampler.tuning import Measurements, Verdict

_NOBODY = np.zeros((0, 2), np.float32)
_CENTER = np.zeros(2, np.float32)


PREPARED = "The run is being prepared; where its sampler must be compiled first, that takes half a minute, once."


def waiting_picture(config: LiveConfig, last: Snapshot | None, playing: bool, title: str = "Starting",
                    sentence: str = PREPARED) -> Snapshot:
    """Return the picture of a run that is being begun.

    Parameters
    ----------
    config
        What it was asked for with.
    last
        The picture it takes the place of; a run that is kept as a ghost stays on show beside it.
    playing
        Whether it will play.
    title, sentence
        What stands in place of a verdict.
    """
    cloud = Cloud(
        positions=_NOBODY, reset=np.zeros(0, bool), mode=_CENTER, contours=(), checkpoint=_CENTER, escape_distance=0.0,
        acceptance_distance=0.0, balls=(), half_width=1.0, center=_CENTER, resets=np.zeros((0, 5), np.float32),
        exits=np.zeros((0, 3), np.float32), axis_names=("", "") if last is None else last.cloud.axis_names)
    verdict = Verdict("waiting", title, choice_of(config.problem, config.given).label, sentence, "")
    return Snapshot(
        run=0 if last is None else last.run + 1, frame=0 if last is None else last.frame + 1, playing=playing, config=config,
        t=0, step=0, run_length=0, horizon=HORIZON, furthest=0, cloud=cloud, series=History().series(0, ()),
        step_size=config.eta0 / (config.offset or 1.0) if config.algorithm == PLAIN else config.eta0,
        verdict=verdict, meters=meters(Measurements(config.settings, 0, config.chains, 0, window=0)),
        assumptions=not_measured(), ghost=None if last is None else last.ghost)

