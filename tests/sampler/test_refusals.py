"""Errors of public functions for invalid arguments, with argument, range, value and remedy."""

import inspect
import math
import pickle
from math import inf, nan

import numpy as np
import pytest

from sampler import (
    CvULD,
    GaussianMean,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    OfflineSagaLD,
    OfflineSGLD,
    OnlineSagaLD,
    PoissonRegression,
    Replay,
    Settings,
    check_gradient,
    exit_bounds,
    find_mode,
    marginal_accuracy,
)
from sampler.arguments import positive_number, real_number, sample_array, square_matrix, vector, whole_number
from sampler.racing import growth
from sampler.theory import complexity_exponents, exit_limits
from tests.fuzz.calls import CALLS, EXPENSIVE

ORACLE = GradientOracle(lambda k, theta: np.zeros((len(k), 1)), 1)
RAGGED = [(np.ones((4, 2)), np.ones(4))]


@pytest.mark.parametrize(("call", "words"), [
    (lambda: exit_limits(-1, 10), r"exits must be in \[0, 10\].* got -1"), (lambda: exit_limits(3, 0), "chains must be"),
    (lambda: find_mode(None), "posterior must have .* got None"),
    (lambda: exit_bounds(2, 1j, 10, 1.0), "step_size must be a finite number above 0, got 1j; give eta"),
    (lambda: exit_bounds(2, 10**400, 10, 1.0), "step_size must be .* got a whole number of 1,329 bits"),
    (lambda: marginal_accuracy({}, np.eye(2)), r"samples must be numbers .* got \{\}"),
    (lambda: marginal_accuracy(np.array([[1j]]), np.array([[0.0], [1.0]])), "samples must be numbers"),
    (lambda: marginal_accuracy([[1.0, "a"]], np.eye(2)), "samples must be numbers"),
    (lambda: marginal_accuracy([[1.0, 1e300]], np.eye(2)), r"samples must be finite and at most 1e\+50 in size, row 0"),
    (lambda: exit_bounds(2, 0.1, 10, 5.0).curve("sharp", ["a"]), r"at_steps must be whole numbers .* got \['a'\]; call"),
    (lambda: exit_bounds(2, 0.1, 10, 5.0).curve("sharp", [None]), r"at_steps must be .* got \[None\]"),
    (lambda: complexity_exponents("LMC", sigma=nan), "sigma must be a finite number of 0 or more, got nan"),
    (lambda: OfflineSagaLD().cost("3"), "terms must be a whole number .* got '3'"),
    (lambda: OfflineSagaLD().cost([1]), "terms must be"),
    (lambda: growth(str, [4], Settings()), r"make must return \(problem, data\), got '4'"),
    (lambda: growth(str, [8, 4], Settings()), r"sizes must be increasing, got \[8, 4\]"),
    (lambda: Settings(reset=1), "reset must be True or False, got 1; leave it out"),
    (lambda: Replay(LinearRegression(2), Settings(), RAGGED, 8, 3, 1, rows_in="nowhere"), "^folder must exist, .*nowhere"),
])
def test_an_error_has_argument_range_value_and_action(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("record", [{}, object(), "abc", 10**400, [2.0, 1.0], [-1.0], [None]])
def test_an_invalid_record_is_rejected(record):
    with pytest.raises(ValueError, match=r"^record must be passes in \[0, 5\] in rising order, got .*; None stores 20"):
        OfflineSGLD(1e-3).sample(GaussianMean(1), [[1.0], [2.0]], record=record)


@pytest.mark.parametrize("folder", [1, 10**400, None, b"rows"], ids=["fd", "huge", "none", "bytes"])
def test_a_folder_is_a_path(folder):
    with pytest.raises(ValueError, match="^folder must be of type str or PathLike, got .*; name one"):
        OnlineSagaLD(GaussianMean(1)).keep_rows_in(folder)


def test_inverse_mass_is_required_without_a_default():
    with pytest.raises(ValueError, match="^inverse_mass must be given for a GradientOracle, got None; start near 1 over"):
        CvULD(step_size=0.1).sample(ORACLE, 3)


MASKED = np.ma.masked_array([[1.0], [0.0]], mask=[[False], [True]])


@pytest.mark.parametrize("call", [
    lambda: GaussianMean(1).posterior(MASKED), lambda: GaussianMean(1).posterior(MASKED[:, 0]),
    lambda: OnlineSagaLD(LogisticRegression(1), chains=1).observe(MASKED, [0, 1]),
    lambda: LogisticRegression(1).posterior([[1.0], [2.0]], MASKED[:, 0]),
    lambda: marginal_accuracy(MASKED, [[0.0], [1.0]]), lambda: LinearRegression(2, MASKED[:, 0]),
    lambda: find_mode(GaussianMean(2).posterior([[1.0, 2.0]]), MASKED[:, 0]),
])
def test_masked_entries_are_rejected(call):
    with pytest.raises(ValueError, match=r"^\w+ must be finite, without masked entries, got .*; fill or drop them"):
        call()
    assert GaussianMean(1).posterior(MASKED.filled(3.0)).rows[1] == 3.0
    assert GaussianMean(1).posterior(np.ma.masked_array([[4.0]])).rows[0] == 4.0  # nothing is masked


@pytest.mark.parametrize("problem", [PoissonRegression(1), GaussianMean(1), LinearRegression(1), LogisticRegression(1)])
def test_a_posterior_owns_its_rows(problem):
    data = [np.ones((3, 1)), np.ones(3)][:1 if problem.kind == "gaussian_mean" else 2]
    posterior = problem.posterior(*data)
    before = posterior.potential([0.5])
    for part in data:
        part[:] = 7
    assert posterior.potential([0.5]) == before and np.all(posterior.features == 1)


@pytest.mark.parametrize("error", [FileNotFoundError(2, "no such file or array"), MemoryError("an array of this size"),
                                   KeyboardInterrupt(), KeyError("spam"), ValueError("array size")],
                         ids=lambda error: type(error).__name__)
def test_an_error_in_a_users_function_is_unchanged(error):
    def gradients(indices, theta):
        raise error

    with pytest.raises(type(error)) as raised:
        find_mode(GradientOracle(gradients, 1).posterior(3))
    assert raised.value is error


def test_the_users_errstate_applies_in_a_users_function():
    def gradients(indices, theta):
        np.exp(np.float64(1e4))  # overflows
        return np.tile(theta, (len(indices), 1))

    reported, oracle = [], GradientOracle(gradients, 1, lambda theta: theta)
    with np.errstate(over="call", call=lambda kind, flag: reported.append(kind)):
        assert check_gradient(oracle, 1).ok
    assert "overflow" in reported
    with np.errstate(over="raise"):
        assert "FloatingPointError" in check_gradient(oracle, 1).faults[0]
    assert check_gradient(oracle, 1).ok  # by default there is no report and no warning


def test_checked_functions_keep_their_identity_and_signature():
    assert pickle.loads(pickle.dumps(marginal_accuracy)) is marginal_accuracy
    assert list(inspect.signature(exit_limits).parameters) == ["exits", "chains", "level"]
    assert Settings(eta0=0.5) == Settings().replace(eta0=0.5) and pickle.loads(pickle.dumps(Settings())) == Settings()


def test_a_long_value_is_truncated_in_the_message():
    with pytest.raises(ValueError, match="prior_precision must be") as raised:
        LogisticRegression(2, "x" * 100_000)
    assert len(str(raised.value)) < 500


OUT_OF_RANGE = {
    "Adam": {"rate": (-1,), "schedule": ("cosine",)}, "DAdaptation": {"d0": (0,)}, "DoG": {"r": (nan,)},
    "DoWG": {"r": (0,)}, "HotDoG": {"r": (0, np.array(1.5)), "beta1": (1.0,)},
    "Prodigy": {"cosine_period": (0, 1.5, np.array(1.5)), "d0": (True,)},
    "OfflineSGLD": {"batch_size": (0,)}, "SagaLD": {"step_size": (-1.0, nan)},
    "OfflineSagaLD": {"eta0": (0,), "i_max": (0,)},
    "SvrgLD": {"step_size": (0.0,), "batch_size": (1.5,), "anchor_every": (0,), "store_anchor": ("yes",)},
    "CvULD": {"friction": (0,), "inverse_mass": (-1,), "anchor_batch": (0,)},
    "OnlineSagaLD": {"chains": (0, 1.5), "seed": (-1, "x"), "start": ([1.0], [nan, 1.0]), "settings": ({"eta0": 1},),
                     "threads": (0, 2.5)},
    "Settings": {"eta0": (0, -1.0, nan, "0.1", None, 1e9, np.True_, np.array(1.0)), "batch_size": (0, 2.5, True, np.True_),
                 "i_max": (0, 10**16), "acceptance_radius": (0,), "offset": (-1, inf, np.False_),
                 "reset": (1,), "refresh": ("yes",)},
    "WarmLaplace": {"refit": (-0.1, nan, "often", 1e9)}, "IBIS": {"walk": (1, 1001, 2.5)},
    "SubsampledMetropolis": {"scale": (0.0, nan, "long", 1e9)},
    "HotStart": {"every": (0,), "cap": (1.5,), "first": (-1,), "threshold": (0,)},
    "PreconditionedSagaLD": {"metric": (np.ones(2), "round", "low-rank ²")},
    "run_side_by_side": {"threads": (0,), "iterations": (0,), "specifications": (["HotDoG"], [])},
    "LogisticRegression": {"dim": (0, 1.5), "prior_precision": (-1, [nan, 1], True, [True, False])},
    "LinearRegression": {"noise_std": (0, inf)}, "GaussianAverage": {"curvatures": ([], [1.0, 0.0], [nan], [[1.0]], [-1.0])},
    "synthetic_logistic": {"horizon": (0, 1.5), "dim": (0,), "sparsity": (0, 9)},
    "synthetic_stream": {"stream": ("nonsense",), "kind": ("probit",)}, "check_gradient": {"terms": (0,)},
    "exact_ceiling": {"n": (10.5,)}, "uniform_accuracy": {"uniforms": ([[1.2]], [[nan]])},
    "measure_gradient_variance": {"anchor_scores": ([None] * 12,)},
    "gradient_variance": {"fresh": (np.full((12, 2), inf),), "batch_size": (0,)},
    "uniform_variance_bound": {"smoothness": (-1.0,)}, "use_threads": {"threads": (0, -1, 1.5, "2", True, nan, 1025, [2])},
    "CoresetMCMC": {"size": (13,), "chains": (1,), "subsample": (200,), "start": (np.zeros((2, 3)),),
                    "hot_start": ([], 0, None, np.ones(2))},
    "Coreset": {"model": (nan,), "indices": ([-1, 0, 1], [0.5, 1, 2], [True] * 3, [0, 1, 12]),
                "weights": ([-1, 1, 1], [nan, 1, 1], [1.0])},
    "OnlineLaplace": {"problem": (LinearRegression(2), None)}, "LinearLogVariance": {"labels": (np.ones(3),)},
    "long_chain_reference": {"draws": (10,), "method": ("nuts",)},
    "tempered_reference": {"beta": (0.0, 1.5, "1", nan)}, "GridReference": {
        "size": (5,), "problem": (LogisticRegression(3), GaussianMean(2), LogisticRegression(2, prior_precision=0.0))},
    "GaussianReference": {"mean": ([nan],), "covariance": ([[nan, 0], [0, 1]],)},
    "OracleModeTracker": {"problem": (LogisticRegression(2),)}, "ModeTracker": {"problem": (ORACLE,)},
    "AssumptionMeter": {"curvature_bound": (0.0,), "offset": (-1.0,)}, "concentration_constant": {"t": (0,)},
    "tail_rate": {"amplitude": (1.0,), "covariance": ([[0.0]],)},
    "conditional_variance_bound": {"batch_size": (0,), "variance_trace": (-1.0,), "variance_max": (301.0,), "dim": (0,),
                                   "increment_bound": (nan,), "sbar": ("seen",), "radius": (0.01,)},
    "decompose": {"centre": (np.zeros(3),), "gradient": (np.zeros((4, 2)),)},
    "epoch_certificate": {"dim": (0,), "step_size": (0.0,), "i_max": (0,), "wasserstein": (-1.0,), "variance": (nan,),
                          "smoothness": (-1.0,), "exit_probability": (1.5, -0.1), "random_length": ("no", nan)},
    "exit_bounds": {"dim": (0, 1.5), "step_size": (0.0, -1.0, nan), "steps": (0,), "radius": (0.4, inf, -2.0, "wide"),
                    "start": (-0.1, nan), "noise_bound": (-1.0, nan), "smoothness": (-1.0,), "strong_convexity": (5.0, -1.0),
                    "truncation": (1.0, nan)},
    "ExitSimulation": {"step_size": (0.0,), "steps": (0,), "radius": (-1.0,), "chains": (0,), "noise_bound": (-1.0,),
                       "start": (2.2, -0.1, np.zeros((3, 3)), np.full((3, 2), nan)), "noise": ("pink",), "seed": (-1,),
                       "threads": (0,), "walk_free": ("no", 1)},
    "exit_process": {"at_steps": ([1, 1, 2], [2, 1], ["a"], [None], [0.5], [51])},
    "survival_curve": {"at_steps": (-1, [-1], [inf], [nan], [1.5])}, "is_reset_point": {"epochs": (-1, nan)},
    "quadratic_target": {"curvature": (-1.0, [nan]), "dim": (7, 0)}, "flat_target": {"dim": (0,)},
    "logistic_target": {"labels": (np.arange(12.0),), "features": (np.ones(12),), "prior_precision": (0.0,)},
    "logistic_theorem": {"prior_precision": (0.0,), "epsilon": (1.0,), "features": (np.zeros((12, 2)),)},
    "least_steps": {"epsilon": (0.0,), "kappa": (0.5,), "dim": (0,), "sigma": (-1.0,)},
    "complexity_exponents": {"sampler": ("SAGA",), "sigma": ("a", nan, -1)},
    "escape_event": {"farthest": ([1.0, 2.0], [[1.0]], [[1.0], [-2.0]]), "epochs": ([2, 1], [-1, 1]),
                     "escape_radius": (0.0,), "offset": (-1.0,)},
    "subset_distance": {"share": (0.0, 1.1)}, "least_share": {"epsilon": (0.0, 1.0)},
    "Leg": {"step_size": ("a", 0), "steps": (0,), "radius": (-1.0,), "shift": (-1.0, "a"), "acceptance": (0.0,),
            "noise_bound": (nan,), "smoothness": (-1.0,), "strong_convexity": (2.0,)},
    "moving_mode_bound": {"legs": ([],), "start": (-1.0,)},
    "GradientNoise": {"hessian": ([[1.0, 5.0], [0.0, 1.0]], [[0.0]])},
    "predict_accuracy": {"t": (0,), "start": ([[nan]], np.zeros((3, 1))),
                         "draws": (0,)},
    "svrg_promise": {"strong_convexity": (inf,), "variance": (-1.0,)},
    "svrg_prescription": {"epsilon": (0.0,), "dim": (0,), "n": (0,), "smoothness": (0.1,), "strong_convexity": (0.0,),
                          "sigma": (0.0,), "wasserstein": (-1.0,)},
    "theorem_constants": {"horizon": (0,), "epsilon": (0.0, 1.0), "dim": (0,), "smoothness": (0.0,),
                          "concentration": (-1.0,), "drift": (-1.0, nan)},
}
"""Values out of range by public name and argument; the other arguments are from `tests.fuzz.calls`."""


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_a_value_out_of_range_is_rejected_by_name(name):
    function, arguments = (CALLS | EXPENSIVE)[name]
    for argument, values in OUT_OF_RANGE[name].items():
        for value in values:
            with pytest.raises(ValueError, match=rf"{argument} must"):
                function(**(arguments | {argument: value}))


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3)])
def test_whole_numbers_of_any_type_become_ints(value):
    assert whole_number("n", value) == 3 and type(whole_number("n", value, 3, 3)) is int


