"""The preconditioned sampler on Poisson regression, GaussianMean and oracles with a curvature; forms of the metric."""

import numpy as np
import pytest
from scipy.linalg import eigh

from sampler import GaussianMean, GradientOracle, LinearRegression, PreconditionedSagaLD, Settings
from sampler import threads as pool
from sampler.kernels.low_rank_metric import frozen_distance
from tests.sampler.algorithms.streams import CountingOracle, stream
from tests.sampler.algorithms.test_stream_sampler import assert_unchanged
from tests.sampler.tuning.preconditioned import lost

ROWS = np.random.default_rng(1).standard_normal((40, 3)) * [10.0, 1.0, 0.1]


def linear(**derivatives):
    """Return a linear model with noise 1 as an oracle; its posterior is N(mode, (I + ROWS' ROWS)^-1)."""
    return GradientOracle(lambda i, theta: (ROWS[i] @ theta - ROWS[i, 0])[:, None] * ROWS[i], 3, lambda theta: theta,
                          prior_curvature=1.0, **derivatives)


FACTOR = {"factor": lambda i, theta: ROWS[i]}
FACTORS = {"factor": lambda i, theta: np.stack([0.6 * ROWS[i], 0.8 * ROWS[i]], axis=1)}
MATRIX = {"curvature": lambda i, theta: ROWS[i][:, :, None] * ROWS[i][:, None, :]}
DIAGONAL = {"curvature": lambda i, theta: ROWS[i] ** 2}


@pytest.mark.parametrize("form", ["gaussian_mean", "factor", "low-rank 2", "diagonal"])
def test_stationary_law_is_the_exact_one(form):
    # Batches of 300 from 40 leave an anchor stale with probability exp(-7.5) per step, so the chain is ULA with P on
    # N(mode, H^-1): along H v = l P^-1 v its variance is 1/(l (1 - eta0 l/2)), with l = 1 if P^-1 = H. If l > 0.12,
    # draws 40 steps apart have correlation 0.952^40 = 14 %, their squares 2 %: a mean of n has a sd below 1.2/sqrt(n).
    rng, few = np.random.default_rng(3), form == "factor"
    rows = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 5)) + 1.5 * rng.standard_normal((40, 5))
    rows = ROWS if few or form == "gaussian_mean" else rows
    hessian = np.eye(rows.shape[1]) + rows.T @ rows
    problem, data, mode = LinearRegression(5), (rows, rows[:, 0]), np.linalg.solve(hessian, rows.T @ rows[:, 0])
    if few:
        problem, data = linear(**FACTOR), ()
    elif form == "gaussian_mean":
        problem, data, hessian, mode = GaussianMean(3), (rows,), 80.0 * np.eye(3), rows.mean(axis=0)
    settings = Settings(eta0=0.4, batch_size=300, i_max=1, random_length=False)
    saga = PreconditionedSagaLD(problem, settings, chains=60 if few else 200, start=np.zeros(problem.dim),
                                metric="dense" if len(ROWS[0]) == problem.dim else form)
    for i in range(39):
        saga.observe(*(part[i] for part in data))
    saga.arrive(*(part[39] for part in data))
    saga.settings, parts = settings.replace(i_max=1000), []
    saga.advance(100)
    metric = saga.precision_matrix(0)
    curvatures, vectors = eigh(hessian, metric)
    assert curvatures[0] > 0.12 and curvatures[-1] < 2.0
    if problem.dim == 3:
        np.testing.assert_allclose(metric, hessian, rtol=1e-10)
    for _ in range(20):
        saga.advance(15 if few else 40)  # correlation 0.6^15
        parts.append((saga.positions - mode) @ metric @ vectors * np.sqrt(curvatures * (1 - 0.2 * curvatures)))
    white = np.concatenate(parts)
    assert np.abs(white.mean(axis=0)).max() < 5 * 1.2 / np.sqrt(len(white))
    assert np.abs(white.T @ white / len(white) - np.eye(problem.dim)).max() < 5 * np.sqrt(2 / len(white))


SETTINGS = Settings(eta0=0.1, batch_size=6, i_max=4, acceptance_radius=6.0)


def play(problem, n=20, **more):
    saga = PreconditionedSagaLD(problem, SETTINGS, **{"chains": 3, "seed": 2, "start": np.zeros(3), **more})
    for _ in range(n):
        saga.observe()
    return saga


