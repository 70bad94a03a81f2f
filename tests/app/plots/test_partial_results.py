"""Figures of whatever part of a result has come: any few settings, curves or epochs are drawn, or refused in words."""

from types import SimpleNamespace

import numpy as np
import pytest

from app import plots
from app.plots import live
from sampler.racing import EpochCost, Growth, RaceCurve
from sampler.tuning import CellKey

FINITE = (lambda rng, m: rng.lognormal(size=m), lambda rng, m: np.full(m, rng.lognormal()), lambda rng, m: np.zeros(m),
          lambda rng, m: 10.0 ** rng.uniform(-300, 300, m))
GAPS = (lambda rng, m: np.full(m, np.nan), lambda rng, m: np.where(rng.random(m) < 0.5, np.nan, rng.lognormal(size=m)))


def settings(rng):
    """Some cells of a sweep, of a wide or of a narrow grid: all may cost the same, have diverged or remember everything."""
    etas = np.sort(10 ** (rng.uniform(-6, 3, rng.integers(1, 5)) if rng.random() < 0.5 else rng.uniform(0, 0.05, 3)))
    lengths, batch = np.unique(rng.integers(1, 10 ** rng.integers(1, 6), rng.integers(1, 4))), int(rng.integers(1, 400))
    cells = [SimpleNamespace(
        eta0=float(eta), i_max=int(length), batch_size=batch, algorithm="saga-ld", rows=256, rung=int(rng.integers(0, 3)),
        cost=float(batch * length * rng.uniform(0.3, 1)), accuracy=float(rng.choice([0.0, rng.random(), 0.94, 1.0])),
        ceiling=float(rng.choice([0.94, 1.0, 0.5])), ceiling_sd=float(rng.choice([0.0, 0.005, 0.1])),
        memory=float(rng.choice([0.0, 1.0, rng.normal()])), narrowest=0.9, widest=float(rng.lognormal()), reset_rate=0.1,
        diverged=(1, 2, 3) if rng.random() < 0.2 else None) for eta in etas for length in lengths if rng.random() < 0.6]
    if not cells:
        return []
    said = {CellKey(c.eta0, c.i_max, batch): str(rng.choice(["safe", "hot", "cold", "noisy"])) for c in cells}
    return [plots.tuning_map(cells, verdicts=said), plots.tuning_slice(cells, cells[0].i_max, batch),
            plots.accuracy_against_cost(cells, verdicts=said), plots.memory_against_cost(cells, verdicts=said)]


def races(rng):
    """A few points of a few samplers, near each other or apart, and their growth with the data."""
    curves = {}
    for key in rng.choice(["saga", "precond", "mala", "laplace"], rng.integers(1, 4), replace=False):
        m = int(rng.integers(1, 5))
        spent = np.sort(10 ** rng.uniform(0, rng.uniform(0.01, 7), m))
        curves[str(key)] = RaceCurve(str(key), spent, spent * 2e-7, spent / 64, rng.random(m), 1e-4, 64.0, fixed=m == 1)
    sizes = np.unique(rng.integers(2, 10 ** rng.integers(1, 6), rng.integers(0, 5))).astype(float)
    spent = 10.0 ** rng.uniform(0, 6) * sizes ** rng.uniform(-0.1, 1)
    return [*(plots.race(curves, SimpleNamespace(mean=0.92, sd=0.004), cost=cost, log=log)
              for cost in ("evaluations", "seconds") for log in (True, False)),
            plots.cost_growth({"saga": Growth("saga", sizes, spent)}),
            plots.cost_growth({"saga": EpochCost("saga", 40, sizes, spent, spent * 1e-7)})]


def epochs(rng):
    """The first few epochs of a run, with values of any size, and some that are not numbers."""
    t = np.unique(rng.integers(1, 10 ** rng.integers(1, 7), rng.integers(1, 6))).astype(float)

    def values():
        return rng.choice([*FINITE, *GAPS])(rng, t.size)

    return [live.accuracy(t, np.clip(values(), 0, 1)), live.distance(t, values(), q95=values(), farthest=values()),
            live.variance(t, saga=values(), sgld=values()), live.cost(t, values(), values()),
            plots.ladder_cost(np.arange(t.size), values(), values())]


@pytest.mark.parametrize("make", [settings, races, epochs])
@pytest.mark.parametrize("seed", range(12))
def test_any_part_of_a_result_can_be_drawn(make, seed):
    """Of these figures one in 50 had an axis without ticks once, and was not drawn."""
    for figure in make(np.random.default_rng(seed)):
        drawn = plots.to_plot(figure).state
        for reach in (drawn.x_range, drawn.y_range):
            assert np.isfinite([reach.start, reach.end]).all() and reach.start < reach.end
