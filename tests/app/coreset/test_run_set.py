"""The runs of the Coreset page: joint progress, storage, stops, continuation, and failures."""

from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from app.coreset import run_words as words
from app.coreset.models import model_of
from app.coreset.result import posterior_of
from app.coreset.run_set import CoresetRuns, SlicedRun
from app.coreset.run_words import curves_csv
from app.state.coreset import MODELS, CoresetConfig, RunKey
from sampler import coreset
from tests.app.jobs.waiting import finish

SMALL = CoresetConfig(n=400, dim=3, size=30, iterations=2000, optimizers=("hot_dog", "dog"))


def run(config, runs=None):
    update = finish((runs or CoresetRuns()).run, config, None)
    assert update.error == ""
    return update.value


def test_the_runs_are_the_librarys():
    result = run(SMALL)
    expected = coreset.CoresetMCMC(coreset.GaussianLocation.synthetic(400, 3, 0), 30, coreset.DoG(1e-3), seed=0).run(2000)
    trace = result.trace(RunKey("dog", True))
    np.testing.assert_array_equal(trace.z, expected.z_score_at(trace.iterations))
    np.testing.assert_allclose(trace.sums, expected.weight_sums[trace.iterations - 1])
    assert trace.spread == pytest.approx(expected.variance_ratio)
    assert trace.hot_at == expected.hot_start_iteration == trace.checks[-1, 0] and trace.passed
    assert trace.statistic[-1].tolist() == pytest.approx(trace.checks[-1].tolist())
    assert trace.norms[0] == expected.gradient_norms[0]
    assert result.floor_at(2000) == pytest.approx(coreset.gaussian_floor(400, 30, 3, 2000))
    assert result.t == 2000 and result.points.x.size == 30


def test_unfinished_runs_are_reported_as_such_and_a_score_below_the_floor_is_explained():
    result = run(SMALL)
    floor = result.floor_at(2000)
    traces = tuple(replace(trace, z=np.append(trace.z[:-1], part * floor))
                   for trace, part in zip(result.traces, (0.7, 3.0), strict=True))
    ended = replace(result, traces=traces)
    assert words.heading(ended) == "1 of 2 end within a factor of two of the floor."
    assert "<b>Hot DoG</b>. The floor is a mean over runs: by chance single scores are some 82%" in words.summary(ended)
    going = replace(ended, config=SMALL.replace(iterations=4000))
    assert words.heading(going) == "1 of 2 are so far within a factor of two of the floor."
    assert "Below the floor" not in words.summary(replace(ended, traces=traces[1:]))


def test_more_iterations_and_another_optimizer_cost_only_the_additional_work():
    runs = CoresetRuns()
    first = run(SMALL, runs)
    kept = runs.run_of(SMALL, RunKey("hot_dog", True))
    more = SMALL.replace(iterations=3000, optimizers=("hot_dog", "prodigy"), focus="prodigy", view="principal")
    second = run(more, runs)
    assert runs.run_of(more, RunKey("hot_dog", True)) is kept and kept.t == 3000
    assert runs.run_of(more, RunKey("dog", True)) is None
    before, after = (p.trace(RunKey("hot_dog", True)) for p in (first, second))
    np.testing.assert_array_equal(before.z[:-1], after.z[:before.z.size - 1])
    other = more.replace(reach=0.5)
    run(other, runs)
    assert runs.run_of(other, RunKey("hot_dog", True)) is not kept


def test_a_cancelled_run_continues_from_its_stop(monkeypatch):
    monkeypatch.setattr("app.coreset.run_set.EVERY", 0.0)
    runs, reports, handle = CoresetRuns(), count(1), SimpleNamespace(stopped=False)
    handle.publish = lambda *what: setattr(handle, "stopped", next(reports) >= 6)
    cut = runs.run(SMALL, None, handle)
    assert 0 < cut.t < 2000
    whole = run(SMALL, runs)
    np.testing.assert_array_equal(whole.traces[0].z, run(SMALL).traces[0].z)


