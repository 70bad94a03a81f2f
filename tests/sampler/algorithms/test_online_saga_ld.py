"""Online SAGA-LD against its definition, step by step, and against known laws."""


import numpy as np
import pytest

from sampler import GaussianMean, LogisticRegression, OnlineSagaLD, Settings
from tests.sampler.algorithms.streams import CountingOracle, stream

KINDS = ["logistic", "linear", "poisson", "gaussian"]


def invariant(saga, chain):
    """s - sum of the cached gradients: zero to rounding."""
    gradients = saga.cached_gradients(chain)
    return np.abs(gradients.sum(axis=0) - saga.gradient_sum(chain)).max() / max(1.0, np.abs(gradients).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("switch", [None, "variance_reduction", "reset", "random_length", "refresh"])
def test_the_sum_is_the_sum_of_the_cache(kind, switch):
    # Batches of 40 from at most 150 data repeat indices at nearly every step; a radius of 0.5 resets often.
    settings = Settings(eta0=0.2, batch_size=40, i_max=6, acceptance_radius=0.5, offset=1.0)
    if switch:
        settings = settings.replace(**{switch: False})
    problem, data = stream(kind, 150)
    saga = OnlineSagaLD(problem, settings, chains=2, seed=2)
    resets = 0
    for i in range(150):
        epoch = saga.observe(*(part[i] for part in data))
        resets += epoch.resets
        for chain in range(2):
            assert invariant(saga, chain) < 1e-13
    assert (resets > 0) == (switch != "reset")


def test_the_sum_survives_millions_of_steps():
    problem, data = stream("logistic", 50)
    saga = OnlineSagaLD(problem, Settings(eta0=0.1, batch_size=16, i_max=1_000_000, random_length=False), chains=1)
    saga.settings = saga.settings.replace(i_max=1)
    saga.observe(*(part[:49] for part in data))
    saga.settings = saga.settings.replace(i_max=1_000_000)
    saga.observe(*(part[49] for part in data))
    assert invariant(saga, 0) < 1e-11  # rounding: 16e6 additions of 1e-16 relative, random signs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variance_reduction", [True, False])
def test_every_path_is_the_oracles_path(kind, variance_reduction):
    settings = Settings(eta0=0.2, batch_size=7, i_max=5, acceptance_radius=2.0, offset=1.0,
                        variance_reduction=variance_reduction)
    problem, data = stream(kind, 70)
    oracle = CountingOracle(problem, data)
    ours = OnlineSagaLD(problem, settings, chains=2, seed=3, start=np.full(3, 0.1))
    theirs = OnlineSagaLD(oracle.problem, settings, chains=2, seed=3, start=np.full(3, 0.1))
    for i in range(70):
        a, b = ours.observe(*(part[i] for part in data)), theirs.observe()
        np.testing.assert_allclose(a.samples, b.samples, rtol=1e-9, atol=1e-9)
        assert (a.gradient_evaluations, a.resets, a.refreshed, a.steps) == (
            b.gradient_evaluations, b.resets, b.refreshed, b.steps)
        np.testing.assert_array_equal(ours.cached_epochs(1), theirs.cached_epochs(1))
        np.testing.assert_allclose(ours.cached_gradients(1), theirs.cached_gradients(1), atol=1e-8)
    assert oracle.count == theirs.gradient_evaluations == ours.gradient_evaluations


def reference_path(problem, data, settings, chain, seed, epochs, start):
    """LMV-n Algorithms 1 and 2 written out plainly, with the sampler's own random numbers."""
    from sampler.kernels.chains import INDEX_STREAM, LENGTH_STREAM, NOISE_BLOCK, NOISE_STREAM
    from sampler.kernels.rng import fill_index, fill_normal, next_uniform, spawn_generators
    rng = spawn_generators(seed, 2, 3)[chain]
    posterior = problem.posterior(*data)
    normals, x, checkpoint = [], start.copy(), start.copy()
    gradients, last = {}, {}
    for t in range(1, epochs + 1):
        if t == 1 or (t - 1) & (t - 2) == 0:
            checkpoint = x.copy()
        if np.linalg.norm(x - checkpoint) > settings.acceptance_radius / np.sqrt(t + settings.offset):
            x = checkpoint.copy()
        gradients[t - 1], last[t - 1] = posterior.term_gradients(x, [t - 1])[0], t
        for k in range(t - 1):
            if 2 * last[k] == t:
                gradients[k], last[k] = posterior.term_gradients(x, [k])[0], t
        s = sum(gradients.values())
        eta = settings.eta0 / (t + settings.offset)
        for _ in range(1 + int(next_uniform(rng[LENGTH_STREAM]) * settings.i_max)):
            batch = np.empty(settings.batch_size, np.int64)
            fill_index(rng[INDEX_STREAM], t, batch)
            fresh = posterior.term_gradients(x, batch)
            g = problem.prior_precision * x + s + t / len(batch) * sum(
                f - gradients[k] for f, k in zip(fresh, batch, strict=True))
            if len(normals) < problem.dim:
                block = np.empty(NOISE_BLOCK)
                fill_normal(rng[NOISE_STREAM], block)
                normals = list(block)
            xi, normals = np.array(normals[:problem.dim]), normals[problem.dim:]
            x = x - eta * g + np.sqrt(2 * eta) * xi
            for f, k in zip(fresh, batch, strict=True):
                gradients[k], last[k] = f, t
            s = sum(gradients.values())
    return x, last


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_is_the_papers(kind):
    settings = Settings(eta0=0.3, batch_size=6, i_max=4, acceptance_radius=1.5, offset=1.0)
    problem, data = stream(kind, 64)
    start = np.full(3, 0.2)
    saga = OnlineSagaLD(problem, settings, chains=2, seed=9, start=start)
    epoch = saga.observe(*data)
    for chain in range(2):
        x, last = reference_path(problem, data, settings, chain, 9, 64, start)
        np.testing.assert_allclose(epoch.samples[chain], x, rtol=1e-8, atol=1e-8)
        np.testing.assert_array_equal(saga.cached_epochs(chain), [last[k] for k in range(64)])
    assert epoch.resets > 0 and epoch.refreshed > 0


@pytest.mark.parametrize("batch_size", [1, 9])
def test_no_gradient_grows_older_than_half(batch_size):
    problem, data = stream("logistic", 400)
    saga = OnlineSagaLD(problem, Settings(eta0=0.1, batch_size=batch_size, i_max=2), chains=2)
    for i in range(400):
        saga.observe(*(part[i] for part in data))
        t = saga.t
        assert 2 * saga.cached_epochs(0).min() >= t - t % 2 if t > 1 else True


def test_refresh_turned_on_again_recomputes_what_is_overdue_and_counts_it():
    problem, data = stream("logistic", 400)
    on = Settings(eta0=0.1, batch_size=1, i_max=1)
    saga = OnlineSagaLD(problem, on.replace(refresh=False), chains=2)
    epoch = saga.observe(*(part[:300] for part in data))
    assert epoch.refreshed == 0
    overdue = sum(int((2 * saga.cached_epochs(k) <= 301).sum()) for k in range(2))
    assert overdue > 100
    saga.settings = on
    epoch = saga.observe(*(part[300] for part in data))
    assert epoch.refreshed == overdue
    assert epoch.gradient_evaluations == overdue + 2 * (1 + 1)
    for i in range(301, 400):
        saga.observe(*(part[i] for part in data))
        assert 2 * saga.cached_epochs(1).min() >= saga.t - 1
        assert invariant(saga, 1) < 1e-13


def test_cost_of_an_epoch_is_what_it_says():
    problem, data = stream("logistic", 128)
    saga = OnlineSagaLD(problem, Settings(batch_size=5, i_max=9, random_length=False), chains=4)
    for i in range(128):
        epoch = saga.observe(*(part[i] for part in data))
        assert epoch.steps == 4 * 9
        assert epoch.gradient_evaluations == 4 * (1 + 9 * 5) + epoch.refreshed


def test_run_lengths_are_uniform_and_kept_when_i_max_changes():
    problem, data = stream("gaussian", 1)
    saga = OnlineSagaLD(problem, Settings(i_max=10, batch_size=1), chains=20_000)
    saga.arrive(data[0][0])
    counts = np.bincount(saga.run_lengths, minlength=11)[1:]
    # 20,000 draws in ten cells: each 2,000 with sd 42.4.
    assert np.abs(counts - 2000).max() < 5 * 42.4
    u = saga._state.length_draw
    saga.settings = saga.settings.replace(i_max=1000)
    np.testing.assert_array_equal(saga.run_lengths, 1 + np.floor(u * 1000))


@pytest.mark.parametrize("kind", ["logistic", "gaussian"])
def test_every_chain_makes_the_steps_that_it_drew(kind):
    problem, data = stream(kind, 6)
    saga = OnlineSagaLD(problem, Settings(i_max=4, batch_size=1), chains=50)
    for i in range(6):
        epoch = saga.observe(*(part[i] for part in data))
        assert epoch.steps == saga.run_lengths.sum()


def test_checkpoints_stand_at_powers_of_two():
    problem, data = stream("logistic", 40)
    saga = OnlineSagaLD(problem, Settings(i_max=3, batch_size=2), chains=2)
    start, kept = saga.positions, {}
    for i in range(40):
        epoch = saga.observe(*(part[i] for part in data))
        kept[saga.t] = epoch.samples
        expected = 2 ** int(np.log2(saga.t - 1)) if saga.t > 1 else 0
        assert saga.checkpoint_epoch == expected
        np.testing.assert_array_equal(saga.checkpoints, kept[expected] if expected else start)


def test_a_reset_starts_the_epoch_at_the_checkpoint():
    problem, data = stream("logistic", 60)
    saga = OnlineSagaLD(problem, Settings(eta0=1.0, i_max=30, batch_size=4, acceptance_radius=4.0), chains=8)
    seen = 0
    for i in range(60):
        before = saga.positions
        saga.arrive(*(part[i] for part in data))
        distance = np.linalg.norm(before - saga.checkpoints, axis=1)
        expected = distance > 4.0 / np.sqrt(saga.t + 2.0)
        np.testing.assert_array_equal(saga.was_reset, expected)
        np.testing.assert_array_equal(saga.positions, np.where(expected[:, None], saga.checkpoints, before))
        np.testing.assert_array_equal(saga.warm_starts, before)
        seen += expected.sum()
        saga.advance(10**6)
        assert saga.epoch().resets == expected.sum()
    assert 10 < seen < 400


def test_stationary_variance_without_gradient_noise():
    # pi_t = N(mean, 1/(2t)). The noise is the scatter of the anchors over the data; a batch of 300 from t = 50
    # leaves a gradient unrefreshed with probability exp(-6) a step, so all anchors but 0.25 % coincide and the
    # chain is ULA: variance 1/(2t) / (1 - eta0 t/(t+c)).
    t, eta0, c = 50, 0.3, 1.0
    y = np.random.default_rng(0).standard_normal((t, 1))
    settings = Settings(eta0=eta0, batch_size=300, i_max=1, offset=c, random_length=False, acceptance_radius=1e6)
    saga = OnlineSagaLD(GaussianMean(1), settings, chains=200, seed=1)
    saga.observe(y[:-1])
    saga.arrive(y[-1])
    saga.settings = settings.replace(i_max=1200)
    pooled = []
    for _ in range(30):
        saga.advance(40)  # eta_t lambda = 0.59: 40 steps forget the start (0.41^40)
        pooled.append(saga.positions[:, 0] - y.mean())
    measured = np.var(np.concatenate(pooled)) * 2 * t
    # relative sd of a variance from 30 x 200 independent draws: sqrt(2/6000) = 0.0183; four of them.
    assert measured == pytest.approx(1 / (1 - eta0 * t / (t + c)), rel=4 * 0.0183)


def test_ablations_differ():
    """Each switch changes the path; without variance reduction the law widens as the noise says."""
    problem, data = stream("logistic", 300, dim=2)
    base = Settings(eta0=0.5, batch_size=4, i_max=20, acceptance_radius=3.0, offset=1.0)
    paths = {}
    for switch in (None, "variance_reduction", "reset", "random_length", "refresh"):
        settings = base.replace(**({switch: False} if switch else {}))
        if switch == "refresh":
            settings = settings.replace(i_max=1, batch_size=1)
        saga = OnlineSagaLD(problem, settings, chains=64, seed=0)
        paths[switch] = saga.observe(*data).samples
    twin = OnlineSagaLD(problem, base.replace(i_max=1, batch_size=1), chains=64, seed=0).observe(*data).samples
    for switch in ("variance_reduction", "reset", "random_length"):
        assert np.abs(paths[switch] - paths[None]).max() > 1e-3
    assert np.abs(paths["refresh"] - twin).max() > 1e-6
    # t/b = 75 and b = 4: SGLD's noise exceeds the injected noise several times; SAGA's is a fraction of it.
    assert paths["variance_reduction"].var(axis=0).sum() > 2.0 * paths[None].var(axis=0).sum()


@pytest.mark.parametrize("chains", [1, 512])
def test_few_and_many_chains(chains):
    problem, data = stream("logistic", 20)
    assert OnlineSagaLD(problem, Settings(i_max=3), chains=chains).observe(*data).samples.shape == (chains, 3)


@pytest.mark.parametrize("dim", [1, 2, 7, 8, 9, 130])
def test_any_width(dim):
    rng = np.random.default_rng(dim)
    features, labels = rng.standard_normal((30, dim)) / np.sqrt(dim), rng.integers(0, 2, 30)
    saga = OnlineSagaLD(LogisticRegression(dim), Settings(i_max=4, batch_size=3), chains=2)
    saga.observe(features, labels)
    assert invariant(saga, 0) < 1e-13
    assert (saga._state.position[:, dim:] == 0).all()


def test_samples_are_a_copy():
    problem, data = stream("logistic", 3)
    saga = OnlineSagaLD(problem, Settings(i_max=3), chains=2)
    epoch = saga.observe(*data)
    kept = epoch.samples.copy()
    epoch.samples[:] = 99.0
    np.testing.assert_array_equal(saga.positions, kept)


def test_a_posterior_outlives_growth():
    problem, data = stream("logistic", 200)
    saga = OnlineSagaLD(problem, Settings(i_max=1, batch_size=1), chains=1)
    saga.observe(*(part[:10] for part in data))
    early = saga.posterior
    value = early.potential(np.ones(3))
    saga.observe(*(part[10:] for part in data))
    assert early.potential(np.ones(3)) == value and early.t == 10 and saga.posterior.t == 200
    np.testing.assert_allclose(saga.posterior.features, data[0], rtol=1e-15)
