"""One valid call of every public name with input; omitted names are listed with the reason."""

import numpy as np

import sampler
from sampler import coreset, metrics, problems, production, racing, reference, streams, theory, tuning

RNG = np.random.default_rng(1)
N, D = 12, 2
ROWS, LABELS = RNG.normal(size=(N, D)), (RNG.random(N) > 0.5) * 1.0
DRAWS = RNG.normal(size=(40, D))
CHAINS = RNG.normal(size=(4, 40, D))
IDENTITY, ZEROS = np.eye(D), np.zeros(D)
HALF = np.full(N, 0.5)
PROBLEM = problems.LogisticRegression(D)
POSTERIOR = PROBLEM.posterior(ROWS, LABELS)
EXPERIMENT = theory.gaussian_experiment(40, 3)
TRACE = theory.ExitSimulation(theory.flat_target(2), 0.01, 50, 5.0, chains=2).record(0)
NOISE = theory.GradientNoise(2 * IDENTITY, rows=ROWS, curvatures=np.full(N, 0.25), likelihood_hessian=IDENTITY)
FORECAST = tuning.Forecast(PROBLEM, ROWS, LABELS)
CELL = tuning.CellResult(0.1, 10, 9, 20.0, 0, 12, 0.9, 0.95, 0.01, 1.0, 0.1, 3.0, 0.0, 0.0, 5.0, 0.1)
GAUSSIAN = coreset.GaussianLocation(ROWS)


def oracle(indices, theta):
    return ROWS[indices] * (ROWS[indices] @ theta)[:, None]


def of(function, **arguments):
    return function, arguments


def by_name(*calls):
    return {function.__name__: (function, arguments) for function, arguments in calls}


GLM = dict(dim=D, prior_precision=1.0)
ONLINE = dict(problem=PROBLEM, settings=sampler.Settings(i_max=4, batch_size=9), chains=2, seed=0, start=ZEROS, threads=1)
SVRG = dict(steps=1000, step_size=1e-3, dim=4, n=500, smoothness=2.0, strong_convexity=0.5, hessian_lipschitz=0.1,
            variance=1.5, batch_size=1, anchor_batch=100, anchor_every=20, wasserstein=3.0)
CONSTANTS = dict(horizon=100, epsilon=0.1, dim=2, smoothness=1.0, concentration=1.0, drift=1.0, amplitude=1.0)
WALK = dict(dim=2, step_size=0.01, steps=50, radius=2.0, start=0.5)

