"""Preconditioned online SAGA-LD: the rule step by step, and what it costs."""


import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from tests.sampler.algorithms.streams import Randoms, stream

SETTINGS = Settings(eta0=0.1, batch_size=6, i_max=4, acceptance_radius=6.0)


def reference_path(problem, data, settings, chain, seed, epochs, start):
    """The whole rule written out plainly, with the sampler's own random numbers."""
    random, d, posterior = Randoms(seed, 2, chain), problem.dim, problem.posterior(*data)
    rows, targets, resets = posterior.rows, posterior.targets, 0
    x, checkpoint, frozen, trusted = start.copy(), start.copy(), None, False
    means, last, weights, H, W = {}, {}, {}, np.diag(problem.prior_precision), None

    def gradient_sum():
        return sum((means[k] - targets[k]) * rows[k] for k in means)

    def means_of(data):
        values = problem.mean_function(rows[data] @ x)
        if problem.kind != "poisson":
            return values
        own = targets[data] + 0.5
        return np.minimum(values, np.minimum(20 * np.maximum([weights.get(k, 0.0) for k in data], own), np.exp(25) * own))

    def weigh(k, t):
        a = means[k] - targets[k]
        if problem.kind == "linear":
            return 1.0
        if problem.kind == "poisson":
            own = targets[k] + 0.5
            m = own if means[k] == own else (means[k] - own) / np.log(means[k] / own)
            return max(min((means[k] + targets[k]) / 2, 2 * m), m * min(1.0, 2 * d / t))
        h, p = means[k] * (1 - means[k]), means[k]
        m = 0.25 if abs(p - 0.5) < 0.01 else (p - 0.5) / np.log(p / (1 - p))
        return max(min((h + a**2) / 2, 2 * m), m * min(1.0, 2 * d / t))

    for t in range(1, epochs + 1):
        if t == 1 or (t - 1) & (t - 2) == 0:
            checkpoint, frozen = x.copy(), H.copy()
            if t > 8 * d:
                away = W @ (problem.prior_precision * x + gradient_sum())
                trusted = away @ away <= settings.acceptance_radius**2 / 8
        if trusted and (x - checkpoint) @ frozen @ (x - checkpoint) > settings.acceptance_radius**2:
            x, trusted, resets = checkpoint.copy(), False, resets + 1
        due = [t - 1] + [k for k in range(t - 1) if 2 * last[k] == t]
        for k in due:
            means[k], last[k] = means_of(np.array([k]))[0], t
        renewed, place = [t - 1], t
        if problem.kind == "poisson":
            renewed += [t - 1 - age for age in (1, 2, 4, 8, 16, 32, 64) if age < t]
        while place % 2 == 0:
            place //= 2
            renewed.append(place - 1)
        for k in renewed:
            new = weigh(k, t)
            H = H + (new - weights.get(k, 0.0)) * np.outer(rows[k], rows[k])
            weights[k] = new
        W = np.linalg.inv(np.linalg.cholesky(H))
        s = gradient_sum()
        for _ in range(random.length(settings.i_max)):
            batch = random.batch(t, settings.batch_size)
            fresh = means_of(batch)
            change = fresh - np.array([means[k] for k in batch])
            g = problem.prior_precision * x + s + t / len(batch) * change @ rows[batch]
            x = x + W.T @ (-settings.eta0 * (W @ g) + np.sqrt(2 * settings.eta0) * random.normal(d))
            for f, k in zip(fresh, batch, strict=True):
                means[k], last[k] = f, t
            s = gradient_sum()
    return x, H, weights, resets


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson"])
def test_every_step_is_the_rule(kind):
    problem, data = stream(kind, 80)
    start = np.full(3, 0.2)
    # A linear chain with steps this long strays far enough to be sent back.
    settings = SETTINGS if kind != "linear" else SETTINGS.replace(eta0=0.45, acceptance_radius=4.5)
    s = PreconditionedSagaLD(problem, settings, chains=2, seed=9, start=start)
    epoch = s.observe(*data)
    resets = 0
    for chain in range(2):
        x, H, weights, sent_back = reference_path(problem, data, settings, chain, 9, 80, start)
        np.testing.assert_allclose(epoch.samples[chain], x, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(s.precision_matrix(chain), H, rtol=1e-9)
        np.testing.assert_allclose(s.weights(chain), [weights[k] for k in range(80)], rtol=1e-8)
        resets += sent_back
    assert epoch.resets == resets and epoch.refreshed > 0


def test_linear_regression_has_the_exact_hessian():
    problem, data = stream("linear", 50)
    s = PreconditionedSagaLD(problem, SETTINGS, chains=1)
    s.observe(*data)
    np.testing.assert_allclose(s.precision_matrix(0), s.posterior.hessian(np.zeros(3)), rtol=1e-12)
    assert s.leverage(0) == pytest.approx(
        50 / 3 * np.einsum("ki,ij,kj->k", s.posterior.rows, np.linalg.inv(s.precision_matrix(0)),
                           s.posterior.rows).max(), rel=1e-12)


@pytest.mark.parametrize("changes", [{}, {"variance_reduction": False}, {"refresh": False}, {"random_length": False}])
def test_it_asks_for_exactly_the_gradients_plain_saga_ld_asks_for(changes):
    problem, data = stream("logistic", 200)
    settings = SETTINGS.replace(reset=False, **changes)
    plain, ours = (s(problem, settings, chains=3, seed=4) for s in (OnlineSagaLD, PreconditionedSagaLD))
    for i in range(200):
        a, b = (s.observe(*(part[i] for part in data)) for s in (plain, ours))
        assert (a.gradient_evaluations, a.steps, a.refreshed) == (b.gradient_evaluations, b.steps, b.refreshed)
    np.testing.assert_array_equal(plain.cached_epochs(1), ours.cached_epochs(1))


def test_a_checkpoint_is_returned_to_once_and_only_if_it_looked_like_a_draw():
    problem, data = stream("logistic", 64, dim=2)

    def run(lost_before):
        s = PreconditionedSagaLD(problem, PreconditionedSagaLD.default_settings(2, 64), chains=2, seed=1)
        seen = []
        for i in range(64):
            if i + 1 in lost_before:  # chain 0 is carried off between two epochs
                s._state.position[0, :2] += 100.0
            s.arrive(*(part[i] for part in data))
            seen.append(bool(s.was_reset[0]))
            if seen[-1]:
                np.testing.assert_array_equal(s.positions[0], s.checkpoints[0])
            assert not s.was_reset[1]
            if i + 1 in lost_before and not seen[-1]:
                s.settings = s.settings.replace(eta0=1e-9)  # and stays there for the epoch, its cache too
            s.advance(10**6)
            s.settings = PreconditionedSagaLD.default_settings(2, 64)
        return [t + 1 for t, yes in enumerate(seen) if yes]

    assert run([]) == []
    assert run([12]) == []  # 8 d = 16: no checkpoint before that is trusted
    assert run([20, 21]) == [20]  # the checkpoint of epoch 16 is good for one return
    assert run([20, 40]) == [20, 40]  # epoch 32 sets a new one
    assert 18 not in run([16, 18])  # epoch 16 ended far away, and looked it


@pytest.mark.parametrize(("dim", "batch_size", "eta0"), [(21, 16, 0.0464), (21, 64, 0.1047), (2, 16, 0.12),
                                                         (100, 64, 0.043)])
def test_default_settings(dim, batch_size, eta0):
    s = PreconditionedSagaLD.default_settings(dim, batch_size)
    assert s.eta0 == pytest.approx(eta0, abs=5e-4) and s.batch_size == batch_size
    assert s.i_max == int(np.ceil(2.2 / s.eta0)) and s.random_length and s.reset
    assert s.acceptance_radius == pytest.approx(2 * np.sqrt(2) * (np.sqrt(dim) + np.sqrt(2 * np.log(1e4))))
    assert [PreconditionedSagaLD.default_settings(dim).batch_size for dim in (2, 80, 500)] == [9, 20, 64]
    for bad in ({"dim": 0}, {"dim": 2, "batch_size": 0}):
        with pytest.raises(ValueError, match=list(bad)[-1]):
            PreconditionedSagaLD.default_settings(**bad)


def test_it_refuses_what_it_cannot_precondition():
    with pytest.raises(ValueError, match="give GradientOracle a curvature= or a factor="):
        PreconditionedSagaLD(GradientOracle(lambda i, x: np.zeros((len(i), 2)), 2))
    with pytest.raises(ValueError, match="leverage needs"):
        PreconditionedSagaLD(LogisticRegression(2), chains=1).leverage(0)
    with pytest.raises(ValueError, match="weights are kept for one-score models only"):
        PreconditionedSagaLD(GaussianMean(2), chains=1).weights(0)


def test_a_restarted_chain_has_weights_from_its_new_cache():
    problem, data = stream("logistic", 60)
    s = PreconditionedSagaLD(problem, SETTINGS, chains=2)
    s.observe(*(part[:50] for part in data))
    s._state.diverged_epoch[1] = 50  # as if its last step had not been sound
    s.restart_diverged()
    row = s.posterior.rows
    np.testing.assert_allclose(s.precision_matrix(1), np.eye(3) + (row * s.weights(1)[:, None]).T @ row, rtol=1e-12)
    np.testing.assert_allclose(s.gradient_sum(1) + s.positions[1], s.posterior.gradient(s.positions[1]), rtol=1e-9)
    s.observe(*(part[50:] for part in data))


def test_a_poisson_chain_restarted_far_out_has_a_sum_that_is_its_cache_s():
    problem, data = stream("poisson", 60)
    s = PreconditionedSagaLD(problem, SETTINGS, chains=2)
    s.observe(*(part[:50] for part in data))
    s._state.checkpoint[1, :3], s._state.diverged_epoch[1] = 300.0, 50  # means up to exp(1000)
    s.restart_diverged()
    s.observe(*(part[50:] for part in data))
    assert np.abs(s.cached_gradients(1).sum(axis=0) - s.gradient_sum(1)).max() < 0.1  # 1e-16 of the largest, exp(25) at most