def test_every_form_of_the_same_curvature_is_the_same_metric():
    one = play(linear(**FACTOR))
    for other in (play(linear(**FACTORS)), play(linear(**MATRIX))):
        np.testing.assert_allclose(one.precision_matrix(1), other.precision_matrix(1), rtol=1e-12)
        np.testing.assert_allclose(one.positions, other.positions, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.precision_matrix(2), np.eye(3) + ROWS[:20].T @ ROWS[:20], rtol=1e-12)
    diagonal = np.eye(3) + np.diag((ROWS[:20] ** 2).sum(axis=0))
    for saga in (play(linear(**DIAGONAL)), play(linear(**MATRIX), metric="diagonal")):
        np.testing.assert_allclose(saga.precision_matrix(2), diagonal, rtol=1e-12, atol=1e-12)


def test_curvatures_in_h_are_renewed_two_per_epoch():
    t, requests = 0, []

    def encoded(indices, theta):  # encodes the index and the epoch
        requests.append(len(indices))
        return t + 1000.0 * (indices[:, None] + 1.0) ** 2

    saga = PreconditionedSagaLD(GradientOracle(lambda i, x: np.zeros((len(i), 1)), 1, lambda x: x, curvature=encoded,
                                               prior_curvature=0.5), SETTINGS, chains=1)
    for t in range(1, 40):
        saga.observe()
        half = (1 << (t.bit_length() - 1)) // 2
        expected = sum((half + k if k <= half else k) + 1000 * k**2 for k in range(1, t + 1))
        assert saga.precision_matrix(0)[0, 0] == pytest.approx(0.5 + expected)
    assert requests == [1] + [2] * 38


@pytest.mark.parametrize("derivatives", [FACTOR, DIAGONAL])
def test_a_saved_oracle_continues_bit_for_bit_and_its_trace_sums_to_the_steps(derivatives, tmp_path):
    problem = linear(**derivatives)
    whole = play(problem, 19)
    whole.save(tmp_path / "saga.npz")
    again = PreconditionedSagaLD.load(tmp_path / "saga.npz", problem)
    for saga in (whole, again):
        saga.arrive()
        saga.advance(4, trace=1)
        moved = saga.trace.noise - SETTINGS.eta0 * (saga.trace.guess + saga.trace.correction)
        np.testing.assert_allclose(saga.trace.after - saga.trace.before, moved, rtol=1e-7, atol=1e-10)
        for _ in range(20):
            saga.observe()
    np.testing.assert_array_equal(whole.positions, again.positions)
    np.testing.assert_array_equal(whole.precision_matrix(2), again.precision_matrix(2))


def test_a_restarted_chain_recomputes_all_curvatures():
    problem, data = stream("logistic", 25)
    oracle = CountingOracle(problem, data).problem
    saga = play(oracle, 21)
    saga._state.diverged_epoch[1] = 21  # as if its last step had diverged
    saga.restart_diverged()
    here = saga.positions[1]
    np.testing.assert_allclose(saga.precision_matrix(1), problem.posterior(*(part[:21] for part in data)).hessian(here),
                               rtol=1e-10)
    for _ in range(4):
        saga.observe()


@pytest.mark.parametrize(("derivatives", "words"), [
    ({"factor": lambda i, x: np.ones((len(i), 2))}, r"factor must return shape \(1, 3\) or \(1, r, 3\) .* got \(1, 2\)"),
    ({"factor": lambda i, x: np.full((len(i), 3), np.nan)}, "factor must be finite, got nan for index 0"),
    ({"curvature": lambda i, x: np.ones(3)}, r"curvature must return shape \(1, 3\)"),
    ({"curvature": lambda i, x: -np.ones((len(i), 3))}, "curvature must be >= 0 in every direction, that of index 0 has -1"),
    ({"curvature": lambda i, x: np.tile(np.diag([1.0, 1.0, -1.0]), (len(i), 1, 1))}, "has -1 .* pass a factor"),
    ({"curvature": lambda i, x: np.tile(np.triu(np.ones((3, 3))), (len(i), 1, 1))}, "must be symmetric"),
    ({"curvature": lambda i, x: np.eye(3)[[0] * len(i)], "prior_curvature": 0.0}, "in coordinate 1 is 0; give a prior"),
    ({"factor": lambda i, x: np.eye(3)[[0] * len(i)], "prior_curvature": 0.0}, "at t = 1 its pivot in coordinate 1 is 0"),
])
def test_a_bad_curvature_is_named_and_changes_only_the_count_of_gradients(derivatives, words):
    problem = GradientOracle(lambda i, x: np.zeros((len(i), 3)), 3, **{"prior_curvature": 1.0, **derivatives})
    saga = PreconditionedSagaLD(problem, SETTINGS, chains=2)
    before = saga.snapshot()
    with pytest.raises(ValueError, match=words):
        saga.observe()
    assert saga.gradient_evaluations == 1
    before.meta["gradient_evaluations"] = 1
    assert_unchanged(before, saga.snapshot())


