"""Compiled Eq. 4, optimizers and hot start (Algorithm 3) against direct implementations in NumPy."""

from itertools import combinations

import numpy as np
import pytest

from sampler.coreset import (
    PAPER_MEMORY,
    Adam,
    CoresetMCMC,
    DAdaptation,
    DoG,
    DoWG,
    GaussianKernel,
    GaussianLocation,
    HotDoG,
    HotStart,
    Prodigy,
    hot_start_statistic,
    hot_start_test,
)
from sampler.coreset.loops import eq4
from sampler.kernels.coreset_gaussian import gaussian_gradient, weigh
from sampler.kernels.coreset_iteration import gradient, subsample
from sampler.kernels.rng import spawn_generators
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded

B1, B2, EPS = 0.9, 0.999, 1e-8


def plain_hot_dog(gs, w0, r=1e-3, floor=False):
    w, v, m, d = w0.copy(), 0.0, 0.0, np.zeros_like(w0)
    for c, g in enumerate(gs, 1):
        v, m = B2 * v + (1 - B2) * g**2, B1 * m + (1 - B1) * g
        reach = np.full_like(w, r)
        if c > 1:
            d = B1 * d + (1 - B1) * np.maximum(np.abs(w - w0), d)
            reach = d / (1 - B1 ** (c - 1))
        reach = np.maximum(reach, r) if floor else reach
        w = np.maximum(0, w - reach * (m / (1 - B1**c)) / np.sqrt(c * (v / (1 - B2**c) + EPS)))
        yield w


def plain_adam(gs, w0, rate, root):
    w, v, m = w0.copy(), 0.0, 0.0
    for c, g in enumerate(gs, 1):
        v, m = B2 * v + (1 - B2) * g**2, B1 * m + (1 - B1) * g
        now = rate / np.sqrt(c) if root else rate
        w = np.maximum(0, w - now * (m / (1 - B1**c)) / (np.sqrt(v / (1 - B2**c)) + EPS))
        yield w


def plain_dog(gs, w0, r, weighted):
    past, total, w, squares = [], 0.0, w0.copy(), 0.0
    for g in gs:
        past.append(np.linalg.norm(w - w0))
        reach = max(r, *past)
        squares += g @ g
        total += reach**2 * (g @ g)
        w = np.maximum(0, w - (reach**2 / np.sqrt(total) if weighted else reach / np.sqrt(squares)) * g)
        yield w


def plain_d_adaptation(gs, w0, d0):
    w, s, d, top, first = w0.copy(), np.zeros_like(w0), d0, 0.0, np.linalg.norm(gs[0])
    for g in gs:
        rate = d / first
        top += rate * (g @ s)
        s = s + rate * g
        d = max(d, 2 * top / np.linalg.norm(s))
        w = np.maximum(0, w - rate * g)
        yield w


def plain_prodigy(gs, w0, d0, period):
    w, d, v, m, s, top = w0.copy(), d0, 0.0, 0.0, np.zeros_like(w0), 0.0
    b3 = np.sqrt(B2)
    for k, g in enumerate(gs):
        m, v = B1 * m + (1 - B1) * d * g, B2 * v + (1 - B2) * d**2 * g**2
        top = b3 * top + (1 - b3) * d**2 * (g @ (w0 - w))
        s = b3 * s + (1 - b3) * d**2 * g
        swing = 1.0 if period is None else 0.5 * (1 + np.cos(np.pi * (k % period) / period))
        w = np.maximum(0, w - d * swing * m / (np.sqrt(v) + d * EPS))
        d = max(d, top / np.abs(s).sum())
        yield w


