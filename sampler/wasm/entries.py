"""Entries of the WebAssembly module: which kernel each calls, and what a caller passes for each of its arguments.

An entry names the kernel's own arguments in their order. The caller passes numbers and addresses of arrays; named tuples are
passed field by field, and what is only scratch is made inside. Sizes are symbols:

    K chains · T rows that there is room for · d dimension · D dimension padded, fixed in each entry ·
    N normals drawn ahead and a cache line after them · C numbers of the center, D or 0 · S steps traced ·
    B blocks, W lanes of a block, R rows, P paths or pairs, Q points of a path, H bins of an exit walk ·
    M chains that have a metric, K or 0 · Y rows that the noise at the mode is made of · E epochs whose starts are kept ·
    G points of an axis of a grid · J steps or counts asked for
"""

from typing import Any

import numpy as np

from sampler.kernels import (
    cloud,
    epoch_promise,
    exit_walk,
    glm_saga,
    gradient_noise,
    gradient_variance,
    histogram_accuracy,
    initial_state,
    mode_drift,
    plane_contours,
    plane_grid,
    posterior_mode,
    predicted_accuracy,
    small_linear_algebra,
    supermartingale,
    synthetic_stream,
    tail_probabilities,
    vector_saga,
)
from sampler.kernels.chains import NOISE_BLOCK, Chains, Knobs
from sampler.kernels.glm_langevin import LINEAR, LOGISTIC, POISSON
from sampler.kernels.langevin_step import FAR
from sampler.kernels.low_rank_metric import LowRankMetric, fill_precision
from sampler.kernels.plane_contours import LOOP_POINTS, MASSES
from sampler.kernels.python_callback import Asked
from sampler.kernels.refresh_calendar import ITEM, LINK, MOST_DATA
from sampler.kernels.simd_lanes import LINE
from sampler.kernels.whitening import Weighting, Whitening
from sampler.wasm.entry import Array, Entry, Group, Inside, Named, floats, integers

CHAINS = Group(Chains, {
    "position": floats("K", "D"), "checkpoint": floats("K", "D"), "warm_start": floats("K", "D"),
    "gradient_sum": floats("K", "D"), "rng": Array(np.uint64, ("K", 3, 8)), "noise": floats("K", "N"),
    "noise_at": integers("K"), "length_draw": floats("K"), "steps_done": integers("K"), "was_reset": Array(np.bool_, ("K",)),
    "farthest": floats("K"), "diverged_epoch": integers("K"), "diverged_step": integers("K")})
KNOBS = Group(Knobs, {
    "eta0": "float64", "batch_size": "int64", "i_max": "int64", "acceptance_radius": "float64", "offset": "float64",
    "variance_reduction": "bool", "reset": "bool", "random_length": "bool", "refresh": "bool"})
WHITENING = Group(Whitening, {
    "weights": floats("K", "T"), "precision_matrix": floats("K", "d", "D"), "whitener": floats("K", "d", "D"),
    "frozen": floats("K", "d", "D"), "trusted": Array(np.bool_, ("K",))})
DIAGONAL = Group(LowRankMetric, {
    "short": floats("K", "D"), "basis": floats("K", 0, "D"), "pull": floats("K", 0), "frozen_short": floats("K", "D"),
    "frozen_basis": floats("K", 0, "D"), "frozen_pull": floats("K", 0), "trusted": Array(np.bool_, ("K",))})
WEIGHTING = Group(Weighting, dict.fromkeys(("curvature", "square", "cap", "floor"), "float64"))
ASKED = Group(Asked, {
    "address": Inside("0"), "batch": Inside("np.empty(batch_size, np.int64)"), "theta": Inside("np.zeros(d)"),
    "fresh": Inside("np.empty((batch_size, d))"), "prior": Inside("np.zeros(d)")})
NOTHING = Inside("()")
COUNTS = integers(4)
LANES = 2
"""Lanes of a vector of the module."""
WIDTHS = (2, 8, 16, 24)
"""Of one-score models: up to 24 columns."""
TRACE = {"traced": "int64", "trace": floats("S", 4, "d")}
NO_TRACE = {"traced": Inside("-1"), "trace": Inside("np.empty((0, 4, 0))")}


