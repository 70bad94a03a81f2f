"""Race of samplers: equal data, counted costs, bad input."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from sampler import (
    GaussianMean,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    Settings,
    figure_one,
    race,
    synthetic_stream,
)
from sampler import threads as pool
from sampler.racing import CONTESTANTS, Growth, epoch_costs, growth, log_log_slope, over_seeds, prepare_race, runners
from sampler.racing.accuracy_race import RaceCurve
from sampler.reference import SampleReference

SETTINGS = Settings(eta0=1.0, batch_size=9, offset=1.0)
KEYS = ("saga", "precond", "sgld", "mala", "ula", "rwm", "pg", "laplace", "online_laplace", "warm_laplace", "rvga", "ibis",
        "cv_sgld", "mh_ss", "zigzag", "svrg", "svrg_plus", "saga_fixed", "cv_uld")


def rows(kind, t):
    made = synthetic_stream(kind, 2, "paper", 1_000, 3)
    return (made.features[:t],) if made.labels is None else (made.features[:t], made.labels[:t])


def race_all(setup, keys, evaluations, **more):
    """Return curves by key; MH-SS has a tenth of the evaluations, since its steps read about one datum."""
    others = race(setup, [key for key in keys if key != "mh_ss"], evaluations, **more)
    return others | race(setup, ["mh_ss"], evaluations / 10)


@pytest.fixture(scope="module")
def setup():
    return prepare_race(LogisticRegression(2), rows("logistic", 300), SETTINGS, chains=100, seed=1)


@pytest.fixture(scope="module")
def curves(setup):
    return race_all(setup, KEYS, 15_000, work=4e7)


@pytest.fixture(scope="module")
def short(setup):
    return race(setup, ["saga", "pg"], evaluations=30_000, work=3e6)


@pytest.fixture
def slow_clock(monkeypatch):
    """A clock that advances by ten seconds per reading."""
    ticks = itertools.count(step=10.0)
    monkeypatch.setattr(runners, "time", SimpleNamespace(thread_time=lambda: next(ticks), perf_counter=lambda: next(ticks)))


class TestRace:
    def test_a_race_runs_on_one_core(self, setup, monkeypatch):
        monkeypatch.setattr(pool, "_default", 5)
        started = [CONTESTANTS[key].begin(setup) for key in KEYS]
        threads = [runner._sampler.threads for runner in started if hasattr(runner, "_sampler")]
        assert len(threads) == 14 and set(threads) == {1}

    def test_every_curve_is_counted_with_increasing_cost(self, setup, curves):
        assert tuple(curves) == (*(key for key in KEYS if key != "mh_ss"), "mh_ss")
        for curve in curves.values():
            assert curve.finished and not curve.trouble and not curve.diverged, curve.key
            assert (np.diff(curve.evaluations) > 0).all() and (np.diff(curve.seconds) >= 0).all()
            assert (curve.evaluations <= 15_000 * 1.02 + setup.t).all()
            assert ((0 <= curve.accuracy) & (curve.accuracy <= 1)).all()

    def test_exact_samplers_end_at_the_ceiling(self, setup, curves):
        for key in ("pg", "mala", "precond", "mh_ss", "zigzag"):
            # the accuracy of 100 chains has the sd of the ceiling
            assert curves[key].accuracy[-1] > setup.ceiling.mean - 4 * setup.ceiling.sd, key
        # 100 particles with walks of 50 states have an ESS of at least a tenth: an error sqrt(10) times as large
        missed = math.sqrt(10) * (1 - setup.ceiling.mean)
        assert curves["ibis"].accuracy[-1] > 1 - missed - 4 * setup.ceiling.sd and 1 <= curves["ibis"].step_cost < setup.t

    def test_costs_are_those_of_the_algorithms(self, setup, curves):
        t = setup.t
        assert curves["saga"].step_cost == curves["sgld"].step_cost == 9
        for key in ("mala", "ula", "rwm", "pg"):
            assert curves[key].step_cost == t
            steps = curves[key].steps
            opening = t if key in ("mala", "rwm") else 0
            np.testing.assert_allclose(curves[key].evaluations, t * steps + opening)
        np.testing.assert_allclose(curves["saga"].evaluations, 1 + 9 * curves["saga"].steps, atol=60)  # refreshes
        np.testing.assert_allclose(curves["sgld"].evaluations, 9 * curves["sgld"].steps)
        assert curves["svrg"].evaluations[0] >= t  # the anchor

    def test_diagnostics_come_from_the_second_half(self, curves):
        assert curves["pg"].rhat < 1.1 and curves["precond"].rhat < 1.1
        assert 0 < curves["pg"].ess_per_evaluation <= 1.5 / 300
        assert curves["precond"].ess_per_evaluation > curves["sgld"].ess_per_evaluation
        assert np.isnan(curves["laplace"].rhat) and np.isnan(curves["ibis"].rhat)

    def test_results_do_not_depend_on_the_clock(self, setup, short, slow_clock):
        for key, result in race(setup, ["saga", "pg"], evaluations=30_000, work=3e6).items():
            assert result.seconds[-1] > 10.0 / setup.chains and result.cut == short[key].cut == (key == "pg")
            for name in ("evaluations", "steps", "accuracy", "rhat", "ess_per_evaluation"):
                np.testing.assert_array_equal(getattr(result, name), getattr(short[key], name), name)

    def test_work_cuts_a_run_by_count_and_flags_it(self, setup, short):
        assert short["saga"].finished and not short["saga"].cut  # 30,000 evaluations of 100 chains are exactly 3e6
        assert short["pg"].cut and short["pg"].evaluations[-1] == 4 * setup.t  # 1,200 at a price of 25
        assert np.isnan(short["pg"].rhat)  # too few late checkpoints

    def test_a_budget_of_seconds_ends_by_the_clock(self, setup):
        result = race(setup, ["saga", "ula"], seconds=2e-4)
        for curve in result.values():
            assert curve.finished and 1e-4 < curve.seconds[-1] < 1e-2  # fifty times the time on an idle core

    def test_a_stop_keeps_the_partial_result(self, setup):
        seen = []
        result = race(setup, ["saga", "mala"], evaluations=1e6, publish=lambda c, f: seen.append((c, f)),
                     stop=lambda: len(seen) > 8)
        assert result["saga"].accuracy.size >= 2 and not result["saga"].finished
        assert all(a[1] <= b[1] + 1e-9 for a, b in zip(seen, seen[1:], strict=False))

    def test_fixed_contestants_do_not_count_in_the_progress(self, setup):
        seen, begun = [], []
        result = race(setup, ["laplace", "saga"], evaluations=3_000, publish=lambda c, f: seen.append(f), goes=begun.append)
        assert begun == ["laplace", "saga", "saga"]  # before each long part, not before every slice
        assert result["laplace"].fixed and seen[0] == 0.0 and seen[1] < 0.01 and seen[-1] == 1.0 and seen == sorted(seen)

    def test_a_race_ends_at_the_accuracy_until(self, setup):
        curve = race(setup, ["pg"], evaluations=1e6, until=0.7)["pg"]
        assert curve.accuracy[-1] >= 0.7 and (curve.accuracy[:-1] < 0.7).all()


@pytest.mark.parametrize(("kind", "make"), [("linear", LinearRegression), ("gaussian_mean", GaussianMean)])
def test_other_problems_race_too(kind, make):
    setup = prepare_race(make(2), rows(kind, 200), Settings(eta0=0.05, batch_size=8), chains=60, seed=1)
    keys = [key for key, c in CONTESTANTS.items()
            if not c.refuses(setup.problem) and not c.growth and not key.startswith("nuts")]  # raced in test_nuts
    assert "pg" not in keys and "saga" in keys
    result = race_all(setup, keys, 5_000) if "mh_ss" in keys else race(setup, keys, 5_000)
    assert not [c.trouble for c in result.values() if c.trouble]
    assert result["mala"].accuracy[-1] > setup.ceiling.mean - 5 * setup.ceiling.sd
    assert result["laplace"].accuracy[-1] > setup.ceiling.mean - 5 * setup.ceiling.sd  # the posterior is normal


def test_an_oracle_races_against_user_draws():
    rng = np.random.default_rng(0)
    y = rng.standard_normal((40, 2))
    oracle = GradientOracle(lambda i, x: 2 * (x - y[i]), 2)  # the Gaussian mean's terms: N(mean, I/(2 t))
    draws = y.mean(axis=0) + rng.standard_normal((4_000, 2)) / np.sqrt(80)
    truth = SampleReference(draws, 40, np.full(2, 4_000.0), np.ones(2))
    setup = prepare_race(oracle, (), Settings(eta0=0.1, batch_size=8), chains=60, seed=0, terms=40, reference=truth)
    assert "gradients only" in CONTESTANTS["mala"].refuses(oracle)
    result = race(setup, ["saga", "ula", "laplace"], evaluations=2_000)
    assert result["laplace"].accuracy[-1] > setup.ceiling.mean - 5 * setup.ceiling.sd
    assert result["saga"].accuracy[-1] > 0.5
    with pytest.raises(ValueError, match="reference must be given"):
        prepare_race(oracle, (), terms=40, settings=SETTINGS)


class TestBadInput:
    @pytest.mark.parametrize(("keys", "changes", "words"), [
        ([], {}, "at least one"), (["nuts"], {}, "'nuts'"), (["saga"], {"evaluations": 0}, "evaluations"),
        (["saga"], {"evaluations": "x"}, "evaluations"), (["saga"], {"seconds": -1.0}, "seconds")])
    def test_invalid_samplers_and_budgets(self, setup, keys, changes, words):
        with pytest.raises(ValueError, match=words):
            race(setup, keys, **changes)

    def test_unsupported_samplers_and_rows_are_rejected_with_the_reason(self):
        linear = prepare_race(LinearRegression(2), rows("linear", 50), SETTINGS.replace(eta0=0.05), chains=50)
        with pytest.raises(ValueError, match="pg needs logistic labels"):
            race(linear, ["pg"])
        assert CONTESTANTS["pg"].refuses(LinearRegression(2)) == "needs logistic labels"
        assert CONTESTANTS["pg"].refuses(LogisticRegression(2, [1.0, 0.0])) == "needs a prior in every coordinate"
        assert CONTESTANTS["pg"].refuses(LogisticRegression(2)) == ""
        with pytest.raises(ValueError, match="at least 2 rows"):
            prepare_race(LogisticRegression(2), rows("logistic", 1), SETTINGS)

    def test_a_diverging_contestant_leaves_the_others_running(self):
        setup = prepare_race(LinearRegression(2), rows("linear", 120), SETTINGS.replace(eta0=500.0), chains=60)
        assert "diverged" in setup.trouble
        result = race(setup, ["saga", "sgld_same", "mala"], evaluations=6_000)
        assert "lower eta0" in result["saga"].trouble and result["sgld_same"].diverged
        assert result["mala"].accuracy[-1] > 0.5


class TestReading:
    def test_crossings_and_accuracies_are_interpolated_on_the_log_scale(self):
        marks, accuracy = np.array([100.0, 1_000.0, 10_000.0]), np.array([0.2, 0.6, 0.9])
        curve = RaceCurve("x", marks, np.zeros(3), np.zeros(3), accuracy, 0.1, 10.0)
        assert curve.reaches(0.4) == pytest.approx(np.sqrt(100 * 1_000))
        assert curve.reaches(0.1) == 100.0 and curve.reaches(0.95) is None
        assert curve.accuracy_after(np.sqrt(1e3 * 1e4)) == pytest.approx(0.75)
        assert curve.accuracy_after(50.0) is None and curve.accuracy_after(20_000.0) is None

    def test_a_noisy_crossing_is_ignored(self):
        x = np.geomspace(100.0, 10_000.0, 9)
        noisy = RaceCurve("x", x, np.zeros(9), np.zeros(9), np.array([.2, .3, .62, .4, .5, .6, .7, .8, .9]), 0.1, 10.0)
        # The best increasing fit pools points 3 to 5, .62, .4, .5, to .507: .6 is crossed at point 6, not before 3.
        assert noisy.reaches(0.6) == pytest.approx(x[5])
        # It jumps from .3 to .507, so .45 is crossed at 0.15/0.2067 of the step on the log scale.
        part = 0.15 / (1.52 / 3 - 0.3)
        assert noisy.reaches(0.45) == pytest.approx(x[1] * (x[2] / x[1]) ** part)
        assert RaceCurve("x", *np.empty((4, 0)), 0.1, 10.0).reaches(0.5) is None

    def test_slopes(self):
        t = np.array([10.0, 100.0, 1_000.0])
        assert log_log_slope(t, 7 * t**1.5) == pytest.approx(1.5)
        assert log_log_slope(t[:2], t[:2]) is None
        with pytest.raises(ValueError, match="positive"):
            log_log_slope(t, t - 10)


STEPS = {"saga": 20, "precond": 10, "sgld": 20, "mala": 5, "ula": 5, "rwm": 5, "pg": 2, "laplace": 1,
         "online_laplace": 1, "warm_laplace": 1, "rvga": 1, "cv_sgld": 20, "mh_ss": 200}


def costs(t):
    made = synthetic_stream("logistic", 2, "paper", t[-1], 1)
    return epoch_costs(LogisticRegression(2), (made.features, made.labels), STEPS, SETTINGS, t)


class TestEpochCosts:
    def test_flat_for_ours_and_linear_for_full_data(self):
        result = costs([100, 400, 1_600])
        for key in ("saga", "precond", "sgld", "cv_sgld"):
            assert abs(result[key].slope) < 0.05, key
        for key in ("mala", "ula", "rwm", "pg"):
            assert abs(result[key].slope - 1) < 0.1, key
        assert abs(result["laplace"].slope - 1) < 0.25  # Newton needs one or two passes fewer with more data
        assert result["online_laplace"].evaluations.max() < 10 and result["rvga"].evaluations.max() < 20
        # a refit of two or three passes per 5 % more data: 40 to 60 evaluations per datum, plus the filter
        assert result["warm_laplace"].evaluations.min() > 30 and result["warm_laplace"].evaluations.max() < 100
        assert abs(result["warm_laplace"].slope) < 0.1
        assert result["mh_ss"].slope < 0.05  # one evaluation per step; additional ones decrease as t^-1/2

    def test_costs_do_not_depend_on_the_clock(self, slow_clock):
        result = costs([100, 400])
        assert set(result) == set(STEPS) and result["pg"].seconds[0] > 0.1
        assert all(cost.t[-1] == 400 for cost in result.values())

    def test_bad_epochs_are_named(self):
        for at in ([100, 50], [1], [10_000]):
            with pytest.raises(ValueError, match="at must"):
                epoch_costs(LogisticRegression(2), rows("logistic", 500), STEPS, SETTINGS, at)


def test_slopes_over_seeds_have_their_standard_error():
    t = np.array([100.0, 1_000.0, 10_000.0])
    runs = [{"saga": Growth("saga", t, 50 * t**power), "ula": Growth("ula", t[:k], t[:k])}
            for power, k in ((0.1, 3), (0.2, 2), (0.6, 3))]
    result = over_seeds(runs)
    assert result["saga"].slope == pytest.approx(0.3)
    # Deviations -0.2, -0.1, 0.3: variance 0.14/2, standard error sqrt(0.07/3).
    assert result["saga"].slope_error == pytest.approx(np.sqrt(0.07 / 3))
    np.testing.assert_allclose(result["saga"].evaluations, 50 * t**0.3)
    assert result["ula"].t.tolist() == [100.0, 1_000.0] and result["ula"].slope is None and result["ula"].slope_error is None
    assert over_seeds(runs[:1])["saga"].slope_error is None
    assert over_seeds([runs[0], {"saga": runs[1]["saga"]}]).keys() == {"saga"}  # with one seed ULA has no result


def test_growth_measures_both_tables():
    def make(t):
        return LogisticRegression(2), rows("logistic", t)

    warm = growth(make, [100, 300, 900], SETTINGS, keys=("saga", "ula"), chains=200)
    assert abs(warm["saga"].slope) < 0.5 < warm["ula"].slope  # three points, one start: near 0 and 1
    cold = growth(make, [100, 300], SETTINGS, keys=("ladder", "saga_fixed"), cold=True, chains=100)
    for result in cold.values():
        assert (result.evaluations >= result.t).all()  # every datum is read at least once
    with pytest.raises(ValueError, match="keys"):
        growth(make, [100], SETTINGS, keys=("ladder",))


class TestFigureOne:
    @pytest.mark.in_turn
    @pytest.mark.journey
    def test_samplers_have_the_papers_order_on_one_data_set(self):
        seen = []
        figure = figure_one(steps=150, seeds=1, reruns=100, publish=lambda f, part: seen.append(part))
        means = {key: float(values[0]) for key, values in figure.accuracy.items()}
        assert means["sgld"] < means["saga"] < means["pg"] and means["online_laplace"] < means["laplace"]
        assert abs(figure.short_of_ceiling("pg")[0]) < 0.03  # 100 draws: the accuracy has sd 0.0085
        assert figure.evaluations["saga"] == pytest.approx(150 * 64, rel=0.01)
        assert seen == sorted(seen) and seen[-1] == 1.0
        assert 0.01 < figure.noise_share < 0.1 and figure.noise_equal_at > 1_000

    def test_stopped_before_the_first(self):
        assert figure_one(steps=10, seeds=1, reruns=50, stop=lambda: True) is None

    @pytest.mark.slow
    def test_saga_and_polya_gamma_within_a_hundredth_of_the_ceiling(self):
        figure = figure_one(steps=3_000)
        for key in ("saga", "pg"):
            assert figure.short_of_ceiling(key).max() <= 0.01, (key, figure.short_of_ceiling(key))
