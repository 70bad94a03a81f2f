import numpy as np
import pytest

from sampler.problems.synthetic_data import synthetic_logistic, synthetic_stream

ROWS = 4096


def test_paper_data_have_the_stated_shapes_and_laws():
    features, labels, theta = synthetic_logistic(20_000, 20, sparsity=5, seed=3)
    assert features.shape == (20_000, 21) and labels.shape == (20_000,) and theta.shape == (21,)
    assert set(np.unique(features)) == {0.0, 1.0} and set(np.unique(labels)) == {0.0, 1.0}
    assert (features[:, -1] == 1).all()
    # each of 400,000 features is Bernoulli(1/4): sd of the mean 0.0007; six of them
    assert abs(features[:, :-1].mean() - 0.25) < 0.0042
    probability = 1 / (1 + np.exp(-features @ theta))
    # sd of the mean label at most 0.5/sqrt(20,000) = 0.0035; six of them
    assert abs((labels - probability).mean()) < 0.022


def test_disk_features_have_unit_second_moments():
    features = synthetic_stream("logistic", 2, "paper", ROWS, seed=1).features
    assert np.linalg.norm(features, axis=1).max() <= 2
    # variance of x^2 is E x^4 - 1 = 1 in a disk of radius 2, so sd of the mean 1/64; six of them
    assert np.allclose(features.T @ features / ROWS, np.eye(2), atol=6 / 64)


def test_separable_labels_are_parted_by_the_truth():
    stream = synthetic_stream("logistic", 2, "separable", ROWS, seed=1)
    assert ((stream.features @ stream.theta > 0) == stream.labels).all()
    paper = synthetic_stream("logistic", 2, "paper", ROWS, seed=1)
    assert ((paper.features @ paper.theta > 0) != paper.labels).mean() > 0.1


def test_drifting_truth_moves_the_fit():
    stream = synthetic_stream("linear", 2, "drifting", ROWS, seed=1)
    half = ROWS // 2
    early, late = (
        np.linalg.lstsq(stream.features[rows], stream.labels[rows])[0]
        for rows in (slice(0, half), slice(half, None))
    )
    # sd of each fit about 1/sqrt(2048) = 0.022; the truth turns 0.6 radians an octave at length 1.8
    assert np.linalg.norm(early - late) > 0.5


def test_ill_conditioned_curvatures_differ_a_hundredfold():
    features = synthetic_stream("linear", 2, "ill_conditioned", ROWS, seed=1).features
    assert np.linalg.cond(features.T @ features) == pytest.approx(100, rel=0.2)


def test_outliers_lengthen_the_longest_row():
    lengths = {
        name: np.linalg.norm(synthetic_stream("logistic", 2, name, ROWS, 1).features, axis=1).max()
        for name in ("paper", "outliers")
    }
    assert lengths["outliers"] > 4 * lengths["paper"]
