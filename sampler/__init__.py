"""Online sampling from log-concave posteriors, hand-tuned and watched.

A *problem* says what is sampled, *settings* hold the knobs, an *algorithm* runs chains on one stream::

    problem = LogisticRegression(dim=21)                  # what: f_0, f_1, ...
    saga = OnlineSagaLD(problem, Settings(eta0=0.1))      # how: K chains, each with its cache of gradients
    epoch = saga.observe(features, label)                 # one datum, one epoch; epoch.samples ~ pi_t

A *reference* is the truth to compare with, a *metric* says how close the samples are, *theory* says what can be
proved and what eta0 predicts, and a *verdict* puts all of it into words::

    truth = long_chain_reference(saga.posterior)
    marginal_accuracy(epoch.samples, truth.samples), accuracy_ceiling(truth.samples, n=256)
    noise = GradientNoise.of_posterior(saga.posterior, find_mode(saga.posterior))
    predict_accuracy(noise, saga.settings, saga.t).accuracy
    exit_bounds(dim=2, step_size=5e-6, steps=100_000, radius=2.0).sharp

Data flow one way: streams -> problems -> algorithms (-> kernels) -> metrics, theory, reference -> tuning.
"""

# how, on a stream
# how
from sampler.algorithms.cv_uld import CvULD
from sampler.algorithms.langevin import ULA
from sampler.algorithms.laplace import Laplace
from sampler.algorithms.mala import MALA
from sampler.algorithms.offline_records import OfflineDivergenceError, OfflineResult
from sampler.algorithms.offline_saga_ld import OfflineSagaLD, temperature_ladder
from sampler.algorithms.offline_sgld import OfflineSGLD
from sampler.algorithms.online_laplace import OnlineLaplace
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.random_walk import RandomWalkMetropolis
from sampler.algorithms.records import Divergence, DivergenceError, Epoch, StepTrace
from sampler.algorithms.saga_ld import SagaLD
from sampler.algorithms.sgld import SGLD
from sampler.algorithms.svrg_ld import SvrgLD

# how good
from sampler.metrics.accuracy import (
    accuracy_ceiling,
    debiased_accuracy,
    exact_ceiling,
    marginal_accuracy,
    total_variation_marginals,
    uniform_accuracy,
)
from sampler.metrics.diagnostics import chain_diagnostics
from sampler.metrics.gradient_variance import (
    gradient_variance,
    lemma_6_2_bound,
    measure_gradient_variance,
    uniform_variance_bound,
)
from sampler.metrics.independence import successive_correlation
from sampler.metrics.joint_tv import joint_total_variation
from sampler.metrics.predictive import negative_log_likelihood
from sampler.metrics.wasserstein import gaussian_wasserstein
from sampler.problems.check import GradientCheck, check_gradient
from sampler.problems.compiled_oracle import gradient_signature, prior_signature

# what
from sampler.problems.gaussian_average import GaussianAverage
from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression
from sampler.problems.named import load_problem
from sampler.problems.oracle import GradientOracle
from sampler.problems.synthetic import Stream, synthetic_logistic, synthetic_stream

# the truth
from sampler.reference.gaussian import GaussianReference, gaussian_reference
from sampler.reference.grid import GridReference
from sampler.reference.long_chain import long_chain_reference
from sampler.reference.mode import ModeTracker, find_mode
from sampler.reference.oracle_mode import OracleModeTracker
from sampler.reference.sampled import SampleReference
from sampler.reference.tempered import tempered_reference
from sampler.settings import Settings

# from data to production
from sampler.streams.data_stream import DataStream
from sampler.streams.peek import Peek, peek
from sampler.streams.report import StreamReport
from sampler.streams.sources import LARGEST_UPLOAD
from sampler.streams.tabular import Split, Table, read_table, split_table

