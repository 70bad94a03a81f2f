"""One valid call of every public name that takes input; what is left out is said, with the reason."""

from functools import cache

import numpy as np

import sampler
from sampler import coreset, metrics, problems, production, racing, reference, streams, theory, tuning

ROOMS = ("problems", "algorithms", "metrics", "reference", "theory", "tuning", "racing", "production", "streams",
         "coreset",
         "errata")
RNG = np.random.default_rng(1)
N, D = 12, 2
ROWS, LABELS = RNG.normal(size=(N, D)), (RNG.random(N) > 0.5) * 1.0
DRAWS = RNG.normal(size=(40, D))
CHAINS = RNG.normal(size=(4, 40, D))
IDENTITY, ZEROS = np.eye(D), np.zeros(D)
HALF, STEPS = np.full(N, 0.5), np.arange(1, N + 1)


@cache
def posterior():
    return problems.LogisticRegression(D).posterior(ROWS, LABELS)


@cache
def experiment():
    return theory.gaussian_experiment(40, 3)


@cache
def trace():
    return theory.ExitSimulation(theory.flat_target(2), 0.01, 50, 5.0, chains=2).record(0)


@cache
def noise():
    return theory.GradientNoise(2 * IDENTITY, rows=ROWS, curvatures=np.full(N, 0.25), likelihood_hessian=IDENTITY)


@cache
def plane():
    return reference.gaussian_reference(problems.GaussianMean(D).posterior(ROWS))


@cache
def forecast():
    return tuning.Forecast(problems.LogisticRegression(D), ROWS, LABELS)


@cache
def cell():
    return tuning.CellResult(0.1, 10, 9, 20.0, 0, 12, 0.9, 0.95, 0.01, 1.0, 0.1, 3.0, 0.0, 0.0, 5.0, 0.1)


PROBLEM = problems.LogisticRegression(D)


@cache
def gaussian():
    return coreset.GaussianLocation(ROWS)


def oracle(indices, theta):
    return ROWS[indices] * (ROWS[indices] @ theta)[:, None]


def of(function, **arguments):
    """A call: its function and its valid arguments."""
    return function, arguments


GLM = dict(dim=D, prior_precision=1.0)
ONLINE = dict(settings=sampler.Settings(i_max=4, batch_size=9), chains=2, seed=0)
SVRG = dict(steps=1000, step_size=1e-3, dim=4, n=500, smoothness=2.0, strong_convexity=0.5, hessian_lipschitz=0.1,
            variance=1.5,
            batch_size=1, anchor_batch=100, anchor_every=20, wasserstein=3.0)
CONSTANTS = dict(horizon=100, epsilon=0.1, dim=2, smoothness=1.0, concentration=1.0, drift=1.0, amplitude=1.0)
WALK = dict(dim=2, step_size=0.01, steps=50, radius=2.0, start=0.5)