RULES = {
    "hot dog": (HotDoG(), lambda gs, w0: plain_hot_dog(gs, w0)),
    "hot dog, floor": (HotDoG(r=0.1, floor=True), lambda gs, w0: plain_hot_dog(gs, w0, 0.1, True)),
    "adam, root": (Adam(0.5), lambda gs, w0: plain_adam(gs, w0, 0.5, True)),
    "adam, constant": (Adam(0.5, "constant"), lambda gs, w0: plain_adam(gs, w0, 0.5, False)),
    "dog": (DoG(0.1), lambda gs, w0: plain_dog(gs, w0, 0.1, False)),
    "dowg": (DoWG(0.1), lambda gs, w0: plain_dog(gs, w0, 0.1, True)),
    "d-adaptation": (DAdaptation(1e-3), lambda gs, w0: plain_d_adaptation(gs, w0, 1e-3)),
    "prodigy": (Prodigy(1e-3), lambda gs, w0: plain_prodigy(gs, w0, 1e-3, None)),
    "prodigy, cosine": (Prodigy(1e-3, cosine_period=20), lambda gs, w0: plain_prodigy(gs, w0, 1e-3, 20)),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("w0", [20.0, 0.05])  # 0.05: the projection acts
def test_the_compiled_step_is_the_rule(name, w0):
    (optimizer, rule), rng = RULES[name], np.random.default_rng(0)
    gs = 30.0 * (rng.standard_normal((60, 7)) + rng.standard_normal(7)) * np.geomspace(0.01, 10, 7)
    state = optimizer.start(np.full(7, w0))
    weights = [state.step(gs[0]).copy()]
    if w0 == 20.0:  # rates times the first gradient are the first step
        share = 1 - B1 if isinstance(optimizer, Prodigy) else 1.0  # no bias correction: the first average is a tenth of d g
        # 20 - w loses digits of the smallest moves, 1e-7 of 20.
        np.testing.assert_allclose(20.0 - weights[0], share * state.rates * gs[0], rtol=1e-5, atol=1e-14)
    weights += [state.step(g).copy() for g in gs[1:]]
    expected = np.array(list(rule(gs, np.full(7, w0))))
    assert np.abs(expected - w0).max() > 1e-3  # it moves at all
    np.testing.assert_allclose(weights, expected, rtol=1e-9, atol=1e-12)


def test_a_gradient_that_is_not_finite_is_refused():
    state = HotDoG().start(np.ones(3))
    with pytest.raises(ValueError, match="gradient must be finite"):
        state.step(np.array([1.0, np.nan, 0.0]))
    assert state.steps == 0


def plain_statistic(values):
    t = len(values)
    n = -(-t // 3)
    shares = []
    for chain in np.asarray(values).T:
        means, spreads = [], []
        for part in (chain[t - 2 * n:t - n], chain[t - n:]):
            time = np.arange(n)
            rest = part - np.polyval(np.polyfit(time, part, 1), time)
            means.append(part.mean())
            spreads.append(np.sqrt(rest @ rest / (n - 2)))
        shares.append(abs(means[0] - means[1]) / max(spreads))
    return np.median(shares)


@pytest.mark.parametrize("t", [7, 8, 9, 30, 61])
@pytest.mark.parametrize("chains", [1, 2, 5])
def test_the_statistic_is_the_papers_on_the_last_two_segments(t, chains):
    values = np.random.default_rng(t).standard_normal((t, chains)).cumsum(axis=0)
    assert hot_start_statistic(values) == pytest.approx(plain_statistic(values), rel=1e-9)


def test_stationary_chains_pass_and_drifting_ones_do_not():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((300, 2))
    assert hot_start_test(noise) is True
    assert hot_start_test(noise + 0.02 * np.arange(300)[:, None]) is False  # means differ by 2 deviations
    assert hot_start_test(noise[:6]) is False and hot_start_test(np.ones((60, 2))) is False
    early = noise - 1000 * (np.arange(300) < 90)[:, None]  # the first third is ignored
    assert hot_start_test(early) is True


def test_the_schedule_of_hot_start_checks():
    at = HotStart()
    assert [at.next_check(t, 20) for t in (0, 59, 60, 61)] == [60, 60, 90, 90]
    assert at.next_check(0, 2) == 30 and at.next_check(9_990, 2) == 10_000
    assert HotStart(every=1, first=9).next_check(3, 20) == 9


MODEL = GaussianLocation.synthetic(n=2000, dim=4, seed=0)


def assert_first_step(weights, r=1e-3):
    """Every weight moved by r, or by less if |g| is not large compared with sqrt(epsilon)."""
    moved = np.abs(weights - 40.0)
    assert moved.max() < r * (1 + 1e-6) and np.median(moved) == pytest.approx(r, rel=1e-4) and moved.min() > 0.5 * r


def test_weights_wait_for_the_chains():
    sampler = CoresetMCMC(MODEL, 50, kernel=GaussianKernel(PAPER_MEMORY), start="far", seed=1)
    run = sampler.start()
    while run.hot_start_iteration is None:
        assert np.all(run.weights == 40.0) and run.rates.shape == (50,) and np.isnan(run.rates).all()
        run.advance(30)
    assert run.hot_start_passed and run.t == run.hot_start_iteration == run.hot_start_checks[-1][0]
    assert [t for t, _ in run.hot_start_checks] == list(range(30, run.t + 1, 30))
    for t, statistic in run.hot_start_checks:
        assert statistic == hot_start_statistic(run.log_potentials[:t])
        assert (statistic < 0.5) == (t == run.t)
    # The first update is in the next iteration and moves every weight by r.
    assert np.all(run.weights == 40.0)
    assert_first_step(run.advance(1).weights)


def test_training_starts_at_the_cap_with_a_notice():
    run = CoresetMCMC(MODEL, 50, hot_start=HotStart(threshold=1e-12, cap=100), seed=0).run(150)
    assert run.hot_start_iteration == 100 and run.hot_start_passed is False
    assert "did not pass in 100 iterations" in run.notices[0]
    assert np.all(run.weights != 40.0)


def test_without_a_hot_start_training_begins_at_once():
    run = CoresetMCMC(MODEL, 50, hot_start=False, seed=0).run(1)
    assert run.hot_start_iteration == 0 and run.hot_start_passed is None
    assert_first_step(run.weights)


@pytest.mark.parametrize("chains", [2, 3, 7])
def test_the_compiled_gradient_is_eq_4(chains):
    rng = np.random.default_rng(1)
    terms, drawn, w = rng.standard_normal((chains, 9)) - 700, rng.standard_normal((chains, 4)) - 700, rng.random(9)
    g = np.empty(9)
    norm = gradient(terms, drawn.sum(axis=1), w, 50 / 4, g)
    expected = eq4(terms, drawn, w, 50)
    np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-9)
    assert norm == pytest.approx(expected @ expected, rel=1e-9)


@pytest.mark.parametrize("chains", [2, 3, 7])
def test_the_gaussian_shortcut_is_eq_4(chains):
    rng = np.random.default_rng(2)
    n, dim, size = 60, 5, 11
    model = GaussianLocation(rng.standard_normal((n, dim)))
    chosen, drawn = rng.choice(n, 8, replace=False), rng.choice(n, size, replace=False)
    points, theta = aligned_zeros((8, padded(dim))), aligned_zeros((chains, padded(dim)))
    points[:], theta[:, :dim] = model.rows[chosen], 2 + rng.standard_normal((chains, dim))
    w, g, all_points = rng.random(8) * 9, np.empty(8), np.arange(8)
    weighted, u = np.empty(padded(dim)), np.empty(padded(dim))
    total = weigh(lanes_for(dim), points, all_points, w, weighted)
    norm = gaussian_gradient(lanes_for(dim), points, all_points, theta, weighted, total, model.rows[drawn].sum(axis=0),
                             size, n / size, g, np.empty(chains), u)
    expected = eq4(np.array([model.log_likelihood(x, chosen) for x in theta[:, :dim]]),
                   np.array([model.log_likelihood(x, drawn) for x in theta[:, :dim]]), w, n)
    np.testing.assert_allclose(g, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert norm == pytest.approx(expected @ expected, rel=1e-9)


@pytest.mark.parametrize("chains", [2, 4])
def test_the_mean_of_eq_4_over_subsamples_is_the_covariance_of_eq_3(chains):
    """np.cov divides by K - 1, so its mean over independent chains is unbiased."""
    rng, n = np.random.default_rng(4), 7
    values, chosen, w = rng.standard_normal((chains, n)), [0, 3, 4], rng.random(3)
    parts = [eq4(values[:, chosen], values[:, list(some)], w, n) for some in combinations(range(n), 3)]
    missed = values[:, chosen] @ w - values.sum(axis=1)
    np.testing.assert_allclose(np.mean(parts, axis=0), [np.cov(values[:, k], missed)[0, 1] for k in chosen], rtol=1e-12)


def test_subsamples_are_uniform_without_replacement():
    n, size, draws = 12, 5, 10_000
    rng, permutation, places = spawn_generators(0, 1, 1)[0, 0], np.arange(n), np.empty(size, np.int64)
    counts, pairs, last, common = np.zeros(n), np.zeros((n, n)), set(), []
    for _ in range(draws):
        subsample(rng, permutation, size, places)
        chosen = permutation[:size]
        assert len(set(chosen)) == size
        counts[chosen] += 1
        pairs[np.ix_(chosen, chosen)] += 1
        common.append(len(last & set(chosen)))
        last = set(chosen)
    assert sorted(permutation) == list(range(n))
    share = size / n
    # 5 sd of a binomial count.
    assert np.all(np.abs(counts - draws * share) < 5 * np.sqrt(draws * share * (1 - share)))
    together = share * (size - 1) / (n - 1)
    off = pairs[~np.eye(n, dtype=bool)]
    assert np.all(np.abs(off - draws * together) < 5 * np.sqrt(draws * together * (1 - together)))
    # Successive independent draws share a hypergeometric number of indices.
    assert abs(np.mean(common[1:]) - size * share) < 5 * np.std(common[1:]) / np.sqrt(draws)
