"""Entries of the WebAssembly module: the kernel that each calls, and how its arguments are passed.

`DECLARED` declares arguments by name; an entry overrides it where its kernel differs. The caller passes numbers and
addresses of arrays; named tuples are passed field by field, and scratch arrays are made in the module. Sizes are symbols:

    K chains · T capacity in rows · d dimension · D padded dimension, fixed in each entry ·
    N buffer of normals and a cache line after it · C size of the center, D or 0 · S steps traced ·
    B blocks, W lanes of a block, R rows, P paths or pairs, Q points of a path, H bins of an exit walk ·
    M chains with a metric, K or 0 · Y rows read for the noise at the mode · E epochs with stored starts ·
    G points of an axis of a grid · J requested steps or counts
"""

from inspect import signature
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
from sampler.kernels.python_callback import GradientBuffers
from sampler.kernels.refresh_calendar import ITEM, LINK, MOST_DATA
from sampler.kernels.simd_lanes import LINE
from sampler.kernels.whitening import Weighting, Whitening
from sampler.wasm.entry import Array, Entry, Group, Inside, Named, floats, integers

EMPTY = Inside("()")
LANES = 2
"""Lanes per vector of the module."""
WIDTHS = (2, 8, 16, 24)
"""Padded widths of one-score models, up to 24 columns."""


def _each(declared: Any, names: str) -> dict[str, Any]:
    """Return one declaration for each of several names."""
    return dict.fromkeys(names.split(), declared)


DECLARED: dict[str, Any] = {
    **_each("int64", "batch_size block chain count d dim dropped first i_max k kept kind lane most n noise_kind rule seed "
                     "slot solved_at stream stride t traced"),
    **_each("float64", "acceptance_radius cap contraction curvature_bound draws eta0 free_keep holder increment "
                       "largest noise_bound noise_std offset power radius reference_draws rounding share spread square "
                       "step_size tail"),
    **_each("bool", "cached preconditioned random_length rebuild refresh reset variance_reduction walk_free"),
    **_each(floats(1), "accuracy distance"),
    **_each(floats(3), "result variance"),
    **_each(floats("d"), "at_zero curvature eigenvalues mean mode std theta"),
    **_each(floats("d", "d"), "covariance floor hessian laplace likelihood lower matrix metric prior to_modes"),
    **_each(floats("d", 2), "projection"),
    **_each(floats(2, "d"), "axes"),
    **_each(floats("D"), "mask"),
    **_each(floats(2, "D"), "precision"),
    **_each(floats("C"), "center"),
    **_each(floats("K"), "farthest inside length_draw levels squares tails"),
    **_each(floats("K", "d"), "samples uniforms"),
    **_each(floats("K", "D"), "checkpoint frozen_short gradient_sum position short warm_start"),
    **_each(floats("K", "N"), "noise"),
    **_each(floats("K", 0), "frozen_pull pull"),
    **_each(floats("K", 0, "D"), "basis frozen_basis"),
    **_each(floats("K", "d", "D"), "frozen precision_matrix whitener"),
    **_each(floats("T"), "labels targets"),
    **_each(floats("T", "d"), "features"),
    **_each(floats("T", "D"), "rows"),
    **_each(floats("K", "T", "d"), "values"),
    **_each(floats("R"), "classes offsets"),
    **_each(floats("R", "d"), "current fresh points previous scores terms vectors"),
    **_each(floats("Y"), "curvatures"),
    **_each(floats("Y", "d"), "turned"),
    **_each(floats("G"), "x y"),
    **_each(floats("G", "G"), "weights"),
    **_each(floats(2, "G"), "marginals"),
    **_each(floats("J"), "high low"),
    **_each(floats("J", "P"), "cost exponent"),
    **_each(floats("P", 2), "pairs"),
    **_each(floats("P", "Q"), "paths"),
    **_each(floats("B", "d", "d"), "metrics"),
    **_each(floats("B", "d", "W"), "free"),
    **_each(floats("B", 5, "H"), "sums"),
    **_each(floats(3, "S", "d"), "record"),
    **_each(floats("S", 4, "d"), "trace"),
    **_each(floats("E", "K", "d"), "starts"),
    **_each(integers("K"), "diverged_epoch diverged_step noise_at steps_done"),
    **_each(integers("R"), "indices"),
    **_each(integers("J"), "at"),
    **_each(integers(3), "places"),
    **_each(integers(4), "counts"),
    **_each(integers("B", "W"), "exits free_exits"),
    **_each(Array(np.bool_, ("K",)), "sound trusted was_reset"),
    "items": Array(ITEM, ("K", "T")), "links": Array(LINK, ("K", "T")), "rng": Array(np.uint64, ("B", 2, 8)),
    "masses": floats(len(MASSES)), "loops": floats(len(MASSES), LOOP_POINTS, 2),
    "epochs": floats(mode_drift.CAPACITY), "modes": floats(mode_drift.CAPACITY, "d"),
    "function": Inside("None"), "prior_function": Inside("None"), "data": Inside("np.zeros(1)"), "last": Inside("t")}