CALLS = {
    "Settings": of(sampler.Settings, eta0=0.1, batch_size=64, i_max=1000, acceptance_radius=100.0, offset=2.0,
                   reset=True),
    "GaussianAverage": of(problems.GaussianAverage, curvatures=np.array([1.0, 2.0])),
    "GaussianMean": of(problems.GaussianMean, dim=2),
    "GradientOracle": of(problems.GradientOracle, gradients=oracle, dim=2, prior_gradient=None),
    "LinearRegression": of(problems.LinearRegression, **GLM, noise_std=1.0),
    "LogisticRegression": of(problems.LogisticRegression, **GLM),
    "PoissonRegression": of(problems.PoissonRegression, **GLM),
    "check_gradient": of(problems.check_gradient, problem=problems.GradientOracle(oracle, D), terms=3, scale=1.0,
                         tolerance=1e-4, seed=0),
    "load_problem": of(problems.load_problem, name="tests.fuzz.calls:PROBLEM"),
    "synthetic_logistic": of(problems.synthetic_logistic, horizon=10, dim=3, sparsity=1.0, seed=0),
    "synthetic_stream": of(problems.synthetic_stream, kind="logistic", dim=2, stream="paper", horizon=10, seed=0),
    # algorithms
    "CvULD": of(sampler.CvULD, step_size=0.1, batch_size=1, anchor_batch=3, anchor_every=2, friction=2.0,
                inverse_mass=1.0),
    "OfflineSGLD": of(sampler.OfflineSGLD, step_size=0.1, batch_size=1),
    "OfflineSagaLD": of(sampler.OfflineSagaLD, eta0=0.1, batch_size=64, i_max=100),
    "SagaLD": of(sampler.SagaLD, step_size=0.1, batch_size=1),
    "SvrgLD": of(sampler.SvrgLD, step_size=0.1, batch_size=1, anchor_batch=3, anchor_every=2, store_anchor=False),
    "online_algorithm": of(sampler.online_algorithm, name="saga-ld"),
    "temperature_ladder": of(sampler.temperature_ladder, terms=100),
    "use_threads": of(sampler.use_threads, threads=1),
} | {
    name: of(getattr(sampler, name), problem=problems.LogisticRegression(D), **ONLINE, start=ZEROS, threads=1)
    for name in ("OnlineSagaLD", "PreconditionedSagaLD", "OnlineLaplace", "SGLD", "ULA", "MALA", "Laplace",
                 "PolyaGamma",
                 "RandomWalkMetropolis")
} | {
    # metrics
    "accuracy_ceiling": of(metrics.accuracy_ceiling, reference=DRAWS, n=20),
    "chain_diagnostics": of(metrics.chain_diagnostics, draws=CHAINS),
    "debiased_accuracy": of(metrics.debiased_accuracy, accuracy=0.9, ceiling=0.95),
    "equivalent_draws": of(metrics.equivalent_draws, sizes=np.array([10.0, 20.0])),
    "exact_ceiling": of(metrics.exact_ceiling, n=20, dim=2, reference_draws=100),
    "gaussian_wasserstein": of(metrics.gaussian_wasserstein, mean=ZEROS, covariance=IDENTITY, other_mean=ZEROS,
                               other_covariance=2 * IDENTITY),
    "gradient_variance": of(metrics.gradient_variance, fresh=ROWS, cached=ROWS + 1, batch_size=3),
    "histogram_ess": of(metrics.histogram_ess, draws=CHAINS),
    "histogram_ess_from": of(metrics.histogram_ess_from, ess=np.array([10.0, 20.0]), draws=40),
    "joint_total_variation": of(metrics.joint_total_variation, samples=DRAWS, x=np.linspace(-3, 3, 20),
                                y=np.linspace(-3, 3, 20),
                                density=np.ones((20, 20)), bins=4),
    "lemma_6_2_bound": of(metrics.lemma_6_2_bound, curvature_bound=0.25, row_norms=np.ones(N), scores=HALF,
                          anchor_scores=HALF + 1,
                          batch_size=3),
    "marginal_accuracy": of(metrics.marginal_accuracy, samples=DRAWS, reference=DRAWS + 0.1),
    "measure_gradient_variance": of(metrics.measure_gradient_variance, posterior=posterior(), theta=ZEROS, batch_size=3,
                                    anchor_scores=HALF, seed=0, max_rows=100, metric=IDENTITY),
    "negative_log_likelihood": of(metrics.negative_log_likelihood, problem=problems.LogisticRegression(D),
                                  features=ROWS, labels=LABELS,
                                  theta=DRAWS),
    "nested_rhat": of(metrics.nested_rhat, draws=CHAINS, segments=2),
    "sampled_ceiling": of(metrics.sampled_ceiling, reference=DRAWS, n=20),
    "successive_correlation": of(metrics.successive_correlation, previous=DRAWS, current=DRAWS + 1),
    "total_variation_marginals": of(metrics.total_variation_marginals, uniforms=RNG.random((40, D))),
    "uniform_accuracy": of(metrics.uniform_accuracy, uniforms=RNG.random((40, D))),
    "uniform_variance_bound": of(metrics.uniform_variance_bound, t=10, smoothness=1.0, radius=2.0, drift=1.0,
                                 batch_size=3),
    # reference
    "GaussianReference": of(reference.GaussianReference, mean=ZEROS, covariance=IDENTITY, t=3, exact=True),
    "GridReference": of(reference.GridReference, problem=problems.LogisticRegression(D), size=41),
    "ModeTracker": of(reference.ModeTracker, problem=problems.LogisticRegression(D)),
    "OracleModeTracker": of(reference.OracleModeTracker, problem=problems.GradientOracle(oracle, D)),
    "SampleReference": of(reference.SampleReference, samples=DRAWS, t=3, ess=np.full(D, 30.0), rhat=np.ones(D)),
    "find_mode": of(reference.find_mode, posterior=posterior(), start=ZEROS, iterations=100),
    "gaussian_reference": of(reference.gaussian_reference, posterior=problems.GaussianMean(D).posterior(ROWS)),
    "long_chain_reference": of(reference.long_chain_reference, posterior=posterior(), draws=100, seed=0,
                               warm_start=ZEROS, method="auto",
                               thin=1, threads=1),
    "tempered_reference": of(reference.tempered_reference, posterior=posterior(), beta=0.5, draws=100, seed=0),
    # theory
    "AssumptionMeter": of(theory.AssumptionMeter, curvature_bound=0.25, offset=1.0),
    "ExitSimulation": of(theory.ExitSimulation, target=theory.flat_target(2), step_size=0.01, steps=20, radius=2.0,
                         start=0.0, chains=3,
                         noise_bound=0.0, noise="sphere", seed=0, walk_curvature=0.0, paths=2, path_points=5,
                         push_bins=3, threads=1),
    "GradientNoise": of(theory.GradientNoise, hessian=2 * IDENTITY, rows=ROWS, curvatures=np.full(N, 0.25),
                        likelihood_hessian=IDENTITY),
    "anytime_bound": of(theory.anytime_bound, dim=2, legs=[theory.Leg(0.01, 10, 2.0)], start=0.0),
    "batch_noise": of(theory.batch_noise, fresh=ROWS, cached=ROWS + 1, batch_size=3),
    "complexity_exponents": of(theory.complexity_exponents, sampler="SGLD", epsilon=0.001, kappa=10.0, dim=10,
                               sigma=3.0),
    "concentration_constant": of(theory.concentration_constant, t=10, offset=1.0, covariance=IDENTITY, mean=ZEROS,
                                 mode=ZEROS),
    "conditional_variance_bound": of(theory.conditional_variance_bound, **WALK, batch_size=3, variance_trace=1.0,
                                     variance_max=1.0,
                                     increment_bound=1.0, strong_convexity=0.5, smoothness=1.0, sbar="best",
                                     added_failure=0.01),
    "coupling_distance": of(theory.coupling_distance, start=DRAWS, mean=ZEROS, covariance=IDENTITY),
    "decompose": of(theory.decompose, trace=trace(), centre=ZEROS, gradient=np.zeros((50, 2))),
    "epoch_certificate": of(theory.epoch_certificate, dim=2, step_size=0.01, i_max=50, wasserstein=0.1, variance=0.1,
                            smoothness=1.0,
                            exit_probability=0.01, random_length=True),
    "escape_event": of(theory.escape_event, farthest=np.ones((2, 3)), epochs=np.array([1, 2]), escape_radius=2.0,
                       offset=1.0),
    "exit_bounds": of(theory.exit_bounds, **WALK, noise_bound=0.1, smoothness=1.0, strong_convexity=0.5,
                      truncation=5.0),
    "exit_limits": of(theory.exit_limits, exits=3, chains=10, level=0.95),
    "exit_process": of(theory.exit_process, **WALK, at_steps=[1, 10, 50], noise_bound=0.1, smoothness=1.0,
                       strong_convexity=0.5),
    "flat_target": of(theory.flat_target, dim=2),
    "gaussian_experiment": of(theory.gaussian_experiment, n=20, dim=3, seed=1),
    "gaussian_promise": of(theory.gaussian_promise, experiment=experiment(), sampler=sampler.SvrgLD(1e-3, 1, 10, 4),
                           passes=2.0),
    "is_reset_point": of(theory.is_reset_point, epochs=np.array([1, 2, 3])),
    "largest_stable_eta0": of(theory.largest_stable_eta0, hessian=IDENTITY, t=10, offset=1.0),
    "least_share": of(theory.least_share, epsilon=0.1),
    "least_steps": of(theory.least_steps, epsilon=0.1, kappa=10.0, dim=2, sigma=1.0, batch_size=1),
    "logistic_target": of(theory.logistic_target, features=ROWS, labels=LABELS, prior_precision=1.0),
    "logistic_theorem": of(theory.logistic_theorem, features=ROWS, labels=LABELS, truth=ZEROS, prior_precision=1.0,
                           epsilon=0.1),
    "moving_mode_bound": of(theory.moving_mode_bound, dim=2, legs=[theory.Leg(0.01, 10, 2.0)], start=0.0, resets=False),
    "posterior_smoothness": of(theory.posterior_smoothness, posterior=posterior(), metric=IDENTITY),
    "predict_accuracy": of(theory.predict_accuracy, noise=noise(), settings=sampler.Settings(), t=10, start=DRAWS,
                           draws=100,
                           reference_draws=100),
    "prescription_exponents": of(theory.prescription_exponents, epsilon=0.1, kappa=10.0, dim=2, sigma=1.0, n=100),
    "pushes_by_distance": of(theory.pushes_by_distance, before=DRAWS, after=DRAWS + 0.1, step_size=0.01, radius=3.0,
                             bins=4),
    "quadratic_target": of(theory.quadratic_target, curvature=np.array([1.0, 2.0]), dim=2),
    "reset_point_event": of(theory.reset_point_event, distances=np.ones((2, 3)), epochs=np.array([1, 2]),
                            reset_radius=2.0, offset=1.0),
    "subset_distance": of(theory.subset_distance, share=0.5),
    "survival_curve": of(theory.survival_curve, exit_steps=np.array([3.0, np.inf, 7.0]), at_steps=np.array([1, 5,
                         9]), level=0.95),
    "svrg_prescription": of(theory.svrg_prescription, epsilon=0.1, dim=2, n=100, smoothness=2.0,
                            strong_convexity=0.5, sigma=1.0,
                            wasserstein=1.0, hessian_lipschitz=0.1, batch_size=1),
    "svrg_promise": of(theory.svrg_promise, **SVRG),
    "tail_rate": of(theory.tail_rate, t=10, offset=1.0, covariance=IDENTITY, amplitude=2.7),
    "theorem_constants": of(theory.theorem_constants, **CONSTANTS),
    "theorem_rates": of(theory.theorem_rates, **CONSTANTS),
    # tuning
    "AlgorithmSettings": of(tuning.AlgorithmSettings, algorithm="saga-ld", eta0=0.1, batch_size=64, i_max=1000,
                            acceptance_radius=100.0,
                            offset=2.0, variance_reduction=True),
    "Forecast": of(tuning.Forecast, problem=PROBLEM, features=ROWS, labels=LABELS),
    "Grid": of(tuning.Grid, eta0=(0.1, 1.0), i_max=(4, 8), batch_size=(4,), acceptance_radius=(20.0,),
               algorithm="saga-ld"),
    "Sweep": of(tuning.Sweep, problem=PROBLEM, features=np.tile(ROWS, (2, 1)), labels=np.tile(LABELS, 2), chains=4,
                seed=0, name="sweep", workers=0, sampler="grid",
                trials=2, prune=True, reference="auto", escape_radius=2.0, parallel=1),
    "advise": of(tuning.advise, forecast=forecast(), settings=sampler.Settings(), batches=(9,), lengths=(4, 8)),
    "algorithm_of": of(tuning.algorithm_of, what=sampler.Settings()),
    "around": of(tuning.around, value=3.0, factors=(0.5, 1.0), whole=False),
    "best_cell": of(tuning.best_cell, cells=[cell()], last_rung=0, chains=4.0, dim=2, reference_draws=100),
    "best_eta0": of(tuning.best_eta0, forecast=forecast(), settings=sampler.Settings(), count=5),
    "core_seconds": of(tuning.core_seconds, settings=sampler.Settings(), dim=2, rows=10, chains=4),
    "cost": of(tuning.cost, settings=sampler.Settings()),
    "forecast_grid": of(tuning.forecast_grid, forecast=forecast(), grid=tuning.Grid((0.1,), (4,), (9,), (20.0,)),
                        settings=sampler.Settings(), draws=64),
    "forecast_of": of(tuning.forecast_of, algorithm="saga-ld", plain=forecast()),
    "limit_words": of(tuning.limit_words, name="width", limit=0.14),
    "judge": of(tuning.judge, measured=tuning.Measurements(sampler.Settings(), 10, 4, 10)),
    "key_of": of(tuning.key_of, what=cell()),
    "spaced": of(tuning.spaced, low=0.1, high=1.0, count=3, whole=False),
    "start_eta0": of(tuning.start_eta0, problem=PROBLEM, features=ROWS, labels=LABELS, offset=2.0, terms=3, mode=ZEROS),
    "sweep_evidence": of(tuning.sweep_evidence, settings=sampler.Settings(), chains=4, rows=12,
                         advice=tuning.advise(forecast()),
                         forecast=tuning.advise(forecast()).forecast, cell=cell(), tried=1, ended="",
                         reference_draws=100, dim=2),
    "trial_order": of(tuning.trial_order, forecasts={}),
    "verdict_of": of(tuning.verdict_of, cell=cell(), settings=sampler.Settings(), chains=4, reference_draws=100, dim=2),
    "with_algorithm": of(tuning.with_algorithm, settings=sampler.Settings(), algorithm="saga-ld"),
    # racing
    "generated_split": of(racing.generated_split, n=20, dim=3, seed=0, train=0.75),
    "log_log_slope": of(racing.log_log_slope, x=np.array([1.0, 2.0, 4.0]), y=np.array([1.0, 2.0, 5.0])),
    "paper_split": of(racing.paper_split, name="pima", seed=0),
    # production
    "DriftAlarm": of(production.DriftAlarm, false_alarm=0.001),
    "Gates": of(production.Gates, divergence=True, max_rhat=1.1, max_lag=1.0, max_reset_rate=0.5, drift=False,
                warm_up=20),
    "Prequential": of(production.Prequential, problem=PROBLEM, window=100),
    "Tuned": of(production.Tuned, settings=sampler.Settings(), chains=4, seed=0, algorithm="saga-ld", evidence={},
                gates=production.Gates()),
    "Watch": of(production.Watch, problem=PROBLEM, gates=production.Gates(), chains=4, offset=1.0),
    "failed_verdict": of(production.failed_verdict, gates=production.Gates(), evidence={}),
    "settings_in_python": of(production.settings_in_python, settings=sampler.Settings()),
    # streams
    "SqlQuery": of(streams.SqlQuery, database="no.db", query="select a from b", key="a"),
    "split_table": of(streams.split_table, table=streams.Table(ROWS, LABELS, ("a", "b"), "here"), train=0.75, seed=0,
                      standardize=True),
    "split_tables": of(streams.split_tables, train=streams.Table(ROWS, LABELS, ("a", "b"), "here"),
                       test=streams.Table(ROWS, LABELS, ("a", "b"), "there"), standardize=True, intercept=True),
    "spread_ratio": of(streams.spread_ratio, features=ROWS),
    # coreset
    "Adam": of(coreset.Adam, rate=1.0, schedule="sqrt", beta1=0.9, beta2=0.999, epsilon=1e-8),
    "BradleyTerry": of(coreset.BradleyTerry, home=np.array([0, 1, 2]), visitor=np.array([1, 2, 0]),
                       wins=np.array([1.0, 0.0, 1.0]), teams=3),
    "CauchyLogistic": of(coreset.CauchyLogistic, features=ROWS, labels=LABELS, intercept=True),
    "CoresetMCMC": of(coreset.CoresetMCMC, model=gaussian(), size=3, chains=2, subsample=3, hot_start=True,
                      start="default", seed=0),
    "CustomModel": of(coreset.CustomModel, log_likelihood=len, log_prior=len, n=10, dim=2),
    "DAdaptation": of(coreset.DAdaptation, d0=1e-6),
    "DoG": of(coreset.DoG, r=0.001),
    "DoWG": of(coreset.DoWG, r=0.001),
    "GaussianKernel": of(coreset.GaussianKernel, memory=0.5),
    "GaussianLocation": of(coreset.GaussianLocation, observations=ROWS),
    "HotDoG": of(coreset.HotDoG, r=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, floor=False),
    "HotStart": of(coreset.HotStart, threshold=0.5, every=30, first=30, cap=100),
    "LinearLogVariance": of(coreset.LinearLogVariance, features=ROWS, labels=LABELS, intercept=True),
    "Prodigy": of(coreset.Prodigy, d0=1e-6, cosine_period=10, beta1=0.9, beta2=0.999, epsilon=1e-8),
    "RepeatedPoints": of(coreset.RepeatedPoints, points=ROWS[:2], copies=(3, 2)),
    "SliceSampler": of(coreset.SliceSampler, width=10.0, doublings=20, directions=3),
    "SoftplusPoisson": of(coreset.SoftplusPoisson, features=ROWS, labels=LABELS, intercept=True),
    "SparseRegression": of(coreset.SparseRegression, features=ROWS, labels=LABELS, nu=0.1, scale=1.0, share=0.1,
                           spike=0.1, slab=1.0),
    "gaussian_floor": of(coreset.gaussian_floor, n=10, subsample=3, dim=2, iterations=np.array([1.0, 2.0])),
    "hot_start_statistic": of(coreset.hot_start_statistic, log_potentials=DRAWS),
    "hot_start_test": of(coreset.hot_start_test, log_potentials=DRAWS, threshold=0.5),
}

