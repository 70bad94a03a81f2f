"""Stored parts of a sweep other than cells: the reference, bit for bit, and rivals with their faults."""

import json
from dataclasses import replace

import numpy as np
import pytest

from sampler import GradientOracle, LinearRegression, LogisticRegression, Sweep, synthetic_stream
from sampler.tuning import CellForecast, CellKey, Grid, trial_order
from sampler.tuning import rivals as rivals_module
from sampler.tuning import sweep as sweep_module
from sampler.tuning.rivals import PARTICLES, Rival, rivals_evidence, rivals_of, rivals_words, run_rivals
from sampler.tuning.sweep_reference import ReferenceEpoch, SweepReference, judged_epochs, make_reference, packed, unpacked


@pytest.mark.parametrize("quantiles", [True, False])
def test_a_stored_reference_is_read_bit_for_bit(monkeypatch, quantiles):
    rng, rungs = np.random.default_rng(0), (64, 128)
    epochs = {t: ReferenceEpoch(*rng.normal(size=(3, 2)), rng.normal(size=(256, 2)) if quantiles else None)
              for t in {*judged_epochs(64), *judged_epochs(128)}}
    made = SweepReference(epochs, "draws", 900, 800) if quantiles else SweepReference(epochs, "laplace", None, None)
    values = json.loads(json.dumps(packed(made)))
    restored = unpacked(values, rungs)
    assert (restored.method, restored.ess, restored.ceiling_draws) == (made.method, made.ess, made.ceiling_draws)
    for t, epoch in made.epochs.items():
        for part in ("mode", "mean", "sd", "quantiles"):
            assert np.array_equal(getattr(restored.epochs[t], part), getattr(epoch, part)), part
    assert unpacked(None, rungs) is None and unpacked(values, (64, 256)) is None
    assert unpacked({**values, "kind": "another"}, rungs) is None
    monkeypatch.setattr("sampler.tuning.sweep_reference.LARGEST", 100)
    assert packed(made) is None


def test_a_resumed_sweep_uses_the_stored_reference(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(64, 2)), rng.integers(0, 2, 64).astype(float)
    alike = CellForecast(0.9, 0.9, 1.0, 0.0, 0.0, 40.0, True, True)  # none is predicted to diverge: all take full time
    order = trial_order({CellKey(eta, 4, 4, "saga-ld"): alike for eta in (0.1, 0.3, 1.0)})

    def sweep(etas, storage):
        return Sweep(LogisticRegression(2), features, labels, Grid(etas, 4, 4, 22.0), chains=8, workers=0,
                     reference="laplace", prune=False, order=order, storage=storage and str(tmp_path / storage))

    first = sweep((0.1, 1.0), "trials.db").run()
    fresh = sweep((0.1, 1.0, 0.3), None).run()
    reports = []
    monkeypatch.setattr(sweep_module, "make_reference", lambda *_: pytest.fail("computed again"))
    more = sweep((0.1, 1.0, 0.3), "trials.db").run(on_progress=reports.append)
    assert more.reference == first.reference and len(more.cells) == 3
    assert {c.eta0: c.accuracy for c in more.cells} == {c.eta0: c.accuracy for c in fresh.cells}
    assert reports[0].words == "trying settings" and reports[0].seconds_left > 0.0  # from the stored cells


GOOD = Rival("laplace", 1_000, 2, 0.07, 0.98, 1.01, 60.0, 8_000)


def measured(problem, features, labels, rows, **options):
    references = make_reference(problem, features, labels, [rows], **options)
    return run_rivals(problem, features, labels, references, rows), references


def test_both_are_exact_on_a_linear_model():
    stream = synthetic_stream("linear", 2, horizon=200, seed=1)
    fits, _ = measured(LinearRegression(2), stream.features, stream.labels, 200)
    assert [fit.key for fit in fits] == ["laplace", "rvga"]
    for fit in fits:
        assert fit.lag < 1e-9 and abs(fit.narrowest - 1) < 1e-9 and abs(fit.widest - 1) < 1e-9 and not fit.faults
        assert fit.limits == {"lag": 0.25, "width": 0.1, "narrowness": 0.1}  # an exact reference has no noise
    assert fits[1].cost == 1 and 20 < fits[0].cost < 100


def test_fits_are_close_if_many_rows_make_a_logistic_posterior_gaussian():
    stream = synthetic_stream("logistic", 2, horizon=1_000, seed=0)
    fits, references = measured(LogisticRegression(2), stream.features, stream.labels, 1_000)
    for fit in fits:
        # noise of the draws: 1/sqrt(ess) of a width; error of the Gaussian from skewness and earlier updates: 0.1
        assert fit.lag < 0.1 + 4 / np.sqrt(references.ess) and not fit.faults
        assert 0.25 < fit.limits["lag"] < 0.25 + 4 / np.sqrt(references.ess)
    words = rivals_words(fits, 2_000.0, 64)
    assert words.startswith("A Laplace approximation refitted as data grow is within 0.0") and "R-VGA is within" in words
    assert words.endswith("of the cost (gradients, compared with 64 chains). For means and widths these rows need no "
                          "sampler: run replay --algorithm laplace.")


