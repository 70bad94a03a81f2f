"""CV-SGLD, MH-SS and Zig-Zag with a control point: steps, bounds, stationary laws and costs."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import poisson

from sampler import (
    CvSGLD,
    DivergenceError,
    LinearRegression,
    LogisticRegression,
    Settings,
    SubsampledMetropolis,
    ZigZag,
    find_mode,
    gaussian_reference,
)
from sampler.algorithms.sampler_copies import sampler_at
from sampler.kernels.compile import kernel
from sampler.kernels.rng import spawn_generators
from sampler.kernels.subsampled_metropolis import logistic_remainder, proposal, rate_of_datum, sampled_ratio
from sampler.kernels.zigzag import estimated_rate, first_event, flow
from tests.sampler.algorithms.streams import Randoms, assert_normal, grid_of, stream

KINDS = ["logistic", "linear", "poisson"]
STEADY = Settings(eta0=0.1, batch_size=5, i_max=9, offset=1.0, random_length=False, reset=False)


@pytest.mark.parametrize("kind", KINDS)
def test_a_control_point_is_the_mode_of_all_data_at_powers_of_two(kind):
    problem, data = stream(kind, 70)
    s, refits = CvSGLD(problem, STEADY.replace(i_max=1), chains=2, start=np.zeros(3)), []
    for i in range(70):
        before = s.gradient_evaluations
        s.arrive(*(part[i] for part in data))
        made, control, posterior = s.gradient_evaluations - before, s.control, s.posterior
        if control.fitted == i + 1:
            refits.append(i + 1)
            assert made % (i + 1) == 0 and made <= 12 * (i + 1)
            mode = find_mode(posterior)
            width = 1 / np.sqrt(np.linalg.eigvalsh(posterior.hessian(mode))[0])
            assert np.linalg.norm(control.point - mode) < 0.01 * width  # upper bound of the last step
        else:
            assert made == 1
        np.testing.assert_allclose(control.gradient, posterior.gradient(control.point), atol=1e-9 * (i + 1))
        np.testing.assert_allclose(control.hessian, posterior.hessian(control.point), rtol=1e-10)
        np.testing.assert_allclose(control.scores[:i + 1], posterior.scores(control.point), atol=1e-12)
        s.advance(10)
    assert refits == [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_is_the_papers(kind):
    """Repeat the update with the sampler's random numbers: 9 steps of ceil(t/5) batches, up to two passes."""
    problem, data = stream(kind, 23)
    x, random, order = np.full(3, 0.1), Randoms(7), np.arange(23)
    s = CvSGLD(problem, STEADY, chains=1, seed=7, start=x)
    for t in range(1, 24):
        s.observe(*(part[t - 1] for part in data))
        eta, f, control, batches = STEADY.step_size(t), s.posterior, s.control, -(-t // 5)
        for i in range(9):
            first, last = (i % batches) * t // batches, (i % batches + 1) * t // batches
            for j in range(first, last):
                other = j + int(random.uniform() * (t - j))
                order[[j, other]] = order[[other, j]]
            batch = order[first:last]
            change = (f.term_gradients(x, batch) - f.term_gradients(control.point, batch)).sum(axis=0)
            g = f.gradient(control.point) + problem.prior_precision * (x - control.point) + batches * change
            x = x - eta * g + np.sqrt(2 * eta) * random.normal(3)
            if (i + 1) % batches == 0:
                assert sorted(order[:t]) == list(range(t))  # a pass reads every datum once
        np.testing.assert_allclose(s.positions[0], x, rtol=1e-8, atol=1e-8)


def controlled(sampler, kind, t, dim, scale=1.0):
    """Return a sampler after t data, with rows scaled by ``scale``."""
    problem, (features, targets) = stream(kind, t, dim)
    s = sampler(problem, Settings(i_max=1), chains=2)
    s.observe(features * scale, targets)
    return s


def change_and_limit(s, x, y):
    """Return the potential change and M of two points from the proposal kernel."""
    factor, dim = s.control.factor, s.dim
    whiten = np.ascontiguousarray(np.linalg.inv(factor).T)
    out = np.empty(dim)
    change, limit = proposal(whiten, whiten.T @ s.control.hessian @ whiten, whiten.T @ s.control.gradient, x,
                             s.control.point, factor.T @ (y - x), 0, 1.0, np.ascontiguousarray(factor.T),
                             np.empty((2, dim)), out)
    np.testing.assert_allclose(out, y, atol=1e-9)
    return change, limit


def remainders(s, x, y):
    control, rows = s.control, s.posterior.rows
    return np.array([logistic_remainder(rows[k] @ x, rows[k] @ y, control.scores[k], control.means[k])
                     for k in range(s.t)])


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_the_remainder_is_what_is_left_of_the_potential_and_stays_within_its_bound(scale):
    s, rng = controlled(SubsampledMetropolis, "logistic", 11, 2, scale), np.random.default_rng(1)
    weights, closest = np.diff(s.control.sums[0, :11], prepend=0.0), 0.0
    for _ in range(200):
        x, y = s.control.point + rng.standard_normal((2, 2)) * np.exp(rng.normal(0, 2))
        change, limit = change_and_limit(s, x, y)
        left = remainders(s, x, y)
        f = s.posterior
        assert abs(f.potential(y) - f.potential(x) - change - left.sum()) < 1e-9 * (1 + abs(f.potential(y)) + abs(change))
        assert (np.abs(left) <= weights * limit * (1 + 1e-9) + 1e-12).all()
        closest = max(closest, (np.abs(left) / (weights * limit)).max())
    assert closest > 0.1  # the bound is not trivial


def acceptance(changes, limits, change):
    """Return the acceptance probability of both tests and of the second, summed over the counts of three data."""
    rates = [rate_of_datum(*pair) for pair in zip(changes, limits, strict=True)]
    back = [rate - one for rate, one in zip(rates, changes, strict=True)]
    most = [int(poisson.isf(1e-13, rate)) + 1 for rate in rates]
    logs = [np.log(b / r) for b, r in zip(back, rates, strict=True)]
    total = 0.0
    for counts in product(*(range(m + 1) for m in most)):
        chance = np.prod([poisson.pmf(n, rate) for n, rate in zip(counts, rates, strict=True)])
        total += chance * min(1.0, np.exp(np.dot(counts, logs)))
    return total * min(1.0, np.exp(-change)), total


@pytest.mark.parametrize(("x", "y"), [(0.3, 1.2), (-1.0, 0.4), (2.0, 1.5)])
def test_detailed_balance_holds_to_rounding_and_the_kernel_draws_those_subsamples(x, y):
    s = controlled(SubsampledMetropolis, "logistic", 3, 1, scale=2.0)
    x, y = s.control.point + np.array([x]), s.control.point + np.array([y])
    change, limit = change_and_limit(s, x, y)
    weights, left = np.diff(s.control.sums[0, :3], prepend=0.0), remainders(s, x, y)
    forth, second = acceptance(left, weights * limit, change)
    back, _ = acceptance(-left, weights * limit, -change)
    f = s.posterior
    assert abs(np.exp(f.potential(x) - f.potential(y)) * forth / back - 1) > 0.005 or abs(left.sum()) < 0.005
    # pi(x) P(x accepts y) = pi(y) P(y accepts x); the truncated tail of the sums has probability 3e-13
    assert np.exp(f.potential(y) - f.potential(x)) * forth == pytest.approx(back, rel=1e-9)
    rng, draws, control = spawn_generators(5, 1, 1)[0, 0], 40_000, s.control
    ends = np.zeros((2, 8))
    ends[:, 0] = x[0], y[0]
    ratios = np.array([sampled_ratio(rng, s._rows.rows, control.sums[0], control.scores, control.means, 3, *ends, limit)
                       for _ in range(draws)])
    passed, mean = np.minimum(1.0, np.exp(ratios[:, 0])), weights.sum() * limit
    # a mean of draws with their empirical sd; the variance of a Poisson variable is its mean: five deviations each
    assert abs(passed.mean() - second) < 5 * passed.std() / np.sqrt(draws) + 1e-12
    assert abs(ratios[:, 1].mean() - mean) < 5 * np.sqrt(mean / draws)


@pytest.mark.parametrize(("level", "growth"), [(0.0, 2.0), (3.0, 0.0), (1e-9, 1e-3), (5.0, 7.0)])
def test_first_event_solves_for_the_exponential(level, growth):
    for exponential in (1e-6, 0.3, 40.0):
        time = first_event(level, growth, exponential)
        assert level * time + 0.5 * growth * time**2 == pytest.approx(exponential, rel=1e-12)
    assert first_event(0.0, 0.0, 1.0) == np.inf


@pytest.mark.parametrize("kind", KINDS[:2])
def test_data_estimate_the_derivative_without_bias_and_within_the_bound(kind):
    s = controlled(ZigZag, kind, 13, 3)
    problem, control, posterior, rng, closest = s.problem, s.control, s.posterior, np.random.default_rng(3), 0.0
    for _ in range(100):
        x, v = control.point + rng.standard_normal(3) * np.exp(rng.normal(0, 1)), rng.choice([-1.0, 1.0], 3)
        later = rng.exponential()
        y = x + later * v
        slopes = v * posterior.gradient(y)
        for i in range(3):
            weights = np.diff(control.sums[i, :s.t], prepend=0.0)
            total = control.sums[i, s.t - 1]
            rates = np.array([estimated_rate(i, problem.kind_code, row, mean, total, problem.prior_precision, control.point,
                                             control.gradient, y, v)
                              for row, mean in zip(posterior.rows, control.means, strict=False)])
            assert weights / total @ rates == pytest.approx(slopes[i], rel=1e-9, abs=1e-9 * total)
            most, away = problem.curvature_bound * total, x - control.point
            bound = (max(0.0, v[i] * (control.gradient[i] + problem.prior_precision[i] * away[i]))
                     + most * np.linalg.norm(away) + (problem.prior_precision[i] + most * np.sqrt(3)) * later)
            assert rates.max() <= bound * (1 + 1e-12)
            closest = max(closest, rates.max() / bound)
    assert closest > 0.5  # the bound is not trivial


def test_a_coordinate_without_data_turns_by_its_prior_alone():
    """N(0, 1/4) in one coordinate: after a long time, ten widths, the positions of 4,000 processes have this law."""
    x, v, rng = np.zeros(1), np.ones(1), spawn_generators(0, 1, 1)[0, 0]
    places = np.empty((4000, 1))
    for place in places:
        read = flow(0, 0.25, np.array([4.0]), np.zeros((1, 8)), np.zeros(1), np.zeros(1), np.full(1, 0.5),
                    np.zeros((1, 1)), 1, x, v, 5.0, rng)
        assert read == 0
        place[:] = x
    assert_normal(places, [0.0], [[0.25]])


@kernel()
def neighbours(n):
    return np.empty(n), np.empty(n)


def test_zig_zag_has_the_same_bits_wherever_its_arrays_are():
    """X next to the array of levels, within the 256 bytes of a vectorised iteration, and elsewhere."""
    rng, dim = np.random.default_rng(1), 8
    rows = rng.normal(size=(8, dim))
    sums = np.cumsum(np.abs(rows.T) * np.sqrt((rows**2).sum(axis=1)), axis=1)
    held = [neighbours(dim)]
    while not 0 < held[-1][1].ctypes.data - held[-1][0].ctypes.data < 256 and len(held) < 20_000:
        held.append(neighbours(dim))  # adjacent once the gaps in memory are filled
    near, free = held.pop()
    points = np.full(dim, 0.1), near
    points[1][:] = 0.1
    fixed = 0, 0.25, np.ones(dim), rows, np.zeros(dim), np.linspace(-1, 1, dim), np.full(8, 0.5), sums, 8
    moving = [(x, np.ones(dim), 1.0, spawn_generators(3, 1, 1)[0, 0]) for x in points]
    flow(*fixed, *moving[0])
    del free  # reused by the next array of this size, the levels
    flow(*fixed, *moving[1])
    np.testing.assert_array_equal(*points)


def drawn(sampler, kind, t, dim, steps, eta0, chains=2000, scale=1.0):
    """Return ``(problem, data, sampler, epoch)`` after one step per epoch and ``steps`` in the last."""
    problem, (features, targets) = stream(kind, t, dim)
    features = features * scale
    s = sampler(problem, Settings(eta0=eta0, i_max=1, random_length=False), chains=chains, seed=4)
    s.observe(features[:-1], targets[:-1])
    s.settings = s.settings.replace(i_max=steps)
    return problem, (features, targets), s, s.observe(features[-1], targets[-1])


@pytest.mark.parametrize(("sampler", "t", "scale", "steps", "eta0", "reads"), [
    (SubsampledMetropolis, 40, 1.0, 60, 0.1, (1.1, 20.0)), (SubsampledMetropolis, 6, 6.0, 60, 0.1, (7.8, np.inf)),
    (ZigZag, 40, 1.0, 12, 2.0, (2.0, 20.0)), (ZigZag, 40, 1.0, 80, 0.05, (0.1, 1.0))])
def test_its_law_matches_a_grid(sampler, t, scale, steps, eta0, reads):
    """MH-SS reads fewer than half of the data per step, or all; Zig-Zag several per step, or fewer than one."""
    problem, data, s, epoch = drawn(sampler, "logistic", t, 2, steps, eta0, scale=scale)
    assert reads[0] < epoch.gradient_evaluations / epoch.steps < reads[1]
    u = np.sort(grid_of(problem, *data).cdf(epoch.samples), axis=0)
    # Kolmogorov's distance of 2,000 independent draws: exceeds 0.0497 with probability 1 in 10,000.
    ranks = np.arange(1, 2001)[:, None] / 2000
    assert np.maximum(np.abs(ranks - u), np.abs(ranks - 1 / 2000 - u)).max() < 0.0497
    assert sampler is ZigZag or 0.2 < s.acceptance_rate < 0.9
    assert sampler is SubsampledMetropolis or set(np.unique(s.velocities)) == {-1.0, 1.0}


@pytest.mark.parametrize(("sampler", "steps", "eta0"), [(SubsampledMetropolis, 80, 0.1), (ZigZag, 30, 1.0)])
def test_its_law_on_a_linear_model_is_the_exact_one(sampler, steps, eta0):
    _, _, s, epoch = drawn(sampler, "linear", 50, 3, steps, eta0, chains=4000)
    truth = gaussian_reference(s.posterior)
    assert_normal(epoch.samples, truth.mean, truth.covariance)
    # The expansion of Metropolis is exact: no datum is read except the new one, for its expansion.
    assert sampler is ZigZag or epoch.gradient_evaluations == epoch.steps + 1


def test_a_step_reads_fewer_data_as_they_grow():
    reads = []
    for t in (257, 4097):
        problem, data = stream("logistic", t, 3)
        held, mode = tuple(part[:-1] for part in data), find_mode(problem.posterior(*data))
        s = sampler_at(SubsampledMetropolis, problem, held, Settings(i_max=100, random_length=False), 400, 1, mode)
        s.follow(t - 1)  # a refit one datum ago: the control point is the mode
        epoch = s.observe(*(part[-1] for part in data))
        reads.append((epoch.gradient_evaluations - 1) / epoch.steps - 1)
    # A posterior 4 times narrower has remainders 64 times smaller, of 16 times as many data: a fourth. Rows of 257 normal
    # data have third moments within 10 % of their law's.
    assert 4 / 1.3 < reads[0] / reads[1] < 4 * 1.3


def test_the_scale_is_saved():
    s = SubsampledMetropolis(LogisticRegression(2), chains=2, scale=0.5)
    assert SubsampledMetropolis.from_snapshot(s.snapshot()).scale == 0.5


def test_an_unbounded_step_diverges_with_an_error():
    s = ZigZag(LinearRegression(2), Settings(eta0=1e6, i_max=3), chains=2, start=np.ones(2))
    with pytest.raises(DivergenceError, match="eta0.*diverged at epoch 1"):
        s.observe([300.0, 300.0], 1.0)  # a time of 800 in a posterior of width 0.003
    assert np.array_equal(s.positions, np.ones((2, 2))) and s.gradient_evaluations >= 200_000
    s.settings = s.settings.replace(eta0=1e-6)
    assert s.restart_diverged() == 2 and np.isfinite(s.observe([300.0, 0.0], 1.0).samples).all()


def test_too_many_dimensions_are_rejected():
    with pytest.raises(ValueError, match="at most 25 dimensions for ZigZag, got 26"):
        ZigZag(LogisticRegression(26))
    assert ZigZag(LogisticRegression(25), chains=1).dim == 25