DEAR = {
    "check_prescription": of(theory.check_prescription, experiment=experiment(), epsilon=0.5),
    "DataStream": of(streams.DataStream, source=[{"a": 1.0, "y": 1.0}], response="y", model="linear", intercept=True,
                     scale=False,
                     settle=10, decimal="."),
    "ClusterChains": of(production.ClusterChains, problem=PROBLEM, settings=sampler.Settings(), chains=4,
                        client="tcp://x", seed=0,
                        keep_every=10, timeout=1.0),
    "Replay": of(production.Replay, problem=PROBLEM, settings=sampler.Settings(), batches=[], chains=4, seed=0,
                 every=10, seconds=1.0,
                 goes_on=False, expect=3, threads=1),
    "epoch_costs": of(racing.epoch_costs, problem=PROBLEM, data=(ROWS, LABELS), steps={"ula": 3},
                      settings=sampler.Settings(), at=[3],
                      seed=0, work=10.0),
    "figure_one": of(racing.figure_one, steps=10, seeds=1, reruns=2, first_seed=0),
    "growth": of(racing.growth, make=str, sizes=[4, 8], settings=sampler.Settings(), chains=4, seed=0, work=10.0),
    "likelihood_race": of(racing.likelihood_race, split=racing.generated_split(20, 2),
                          samplers={"a": sampler.SagaLD(0.01)}, passes=1.0,
                          chains=2, seed=0, average="path", prior_precision=1.0),
    "prepare_race": of(racing.prepare_race, problem=PROBLEM, data=(ROWS, LABELS), settings=sampler.Settings(),
                       chains=4, seed=0,
                       draws=100, warm_steps=2),
    "race": of(racing.race, setup=None, keys=["ula"], evaluations=10.0, work=10.0),
    "rehearse": of(production.rehearse, problem=PROBLEM, settings=sampler.Settings(), features=ROWS, labels=LABELS,
                   chains=4, seed=0,
                   every=10),
    "run_side_by_side": of(coreset.run_side_by_side, specifications=[], iterations=3, threads=1),
    "wasserstein_race": of(racing.wasserstein_race, experiment=experiment(), samplers={"a": sampler.SagaLD(0.01)},
                           passes=[1.0], seed=0,
                           chains=0),
    "weight_convergence": of(coreset.weight_convergence, model=coreset.RepeatedPoints(ROWS[:2], (3, 2)),
                             iterations=3, seeds=1, chains=2,
                             subsample=2),
}
"""Calls that would run for long: what takes their arguments' places is always wrong."""
