"""Problems, the posteriors to sample: convex terms f_0, f_1, ..., f_t with the sum F_t define pi_t ~ exp(-F_t)."""

from sampler.problems.gaussian_mean import GaussianAverage, GaussianMean
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression
from sampler.problems.gradient_check import GradientCheck, check_gradient
from sampler.problems.gradient_oracle import GradientOracle, gradient_signature, prior_signature
from sampler.problems.problem_by_name import load_problem
from sampler.problems.student_t_prior import StudentTPrior
from sampler.problems.synthetic_data import Stream, synthetic_logistic, synthetic_stream

__all__ = [
    "GaussianAverage", "GaussianMean", "GradientCheck", "GradientOracle", "LinearRegression", "LogisticRegression",
    "PoissonRegression", "Stream", "StudentTPrior", "check_gradient", "gradient_signature", "load_problem",
    "prior_signature", "synthetic_logistic", "synthetic_stream",
]