CALLS = by_name(
    of(sampler.Settings, eta0=0.1, batch_size=64, i_max=1000, acceptance_radius=100.0, offset=2.0, reset=True),
    of(problems.GaussianAverage, curvatures=np.array([1.0, 2.0])),
    of(problems.GaussianMean, dim=2),
    of(problems.GradientOracle, gradients=oracle, dim=2, prior_gradient=None),
    of(problems.LinearRegression, **GLM, noise_std=1.0),
    of(problems.LogisticRegression, **GLM),
    of(problems.PoissonRegression, **GLM),
    of(problems.StudentTPrior, dim=2, df=3.0, scale=2.5),
    of(problems.check_gradient, problem=problems.GradientOracle(oracle, D), terms=3, scale=1.0, tolerance=1e-4, seed=0),
    of(problems.load_problem, name="tests.fuzz.calls:PROBLEM"),
    of(problems.synthetic_logistic, horizon=10, dim=3, sparsity=1.0, seed=0),
    of(problems.synthetic_stream, kind="logistic", dim=2, stream="paper", horizon=10, seed=0),
    of(sampler.Predictive, draws=DRAWS, problem=PROBLEM, reading=None),
    # algorithms
    of(sampler.CvULD, step_size=0.1, batch_size=1, anchor_batch=3, anchor_every=2, friction=2.0, inverse_mass=1.0),
    of(sampler.OfflineSGLD, step_size=0.1, batch_size=1),
    of(sampler.OfflineSagaLD, eta0=0.1, batch_size=64, i_max=100),
    of(sampler.SagaLD, step_size=0.1, batch_size=1),
    of(sampler.SvrgLD, step_size=0.1, batch_size=1, anchor_batch=3, anchor_every=2, store_anchor=False),
    of(sampler.stream_algorithm, name="laplace"),
    of(sampler.online_algorithm, name="saga-ld"),
    of(sampler.temperature_ladder, terms=100),
    of(sampler.use_threads, threads=1),
    *(of(getattr(sampler, name), **ONLINE)
      for name in ("OnlineSagaLD", "PreconditionedSagaLD", "OnlineLaplace", "SGLD", "ULA", "MALA", "Laplace", "PolyaGamma",
                   "RandomWalkMetropolis", "RecursiveVGA", "CvSGLD", "ZigZag")),
    of(sampler.SubsampledMetropolis, **ONLINE, scale=1.5),
    of(sampler.IBIS, **ONLINE, walk=16),
    of(sampler.WarmLaplace, **ONLINE, refit=0.05),
    # metrics
    of(metrics.accuracy_ceiling, reference=DRAWS, n=20),
    of(metrics.chain_diagnostics, draws=CHAINS),
    of(metrics.equivalent_draws, sizes=np.array([10.0, 20.0])),
    of(metrics.exact_ceiling, n=20, dim=2, reference_draws=100),
    of(metrics.gaussian_wasserstein, mean=ZEROS, covariance=IDENTITY, other_mean=ZEROS, other_covariance=2 * IDENTITY),
    of(metrics.gradient_variance, fresh=ROWS, cached=ROWS + 1, batch_size=3),
    of(metrics.histogram_ess, draws=CHAINS),
    of(metrics.histogram_ess_from, ess=np.array([10.0, 20.0]), draws=40),
    of(metrics.joint_total_variation, samples=DRAWS, x=np.linspace(-3, 3, 20), y=np.linspace(-3, 3, 20),
       density=np.ones((20, 20)), bins=4),
    of(metrics.lemma_6_2_bound, curvature_bound=0.25, row_norms=np.ones(N), scores=HALF, anchor_scores=HALF + 1,
       batch_size=3),
    of(metrics.marginal_accuracy, samples=DRAWS, reference=DRAWS + 0.1),
    of(metrics.measure_gradient_variance, posterior=POSTERIOR, theta=ZEROS, batch_size=3, anchor_scores=HALF, seed=0,
       max_rows=100, metric=IDENTITY),
    of(metrics.negative_log_likelihood, problem=PROBLEM, features=ROWS, labels=LABELS, theta=DRAWS),
    of(metrics.nested_rhat, draws=CHAINS, segments=2),
    of(metrics.sampled_ceiling, reference=DRAWS, n=20),
    of(metrics.successive_correlation, previous=DRAWS, current=DRAWS + 1),
    of(metrics.uniform_accuracy, uniforms=RNG.random((40, D))),
    of(metrics.uniform_variance_bound, t=10, smoothness=1.0, radius=2.0, drift=1.0, batch_size=3),
    # reference
    of(reference.GaussianReference, mean=ZEROS, covariance=IDENTITY, t=3, exact=True),
    of(reference.GridReference, problem=PROBLEM, size=41),
    of(reference.ModeTracker, problem=PROBLEM),
    of(reference.OracleModeTracker, problem=problems.GradientOracle(oracle, D)),
    of(reference.SampleReference, samples=DRAWS, t=3, ess=np.full(D, 30.0), rhat=np.ones(D)),
    of(reference.find_mode, posterior=POSTERIOR, start=ZEROS, iterations=100, tolerance=1e-10),
    of(reference.gaussian_reference, posterior=problems.GaussianMean(D).posterior(ROWS)),
    of(reference.long_chain_reference, posterior=POSTERIOR, draws=100, seed=0, warm_start=ZEROS, method="auto",
       threads=1),
    of(reference.tempered_reference, posterior=POSTERIOR, beta=0.5, draws=100, seed=0),
    # theory
    of(theory.AssumptionMeter, curvature_bound=0.25, offset=1.0),
    of(theory.ExitSimulation, target=theory.flat_target(2), step_size=0.01, steps=20, radius=2.0, start=0.0, chains=3,
       noise_bound=0.0, noise="sphere", seed=0, walk_free=True, walk_curvature=0.0, paths=2, path_points=5,
       push_bins=3, threads=1),
    of(theory.GradientNoise, hessian=2 * IDENTITY, rows=ROWS, curvatures=np.full(N, 0.25), likelihood_hessian=IDENTITY),
    of(theory.Leg, step_size=0.01, steps=10, radius=2.0, shift=0.1, noise_bound=0.1, smoothness=1.0, strong_convexity=0.5,
       acceptance=1.0),
    of(theory.anytime_bound, dim=2, legs=[theory.Leg(0.01, 10, 2.0)], start=0.0),
    of(theory.batch_noise, fresh=ROWS, cached=ROWS + 1, batch_size=3),
    of(theory.complexity_exponents, sampler="SGLD", epsilon=0.001, kappa=10.0, dim=10, sigma=3.0),
    of(theory.concentration_constant, t=10, offset=1.0, covariance=IDENTITY, mean=ZEROS, mode=ZEROS),
    of(theory.conditional_variance_bound, **WALK, batch_size=3, variance_trace=1.0, variance_max=1.0, increment_bound=1.0,
       strong_convexity=0.5, smoothness=1.0, sbar="best"),
    of(theory.coupling_distance, start=DRAWS, mean=ZEROS, covariance=IDENTITY),
    of(theory.decompose, trace=TRACE, centre=ZEROS, gradient=np.zeros((50, 2))),
    of(theory.epoch_certificate, dim=2, step_size=0.01, i_max=50, wasserstein=0.1, variance=0.1, smoothness=1.0,
       exit_probability=0.01, random_length=True),
    of(theory.escape_event, farthest=np.ones((2, 3)), epochs=np.array([1, 2]), escape_radius=2.0, offset=1.0),
    of(theory.exit_bounds, **WALK, noise_bound=0.1, smoothness=1.0, strong_convexity=0.5, truncation=5.0),
    of(theory.bowl_levels, away=[[1.0, 0.5]], precision=[1.0, 2.0]),
    of(theory.exit_limits, exits=3, chains=10, level=0.95),
    of(theory.exit_process, **WALK, at_steps=[1, 10, 50], noise_bound=0.1, smoothness=1.0, strong_convexity=0.5),
    of(theory.flat_target, dim=2),
    of(theory.gaussian_experiment, n=20, dim=3, seed=1),
    of(theory.gaussian_promise, experiment=EXPERIMENT, sampler=sampler.SvrgLD(1e-3, 1, 10, 4), passes=2.0),
    of(theory.is_reset_point, epochs=np.array([1, 2, 3])),
    of(theory.least_share, epsilon=0.1),
    of(theory.least_steps, epsilon=0.1, kappa=10.0, dim=2, sigma=1.0, batch_size=1),
    of(theory.logistic_target, features=ROWS, labels=LABELS, prior_precision=1.0),
    of(theory.logistic_theorem, features=ROWS, labels=LABELS, truth=ZEROS, prior_precision=1.0, epsilon=0.1),
    of(theory.moving_mode_bound, dim=2, legs=[theory.Leg(0.01, 10, 2.0)], start=0.0, resets=False),
    of(theory.posterior_smoothness, posterior=POSTERIOR, metric=IDENTITY),
    of(theory.predict_accuracy, noise=NOISE, settings=sampler.Settings(), t=10, start=DRAWS, draws=100,
       reference_draws=100),
    of(theory.prescription_exponents, epsilon=0.1, kappa=10.0, dim=2, sigma=1.0, n=100),
    of(theory.quadratic_target, curvature=np.array([1.0, 2.0]), dim=2),
    of(theory.reset_point_event, distances=np.ones((2, 3)), epochs=np.array([1, 2]), reset_radius=2.0, offset=1.0),
    of(theory.subset_distance, share=0.5),
    of(theory.survival_curve, exit_steps=np.array([3.0, np.inf, 7.0]), at_steps=np.array([1, 5, 9]), level=0.95),
    of(theory.svrg_prescription, epsilon=0.1, dim=2, n=100, smoothness=2.0, strong_convexity=0.5, sigma=1.0,
       wasserstein=1.0, hessian_lipschitz=0.1, batch_size=1),
    of(theory.svrg_promise, **SVRG),
    of(theory.tail_rate, t=10, offset=1.0, covariance=IDENTITY, amplitude=2.7),
    of(theory.theorem_constants, **CONSTANTS),
    of(theory.theorem_rates, **CONSTANTS),
    # tuning
    of(tuning.AlgorithmSettings, algorithm="saga-ld", eta0=0.1, batch_size=64, i_max=1000, acceptance_radius=100.0,
       offset=2.0, variance_reduction=True),
    of(tuning.Forecast, problem=PROBLEM, features=ROWS, labels=LABELS),
    of(tuning.Grid, eta0=(0.1, 1.0), i_max=(4, 8), batch_size=(4,), acceptance_radius=(20.0,), algorithm="saga-ld"),
    of(tuning.Sweep, problem=PROBLEM, features=np.tile(ROWS, (2, 1)), labels=np.tile(LABELS, 2), chains=4, seed=0,
       name="sweep", workers=0, sampler="grid", trials=2, prune=True, reference="auto", escape_radius=2.0, parallel=1),
    of(tuning.advise, forecast=FORECAST, settings=sampler.Settings()),
    of(tuning.algorithm_of, what=sampler.Settings()),
    of(tuning.around, value=3.0, factors=(0.5, 1.0), whole=False),
    of(tuning.best_cell, cells=[CELL], last_rung=0, chains=4.0, dim=2, reference_draws=100),
    of(tuning.settings_of, cell=CELL, base=sampler.Settings()),
    of(tuning.core_seconds, settings=sampler.Settings(), dim=2, rows=10, chains=4),
    of(tuning.cost, settings=sampler.Settings()),
    of(tuning.forecast_grid, forecast=FORECAST, grid=tuning.Grid((0.1,), (4,), (9,), (20.0,)),
       settings=sampler.Settings(), draws=64),
    of(tuning.forecast_of, algorithm="saga-ld", plain=FORECAST),
    of(tuning.limit_words, name="width", limit=0.14),
    of(tuning.judge, measured=tuning.Measurements(sampler.Settings(), 10, 4, 10)),
    of(tuning.key_of, what=CELL),
    of(tuning.spaced, low=0.1, high=1.0, count=3, whole=False),
    of(tuning.sweep_evidence, settings=sampler.Settings(), chains=4, rows=12, advice=tuning.advise(FORECAST),
       forecast=tuning.advise(FORECAST).forecast, cell=CELL, tried=1, ended="", reference_draws=100, dim=2),
    of(tuning.trial_order, forecasts={}),
    of(tuning.verdict_of, cell=CELL, settings=sampler.Settings(), chains=4, reference_draws=100, dim=2),
    of(tuning.with_algorithm, settings=sampler.Settings(), algorithm="saga-ld"),
    # racing
    of(racing.from_setup, kind=sampler.ULA, step=len),
    of(racing.generated_split, n=20, dim=3, seed=0, train=0.75),
    of(racing.log_log_slope, x=np.array([1.0, 2.0, 4.0]), y=np.array([1.0, 2.0, 5.0])),
    of(racing.paper_split, name="pima", seed=0),
    # production
    of(production.DriftAlarm, false_alarm=0.001),
    of(production.Gates, divergence=True, max_rhat=1.1, max_lag=1.0, max_reset_rate=0.5, drift=False, warm_up=20),
    of(production.MetricsEndpoint, port=0),
    of(production.Prequential, problem=PROBLEM, window=100),
    of(production.Tuned, settings=sampler.Settings(), chains=4, seed=0, algorithm="saga-ld", evidence={},
       gates=production.Gates()),
    of(production.Watch, problem=PROBLEM, gates=production.Gates(), chains=4, offset=1.0),
    of(production.failed_verdict, gates=production.Gates(), evidence={}),
    of(production.settings_in_python, settings=sampler.Settings()),
    # streams
    of(streams.SqlQuery, database="no.db", query="select a from b", key="a"),
    of(streams.split_table, table=streams.Table(ROWS, LABELS, ("a", "b"), "here"), train=0.75, seed=0, standardize=True),
    of(streams.split_tables, train=streams.Table(ROWS, LABELS, ("a", "b"), "here"),
       test=streams.Table(ROWS, LABELS, ("a", "b"), "there"), standardize=True, intercept=True),
    of(streams.spread_ratio, features=ROWS),
    # coreset
    of(coreset.Adam, rate=1.0, schedule="sqrt", beta1=0.9, beta2=0.999, epsilon=1e-8),
    of(coreset.BradleyTerry, home=np.array([0, 1, 2]), visitor=np.array([1, 2, 0]), wins=np.array([1.0, 0.0, 1.0]),
       teams=3),
    of(coreset.CauchyLogistic, features=ROWS, labels=LABELS, intercept=True),
    of(coreset.Coreset, model=GAUSSIAN, indices=np.arange(3), weights=np.ones(3)),
    of(coreset.CoresetMCMC, model=GAUSSIAN, size=3, chains=2, subsample=3, hot_start=True, start="default", seed=0),
    of(coreset.CustomModel, log_likelihood=len, log_prior=len, n=10, dim=2),
    of(coreset.DAdaptation, d0=1e-6),
    of(coreset.DoG, r=0.001),
    of(coreset.DoWG, r=0.001),
    of(coreset.GaussianKernel, memory=0.5),
    of(coreset.GaussianLocation, observations=ROWS),
    of(coreset.HotDoG, r=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, floor=False),
    of(coreset.HotStart, threshold=0.5, every=30, first=30, cap=100),
    of(coreset.LinearLogVariance, features=ROWS, labels=LABELS, intercept=True),
    of(coreset.Prodigy, d0=1e-6, cosine_period=10, beta1=0.9, beta2=0.999, epsilon=1e-8),
    of(coreset.RepeatedPoints, points=ROWS[:2], copies=(3, 2)),
    of(coreset.SliceSampler, width=10.0, doublings=20, directions=3),
    of(coreset.SoftplusPoisson, features=ROWS, labels=LABELS, intercept=True),
    of(coreset.SparseRegression, features=ROWS, labels=LABELS, nu=0.1, scale=1.0, share=0.1, spike=0.1, slab=1.0),
    of(coreset.gaussian_floor, n=10, subsample=3, dim=2, iterations=np.array([1.0, 2.0])),
    of(coreset.hot_start_statistic, log_potentials=DRAWS),
    of(coreset.hot_start_test, log_potentials=DRAWS, threshold=0.5),
)