def test_a_particle_filter_is_enough_for_a_skewed_posterior():
    # 2 ones among 64 labels, independent of the features, under a nearly flat prior: the log odds are skewed
    features = np.column_stack([np.ones(64), np.tile([1.0, -1.0], 32)])
    labels = (np.arange(64) % 32 == 5).astype(float)
    problem = LogisticRegression(2, prior_precision=0.01)
    fits, references = measured(problem, features, labels, 64)
    laplace, rvga, ibis = fits
    assert "lag" in laplace.faults and laplace.lag > 0.3 and rvga.faults
    # noise of the draws' mean, 1/sqrt(ess) of a width, and of the particles', with an ess of half their number or more
    assert ibis.key == "ibis" and ibis.lag < 4 * np.sqrt(1 / references.ess + 2 / PARTICLES) and not ibis.faults
    assert PARTICLES < ibis.cost < 4 * PARTICLES  # each row at all particles, and renewals, which are few for d = 2
    words = rivals_words(fits, 2_000.0, 64)
    assert words.startswith("A Laplace approximation refitted as data grow is 0.") and "sd off (limit 0." in words
    assert f"at the cost of {round(ibis.cost / 2_000)} chains (gradients, compared with 64 chains). These rows" in words
    assert words.endswith("--algorithm ibis --chains 4096; occasionally a row waits for a pass over all earlier rows.")
    assert rivals_words(fits[:2], 2_000.0, 64).endswith("These rows need a sampler.")
    assert "at the cost of one chain (" in rivals_words(fits, ibis.cost, 64)


def test_no_fit_is_judged_without_a_curvature_or_a_sound_reference():
    oracle = GradientOracle(lambda i, x: np.tile(2 * x, (len(i), 1)), 2)
    references = make_reference(oracle, None, None, [64])
    assert run_rivals(oracle, None, None, references, 64) == [] and rivals_words([], 1.0, 4) == ""
    stream = synthetic_stream("logistic", 2, horizon=100, seed=0)
    problem = LogisticRegression(2)
    assert measured(problem, stream.features, stream.labels, 100, method="laplace")[0] == []
    flat = LogisticRegression(2, prior_precision=0.0)
    references = make_reference(problem, stream.features, stream.labels, [100])
    assert run_rivals(flat, stream.features, stream.labels, references, 100) == []
    assert run_rivals(problem, stream.features, stream.labels, references, 100, stop=lambda: True) == []


def test_a_particle_filter_is_run_if_every_fit_has_faults_on_few_rows_in_few_dimensions(monkeypatch):
    stream, problem = synthetic_stream("logistic", 2, horizon=64, seed=0), LogisticRegression(2)
    references = make_reference(problem, stream.features, stream.labels, [64])
    monkeypatch.setattr(Rival, "faults", {"lag": 1.0})
    for dim, rows, filters in ((2, 64, True), (1, 64, False), (2, 63, False)):
        monkeypatch.setattr(rivals_module, "LARGEST_DIM", dim)
        monkeypatch.setattr(rivals_module, "MOST_ROWS", rows)
        rivals = run_rivals(problem, stream.features, stream.labels, references, 64)
        assert [rival.key for rival in rivals] == ["laplace", "rvga", "ibis"][:2 + filters]


@pytest.mark.parametrize(("changes", "words"), [
    ({}, "is within 0.07 sd and 2 % of the widths here at 1/2,100 of the cost (gradients, compared with 64 chains)"),
    ({"lag": 3.1}, "is 3.10 sd off (limit 0.27), at 1/2,100 of the cost"),
    ({"narrowest": 0.6}, "is 40 % too narrow (limit 12 %)"),
    ({"widest": 1.5, "lag": 0.3}, "is 50 % too wide (limit 12 %)"),  # further past its limit than the lag
    ({"cost": 256_000.0}, "at 2.0 times the cost"),
])
def test_the_words_state_error_and_cost(changes, words):
    fit = replace(GOOD, **changes)
    assert words in rivals_words([fit], 2_000.0, 64)
    evidence = rivals_evidence([fit], 2_000.0, 64)
    assert evidence["fits_words"] == rivals_words([fit], 2_000.0, 64) and evidence["laplace_lag"] == fit.lag


def test_a_finished_sweep_stores_the_fits_with_its_reference(tmp_path, monkeypatch):
    stream = synthetic_stream("linear", 2, horizon=64, seed=1)

    def sweep():
        return Sweep(LinearRegression(2), stream.features, stream.labels, chains=4, workers=0,
                     storage=str(tmp_path / "trials.db"))

    cancelled = sweep().run(stop=lambda: True)
    assert rivals_of(cancelled.reference) == [] and rivals_of(None) == []
    fits = rivals_of(sweep().run().reference)
    assert [fit.key for fit in fits] == ["laplace", "rvga"] and max(fit.lag for fit in fits) < 1e-9  # both are exact here
    monkeypatch.setattr(rivals_module, "RIVALS", {})  # nothing is recomputed
    assert rivals_of(sweep().saved().reference) == fits == rivals_of(sweep().run().reference)
