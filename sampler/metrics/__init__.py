"""Measures of samples and of gradient noise: pure functions of arrays."""

from sampler.metrics.accuracy import marginal_accuracy, negative_log_likelihood, uniform_accuracy
from sampler.metrics.bin_noise import histogram_ess, histogram_ess_from
from sampler.metrics.ceiling import Ceiling, accuracy_ceiling, equivalent_draws, exact_ceiling, sampled_ceiling
from sampler.metrics.diagnostics import Diagnostics, Independence, chain_diagnostics, nested_rhat, successive_correlation
from sampler.metrics.distances import JointDistance, gaussian_wasserstein, joint_total_variation
from sampler.metrics.gradient_variance import (
    GradientVariance,
    gradient_variance,
    lemma_6_2_bound,
    measure_gradient_variance,
    uniform_variance_bound,
)

__all__ = [
    "Ceiling", "Diagnostics", "GradientVariance", "Independence", "JointDistance", "accuracy_ceiling",
    "chain_diagnostics", "equivalent_draws", "exact_ceiling", "gaussian_wasserstein", "gradient_variance", "histogram_ess",
    "histogram_ess_from", "joint_total_variation", "lemma_6_2_bound", "marginal_accuracy", "measure_gradient_variance",
    "negative_log_likelihood", "nested_rhat", "sampled_ceiling", "successive_correlation", "uniform_accuracy",
    "uniform_variance_bound",
]
