"""Streams of `sampler.problems.synthetic_stream` without NumPy, for WebAssembly.

Python draws them by NumPy, with the constants defined here, as these kernels take 4 s to compile. Whole columns are
drawn one after the other, in the order of NumPy's arrays, so that rows are complete only at the end.
"""

import numpy as np
from numba import uint64

from sampler.kernels.compile import kernel
from sampler.kernels.numpy_random import S32, next_bits, next_double, poisson_count, seed_generator, standard_normal
from sampler.kernels.small_linear_algebra import product

KINDS = ("gaussian_mean", "linear", "logistic", "poisson")
"""Models that rows can be generated for."""

STREAMS = ("paper", "drifting", "ill_conditioned", "separable", "outliers")
"""Orders and shapes of the rows; `synthetic_stream` explains each."""

GAUSSIAN_MEAN, LINEAR, LOGISTIC, POISSON = range(4)
PAPER, DRIFTING, ILL_CONDITIONED, SEPARABLE, OUTLIERS = range(5)

PAPER_SPARSITY = 5.0
TURN = 0.6  # radians by which the truth rotates each time the data double
TRUTH = 1.5, -1.0
POISSON_TRUTH = 0.8, -0.6
DISK, POISSON_DISK = 2.0, 1.5  # radius of the features' disk
SHORT = 0.1  # length of the last direction in ill-conditioned features
HALF_GAP = 5.0  # half the distance between two groups of observations
OUTLIER_SHARE = 0.02
OUTLIER_LENGTH, POISSON_OUTLIER_LENGTH = 5.0, 2.0
FAR_OUT = 25.0  # noise of an outlier, relative to other observations
WRONG_BY = 10.0  # error of an outlier's response in linear regression, of either sign
TOP_BIT = np.uint64(2**31)


@kernel(inner=True)
def fill_uniform(state, column):
    """Fill a column with uniform draws on [0, 1)."""
    for t in range(column.size):
        column[t] = next_double(state)


@kernel(inner=True)
def truth_at(theta, t, drifting, truth):
    """Write the true parameter of row t >= 1 into ``truth``: theta, with each pair of coordinates rotated if drifting."""
    angle = TURN * np.log2(t) if drifting else 0.0
    cos, sin = np.cos(angle), np.sin(angle)
    for q in range(theta.size):
        truth[q] = theta[q]
    if drifting:
        for q in range(0, theta.size - 1, 2):
            truth[q], truth[q + 1] = cos * theta[q] - sin * theta[q + 1], sin * theta[q] + cos * theta[q + 1]


@kernel(inner=True)
def fill_observations(state, stream, theta, features):
    """Fill the observations of "gaussian_mean": truth plus noise."""
    rows, dim = features.shape
    truth = np.empty(dim)
    for t in range(rows):
        for q in range(dim):
            features[t, q] = standard_normal(state)
    for t in range(rows):
        pick = next_double(state)
        if stream == ILL_CONDITIONED:
            features[t, dim - 1] *= SHORT
        elif stream == SEPARABLE:
            features[t, 0] += HALF_GAP if pick < 0.5 else -HALF_GAP
        truth_at(theta, t + 1, stream == DRIFTING, truth)
        for q in range(dim):
            if stream == OUTLIERS and pick < OUTLIER_SHARE:
                features[t, q] *= FAR_OUT
            features[t, q] += truth[q]


@kernel(inner=True)
def fill_features(state, kind, stream, features):
    """Fill the features of the other kinds: uniform in a disk for d = 2, else the paper's sparse ones with intercept."""
    rows, dim = features.shape
    if dim == 2:
        fill_uniform(state, features[:, 0])
        fill_uniform(state, features[:, 1])
    for t in range(rows):
        if dim == 2:
            radius = (POISSON_DISK if kind == POISSON else DISK) * np.sqrt(features[t, 0])
            angle = 2.0 * np.pi * features[t, 1]
            features[t, 0], features[t, 1] = radius * np.cos(angle), radius * np.sin(angle)
        else:
            for q in range(dim - 1):
                features[t, q] = 1.0 if next_double(state) < PAPER_SPARSITY / max(dim - 1.0, PAPER_SPARSITY) else 0.0
            features[t, dim - 1] = 1.0
        if stream == ILL_CONDITIONED:
            for q in range(1, dim):
                features[t, q] *= 10.0 ** (q * (-1.0 / (dim - 1.0)))
        elif stream == SEPARABLE and kind != LOGISTIC:
            features[t, dim - 1] = 0.0


@kernel(inner=True)
def fill_labels(state, kind, stream, theta, features, picks, labels):
    """Draw labels from the scores of rows; rows with ``picks`` (T,) below OUTLIER_SHARE get wrong ones."""
    rows, dim = features.shape
    truth = np.empty(dim)
    for t in range(rows):
        truth_at(theta, t + 1, stream == DRIFTING, truth)
        score, is_outlier = product(features[t], truth), picks[t] < OUTLIER_SHARE
        if kind == LINEAR:
            labels[t] = score + standard_normal(state)
        elif kind == POISSON:
            count = poisson_count(state, np.exp(score))
            labels[t] = 3.0 * count + 5.0 if is_outlier else count
        elif stream == SEPARABLE:
            labels[t] = 1.0 if score > 0.0 else 0.0
        else:
            label = 1.0 if next_double(state) < 1.0 / (1.0 + np.exp(-score)) else 0.0
            if is_outlier:
                label = 0.0 if score > 0.0 else 1.0
            labels[t] = label
    if kind == LINEAR and stream == OUTLIERS:
        bits = uint64(0)
        for t in range(rows):  # a sign is the top bit of the lower half, then of the upper
            bits = next_bits(state) if t % 2 == 0 else bits >> S32
            if picks[t] < OUTLIER_SHARE:
                labels[t] += WRONG_BY if bits & TOP_BIT else -WRONG_BY


@kernel()
def fill_stream(kind, stream, seed, theta, features, labels):
    """Draw a stream: theta (d,), features (T, d), and labels (T,), unchanged for "gaussian_mean".

    ``kind`` and ``stream`` are indices into KINDS and STREAMS.
    """
    rows, dim = features.shape
    state, numbers = np.empty(4, np.uint64), np.empty(3, np.int64)
    numbers[0], numbers[1], numbers[2] = seed, kind, dim
    seed_generator(numbers, state)
    for q in range(dim):
        if dim > 2:
            theta[q] = standard_normal(state)
        else:
            theta[q] = POISSON_TRUTH[q] if kind == POISSON else TRUTH[q]
    if kind == GAUSSIAN_MEAN:
        fill_observations(state, stream, theta, features)
        return
    fill_features(state, kind, stream, features)
    picks = np.ones(rows)
    if stream == OUTLIERS:
        fill_uniform(state, picks)
        for t in range(rows):
            for q in range(dim):
                if picks[t] < OUTLIER_SHARE:
                    features[t, q] *= POISSON_OUTLIER_LENGTH if kind == POISSON else OUTLIER_LENGTH
    fill_labels(state, kind, stream, theta, features, picks, labels)
