"""Requirements on all offline samplers, for every algorithm and problem."""

import numpy as np
import pytest

from sampler import DivergenceError, GaussianMean, GradientOracle, LogisticRegression
from sampler import threads as pool
from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.offline_langevin import OfflineSagaLD, OfflineSGLD, SagaLD, SvrgLD
from sampler.algorithms.offline_sampler import Run, overdamped
from sampler.algorithms.offline_terms import terms_of
from sampler.problems.gaussian_mean import GaussianAverage
from tests.sampler.algorithms.streams import CountingOracle, stream

N = 40
FAMILY = {
    "sgld": OfflineSGLD(1e-3, 3),
    "saga": SagaLD(1e-3, 3),
    "svrg": SvrgLD(1e-3, 3),
    "svrg+": SvrgLD(1e-3, 2, anchor_batch=11, anchor_every=7),
    "svrg stored": SvrgLD(1e-3, 3, store_anchor=True),
    "svrg+ stored": SvrgLD(1e-3, 3, anchor_batch=11, anchor_every=7, store_anchor=True),
    "uld": CvULD(0.1, 3, inverse_mass=1e-2),
    "uld+": CvULD(0.1, 3, anchor_batch=11, store_anchor=True, inverse_mass=1e-2),
}
ALL = FAMILY | {"offline": OfflineSagaLD(0.03, 3, 25)}
KINDS = ["logistic", "linear", "poisson", "gaussian", "average"]


def data_of(kind):
    if kind == "average":
        return GaussianAverage([0.5, 1.0, 2.0]), (np.random.default_rng(0).standard_normal((N, 3)),)
    return stream(kind, N)


def run(sampler, problem, *data, **options):
    if not isinstance(sampler, OfflineSagaLD):
        options = {"passes": 6.3} | options
    return sampler.sample(problem, *data, **({"chains": 4, "seed": 2, "start": np.full(3, 0.1)} | options))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ALL)
def test_the_general_path_makes_the_same_chain_and_every_evaluation_is_counted(name, kind, monkeypatch):
    """One seed gives one path on any number of threads."""
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work
    problem, data = data_of(kind)
    oracle = CountingOracle(problem, data)
    one, many, other = (run(ALL[name], problem, *data, chains=7, threads=n, seed=seed)
                        for n, seed in ((1, 2), (3, 2), (1, 5)))
    general = run(ALL[name], oracle.problem, N, chains=7)
    assert one.gradient_evaluations == many.gradient_evaluations == general.gradient_evaluations == oracle.count
    assert one.passes == oracle.count / (7 * N)
    for ours, theirs, in_python in zip(one.trace, many.trace, general.trace, strict=True):
        for part in ("positions", "path_means", "steps"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))
            # the same random numbers; rounding grows along 250 steps
            np.testing.assert_allclose(getattr(ours, part), getattr(in_python, part), rtol=1e-8, atol=1e-8)
    assert np.abs(one.positions - other.positions).max() > 1e-3
    assert np.abs(one.positions[0] - one.positions[1]).max() > 1e-3  # chains differ too


@pytest.mark.parametrize("name", FAMILY)
def test_slices_and_checkpoints_never_change_the_path(name, monkeypatch):
    problem, data = stream("logistic", N)
    whole = run(FAMILY[name], problem, *data, record=[])
    monkeypatch.setattr("sampler.algorithms.offline_sampler.SLICE", 0.0)  # one step per slice
    cut = run(FAMILY[name], problem, *data, record=np.linspace(0, 6.3, 64))
    np.testing.assert_array_equal(whole.positions, cut.positions)
    assert whole.gradient_evaluations == cut.gradient_evaluations
    assert whole.trace == () and len(cut.trace) == 64
    assert all(c.evaluations <= 4 * (c.passes * N + 1e-9) for c in cut.trace)  # within its budget at every checkpoint
    np.testing.assert_allclose(cut.trace[0].path_means, 0.1)


def test_evaluations_by_hand():
    problem, data = stream("logistic", N)
    steps = {name: run(s, problem, *data, passes=10.0).trace[-1].steps[0] for name, s in FAMILY.items()}
    assert steps["sgld"] == 400 // 3
    assert steps["saga"] == 360 // 3
    epoch = 40 + 13 * 6  # m = B // b = 13 steps: 3 epochs, an anchor and 6 evaluations remain
    assert steps["svrg"] == 3 * 13 + 1 and 400 == 3 * epoch + 40 + 6
    epoch = 11 + 7 * 4  # 10 epochs, 10 evaluations remain: too few for an anchor
    assert steps["svrg+"] == 10 * 7 and 400 == 10 * epoch + 10
    epoch = 40 + 13 * 3  # all stored, one new gradient per index: 5 epochs, 5 remain
    assert steps["svrg stored"] == 5 * 13 and 400 == 5 * epoch + 5


