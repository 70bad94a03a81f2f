"""Online sampling from log-concave posteriors, hand-tuned and watched.

A *problem* says what is sampled, *settings* hold the knobs, an *algorithm* runs chains on one stream::

    problem = LogisticRegression(dim=21)                  # what: f_0, f_1, ...
    saga = OnlineSagaLD(problem, Settings(eta0=0.1))      # how: K chains, each with its cache of gradients
    epoch = saga.observe(features, label)                 # one datum, one epoch; epoch.samples ~ pi_t
"""

from sampler.algorithms.langevin import ULA
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.stream_sampler import Divergence, DivergenceError, Epoch, StepTrace
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression
from sampler.problems.oracle import GradientOracle
from sampler.settings import Settings

__all__ = [
    "Divergence", "DivergenceError", "Epoch", "GaussianMean", "GradientOracle", "LinearRegression",
    "LogisticRegression", "OnlineSagaLD", "PoissonRegression", "Settings", "StepTrace", "ULA",
]
