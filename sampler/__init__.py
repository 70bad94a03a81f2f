"""Online sampling from log-concave posteriors, with tuning by hand and diagnostics.

A *problem* defines the posterior, *settings* contain the knobs, an *algorithm* runs chains on one stream::

    problem = LogisticRegression(dim=21)                  # terms f_0, f_1, ...
    saga = OnlineSagaLD(problem, Settings(eta0=0.1))      # K chains, each with a cache of gradients
    epoch = saga.observe(features, label)                 # one datum, one epoch; epoch.samples ~ pi_t

A *reference* approximates the true posterior, a *metric* measures the distance of the samples from it, *theory* provides
proven bounds and predictions from eta0, and a *verdict* summarises them::

    truth = long_chain_reference(saga.posterior)
    marginal_accuracy(epoch.samples, truth.samples), accuracy_ceiling(truth, n=256)
    noise = GradientNoise.of_posterior(saga.posterior, find_mode(saga.posterior))
    predict_accuracy(noise, saga.settings, saga.t).accuracy
    saga.predictive().predict_proba(new_rows, level=0.9)
    exit_bounds(dim=2, step_size=5e-6, steps=100_000, radius=2.0, smoothness=0.0).sharp

This module exports the most common names. All other public names are in subpackages: ``sampler.problems`` (posteriors),
``sampler.algorithms`` (samplers; the steps are in ``sampler.kernels``), ``sampler.reference`` (reference posteriors),
``sampler.predictive`` (predictions), ``sampler.metrics`` (accuracy and diagnostics), ``sampler.theory`` (bounds and
predictions), ``sampler.tuning`` (sweeps and verdicts), ``sampler.racing`` (comparison of samplers), ``sampler.production``
(replays with gates), ``sampler.streams`` (data sources), ``sampler.coreset`` (tuning-free coreset MCMC),
``sampler.errata`` (errors in the papers), ``sampler.wasm`` (the kernels in a browser). Data flow one way:
streams -> problems -> algorithms (-> kernels) -> metrics, theory, reference -> tuning, racing -> production.
``sampler.name`` also resolves public names of the subpackages, for code written for the wide facade of 0.2.
"""

import importlib

from sampler.algorithms import (
    MALA,
    SGLD,
    ULA,
    CvULD,
    DivergenceError,
    Laplace,
    OfflineSagaLD,
    OfflineSGLD,
    OnlineLaplace,
    OnlineSagaLD,
    PolyaGamma,
    PreconditionedSagaLD,
    RandomWalkMetropolis,
    SagaLD,
    SvrgLD,
)
from sampler.metrics import accuracy_ceiling, chain_diagnostics, gradient_variance, marginal_accuracy
from sampler.predictive import Predictive
from sampler.problems import (
    GaussianMean,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    synthetic_logistic,
    synthetic_stream,
)
from sampler.production import Replay, Tuned
from sampler.racing import figure_one, race
from sampler.reference import GridReference, find_mode, gaussian_reference, long_chain_reference
from sampler.settings import Settings
from sampler.streams import DataStream
from sampler.theory import (
    ExitSimulation,
    GradientNoise,
    exit_bounds,
    predict_accuracy,
    survival_curve,
    theorem_constants,
)
from sampler.tuning import Sweep, advise, judge
from sampler.version import VERSION as __version__  # noqa: F401 - the customary name
from sampler.version import Deprecation

__all__ = [
    "CvULD", "DataStream", "DivergenceError", "ExitSimulation", "GaussianMean", "GradientNoise", "GradientOracle",
    "GridReference", "Laplace", "LinearRegression", "LogisticRegression", "MALA", "OfflineSGLD", "OfflineSagaLD",
    "OnlineLaplace", "OnlineSagaLD", "PoissonRegression", "PolyaGamma", "PreconditionedSagaLD", "Predictive",
    "RandomWalkMetropolis", "Replay", "SGLD", "SagaLD", "Settings", "SvrgLD", "Sweep", "Tuned", "ULA", "accuracy_ceiling",
    "advise", "chain_diagnostics", "exit_bounds", "figure_one", "find_mode", "gaussian_reference", "gradient_variance",
    "judge", "long_chain_reference", "marginal_accuracy", "predict_accuracy", "race", "survival_curve",
    "synthetic_logistic", "synthetic_stream", "theorem_constants",
]

_ROOMS = ("problems", "predictive", "algorithms", "metrics", "reference", "theory", "streams", "tuning", "racing",
          "production", "coreset", "errata", "wasm")
_RENAMED: dict[str, Deprecation] = {}  # old name -> Deprecation("sampler.old", "sampler.new", release without it)


def __getattr__(name: str) -> object:
    """Return a subpackage or a public name of one; raise an AttributeError that lists the subpackages otherwise."""
    if name in _RENAMED:
        _RENAMED[name].warn()
        name = _RENAMED[name].successor.removeprefix("sampler.")
    if name in _ROOMS:
        return importlib.import_module(f"sampler.{name}")
    for room in () if name.startswith("_") else _ROOMS:
        module = importlib.import_module(f"sampler.{room}")
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"sampler has no {name!r}, nor has any of its rooms: {', '.join(_ROOMS)}")