EXPENSIVE = by_name(
    of(theory.check_prescription, experiment=EXPERIMENT, epsilon=0.5),
    of(streams.DataStream, source=[{"a": 1.0, "y": 1.0}], response="y", model="linear", intercept=True, scale=False,
       settle=10, decimal="."),
    of(production.ClusterChains, problem=PROBLEM, settings=sampler.Settings(), chains=4, client="tcp://x", seed=0,
       timeout=1.0),
    of(production.Replay, problem=PROBLEM, settings=sampler.Settings(), batches=[], chains=4, seed=0, every=10,
       seconds=1.0, goes_on=False, expect=3, threads=1),
    of(racing.epoch_costs, problem=PROBLEM, data=(ROWS, LABELS), steps={"ula": 3}, settings=sampler.Settings(), at=[3],
       seed=0, work=10.0),
    of(racing.figure_one, steps=10, seeds=1, reruns=2),
    of(racing.growth, make=str, sizes=[4, 8], settings=sampler.Settings(), chains=4, seed=0, work=10.0),
    of(racing.likelihood_race, split=racing.generated_split(20, 2), samplers={"a": sampler.SagaLD(0.01)}, passes=1.0,
       chains=2, seed=0, average="path", prior_precision=1.0),
    of(racing.prepare_race, problem=PROBLEM, data=(ROWS, LABELS), settings=sampler.Settings(), chains=4, seed=0, draws=100,
       warm_steps=2),
    of(racing.race, setup=None, keys=["ula"], evaluations=10.0, work=10.0),
    of(production.rehearse, problem=PROBLEM, settings=sampler.Settings(), features=ROWS, labels=LABELS, chains=4, seed=0,
       every=10),
    of(coreset.run_side_by_side, specifications=[], iterations=3, threads=1),
    of(racing.wasserstein_race, experiment=EXPERIMENT, samplers={"a": sampler.SagaLD(0.01)}, passes=[1.0], seed=0,
       chains=0),
    of(tuning.advised_runs, problem=PROBLEM, features=ROWS, labels=LABELS,
       settings=sampler.Settings(i_max=4, batch_size=9), chains=4, seed=0),
    of(coreset.weight_convergence, model=coreset.RepeatedPoints(ROWS[:2], (3, 2)), iterations=3, seeds=1, chains=2,
       subsample=2),
)
"""Calls that would run long: only invalid arguments are substituted."""