"""Declarations of arguments and fields of tuples, by name."""


def _group(of: Any, *names: str, **others: Any) -> Group:
    """Return a tuple, of a class or plain, with fields declared by `DECLARED` under their or these names, or by others."""
    return Group(of, {name: {**DECLARED, **others}[name] for name in names or of._fields})


CHAINS = _group(Chains, rng=Array(np.uint64, ("K", 3, 8)))
WHITENING = _group(Whitening, "weights", "precision_matrix", "whitener", "frozen", "trusted", weights=floats("K", "T"))
DIAGONAL = _group(LowRankMetric)
WEIGHTING = _group(Weighting, curvature="float64", floor="float64")
DECLARED |= {
    "chains": CHAINS, "knobs": _group(Knobs), "model": _group(gradient_noise.NoiseModel, vectors=floats("d", "d")),
    "weighting": WEIGHTING, "buffers": _group(
        GradientBuffers, address=Inside("0"), batch=Inside("np.empty(batch_size, np.int64)"), theta=Inside("np.zeros(d)"),
        fresh=Inside("np.empty((batch_size, d))"), prior=Inside("np.zeros(d)"))}


def _entry(kernel: Any, returns: str = "void", width: int = 0, **others: Any) -> Entry:
    """Return the entry of a kernel, with arguments as in `DECLARED` or ``others``; ``width`` is D where that is fixed."""
    declared, names = {**DECLARED, **others}, signature(kernel.py_func).parameters
    if others.keys() - names:
        raise ValueError(f"others must be arguments of {kernel.__name__}, got {', '.join(others.keys() - names)}")
    return Entry(kernel, {name: declared[name] for name in names}, {"D": width} if width else {}, returns)


OBSERVATIONS = floats("T", "d")
"""Rows of GaussianMean or of a grid's model, not padded."""


