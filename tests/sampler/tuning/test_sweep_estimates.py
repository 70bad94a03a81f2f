"""The time left of a sweep, in any order of its cells: within a factor of two after the first tenth, or not said."""

import numpy as np
import pytest

from sampler.tuning.trial_order import trial_order
from tests.sampler.tuning.recorded_sweep import InOrder, Recorded, replay, wrong_and_shown

SLOWNESS = {"default_example": 6.0, "both_algorithms": 20.0, "twenty_one_dimensions": 20.0}
"""Times what was recorded with few chains: the sweeps take one or two minutes then, as those of the pages do."""
ORDERS = {"forecast": 0.5, "best first": 0.2, "worst first": 0.5, "dear first": 0.35, "cheap first": 0.5, "by chance": 0.3}
"""Share of the moments after the first tenth at which something must be said: silence is no estimate."""
SMALL, LARGE = ("both_algorithms", "twenty_one_dimensions"), "default_example"


def ordered(recorded, name):
    keys = list(recorded.rungs)
    seconds = {key: rungs[-1][1] for key, rungs in recorded.rungs.items()}
    accuracy = {key: rungs[-1][0] for key, rungs in recorded.rungs.items()}
    found = {"best first": sorted(keys, key=lambda key: -accuracy[key]), "worst first": sorted(keys, key=accuracy.get),
             "dear first": sorted(keys, key=lambda key: -seconds[key]), "cheap first": sorted(keys, key=seconds.get),
             "by chance": [keys[i] for i in np.random.default_rng(0).permutation(len(keys))]}
    return trial_order(recorded.forecasts) if name == "forecast" else InOrder(recorded.forecasts, found[name])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", [*SMALL, pytest.param(LARGE, marks=pytest.mark.slow)])
def test_in_every_order(name, order, monkeypatch):
    recorded, slowness = Recorded(name), SLOWNESS[name]
    total, said = replay(recorded, ordered(recorded, order), monkeypatch, slowness=lambda now: slowness)
    worst, shown = wrong_and_shown(total, said)
    assert total > 45.0 and worst <= 2.0 and shown >= ORDERS[order], (total, worst, shown)


@pytest.mark.parametrize(("workers", "prune", "least"), [(1, True, 0.6), (2, False, 0.3), (8, True, 0.0)])
def test_with_other_workers_and_with_none_given_up(workers, prune, least, monkeypatch):
    recorded = Recorded(SMALL[1])
    total, said = replay(recorded, ordered(recorded, "forecast"), monkeypatch, workers, lambda now: 20.0, prune)
    worst, shown = wrong_and_shown(total, said)
    assert worst <= 2.0 and shown >= least, (total, worst, shown)


def test_on_a_machine_that_others_use_now_and_then(monkeypatch):
    recorded = Recorded(SMALL[1])
    total, said = replay(recorded, ordered(recorded, "forecast"), monkeypatch,
                         slowness=lambda now: 18.0 if int(now / 15) % 2 else 10.0)
    worst, shown = wrong_and_shown(total, said)
    assert worst <= 2.0 and shown >= 0.3, (total, worst, shown)


def test_without_forecasts_nobody_can_tell_which_cells_are_given_up(monkeypatch):
    recorded = Recorded(SMALL[1])
    total, said = replay(recorded, None, monkeypatch, slowness=lambda now: 20.0)
    assert wrong_and_shown(total, said) == (1.0, 0.0)
