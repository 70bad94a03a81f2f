"""Control points: F_t's expansion at every datum. CV-SGLD: each step as the paper has it."""


import numpy as np
import pytest

from sampler import CvSGLD, Settings, find_mode
from tests.sampler.algorithms.streams import Randoms, stream

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
            assert np.linalg.norm(control.point - mode) < 0.01 * width  # the last step is this long at most
        else:
            assert made == 1
        np.testing.assert_allclose(control.gradient, posterior.gradient(control.point), atol=1e-9 * (i + 1))
        np.testing.assert_allclose(control.hessian, posterior.hessian(control.point), rtol=1e-10)
        np.testing.assert_allclose(control.scores[:i + 1], posterior.scores(control.point), atol=1e-12)
        s.advance(10)
    assert refits == [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_is_the_papers(kind):
    """The update written out, with the sampler's own random numbers: 9 steps of ceil(t/5) batches, up to two passes."""
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
