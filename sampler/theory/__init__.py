"""Theory: bounds on exit probability and distance to the posterior, and accuracy predicted from eta0."""

from sampler.theory.accuracy_prediction import predict_accuracy
from sampler.theory.anytime_bound import ExitProcess, anytime_bound, exit_process
from sampler.theory.assumptions import AssumptionMeter, concentration_constant, posterior_smoothness, tail_rate
from sampler.theory.conditional_variance_bound import batch_noise, conditional_variance_bound
from sampler.theory.decomposition import decompose
from sampler.theory.epoch_certificate import EpochCertificate, coupling_distance, epoch_certificate
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import ExitSimulation, bowl_levels, exit_limits, survival_curve
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target
from sampler.theory.gaussian_complexity import TABLE_1, complexity_exponents, least_steps
from sampler.theory.gaussian_recursions import gaussian_experiment
from sampler.theory.good_events import escape_event, is_reset_point, reset_point_event
from sampler.theory.gradient_noise import GradientNoise
from sampler.theory.moving_mode_bound import Leg, moving_mode_bound
from sampler.theory.svrg_theorem import (
    PrescriptionCheck,
    SvrgPrescription,
    check_prescription,
    gaussian_promise,
    prescription_exponents,
    svrg_prescription,
    svrg_promise,
)
from sampler.theory.theorem_constants import (
    LogisticTheorem,
    least_share,
    logistic_theorem,
    subset_distance,
    theorem_constants,
    theorem_rates,
)

__all__ = [
    "AssumptionMeter", "EpochCertificate", "ExitProcess", "ExitSimulation", "GradientNoise", "Leg", "LogisticTheorem",
    "PrescriptionCheck", "SvrgPrescription", "TABLE_1", "anytime_bound", "batch_noise", "bowl_levels", "check_prescription",
    "complexity_exponents", "concentration_constant", "conditional_variance_bound", "coupling_distance", "decompose",
    "epoch_certificate", "escape_event", "exit_bounds", "exit_limits", "exit_process", "flat_target", "gaussian_experiment",
    "gaussian_promise", "is_reset_point", "least_share", "least_steps", "logistic_target", "logistic_theorem",
    "moving_mode_bound", "posterior_smoothness", "predict_accuracy", "prescription_exponents", "quadratic_target",
    "reset_point_event", "subset_distance", "survival_curve", "svrg_prescription", "svrg_promise", "tail_rate",
    "theorem_constants", "theorem_rates",
]