RECORDS = {"GradientCheck", "Stream", "Divergence", "Epoch", "OfflineResult", "StepTrace", "Ceiling", "Diagnostics",
           "GradientVariance", "Independence", "JointDistance", "EpochCertificate", "ExitProcess", "LogisticTheorem",
           "PrescriptionCheck", "SvrgPrescription", "Advice", "CellForecast", "CellKey", "CellResult", "SweepOutcome",
           "SweepProgress", "Verdict", "Contestant", "Curves", "EpochCost", "FigureOne", "Growth", "LikelihoodCurve",
           "PaperData", "RaceCurve", "RaceSetup", "WassersteinCurve", "GateFailure", "ReplayResult", "Peek", "Split",
           "StreamReport", "CoresetRun", "Truth", "WeightConvergence", "Counterexample", "Erratum", "Table",
           "AdvisedRuns", "FirstRun", "Measurements", "PredictiveDistribution", "RowReading", "Reference"}
"""Result records: checked in calls of the functions that take them."""
OMITTED = {"peek": "files", "levels": "files", "check_upload": "files", "load_predictive": "a path alone",
             "likely_response": "names of a file's columns", "read_table": "files", "JsonLines": "a path alone",
             "ParquetParts": "a path alone", "gates_from": "a result alone", "stream_evidence": "a result alone",
             "over_seeds": "results alone", "GibbsSampler": "no arguments", "Untrained": "no arguments"}
"""Names that take files (see `test_files`) or only a result."""
MAY_BE_NAN = {"chain_diagnostics": "a constant coordinate", "nested_rhat": "a constant coordinate",
              "successive_correlation": "a constant coordinate",
              "wasserstein_race": "the floor without chains",
              "best_cell": "a cell without its widths",
              "check_gradient": "a gradient that is not finite"}
"""Functions that may return NaN, with the case."""