def test_an_anchor_batch_of_all_data_is_svrg_and_storing_changes_the_cost_alone():
    problem, data = stream("linear", N)
    a = run(SvrgLD(1e-3, 2, anchor_batch=N, anchor_every=9), problem, *data, passes=40.0, record=[])
    b = run(SvrgLD(1e-3, 2, anchor_every=9), problem, *data, passes=40.0, record=[])
    np.testing.assert_array_equal(a.positions, b.positions)
    stored = run(SvrgLD(1e-3, 2, anchor_every=9, store_anchor=True), problem, *data, passes=(40 + 9 * 2) * 10 / N)
    plain = run(SvrgLD(1e-3, 2, anchor_every=9), problem, *data, passes=(40 + 9 * 4) * 10 / N)
    assert stored.trace[-1].steps.tolist() == plain.trace[-1].steps.tolist() == [90] * 4
    np.testing.assert_allclose(stored.positions, plain.positions, rtol=1e-12, atol=1e-12)


def test_a_stop_keeps_the_partial_result_and_progress_increases():
    problem, data = stream("logistic", N)
    seen = []
    result = run(SagaLD(1e-3), problem, *data, passes=4e5, record=[1.0, 3e5],
                 progress=lambda share, checkpoint: seen.append((share, checkpoint)), stop=lambda: len(seen) >= 3)
    assert result.stopped and len(result.trace) == 1 and 0 < result.passes < 4e5
    shares = [s for s, _ in seen]
    assert shares == sorted(shares) and 0 < shares[-1] < 1
    assert [c for _, c in seen if c is not None] == list(result.trace)
    ladder = run(OfflineSagaLD(0.03, 3, 10**6), problem, *data, stop=lambda: True)
    assert ladder.stopped and ladder.epochs == ()


@pytest.mark.parametrize("sampler", [SagaLD(50.0), SvrgLD(50.0), OfflineSGLD(50.0), OfflineSagaLD(500.0),
                                     CvULD(50.0, inverse_mass=50.0)])
def test_divergence_is_an_error_that_keeps_the_finished_part(sampler):
    problem, data = stream("linear", N)
    with pytest.raises(DivergenceError, match=r"(step_size|eta0) .* chain \d+ diverged at step \d+; lower it") as e:
        run(sampler, problem, *data)
    assert e.value.result.trace and np.isfinite(e.value.result.positions).all()


class TestBadValues:
    @pytest.mark.parametrize("options, words", [
        ({"passes": 0}, "passes must be a number in"),
        ({"record": [2.0, 1.0]}, "record must be passes in .* rising order"),
        ({"record": [9.0]}, "record must be passes in"),
        ({"chains": 0}, "chains must be a whole number in"), ({"threads": 0}, "threads must be a whole number in"),
        ({"seed": -1}, "seed must be a whole number in"),
        ({"start": np.zeros(2)}, "start must be finite with shape"),
        ({"start": np.full(3, np.nan)}, "start must be finite, entry 0 is nan"),
        ({"progress": 3}, "progress must be callable"),
        ({"stop": True}, "stop must be callable"),
    ])
    def test_of_a_run(self, options, words):
        problem, data = stream("logistic", N)
        with pytest.raises(ValueError, match=words):
            run(SvrgLD(), problem, *data, **options)

    @pytest.mark.parametrize(("sampler", "words"), [
        (SvrgLD(anchor_batch=N + 1), rf"anchor_batch must be .* \[1, {N}\].* got {N + 1}; use None"),
        (CvULD(anchor_batch=N + 1), rf"anchor_batch must be .* \[1, {N}\].* got {N + 1}; use None"),
        (SagaLD(), "step_size must be given for a GradientOracle")])
    def test_of_a_sampler(self, sampler, words):
        with pytest.raises(ValueError, match=words):
            run(sampler, GradientOracle(len, 3), N)

    @pytest.mark.parametrize("sampler", [SagaLD(), OfflineSagaLD()])
    def test_data(self, sampler):
        problem, (features, labels) = stream("logistic", N)
        broken, oracle = features.copy(), GradientOracle(lambda i, x: np.zeros((len(i), 3)), 3)
        broken[7, 1] = np.nan
        for words, *arguments in (
                ("features must be finite, row 7", problem, broken, labels), ("labels must be given", problem, features),
                ("label must be in .* row 3 has .*2.0", problem, features, np.where(np.arange(N) == 3, 2, labels)),
                ("at least one row", problem, np.empty((0, 3)), np.empty(0)),
                ("problem must be a LogisticRegression", object(), features),
                ("label must be left out", GaussianMean(3), features, labels),
                ("features must be the number of terms", oracle, features)):
            with pytest.raises(ValueError, match=words):
                run(sampler, *arguments)

    def test_a_table_too_large_for_the_machine_is_refused(self):
        with pytest.raises(ValueError, match=r"chains must be at most 134217 here, got 1000000: .*use fewer chains"):
            SagaLD().sample(LogisticRegression(1), np.ones((2000, 1)), np.arange(2000) % 2, chains=10**6)