@pytest.mark.parametrize("key", list(MODELS))
def test_every_model_runs_and_names_the_source_of_its_truth(key):
    config = CoresetConfig(model=key, n=300, dim=4, size=20, iterations=150, optimizers=("hot_dog",))
    result = run(config)
    assert result.t == 150 and np.isfinite(result.traces[0].z).all()
    assert "exact" in result.truth or "effective draws" in result.truth
    assert result.points.names[0] and result.points.x.size == 20
    assert len(words.rows(result)[0][5]) == len(words.COLUMNS)
    assert curves_csv(result).count("\n") == result.traces[0].iterations.size + 1
    assert run(config.replace(view="principal")).points.behind[0].size <= 300


def test_a_truth_is_computed_once_with_progress_and_can_be_stopped():
    fractions = []
    config = CoresetConfig(model="poisson", n=200, dim=3)
    model = model_of(config, None, lambda words, part: fractions.append(part), lambda: False)
    parts = [part for part in fractions if part is not None]
    assert parts[-1] == 1.0 and len(parts) > 100
    fractions.clear()
    assert model_of(config, None, lambda words, part: fractions.append(part), lambda: False) is model and fractions == [None]
    assert model_of(config.replace(seed=1), None, lambda words, part: None, lambda: True) is None


def test_a_hot_start_that_never_passes_ends_at_the_cap_with_a_warning():
    result = run(SMALL.replace(threshold=1e-3, cap=90, optimizers=("hot_dog",)))
    trace = result.traces[0]
    assert trace.hot_at == 90 and trace.passed is False
    assert any("did not pass" in sentence for sentence in words.warnings(result))
    assert "Never passed" in words.hot_reading(result) and "at the cap" in words.rows(result)[0][5][5][0]


def test_diverging_weights_stop_one_run_and_not_the_others():
    config = CoresetConfig(model="poisson", n=300, dim=3, size=30, iterations=600, optimizers=("hot_dog", "d_adaptation"))
    result = run(config)
    good, bad = result.traces
    assert good.t == 600 and not good.fault and result.t == 600
    assert "diverged" in bad.fault or "must be finite" in bad.fault
    assert any("D-Adaptation stopped" in sentence for sentence in words.warnings(result))


def test_a_likelihood_that_is_not_a_number_is_a_fault():
    def begin():
        model = coreset.CustomModel(lambda theta, rows: np.full(len(rows), np.nan), lambda theta: 0.0, 20, 2)
        return coreset.CoresetMCMC(model, 5, hot_start=False).start()

    run_ = SlicedRun(RunKey("hot_dog", False), begin)
    run_.advance(10, 1.0, lambda: False)
    assert "log-likelihood must be finite" in run_.fault and run_.trace().t == 0 and run_.trace().fault


def test_hot_and_cold_differ_after_a_far_start():
    config = CoresetConfig(n=2000, dim=5, size=50, iterations=4000, kernel="ar", start="far", hot="both",
                           optimizers=("hot_dog",))
    result = run(config)
    hot, cold = result.traces
    assert cold.score > 10 * hot.score and cold.hot_at == 0
    assert "worth a factor" in words.heading(result)
    exact = run(config.replace(kernel="exact", iterations=200))
    assert any("forgets its start" in sentence for sentence in words.warnings(exact))


def test_a_truth_with_poor_diagnostics_has_a_note():
    good = coreset.Truth(np.zeros(2), np.ones(2), "long chains", 5000.0, 1.003)
    bad = coreset.Truth(np.zeros(2), np.ones(2), "long chains", 85.0, 1.29)
    assert words.truth_notes(good) == () and "85 effective draws, R-hat 1.29" in words.truth_notes(bad)[0]


def test_a_coreset_is_returned_as_a_posterior_to_sample():
    model = coreset.GaussianLocation.synthetic(400, 3, 0)
    weights = np.where(np.arange(40) % 4 == 0, 0.0, np.linspace(1, 20, 40))
    posterior = posterior_of(coreset.Coreset(model, np.arange(40), weights), "a coreset")
    assert posterior.terms == 30
    theta = np.array([0.1, -0.2, 0.3])
    gradient = posterior.problem.posterior(posterior.terms).gradient(theta)
    np.testing.assert_allclose(gradient, weights.sum() * theta - weights @ model.rows[:40, :3] + theta, rtol=1e-9)
    sparse = coreset.SparseRegression.synthetic(200, 3, 0)
    with pytest.raises(ValueError, match="has none"):
        posterior_of(coreset.CoresetMCMC(sparse, 20, seed=0).start().coreset, "no gradients")