@pytest.mark.parametrize("kind", ["sparse", "axis"])
def test_no_chain_diverges_on_a_hard_poisson_stream(kind):
    assert lost(kind, 1.0, chains=40) == 0


# forms of the metric -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["low-rank 2", "diagonal"])
@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_every_form_keeps_the_contract(metric, kind, tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work
    problem, data = stream(kind, 60)
    whole = PreconditionedSagaLD(problem, SETTINGS, chains=5, seed=3, threads=1, metric=metric)
    many = PreconditionedSagaLD(problem, SETTINGS, chains=5, seed=3, threads=3, metric=metric)
    for saga in (whole, many):
        saga.observe(*(part[:40] for part in data))
    many.save(tmp_path / "saga.npz")
    again = PreconditionedSagaLD.load(tmp_path / "saga.npz")
    assert again.metric == metric
    for saga in (whole, again):
        saga.arrive(*(part[40] for part in data))
        saga.advance(2, trace=1)
        trace = saga.trace
        moved = trace.noise - SETTINGS.eta0 * (trace.guess + trace.correction)
        np.testing.assert_allclose(trace.after - trace.before, moved, rtol=1e-7, atol=1e-10)
        saga.advance(10)
        saga.observe(*(part[41:] for part in data))
    assert_unchanged(whole.snapshot(), again.snapshot())
    rows, weights = whole.posterior.rows, whole.weights(1)
    exact = np.eye(3) + (rows.T * weights) @ rows
    if metric == "diagonal":
        level = whole._metric.whitening.level[1]
        np.testing.assert_allclose(whole.precision_matrix(1), level * np.diag(np.diagonal(exact)), rtol=1e-10)
    assert whole.leverage(1) > 0


def test_the_distance_from_a_checkpoint_is_that_of_the_acceptance_matrix():
    problem, data = stream("linear", 60)
    saga = PreconditionedSagaLD(problem, SETTINGS, chains=1, metric="low-rank 1")
    saga.observe(*data)
    x, y = np.zeros((2, 8))
    x[:3] = [0.3, -1.0, 2.0]
    square = x[:3] @ saga.acceptance_matrix(0) @ x[:3]
    assert frozen_distance(saga._metric.whitening, 0, x, y) == pytest.approx(square, rel=1e-10)


def test_rank_d_less_one_is_the_dense_metric_where_t_has_just_doubled():
    problem, data = stream("linear", 32)
    saga = PreconditionedSagaLD(problem, SETTINGS, chains=1, metric="low-rank 2")
    saga.observe(*data)
    np.testing.assert_allclose(saga.precision_matrix(0), saga.posterior.hessian(np.zeros(3)), rtol=1e-8)


@pytest.mark.parametrize(("problem", "metric", "words"), [
    (LinearRegression(3), "sparse", "metric must be one of dense, low-rank, low-rank R, diagonal"),
    (LinearRegression(3), 3, "metric must be one of"),
    (LinearRegression(3), "low-rank 3", "metric's rank must be a whole number"),
    (LinearRegression(3), "low-rank 0", "metric's rank must be"),
    (LinearRegression(1), "low-rank 1", "metric must be dense or diagonal in one dimension, got 'low-rank 1'"),
    (linear(**FACTOR), "low-rank 2", "metric must be dense or diagonal for")])
def test_a_bad_metric_is_named(problem, metric, words):
    with pytest.raises(ValueError, match=words):
        PreconditionedSagaLD(problem, metric=metric)