# what can be proved, and what eta0 predicts
from sampler.theory.assumptions import AssumptionMeter, concentration_constant
from sampler.theory.conditional_variance_bound import batch_noise, conditional_variance_bound
from sampler.theory.decomposition import decompose, pushes_by_distance
from sampler.theory.events import escape_event, is_reset_point, reset_point_event
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.exit_simulation import ExitSimulation
from sampler.theory.exit_targets import flat_target, logistic_target, quadratic_target
from sampler.theory.gaussian_recursions import gaussian_experiment
from sampler.theory.gradient_noise import GradientNoise
from sampler.theory.moving_mode_bound import Leg, moving_mode_bound
from sampler.theory.prediction import largest_stable_eta0, predict_accuracy
from sampler.theory.survival import exit_limits, survival_curve
from sampler.theory.theorem_constants import theorem_constants
from sampler.tuning.advisor import Advice, advise, best_eta0, start_eta0
from sampler.tuning.cell import CellResult
from sampler.tuning.cell_verdict import verdict_of
from sampler.tuning.choosing import best_cell
from sampler.tuning.contestants import CONTESTANTS, Contestant
from sampler.tuning.drift_alarm import DriftAlarm
from sampler.tuning.epoch_cost import EpochCost, epoch_costs, log_log_slope
from sampler.tuning.figure_one import FigureOne, figure_one
from sampler.tuning.forecast import CellForecast, Forecast
from sampler.tuning.gates import GateFailure, Gates
from sampler.tuning.grid import Grid, around, spaced
from sampler.tuning.growth import Growth, growth

# in words
from sampler.tuning.likelihood_race import generated_split, likelihood_race
from sampler.tuning.measured import Measured, Verdict
from sampler.tuning.prequential import Prequential
from sampler.tuning.race_ground import Ground, lay_ground
from sampler.tuning.rehearsal import gates_from, rehearse
from sampler.tuning.replay import Replay, ReplayResult
from sampler.tuning.sampler_race import RaceCurve, race
from sampler.tuning.summaries import JsonLines, ParquetParts
from sampler.tuning.sweep import Sweep, SweepOutcome, SweepProgress
from sampler.tuning.tuned import Tuned, settings_in_python
from sampler.tuning.verdict import judge
from sampler.tuning.wasserstein_race import wasserstein_race
from sampler.tuning.watch import Watch
from sampler.tuning.workers import WorkersLost

__all__ = [
    "Advice", "AssumptionMeter", "CONTESTANTS", "CellForecast", "CellResult", "Contestant", "CvULD", "DataStream",
    "Divergence", "DivergenceError", "DriftAlarm", "Epoch", "EpochCost", "ExitSimulation", "FigureOne", "Forecast",
    "GateFailure", "Gates", "GaussianAverage", "GaussianMean", "GaussianReference", "GradientCheck",
    "GradientNoise", "GradientOracle", "Grid", "GridReference", "Ground", "Growth", "JsonLines", "LARGEST_UPLOAD",
    "Laplace", "Leg", "LinearRegression", "LogisticRegression", "MALA", "Measured", "ModeTracker",
    "OfflineDivergenceError", "OfflineResult", "OfflineSGLD", "OfflineSagaLD", "OnlineLaplace", "OnlineSagaLD",
    "OracleModeTracker", "ParquetParts", "Peek", "PoissonRegression", "PolyaGamma", "PreconditionedSagaLD",
    "Prequential", "RaceCurve", "RandomWalkMetropolis", "Replay", "ReplayResult", "SGLD", "SagaLD",
    "SampleReference", "Settings", "Split", "StepTrace", "Stream", "StreamReport", "SvrgLD", "Sweep",
    "SweepOutcome", "SweepProgress", "Table", "Tuned", "ULA", "Verdict", "Watch", "WorkersLost", "accuracy_ceiling",
    "advise", "around", "batch_noise", "best_cell", "best_eta0", "chain_diagnostics", "check_gradient",
    "concentration_constant", "conditional_variance_bound", "debiased_accuracy", "decompose", "epoch_costs",
    "escape_event", "exact_ceiling", "exit_bounds", "exit_limits", "figure_one", "find_mode", "flat_target",
    "gates_from", "gaussian_experiment", "gaussian_reference", "gaussian_wasserstein", "generated_split",
    "gradient_signature", "gradient_variance", "growth", "is_reset_point", "joint_total_variation", "judge",
    "largest_stable_eta0", "lay_ground", "lemma_6_2_bound", "likelihood_race", "load_problem", "log_log_slope",
    "logistic_target", "long_chain_reference", "marginal_accuracy", "measure_gradient_variance",
    "moving_mode_bound", "negative_log_likelihood", "peek", "predict_accuracy", "prior_signature",
    "pushes_by_distance", "quadratic_target", "race", "read_table", "rehearse", "reset_point_event",
    "settings_in_python", "spaced",
    "split_table", "start_eta0", "successive_correlation", "survival_curve", "synthetic_logistic",
    "synthetic_stream", "temperature_ladder", "tempered_reference", "theorem_constants",
    "total_variation_marginals", "uniform_accuracy", "uniform_variance_bound", "verdict_of", "wasserstein_race",
]
