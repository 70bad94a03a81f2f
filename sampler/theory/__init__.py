"""Bounds proved about the chains and laws predicted from eta0: pure functions of numbers."""

from sampler.theory.anytime_bound import anytime_bound
from sampler.theory.assumptions import AssumptionMeter, concentration_constant, tail_rate
from sampler.theory.conditional_variance_bound import batch_noise, conditional_variance_bound
from sampler.theory.decomposition import decompose, pushes_by_distance
from sampler.theory.epoch_certificate import EpochCertificate, coupling_distance, epoch_certificate
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_process import ExitProcess, exit_process
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target
from sampler.theory.gaussian_complexity import TABLE_1, complexity_exponents, least_steps
from sampler.theory.gaussian_recursions import gaussian_experiment
from sampler.theory.good_events import escape_event, is_reset_point, reset_point_event
from sampler.theory.gradient_noise import GradientNoise
from sampler.theory.hardness import least_share, subset_distance
from sampler.theory.logistic_theorem import LogisticTheorem, logistic_theorem
from sampler.theory.moving_mode_bound import Leg, moving_mode_bound
from sampler.theory.posterior_smoothness import posterior_smoothness
from sampler.theory.prediction import largest_stable_eta0, predict_accuracy
from sampler.theory.survival_curve import exit_limits, survival_curve
from sampler.theory.svrg_corollaries import (
    PrescriptionCheck,
    SvrgPrescription,
    check_prescription,
    prescription_exponents,
    svrg_prescription,
)
from sampler.theory.svrg_theorem import gaussian_promise, svrg_promise
from sampler.theory.theorem_constants import theorem_constants, theorem_rates

__all__ = [
    "AssumptionMeter", "EpochCertificate", "ExitProcess", "ExitSimulation", "GradientNoise", "Leg", "LogisticTheorem",
    "PrescriptionCheck", "SvrgPrescription", "TABLE_1", "anytime_bound", "batch_noise", "check_prescription",
    "complexity_exponents", "concentration_constant", "conditional_variance_bound", "coupling_distance", "decompose",
    "epoch_certificate", "escape_event", "exit_bounds", "exit_limits", "exit_process", "flat_target", "gaussian_experiment",
    "gaussian_promise", "is_reset_point", "largest_stable_eta0", "least_share", "least_steps", "logistic_target",
    "logistic_theorem", "moving_mode_bound", "posterior_smoothness", "predict_accuracy", "prescription_exponents",
    "pushes_by_distance", "quadratic_target", "reset_point_event", "subset_distance", "survival_curve",
    "svrg_prescription", "svrg_promise", "tail_rate", "theorem_constants", "theorem_rates",
]
