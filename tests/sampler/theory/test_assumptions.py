import numpy as np
import pytest
from scipy import stats

from sampler.theory.assumptions import AssumptionMeter, concentration_constant, tail_rate


def test_smoothness_is_the_largest_row():
    meter = AssumptionMeter(0.25)
    for norm in (1.0, 2.0, 0.5):
        meter.add(norm, np.zeros(2))
    assert meter.smoothness == pytest.approx(1.0)
    assert AssumptionMeter(np.inf).smoothness == 0
    poisson = AssumptionMeter(np.inf)
    poisson.add(1.0, np.zeros(1))
    assert poisson.smoothness == np.inf


def test_concentration_of_a_gaussian():
    # sqrt(t + c) sqrt(tr I/(2t)): sqrt(d/2) for large t.
    found = concentration_constant(10_000, 1.0, np.eye(2) / 20_000, [1.0, 2.0], [1.0, 2.0])
    assert found == pytest.approx(1.0, rel=1e-4)
    moved = concentration_constant(10_000, 0.0, np.eye(2) / 20_000, [1.0, 2.0], [1.01, 2.0])
    assert moved == pytest.approx(np.sqrt(2))


def test_drift_is_that_of_the_whole_history():
    rng = np.random.default_rng(0)
    modes = np.cumsum(rng.normal(size=(5000, 2)) / np.arange(1, 5001)[:, None], axis=0)
    meter, epochs = AssumptionMeter(0.25, offset=2.0), np.arange(1, 5001)
    for t, mode in enumerate(modes, start=1):
        meter.add(1.0, mode)
        if t in (2, 3, 10, 200, 1000, 5000):
            last = epochs[:t] >= t / 2
            gaps = np.linalg.norm(modes[:t][last] - mode, axis=1) * np.sqrt(epochs[:t][last] + 2.0)
            assert meter.drift <= gaps.max() * (1 + 1e-12)
            assert meter.drift == pytest.approx(gaps.max(), rel=1e-12 if t <= 256 else 0.08)
    found = meter.constants(np.eye(2), modes[-1], modes[-1])
    assert found.t == 5000
    assert found.drift == meter.largest_drift >= meter.drift


@pytest.mark.parametrize("offset", [0.0, 2.0, 50.0])
def test_the_largest_drift_is_the_supremum_over_every_epoch(offset):
    rng = np.random.default_rng(1)
    modes, epochs = np.cumsum(rng.normal(size=(400, 2)) / np.arange(1, 401)[:, None], axis=0), np.arange(1, 401)
    meter, known = AssumptionMeter(0.25, offset=2.0), 0.0
    for mode in modes:
        meter.add(1.0, mode)
    meter.offset = offset  # the knob moves: the past is measured with the new one
    for t in range(2, 401):
        last = (epochs[:t] >= t / 2) & (epochs[:t] < t)
        gaps = np.linalg.norm(modes[:t][last] - modes[t - 1], axis=1) * np.sqrt(epochs[:t][last] + offset)
        known = max(known, gaps.max())
    assert meter.largest_drift <= known * (1 + 1e-12)
    # Up to epoch 256 every one is remembered, later ones to 1/256; another c than it was measured with may choose
    # another pair of the same epoch.
    assert meter.largest_drift == pytest.approx(known, rel=0.03 if offset == 2.0 else 0.25)
    assert meter.largest_drift >= meter.drift


def test_the_largest_drift_outlives_a_mode_that_has_settled():
    meter = AssumptionMeter(0.25)
    for t in range(1, 3000):
        meter.add(1.0, [0.0 if t < 100 else 1.0])
    assert meter.drift == 0.0
    assert meter.largest_drift == pytest.approx(np.sqrt(99.0))  # from epoch 99 to 100, and on to 198
    assert len(meter._farthest) < 50


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_the_tail_of_a_round_gaussian_is_met_exactly(dim):
    """P(||X|| >= s) of N(0, I) is chi's tail: A exp(-k s) lies above it everywhere and touches it."""
    k = tail_rate(98, 2.0, np.eye(dim) / 100)
    s = np.linspace(1e-3, 12, 20_000)
    slack = 1.0 - k * s - stats.chi.logsf(s, dim)
    assert slack.min() >= -1e-6 and slack.min() < 0.01
    if dim == 2:  # inf of (1 + s^2/2)/s is sqrt 2
        assert k == pytest.approx(np.sqrt(2), rel=1e-4)


def test_the_tail_of_an_uneven_gaussian_is_covered():
    v = np.array([1.0, 0.1, 0.01])
    k = tail_rate(1, 0.0, np.diag(v))
    draws = np.sort(np.linalg.norm(np.random.default_rng(0).normal(size=(200_000, 3)) * np.sqrt(v), axis=1))
    share = 1.0 - np.arange(draws.size) / draws.size
    # Every quantile of the draws up to the last hundred: three standard errors of a share p are 3 sqrt(p / n).
    covered = np.exp(1.0 - k * draws[:-100])
    assert np.all(share[:-100] <= covered + 3 * np.sqrt(share[:-100] / draws.size))
    assert tail_rate(1, 0.0, 4 * np.diag(v)) == pytest.approx(k / 2)
    assert tail_rate(1, 0.0, np.diag(v), amplitude=20.0) > k


def test_memory_is_bounded():
    meter = AssumptionMeter(0.25)
    for t in range(20_000):
        meter.add(1.0, np.array([float(t)]))
    assert meter._modes.nbytes < 6000
    # The mode runs at speed 1, so the farthest is t/2 behind: D = (t/2) sqrt(t/2).
    assert meter.drift == pytest.approx(10_000 * np.sqrt(10_000), rel=0.01)


@pytest.mark.parametrize(
    "call",
    [
        lambda: AssumptionMeter(0.0),
        lambda: AssumptionMeter(0.25, offset=-1.0),
        lambda: AssumptionMeter(0.25).add(np.nan, [0.0]),
        lambda: AssumptionMeter(0.25).add(1.0, [np.nan]),
        lambda: AssumptionMeter(0.25).constants([[1.0]], [0.0], [0.0]),
        lambda: tail_rate(5, 1.0, [[1.0]], amplitude=1.0),
        lambda: tail_rate(5, 1.0, [[0.0]]),
        lambda: concentration_constant(0, 1.0, [[1.0]], [0.0], [0.0]),
        lambda: concentration_constant(5, 1.0, [[1.0]], [0.0, 1.0], [0.0]),
    ],
)
def test_bad_input_is_refused_with_words(call):
    with pytest.raises(ValueError, match="must"):
        call()