def _glm_entries(width: int, name: str, whitening: Any, weighting: Any) -> dict[str, Entry]:
    """Online SAGA-LD on one-score models of up to ``width`` columns."""
    lanes, sizes = Inside(repr((0,) * (width // LANES))), {"D": width}
    data = {"kind": "int64", "precision": floats(2, "D"), "rows": floats("T", "D"), "targets": floats("T"), "chains": CHAINS,
            "cache": Group(None, {"items": Array(ITEM, ("K", "T"))}), "whitening": whitening}

    def entry(opens: bool, n: Any, rebuild: Any, trace: dict[str, Any], scratch: str) -> Entry:
        return Entry(glm_saga.play, {
            "lanes": lanes, **data, "weighting": weighting, "opens": Inside(repr(opens)), "t": "int64", "last": Inside("t"),
            "knobs": KNOBS, "n": n, "rebuild": rebuild, "center": floats("C"), **trace,
            "scratch": Inside(f"np.empty({scratch}, np.int64)"), "counts": COUNTS}, sizes, "bool")

    return {f"{name}_arrive_{width}": entry(True, Inside("0"), "bool", NO_TRACE, "t"),
            f"{name}_advance_{width}": entry(False, "int64", Inside("False"), TRACE, "0")}


def _glm_rebuild(width: int) -> dict[str, Entry]:
    """All cached gradients of one chain taken where it stands, for a chain that comes back after it diverged."""
    return {f"glm_rebuild_{width}": Entry(glm_saga.rebuild_chain, {
        "kind": "int64", "rows": floats("T", "D"), "targets": floats("T"), "chains": CHAINS,
        "cache": Named("items", Array(ITEM, ("K", "T"))), "k": "int64", "t": "int64"}, {"D": width})}


def _gaussian_entries(width: int, name: str, metric: Any) -> dict[str, Entry]:
    """Online SAGA-LD on the mean of a Gaussian of up to ``width`` coordinates."""
    sizes, cache = {"D": width}, {"values": floats("K", "T", "d"), "links": Array(LINK, ("K", "T"))}
    return {
        f"{name}_arrive_{width}": Entry(vector_saga.arrive_gaussian, {
            "rows": floats("T", "d"), "chains": CHAINS, **cache, "metric": metric, "t": "int64", "knobs": KNOBS,
            "rebuild": "bool", "center": floats("C"), "scratch": Inside("np.empty(t + 1, np.int64)"),
            "counts": COUNTS}, sizes),
        f"{name}_advance_{width}": Entry(vector_saga.advance, {
            "lanes": Inside(repr((0,) * (width // LANES))), "mask": floats("D"), "rows": floats("T", "d"),
            "function": Inside("None"), "prior_function": Inside("None"), "data": Inside("np.zeros(1)"), "asked": ASKED,
            "chains": CHAINS, "cache": Group(None, cache), "metric": metric, "t": "int64", "knobs": KNOBS, "n": "int64",
            "center": floats("C"), **TRACE, "counts": COUNTS}, sizes, "bool"),
        f"{name}_gradients_{width}": Entry(vector_saga.gaussian_gradients, {
            "rows": floats("T", "d"), "indices": integers("R"), "x": Named("theta", floats("d")),
            "out": Named("fresh", floats("R", "d"))}),
        f"{name}_rebuild_{width}": Entry(vector_saga.rebuild_chain, {
            "chains": CHAINS, **cache, "k": "int64", "t": "int64", "fresh": floats("R", "d")}, sizes),
    }


REBUILT_METRIC = Entry(glm_saga.rebuild_metric, {
    "kind": "int64", "precision": floats(2, "D"), "rows": floats("T", "D"), "targets": floats("T"),
    "gradient_sum": floats("K", "D"), "items": Array(ITEM, ("K", "T")), "weights": floats("K", "T"),
    "precision_matrix": floats("K", "d", "D"), "k": "int64", "t": "int64", "weighting": WEIGHTING})

KEPT_LAST = {
    "glm_keep_last": Entry(glm_saga.keep_last, {
        "rows": floats("T", "D"), "targets": floats("T"), "gradient_sum": floats("K", "D"), "items": Array(ITEM, ("K", "T")),
        "dropped": "int64", "t": "int64"}),
    "gaussian_mean_keep_last": Entry(vector_saga.keep_last, {
        "gradient_sum": floats("K", "D"), "values": floats("K", "T", "d"), "links": Array(LINK, ("K", "T")),
        "dropped": "int64", "t": "int64"}),
}

WALK = {
    "first": "int64", "count": "int64", "step_size": "float64", "radius": "float64", "kind": "int64",
    "curvature": floats("d"), "rows": floats("R", "d"), "offsets": floats("R"), "targets": floats("R"),
    "at_zero": floats("d"), "noise_kind": "int64", "noise_bound": "float64", "walk_free": "bool", "free_keep": "float64"}
PATHS, RECORD = {"paths": floats("P", "Q"), "stride": "int64"}, {"record": floats(3, "S", "d")}
EXIT_TIME = {
    "exit_walk_advance": Entry(exit_walk.advance_blocks, {
        "x": floats("B", "d", "W"), "free": floats("B", "d", "W"), "rng": Array(np.uint64, ("B", 2, 8)),
        "exits": integers("B", "W"), "free_exits": integers("B", "W"), **WALK, "sums": floats("B", 5, "H"), **PATHS,
        **RECORD}),
    "exit_walk_record": Entry(exit_walk.advance_block, {
        "x": floats("d", "W"), "free": floats("d", "W"), "rng": Array(np.uint64, (2, 8)), "exits": integers("W"),
        "free_exits": integers("W"), **WALK, "sums": floats(5, "H"), **PATHS, "lane": "int64", **RECORD}),
    "begin_walks": Entry(initial_state.begin_walks, {
        "seed": "int64", "distance": "float64", "chains": "int64", "x": floats("B", "d", "W"),
        "rng": Array(np.uint64, ("B", 2, 8))}),
    "bounded_noise_path": Entry(supermartingale.bounded_noise_path, {
        "theta": floats("P"), "at": integers("J"), "dim": "int64", "step_size": "float64", "contraction": "float64",
        "noise_bound": "float64", "exponent": floats("J", "P"), "cost": floats("J", "P")}),
    "binomial_limits": Entry(tail_probabilities.binomial_limits, {
        "counts": floats("J"), "chains": "int64", "tail": "float64", "low": floats("J"), "high": floats("J")}),
    "chi_square_levels": Entry(tail_probabilities.chi_square_levels, {
        "squares": floats("K"), "dim": "int64", "levels": floats("K")}),
    "chi_square_log_tails": Entry(tail_probabilities.chi_square_log_tails, {
        "squares": floats("K"), "dim": "int64", "tails": floats("K")}),
    "batch_noise_path": Entry(supermartingale.batch_noise_path, {
        "theta": floats("P"), "at": integers("J"), "dim": "int64", **dict.fromkeys((
            "step_size", "contraction", "holder", "increment", "spread", "share", "largest"), "float64"),
        "exponent": floats("J", "P"), "cost": floats("J", "P")}),
    "jacobi": Entry(small_linear_algebra.jacobi, {"matrix": floats("d", "d"), "vectors": floats("R", "d")}),
    "cholesky": Entry(small_linear_algebra.cholesky, {
        "matrix": floats("d", "d"), "lower": floats("d", "d")}, {}, "bool"),
    "invert": Entry(small_linear_algebra.invert, {"lower": floats("d", "d"), "out": floats("d", "d")}),
}
"""The Exit time page: chains through one epoch, one of them written down, bounds, limits of a share, and linear algebra."""

MODES = {"t": "int64", "offset": "float64", "mode": floats("d"), "epochs": floats(mode_drift.ROOM),
         "modes": floats(mode_drift.ROOM, "d"), "pairs": floats("P", 2), "places": integers(3)}

METRIC, HESSIAN, ROWS = floats("d", "d"), floats("d", "d"), {"rows": floats("T", "D"), "targets": floats("T")}
STANDING = {"chain": "int64", "t": "int64", "theta": floats("d"), "metric": METRIC, "batch_size": "int64",
            "variance": floats(3)}
TERMS = {"chain": "int64", "indices": integers("R"), "theta": floats("d"), "cached": "bool", "terms": floats("R", "d")}
NOISE_MODEL = Group(gradient_noise.NoiseModel, {
    "eigenvalues": floats("d"), "vectors": floats("d", "d"), "to_modes": floats("d", "d"), "turned": floats("Y", "d"),
    "curvatures": floats("Y"), "likelihood": floats("d", "d"), "floor": floats("d", "d")})
STARTS = {"epochs": Named("start_epochs", integers("E")), "counts": Named("start_counts", integers("E")),
          "starts": floats("E", "K", "d")}
NOISE = {
    "raise_metric": Entry(gradient_variance.raise_metric, {"metric": METRIC, "rounding": "float64"}, {}, "bool"),
    "glm_variance": Entry(gradient_variance.glm_variance, {
        "kind": "int64", "curvature_bound": "float64", **ROWS, "items": Array(ITEM, ("K", "T")), **STANDING}, {}, "bool"),
    "gaussian_mean_variance": Entry(gradient_variance.gaussian_variance, {
        "rows": floats("T", "d"), "values": floats("K", "T", "d"), **STANDING}, {}, "bool"),
    "glm_terms": Entry(gradient_variance.glm_terms, {
        "kind": "int64", **ROWS, "items": Array(ITEM, ("K", "T")), **TERMS}),
    "gaussian_mean_terms": Entry(gradient_variance.gaussian_terms, {
        "rows": floats("T", "d"), "values": floats("K", "T", "d"), **TERMS}),
    "largest_curvature": Entry(gradient_noise.largest_curvature, {
        "hessian": HESSIAN, "metric": METRIC, "curvature": floats(1)}, {}, "bool"),
    "smoothness": Entry(epoch_promise.smoothness, {
        "curvature_bound": "float64", "rows": floats("T", "D"), "t": "int64", "prior": floats("d", "d"), "metric": METRIC,
        "curvature": floats(1)}, {}, "bool"),
    "start_distance": Entry(epoch_promise.start_distance, {
        "checkpoint": floats("K", "D"), "warm_start": floats("K", "D"), "was_reset": Array(np.bool_, ("K",)),
        "chains": integers("R"), "metrics": floats("B", "d", "d"), "mean": floats("d"), "std": floats("d"),
        "laplace": floats("d", "d"), "distance": floats(1)}),
    "glm_noise": Entry(gradient_noise.glm_noise, {
        "kind": "int64", **ROWS, "t": "int64", "mode": floats("d"), "hessian": HESSIAN, "prior": floats("d", "d"),
        "metric": METRIC, "model": NOISE_MODEL}, {}, "bool"),
    "gaussian_mean_noise": Entry(gradient_noise.gaussian_noise, {
        "rows": floats("T", "d"), "t": "int64", "hessian": HESSIAN, "prior": floats("d", "d"),
        "metric": METRIC, "model": NOISE_MODEL}, {}, "bool"),
    "keep_starts": Entry(predicted_accuracy.keep_starts, {
        "checkpoint": floats("K", "D"), "warm_start": floats("K", "D"), "was_reset": Array(np.bool_, ("K",)),
        "diverged_epoch": integers("K"), "mode": floats("d"), "slot": "int64", "t": "int64", **STARTS}),
    "forecast": Entry(predicted_accuracy.forecast, {
        "model": NOISE_MODEL, **STARTS, "kept": "int64", "t": "int64", "preconditioned": "bool", "knobs": KNOBS,
        "most": "int64", "draws": "float64", "reference_draws": "float64", "accuracy": floats(1)}, {}, "bool"),
}

SAMPLES = {"samples": floats("K", "d"), "sound": Array(np.bool_, ("K",))}
CLOUD = {
    "measure_cloud": Entry(cloud.measure_cloud, {
        **SAMPLES, "mode": floats("d"), "farthest": floats("K"), "square": "float64", "inside": floats("K"),
        "result": floats(3)}),
    "outline": Entry(cloud.outline, {**SAMPLES, "mean": floats("d"), "covariance": floats("d", "d")}, {}, "bool"),
    "widest_axes": Entry(cloud.widest_axes, {"covariance": floats("d", "d"), "axes": floats(2, "d")}),
    "shadow": Entry(cloud.shadow, {
        "metric": METRIC, "rounding": "float64", "axes": floats(2, "d"), "out": Named("seen", floats(2, 2))}, {}, "bool"),
}

ENTRIES = {
    **NOISE,
    **CLOUD,
    "remember_mode": Entry(mode_drift.remember_mode, MODES),
    "largest_drift": Entry(mode_drift.largest_drift, {**MODES, "out": floats(1)}),
    **_gaussian_entries(LINE, "gaussian_mean", NOTHING),
    **_gaussian_entries(LINE, "preconditioned_gaussian_mean", DIAGONAL),
    f"preconditioned_gaussian_mean_metric_{LINE}": Entry(fill_precision, {
        "short": floats("K", "D"), "frozen_short": floats("K", "D"), "precision_matrix": floats("K", "d", "D"),
        "frozen": floats("K", "d", "D")}, {"D": LINE}),
    **EXIT_TIME,
    "rebuild_metric": REBUILT_METRIC,
    **KEPT_LAST,
    "fill_stream": Entry(synthetic_stream.fill_stream, {
        "kind": "int64", "stream": "int64", "seed": "int64", "theta": floats("d"), "features": floats("T", "d"),
        "labels": floats("T")}),
    "encode_rows": Entry(initial_state.encode_rows, {
        "kind": "int64", "noise_std": "float64", "features": floats("T", "d"), "labels": floats("T"), "first": "int64",
        "count": "int64", "rows": floats("R", "d"), "targets": floats("R"), "classes": floats("R")}),
    "begin_chains": Entry(initial_state.begin_chains, {
        "rule": "int64", "seed": "int64", "prior": floats("d", "d"), "first": floats("d"), "block": "int64",
        "precision": floats(2, "D"), "mask": floats("D"), **{name: CHAINS.fields[name] for name in (
            "position", "checkpoint", "warm_start", "rng", "noise_at")},
        **dict.fromkeys(("precision_matrix", "whitener", "frozen"), floats("M", "d", "D"))}),
}
for _width in WIDTHS:
    ENTRIES |= _glm_entries(_width, "glm", NOTHING, NOTHING) | _glm_rebuild(_width)
    ENTRIES |= _glm_entries(_width, "preconditioned", WHITENING, WEIGHTING)


def _target_entries() -> dict[str, Entry]:
    """Mode of the growing posterior, its grid in the plane, and the samples of a pool."""
    rows = {"kind": "int64", "rows": floats("T", "d"), "targets": floats("T"), "t": "int64"}
    start = {"kind": "int64", "prior": floats("d"), "rows": floats("T", "d"), "targets": floats("T"), "t": "int64"}
    mode = {"mode": floats("d"), "hessian": floats("d", "d"), "covariance": floats("d", "d")}
    axes, weights = {"x": floats("G"), "y": floats("G")}, {"weights": floats("G", "G")}
    mean = {"mean": floats("d"), "std": floats("d")}
    grid = {**axes, **weights, "marginals": floats(2, "G"), **mean, "covariance": Named("spread", floats("d", "d"))}
    samples, uniforms = {"samples": floats("K", "d")}, {"uniforms": floats("K", "d")}
    loops = {"masses": floats(len(MASSES)), "projection": floats("d", 2), "loops": floats(len(MASSES), LOOP_POINTS, 2)}
    pool = {name: floats("R", "d") for name in ("uniforms", "scores", "previous", "current")}
    result = {"result": floats(3)}
    return {
        "mode_add": Entry(posterior_mode.add_datum, {**rows, **mode, "solved_at": "int64"}, returns="bool"),
        "solve_mode": Entry(posterior_mode.solve_mode, {**start, **mode}, returns="bool"),
        "gradients_at": Entry(posterior_mode.gradients_at, {
            **start, "points": floats("R", "d"), "out": Named("gradients", floats("R", "d"))}),
        "normal_marginals": Entry(posterior_mode.normal_marginals, {
            "mode": mode["mode"], "covariance": mode["covariance"], **mean}),
        "normal_cdf": Entry(posterior_mode.normal_cdf, {**mean, **samples, **uniforms}),
        "standardise": Entry(posterior_mode.standardise, {**mean, **samples, "scores": floats("K", "d")}),
        "grid_place": Entry(plane_grid.place_window, {"prior": floats("d"), **axes, **mean, **weights}),
        "grid_potential": Entry(plane_grid.add_potential, {
            **rows, **axes, "total": Named("weights", weights["weights"])}),
        "grid_settle": Entry(plane_grid.settle_window, {"power": "float64", **grid}, returns="bool"),
        "grid_add": Entry(plane_grid.add_row, {**rows, **grid}, returns="bool"),
        "grid_cdf": Entry(plane_grid.marginal_cdf, {
            **axes, "marginals": grid["marginals"], **samples, **uniforms}),
        "grid_contours": Entry(plane_contours.grid_contours, {**axes, **weights, **loops}, returns="bool"),
        "normal_contours": Entry(plane_contours.ellipses, {
            "mean": mean["mean"], "covariance": mode["covariance"], **loops}),
        "grid_ellipses": Entry(plane_contours.ellipses, {
            "mean": mean["mean"], "covariance": grid["covariance"], **loops}),
        "pool_accuracy": Entry(histogram_accuracy.accuracy, {"uniforms": pool["uniforms"], **result}),
        "pool_ceiling": Entry(histogram_accuracy.ceiling, {"n": "int64", "d": "int64", **result}),
        "pool_shape": Entry(histogram_accuracy.shape, {"scores": pool["scores"], **result}),
        "pool_memory": Entry(histogram_accuracy.memory, {
            "previous": pool["previous"], "current": pool["current"], **result}),
    }


ENTRIES |= _target_entries()
HOT = ("_steps", "_arrive", "advance_block", "next_bits", "next_double", "standard_normal", "truth_at")
"""Kernels that stay functions of their own: a browser compiles a function anew, and better, between two calls of it."""
RARE = ("numpy_random", "synthetic_stream", "initial_state", "refresh_calendar", "_arrive", "arrive", "arrive_gaussian",
        "open_epoch", "begin_epoch", "begin_in_metric", "record_in_metric", "rebuild_chain", "rebuild_metric", "weigh_all",
        "keep_last", "freeze", "epoch_promise", "predicted_accuracy", "cloud", "gradient_noise", "gradient_variance",
        "small_linear_algebra", "special_functions", "stationary_covariance", "posterior_mode", "plane_grid",
        "plane_contours", "histogram_accuracy", "supermartingale", "tail_probabilities")
"""Kernels, and modules of kernels, that run once an epoch or less: they are compiled to be short, not fast."""
CONSTANTS: dict[str, Any] = {
    "line": LINE, "widths": list(WIDTHS), "noise_block": NOISE_BLOCK, "starts": list(initial_state.STARTS),
    "streams": list(synthetic_stream.STREAMS), "drawn_kinds": list(synthetic_stream.KINDS), "far": FAR,
    "most_data": MOST_DATA, "noise_rows": gradient_noise.MOST_ROWS,
    "kinds": {"logistic": LOGISTIC, "linear": LINEAR, "poisson": POISSON, "gaussian_mean": posterior_mode.GAUSSIAN_MEAN},
    "masses": list(MASSES), "loop_points": LOOP_POINTS, "grid_points": plane_grid.POINTS, "grid_rounds": plane_grid.ROUNDS,
    "targets": {"flat": exit_walk.FLAT, "quadratic": exit_walk.QUADRATIC, "logistic": exit_walk.LOGISTIC},
    "noises": {"sphere": exit_walk.SPHERE, "radial": exit_walk.RADIAL}}
