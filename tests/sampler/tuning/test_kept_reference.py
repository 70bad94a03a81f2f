"""The truth of a sweep outlives the process: exactly as it was, or not at all."""

import json

import numpy as np
import pytest

from sampler import LogisticRegression, Sweep
from sampler.tuning import CellForecast, CellKey, Grid, trial_order
from sampler.tuning import sweep as module
from sampler.tuning.sweep_reference import ReferenceEpoch, SweepReference, judged_epochs, packed, unpacked

RUNGS = (64, 128)


def references(quantiles=True):
    rng = np.random.default_rng(0)
    epochs = sorted({t for rung in RUNGS for t in judged_epochs(rung)})
    return SweepReference({t: ReferenceEpoch(t, *rng.normal(size=(3, 2)), rng.normal(size=(256, 2)) if quantiles else None)
                   for t in epochs}, "draws" if quantiles else "laplace", *((900, 800) if quantiles else (None, None)))


@pytest.mark.parametrize("quantiles", [True, False])
def test_what_is_kept_is_read_bit_for_bit(monkeypatch, quantiles):
    made = references(quantiles)
    values = json.loads(json.dumps(packed(made)))
    found = unpacked(values, RUNGS)
    assert (found.method, found.ess, found.ceiling_draws) == (made.method, made.ess, made.ceiling_draws)
    for t, epoch in made.epochs.items():
        for part in ("mode", "mean", "sd", "quantiles"):
            assert np.array_equal(getattr(found.epochs[t], part), getattr(epoch, part)), part
    assert unpacked(None, RUNGS) is None and unpacked(values, (64, 256)) is None
    assert unpacked({**values, "kind": "another"}, RUNGS) is None
    monkeypatch.setattr("sampler.tuning.sweep_reference.LARGEST", 100)
    assert packed(made) is None


def test_a_sweep_that_goes_on_takes_the_truth_that_is_kept(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(64, 2)), rng.integers(0, 2, 64).astype(float)
    alike = CellForecast(0.9, 0.9, 1.0, 0.0, 0.0, 40.0, True, True)  # none is foretold to run away: all take their time
    order = trial_order({CellKey(eta, 4, 4, "saga-ld"): alike for eta in (0.1, 0.3, 1.0)})

    def sweep(etas, storage):
        return Sweep(LogisticRegression(2), features, labels, Grid(etas, 4, 4, 22.0), chains=8, workers=0,
                     reference="laplace", prune=False, order=order, storage=storage and str(tmp_path / storage))

    first = sweep((0.1, 1.0), "trials.db").run()
    fresh = sweep((0.1, 1.0, 0.3), None).run()
    told = []
    monkeypatch.setattr(module, "make_reference", lambda *_: pytest.fail("computed again"))
    more = sweep((0.1, 1.0, 0.3), "trials.db").run(on_progress=told.append)
    assert more.reference == first.reference and len(more.cells) == 3
    assert {c.eta0: c.accuracy for c in more.cells} == {c.eta0: c.accuracy for c in fresh.cells}
    assert told[0].words == "trying settings" and 0.0 < told[0].seconds_left < 60.0  # from the cells that are there