def _lanes(width: int) -> Inside:
    return Inside(repr((0,) * (width // LANES)))


def _glm_entries(width: int, name: str, whitening: Any, weighting: Any) -> dict[str, Entry]:
    """Return the entries of online SAGA-LD for one-score models of up to ``width`` columns."""
    own: dict[str, Any] = {
        "lanes": _lanes(width), "cache": _group(None, "items"), "whitening": whitening, "weighting": weighting}
    return {
        f"{name}_arrive_{width}": _entry(
            glm_saga.play, "bool", width, **own, opens=Inside("True"), n=Inside("0"), traced=Inside("-1"),
            trace=Inside("np.empty((0, 4, 0))"), scratch=Inside("np.empty(t, np.int64)")),
        f"{name}_advance_{width}": _entry(
            glm_saga.play, "bool", width, **own, opens=Inside("False"), rebuild=Inside("False"),
            scratch=Inside("np.empty(0, np.int64)"))}


def _gaussian_entries(name: str, metric: Any) -> dict[str, Entry]:
    """Return the entries of online SAGA-LD for the mean of a Gaussian of up to `LINE` coordinates."""
    return {
        f"{name}_arrive_{LINE}": _entry(vector_saga.arrive_gaussian, "void", LINE, rows=OBSERVATIONS, metric=metric,
                                        scratch=Inside("np.empty(t + 1, np.int64)")),
        f"{name}_advance_{LINE}": _entry(
            vector_saga.advance, "bool", LINE, lanes=_lanes(LINE), rows=OBSERVATIONS, metric=metric,
            cache=_group(None, "values", "links")),
        f"{name}_gradients_{LINE}": _entry(vector_saga.gaussian_gradients, rows=OBSERVATIONS, x=Named("theta", floats("d")),
                                           out=Named("fresh", floats("R", "d"))),
        f"{name}_rebuild_{LINE}": _entry(vector_saga.rebuild_chain, "void", LINE)}


STARTS: dict[str, Any] = {
    "epochs": Named("start_epochs", integers("E")), "counts": Named("start_counts", integers("E"))}
WALKED: dict[str, Any] = {"rows": floats("R", "d"), "targets": floats("R")}
SPREAD: dict[str, Any] = {"covariance": Named("spread", floats("d", "d"))}
WALKS, FLAT = floats("B", "d", "W"), floats("d")
ENTRIES = {
    "raise_metric": _entry(gradient_variance.raise_metric, "bool"),
    "glm_variance": _entry(gradient_variance.glm_variance, "bool"),
    "gaussian_mean_variance": _entry(gradient_variance.gaussian_variance, "bool", rows=OBSERVATIONS),
    "glm_terms": _entry(gradient_variance.glm_terms),
    "gaussian_mean_terms": _entry(gradient_variance.gaussian_terms, rows=OBSERVATIONS),
    "largest_curvature": _entry(gradient_noise.largest_curvature, "bool", curvature=floats(1)),
    "smoothness": _entry(epoch_promise.smoothness, "bool", curvature=floats(1)),
    "start_distance": _entry(epoch_promise.start_distance, chains=integers("R")),
    "glm_noise": _entry(gradient_noise.glm_noise, "bool"),
    "gaussian_mean_noise": _entry(gradient_noise.gaussian_noise, "bool", rows=OBSERVATIONS),
    "keep_starts": _entry(predicted_accuracy.keep_starts, **STARTS),
    "forecast": _entry(predicted_accuracy.forecast, "bool", **STARTS),
    "measure_cloud": _entry(cloud.measure_cloud),
    "outline": _entry(cloud.outline, "bool"),
    "widest_axes": _entry(cloud.widest_axes),
    "shadow": _entry(cloud.shadow, "bool", out=Named("seen", floats(2, 2))),
    "remember_mode": _entry(mode_drift.remember_mode),
    "largest_drift": _entry(mode_drift.largest_drift, out=floats(1)),
    **_gaussian_entries("gaussian_mean", EMPTY),
    **_gaussian_entries("preconditioned_gaussian_mean", DIAGONAL),
    f"preconditioned_gaussian_mean_metric_{LINE}": _entry(fill_precision, "void", LINE),
    "exit_walk_advance": _entry(exit_walk.advance_blocks, x=WALKS, **WALKED),
    "exit_walk_record": _entry(
        exit_walk.advance_block, x=floats("d", "W"), free=floats("d", "W"), rng=Array(np.uint64, (2, 8)),
        exits=integers("W"), free_exits=integers("W"), sums=floats(5, "H"), **WALKED),
    "begin_walks": _entry(initial_state.begin_walks, distance="float64", chains="int64", x=WALKS),
    "bounded_noise_path": _entry(supermartingale.bounded_noise_path, theta=floats("P")),
    "binomial_limits": _entry(tail_probabilities.binomial_limits, counts=floats("J"), chains="int64"),
    "chi_square_levels": _entry(tail_probabilities.chi_square_levels),
    "chi_square_log_tails": _entry(tail_probabilities.chi_square_log_tails),
    "batch_noise_path": _entry(supermartingale.batch_noise_path, theta=floats("P")),
    "jacobi": _entry(small_linear_algebra.jacobi),
    "cholesky": _entry(small_linear_algebra.cholesky, "bool"),
    "invert": _entry(small_linear_algebra.invert, out=floats("d", "d")),
    "rebuild_metric": _entry(glm_saga.rebuild_metric, weights=floats("K", "T")),
    "glm_keep_last": _entry(glm_saga.keep_last),
    "gaussian_mean_keep_last": _entry(vector_saga.keep_last),
    "fill_stream": _entry(synthetic_stream.fill_stream),
    "encode_rows": _entry(initial_state.encode_rows, **WALKED),
    "begin_chains": _entry(initial_state.begin_chains, first=floats("d"), rng=CHAINS.fields["rng"],
                           **_each(floats("M", "d", "D"), "precision_matrix whitener frozen")),
}
for _width in WIDTHS:
    ENTRIES |= _glm_entries(_width, "glm", EMPTY, EMPTY)
    # Recompute all cached gradients of one chain, for a chain that is restarted after it diverged.
    ENTRIES[f"glm_rebuild_{_width}"] = _entry(glm_saga.rebuild_chain, "void", _width)
    ENTRIES |= _glm_entries(_width, "preconditioned", WHITENING, WEIGHTING)
ENTRIES |= {
    "mode_add": _entry(posterior_mode.add_datum, "bool", rows=OBSERVATIONS),
    "solve_mode": _entry(posterior_mode.solve_mode, "bool", rows=OBSERVATIONS, prior=FLAT),
    "gradients_at": _entry(posterior_mode.gradients_at, rows=OBSERVATIONS, prior=FLAT,
                           out=Named("gradients", floats("R", "d"))),
    "normal_marginals": _entry(posterior_mode.normal_marginals),
    "normal_cdf": _entry(posterior_mode.normal_cdf),
    "standardise": _entry(posterior_mode.standardise, scores=floats("K", "d")),
    "grid_place": _entry(plane_grid.place_window, prior=FLAT),
    "grid_potential": _entry(plane_grid.add_potential, rows=OBSERVATIONS, total=Named("weights", floats("G", "G"))),
    "grid_settle": _entry(plane_grid.settle_window, "bool", **SPREAD),
    "grid_add": _entry(plane_grid.add_row, "bool", rows=OBSERVATIONS, **SPREAD),
    "grid_cdf": _entry(plane_grid.marginal_cdf),
    "grid_contours": _entry(plane_contours.grid_contours, "bool"),
    "normal_contours": _entry(plane_contours.ellipses),
    "grid_ellipses": _entry(plane_contours.ellipses, **SPREAD),
    "pool_accuracy": _entry(histogram_accuracy.accuracy, uniforms=floats("R", "d")),
    "pool_ceiling": _entry(histogram_accuracy.ceiling),
    "pool_shape": _entry(histogram_accuracy.shape),
    "pool_memory": _entry(histogram_accuracy.memory),
}
HOT = ("_steps", "_arrive", "advance_block", "next_bits", "next_double", "standard_normal", "truth_at")
"""Kernels that are not inlined: a browser replaces a function by better code only between two calls."""
RARE = ("numpy_random", "synthetic_stream", "initial_state", "refresh_calendar", "_arrive", "arrive", "arrive_gaussian",
        "open_epoch", "begin_epoch", "begin_in_metric", "record_in_metric", "rebuild_chain", "rebuild_metric", "weigh_all",
        "keep_last", "freeze", "epoch_promise", "predicted_accuracy", "cloud", "gradient_noise", "gradient_variance",
        "small_linear_algebra", "special_functions", "stationary_covariance", "posterior_mode", "plane_grid",
        "plane_contours", "histogram_accuracy", "supermartingale", "tail_probabilities")
"""Kernels, and modules of kernels, that run once per epoch or less: compiled for size, not for speed."""
CONSTANTS: dict[str, Any] = {
    "line": LINE, "widths": list(WIDTHS), "noise_block": NOISE_BLOCK, "starts": list(initial_state.STARTS),
    "streams": list(synthetic_stream.STREAMS), "drawn_kinds": list(synthetic_stream.KINDS), "far": FAR,
    "most_data": MOST_DATA, "noise_rows": gradient_noise.MOST_ROWS,
    "kinds": {"logistic": LOGISTIC, "linear": LINEAR, "poisson": POISSON, "gaussian_mean": posterior_mode.GAUSSIAN_MEAN},
    "masses": list(MASSES), "loop_points": LOOP_POINTS, "grid_points": plane_grid.POINTS, "grid_rounds": plane_grid.ROUNDS,
    "targets": {"flat": exit_walk.FLAT, "quadratic": exit_walk.QUADRATIC, "logistic": exit_walk.LOGISTIC},
    "noises": {"sphere": exit_walk.SPHERE, "radial": exit_walk.RADIAL}}