class TestOneClass:
    FEATURES = np.column_stack([np.random.default_rng(0).standard_normal(N), np.ones(N)])

    @pytest.mark.parametrize("sampler", [SagaLD(), OfflineSagaLD()])
    def test_a_missing_mode_under_a_flat_prior_is_an_error(self, sampler):
        with pytest.raises(ValueError, match="labels must hold both classes .* column 1.* no mode; set prior_prec"):
            sampler.sample(LogisticRegression(2, [1.0, 0.0]), self.FEATURES, np.ones(N))

    def test_a_mode_held_by_the_prior_alone_has_a_note_tentative_without_a_one_sided_column(self):
        def notes(problem, features, labels):
            return SagaLD(1e-3).sample(problem, features, labels, passes=3, chains=2).notes

        one, = notes(LogisticRegression(2), self.FEATURES, np.zeros(N))
        assert "all 40 labels are equal (0): the data are separable along column 1" in one and "as wide as the prior" in one
        assert notes(LogisticRegression(2), self.FEATURES, np.arange(N) % 2) == ()
        both_sides = np.random.default_rng(0).standard_normal((N, 2))
        assert "may be separable" in notes(LogisticRegression(2, 0.0), both_sides, np.ones(N))[0]


def test_a_step_size_left_open_comes_from_the_curvature():
    problem, data = stream("linear", N)
    values = np.linalg.eigvalsh(problem.posterior(*data).hessian(np.zeros(3)))
    assert run(SagaLD(batch_size=4), problem, *data).step_size == pytest.approx(0.1 / (values[-1] + values.sum() / 4))


def test_starts_are_draws_from_the_prior_or_the_argument():
    problem, data = stream("logistic", N)
    start = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(run(SagaLD(1e-9), problem, *data, start=start).trace[0].positions, start)
    drawn = SagaLD(1e-9).sample(LogisticRegression(3, 4.0), *data, passes=1, chains=2000).trace[0]
    # 2,000 draws of standard deviation 1/2: relative error of a variance sqrt(2/2000) = 0.032
    np.testing.assert_allclose(np.diag(drawn.covariance), 0.25, rtol=4 * 0.032)
    assert not GaussianMean(2).prior_precision.any()
    flat = SagaLD(1e-9).sample(GaussianMean(2), np.ones((3, 2)), passes=1, chains=2).trace[0]
    np.testing.assert_array_equal(flat.positions, 0)
    assert np.isnan(SagaLD(1e-9).sample(GaussianMean(2), np.ones((3, 2)), passes=1, chains=1).trace[0].covariance).all()


@pytest.mark.parametrize("kind", KINDS)
def test_sagas_sum_matches_its_table_with_repeated_indices(kind):
    problem, data = data_of(kind)
    terms = terms_of(problem, *data)
    job = Run(terms, SagaLD(1e-3, 60).plan(N), np.full((3, 3), 0.1), 5, "step_size", None, None)  # 60 of 40: repeats
    job.go(overdamped(1e-3), N + 60 * 200, 1)
    for k in range(3):
        values = job.memory.values[k]
        if values.ndim == 1:
            values = (values - terms.posterior.targets)[:, None] * terms.posterior.rows
        np.testing.assert_allclose(job.walk.base[k, :3], values.sum(axis=0), rtol=1e-10, atol=1e-10)
        assert job.walk.steps[k] == 200
