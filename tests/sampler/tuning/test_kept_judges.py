"""The truth of a sweep outlives the process: exactly as it was, or not at all."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from sampler import LogisticRegression, Sweep
from sampler.tuning import CellForecast, CellKey, Grid, trial_order
from sampler.tuning import sweep as module
from sampler.tuning.cell_truth import JudgedEpoch, Judges, judged_epochs
from sampler.tuning.kept_judges import keep_judges, kept_judges

RUNGS = (64, 128)


def judges(quantiles=True):
    rng = np.random.default_rng(0)
    epochs = sorted({t for rung in RUNGS for t in judged_epochs(rung)})
    return Judges({t: JudgedEpoch(t, *rng.normal(size=(3, 2)), rng.normal(size=(256, 2)) if quantiles else None)
                   for t in epochs}, "draws" if quantiles else "laplace", *((900, 800) if quantiles else (None, None)))


@pytest.mark.parametrize("quantiles", [True, False])
def test_what_is_kept_is_read_bit_for_bit(tmp_path, quantiles):
    path, made = str(tmp_path / "trials.db"), judges(quantiles)
    assert kept_judges(path, "sweep", RUNGS) is None
    keep_judges(path, "sweep", made)
    found = kept_judges(path, "sweep", RUNGS)
    assert (found.method, found.ess, found.ceiling_draws) == (made.method, made.ess, made.ceiling_draws)
    for t, epoch in made.epochs.items():
        for part in ("mode", "mean", "sd", "quantiles"):
            assert np.array_equal(getattr(found.epochs[t], part), getattr(epoch, part)), part
    assert kept_judges(path, "another", RUNGS) is None and kept_judges(path, "sweep", (64, 256)) is None


def test_half_a_truth_is_none(tmp_path):
    path = str(tmp_path / "trials.db")
    keep_judges(path, "sweep", judges())
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE exit_time_lab_truth SET arrays = substr(arrays, 1, length(arrays) / 2)")
    assert kept_judges(path, "sweep", RUNGS) is None
    (tmp_path / "no.db").write_bytes(b"no data base at all" * 100)
    keep_judges(str(tmp_path / "no.db"), "sweep", judges())
    assert kept_judges(str(tmp_path / "no.db"), "sweep", RUNGS) is None
    for elsewhere in (None, "postgresql://nobody"):  # no file to keep it in
        keep_judges(elsewhere, "sweep", judges())
        assert kept_judges(elsewhere, "sweep", RUNGS) is None


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
    monkeypatch.setattr(module, "make_judges", lambda *_: pytest.fail("computed again"))
    more = sweep((0.1, 1.0, 0.3), "trials.db").run(on_progress=told.append)
    assert more.reference == first.reference and len(more.cells) == 3
    assert {c.eta0: c.accuracy for c in more.cells} == {c.eta0: c.accuracy for c in fresh.cells}
    assert told[0].words == "trying settings" and 0.0 < told[0].seconds_left < 60.0  # from the cells that are there
