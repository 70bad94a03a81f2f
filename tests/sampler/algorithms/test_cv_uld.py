"""CV-ULD: the exact Gaussian step, and the covariance it settles at."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import solve_discrete_lyapunov

from sampler.algorithms.cv_uld import CvULD, position_noise, underdamped
from sampler.problems.gaussian_mean import GaussianAverage


@pytest.mark.parametrize("friction, step, mass", [(2.0, 0.3, 0.5), (0.1, 1e-3, 3.0), (30.0, 1.0, 1.0), (1.0, 0.5, 2)])
def test_the_step_is_the_sdes_exact_gaussian(friction, step, mass):
    law = underdamped(step, friction, mass)
    kick = np.sqrt(2 * friction * mass)

    def velocity(s):  # response of v(step) to noise s before the end, and of x(step)
        return kick * np.exp(-friction * s)

    def position(s):
        return -kick * np.expm1(-friction * s) / friction

    def integral(f):
        return quad(f, 0, step, epsabs=0, epsrel=1e-12)[0]

    assert law.noise_velocity**2 == pytest.approx(integral(lambda s: velocity(s) ** 2), rel=1e-9)
    shared = integral(lambda s: velocity(s) * position(s))
    assert law.noise_velocity * law.noise_shared == pytest.approx(shared, rel=1e-9)
    assert law.noise_shared**2 + law.noise_own**2 == pytest.approx(integral(lambda s: position(s) ** 2), rel=1e-9)
    assert law.decay == np.exp(-friction * step)
    assert law.reach == pytest.approx(integral(lambda s: np.exp(-friction * s)), rel=1e-12)
    assert law.pull == pytest.approx(mass * law.reach)
    drift = integral(lambda s: mass * -np.expm1(-friction * s) / friction)
    assert law.drift == pytest.approx(drift, rel=1e-9)


def test_series_and_formula_meet():
    assert position_noise(0.5 - 1e-12) == pytest.approx(position_noise(0.5 + 1e-12), rel=1e-9)
    assert position_noise(1e-6) == pytest.approx(2 / 3 * 1e-18, rel=1e-5)


@pytest.mark.parametrize("anchor_batch", [None, 20])
def test_stationary_covariance_on_a_quadratic(anchor_batch):
    # Terms share their curvature, so the control variate is exact for B = n and the state (x, v) is a linear
    # recursion z <- M z + noise, with stationary covariance from the discrete Lyapunov equation. With B < n and an
    # anchor at every step (m = 1) each step adds an independent error e, Cov e = L S L (n - B)/(B (n - 1)).
    n, curvatures, step, friction, mass = 60, np.array([0.5, 1.0, 2.0]), 0.4, 2.0, 0.5
    data = np.random.default_rng(1).standard_normal((n, 3))
    chains = 2000
    sampler = CvULD(step, 1, anchor_batch, 1, friction=friction, inverse_mass=mass)
    cost = (n if anchor_batch is None else anchor_batch) + 2
    result = sampler.sample(GaussianAverage(curvatures), data, passes=80 * cost / n, chains=chains, seed=4, record=[])
    law = underdamped(step, friction, mass)
    noise = np.array([[law.noise_shared**2 + law.noise_own**2, law.noise_velocity * law.noise_shared],
                      [law.noise_velocity * law.noise_shared, law.noise_velocity**2]])
    error = 0.0 if anchor_batch is None else (n - anchor_batch) / (anchor_batch * (n - 1))
    expected = []
    for i, curvature in enumerate(curvatures):
        step_map = np.array([[1 - law.drift * curvature, law.reach], [-law.pull * curvature, law.decay]])
        assert np.abs(np.linalg.eigvals(step_map)).max() ** 160 < 1e-3  # 80 steps reach it
        spread = curvature**2 * data[:, i].var() * error
        pulled = np.array([law.drift, law.pull])
        expected.append(solve_discrete_lyapunov(step_map, noise + spread * np.outer(pulled, pulled))[0, 0])
    # relative error of a variance sqrt(2/2000) = 0.032
    np.testing.assert_allclose(result.positions.var(axis=0), expected, rtol=4 * 0.032)
    assert np.abs(result.positions.mean(axis=0) - data.mean(axis=0)).max() < 4 * np.sqrt(2 / chains) + 0.002
