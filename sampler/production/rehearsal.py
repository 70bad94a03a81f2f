"""A chosen setting run once over the rows it was tuned on, as production will run it: what its gates should be."""

import numpy as np

from sampler.production.gates import Gates
from sampler.production.replay import Replay, ReplayResult
from sampler.settings import Settings
from sampler.tuning.round_numbers import above

SLACK = 20.0  # times the measured wall time: another machine, other work on it
SURE = 6.0  # standard errors a mean of 1,000 scores may fall


def rehearse(problem, settings: Settings, features, labels, chains: int, seed: int, terms: int | None = None,
             every: int = 10) -> ReplayResult:
    """Replay the tuning rows with no gate but divergence."""
    if problem.kind == "oracle":
        batches = [(np.zeros((terms, 0)), None)]
    else:
        batches = [(features, labels)]
    replay = Replay(problem, settings, batches, chains, seed, every=every)
    replay.resume()
    return replay.run()


def gates_from(result: ReplayResult) -> Gates:
    """Gates that a run like the rehearsal passes with room: R-hat 1.1, the score less six standard errors and a
    tenth, five times the resets, twenty times the time.
    """
    watch, score = result.watch, None
    if watch.score is not None:
        scores = watch.prequential.scores
        score = watch.score - SURE * float(scores.std()) / np.sqrt(len(scores)) - 0.1 * abs(watch.score)
        score = float(f"{score:.3g}")
    return Gates(max_rhat=1.1, min_predictive_score=score, max_reset_rate=min(1.0, max(0.02, 5.0 * watch.reset_rate)),
                 max_seconds_per_epoch=above(SLACK * watch.seconds_per_epoch), warm_up=max(200, result.t // 2))
