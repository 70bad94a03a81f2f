"""A person's function called from compiled code: the same path whatever she raises, and nothing half done."""

import numpy as np
import pytest

from sampler import SGLD, GradientOracle, OnlineSagaLD, Settings

ROWS = np.random.default_rng(0).standard_normal((30, 3))


class Raising:
    """Gradients of ||theta - y_k||^2 that raise once, at a given call."""

    def __init__(self, at: int, error: BaseException) -> None:
        self.calls, self.at, self.error = 0, at, error

    def __call__(self, indices, theta):
        self.calls += 1
        if self.calls == self.at:
            raise self.error
        return 2 * (theta - ROWS[indices])


def oracle_run(gradients, sampler=OnlineSagaLD):
    saga = sampler(GradientOracle(gradients, 3), Settings(eta0=0.05, i_max=8, batch_size=4), chains=2, seed=3)
    for _ in range(20):
        saga.observe()
    saga.settings = saga.settings.replace(random_length=False, i_max=10)
    saga.arrive()
    return saga


@pytest.mark.parametrize("sampler", [OnlineSagaLD, SGLD])
@pytest.mark.parametrize("error", [ZeroDivisionError("mine"), KeyboardInterrupt()])
def test_an_error_stops_before_the_step_and_the_path_goes_on(error, sampler):
    whole, gradients = oracle_run(Raising(-1, error), sampler), Raising(-1, error)
    whole.advance(10)
    broken = oracle_run(gradients, sampler)
    before = broken.gradient_evaluations
    gradients.at = gradients.calls + 14  # chain 1's fourth step
    with pytest.raises(type(error)):
        broken.advance(10)
    np.testing.assert_array_equal(broken.steps_done, [10, 3])
    assert broken.gradient_evaluations == before + 13 * 4
    assert broken.advance(10)
    np.testing.assert_array_equal(broken.positions, whole.positions)


def test_theta_is_the_persons_own():
    seen = []
    saga = oracle_run(lambda indices, theta: seen.append(theta) or 2 * (theta - ROWS[indices]))
    seen.clear()
    saga.advance(3)
    assert len({array.tobytes() for array in seen}) == len(seen) == 6