@pytest.mark.parametrize("value", [2, 2.5, True, "3", None, math.nan, math.inf, 10**400])
def test_whole_number_rejects_values_out_of_range(value):
    with pytest.raises(ValueError, match=r"^n must be a whole number in \[3, 9\], got .*; count again$"):
        whole_number("n", value, 3, 9, "count again")


def test_a_range_without_an_upper_end():
    assert whole_number("n", 2**63 - 1, 3) == 2**63 - 1
    with pytest.raises(ValueError, match=r"^n must be a whole number in \[3, \d+\], got a whole number of 1,329 bits$"):
        whole_number("n", 10**400, 3)
    with pytest.raises(ValueError, match="^n must be a whole number of 3 or more, got 2$"):
        whole_number("n", 2, 3)


@pytest.mark.parametrize(("value", "limits", "expected_range"), [
    (0, {"above": 0.0}, " above 0"), (-1, {"least": 0.0}, " of 0 or more"), (math.nan, {}, ""), ("1", {}, ""),
    (True, {}, ""),
    (math.inf, {"above": 0.0}, " above 0"),
])
def test_real_numbers(value, limits, expected_range):
    assert real_number("x", np.float32(1.5), "try 1", **limits) == 1.5
    with pytest.raises(ValueError, match=f"^x must be a finite number{expected_range}, got {value!r}; try 1$"):
        real_number("x", value, "try 1", **limits)


@pytest.mark.parametrize("value", [0, -1.0, 8.1, math.nan, True, "1", None])
def test_positive_numbers(value):
    assert positive_number("x", 8, 8.0, "try 1") == 8.0
    with pytest.raises(ValueError, match=r"^x must be a number in \(0, 8\], got .*; try 1$"):
        positive_number("x", value, 8.0, "try 1")


@pytest.mark.parametrize(("check", "value", "words"), [
    (sample_array, [1.0, 2.0], r"shape \(n, d\), got \(2,\)"), (sample_array, [["a"]], "numbers of shape"),
    (sample_array, [[1.0], [math.inf]], "finite, row 1 has"), (vector, [[1.0]], r"shape \(n,\), got \(1, 1\)"),
    (vector, [0.0, math.nan], "finite, entry 1 is nan"), (square_matrix, [[1.0, 2.0]], r"shape \(d, d\), got \(1, 2\)"),
    (square_matrix, [[1.0, 2.0], [0.0, 1.0]], "symmetric"), (square_matrix, [[math.nan]], "finite"),
])
def test_arrays(check, value, words):
    with pytest.raises(ValueError, match=f"^a must (be|have) .*{words}|^a must be {words}"):
        check("a", value)
