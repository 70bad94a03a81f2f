"""Measures of samples and of gradient noise: one pure function of arrays a file."""

from sampler.metrics.accuracy import (
    debiased_accuracy,
    marginal_accuracy,
    total_variation_marginals,
    uniform_accuracy,
)
from sampler.metrics.ceiling import Ceiling, accuracy_ceiling, equivalent_draws, exact_ceiling, sampled_ceiling
from sampler.metrics.diagnostics import Diagnostics, chain_diagnostics, nested_rhat
from sampler.metrics.gradient_variance import (
    GradientVariance,
    gradient_variance,
    lemma_6_2_bound,
    measure_gradient_variance,
    uniform_variance_bound,
)
from sampler.metrics.histogram_ess import histogram_ess, histogram_ess_from
from sampler.metrics.independence import Independence, successive_correlation
from sampler.metrics.joint_tv import JointDistance, joint_total_variation
from sampler.metrics.predictive import negative_log_likelihood
from sampler.metrics.wasserstein import gaussian_wasserstein

__all__ = [
    "Ceiling", "Diagnostics", "GradientVariance", "Independence", "JointDistance", "accuracy_ceiling",
    "chain_diagnostics", "debiased_accuracy", "equivalent_draws", "exact_ceiling", "gaussian_wasserstein",
    "gradient_variance", "histogram_ess", "histogram_ess_from",
    "joint_total_variation", "lemma_6_2_bound", "marginal_accuracy", "measure_gradient_variance",
    "negative_log_likelihood", "nested_rhat", "sampled_ceiling", "successive_correlation",
    "total_variation_marginals", "uniform_accuracy",
    "uniform_variance_bound",
]
