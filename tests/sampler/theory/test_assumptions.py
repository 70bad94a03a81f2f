import numpy as np
import pytest

from sampler.theory.assumptions import AssumptionMeter, concentration_constant


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
    assert found.drift == meter.drift


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
        lambda: concentration_constant(0, 1.0, [[1.0]], [0.0], [0.0]),
        lambda: concentration_constant(5, 1.0, [[1.0]], [0.0, 1.0], [0.0]),
    ],
)
def test_bad_input_is_refused_with_words(call):
    with pytest.raises(ValueError, match="must"):
        call()
