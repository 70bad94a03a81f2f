"""Copies of one chain, and samplers put down at an epoch they never ran up to."""

import numpy as np
import pytest

from sampler import SGLD, ULA, LogisticRegression, OnlineSagaLD, PreconditionedSagaLD, Settings, find_mode, synthetic_stream
from sampler.algorithms.sampler_copies import copies_of, standing_at

SETTINGS = Settings(eta0=0.3, batch_size=8, i_max=10, offset=2.0)
STREAM = synthetic_stream("logistic", 2, "paper", 200, seed=3)


def saga(kind=OnlineSagaLD, settings=SETTINGS, rows=100):
    sampler = kind(LogisticRegression(2), settings, chains=1, seed=5)
    sampler.observe(STREAM.features[:rows], STREAM.labels[:rows])
    return sampler


@pytest.mark.parametrize("kind", [OnlineSagaLD, PreconditionedSagaLD])
def test_copies_share_the_cache_and_not_the_random_numbers(kind):
    one = saga(kind)
    many = copies_of(one, 6, seed=9)
    assert many.chains == 6 and many.t == one.t and many.gradient_evaluations == 0
    np.testing.assert_array_equal(many.positions, np.repeat(one.positions, 6, axis=0))
    for k in range(6):
        np.testing.assert_array_equal(many.cached_gradients(k), one.cached_gradients(0))
        np.testing.assert_array_equal(many.gradient_sum(k), one.gradient_sum(0))
    many.observe(STREAM.features[100], STREAM.labels[100])
    assert len(np.unique(many.positions, axis=0)) == 6
    assert one.t == 100


def test_copies_can_be_put_elsewhere_and_given_other_settings():
    many = copies_of(saga(), 3, seed=1, position=[0.25, -0.5], i_max=77, random_length=False)
    np.testing.assert_array_equal(many.positions, [[0.25, -0.5]] * 3)
    assert many.settings.i_max == 77
    many.arrive(STREAM.features[100], STREAM.labels[100])
    assert (many.run_lengths == 77).all()


def test_what_cannot_be_copied_is_refused_with_the_next_action():
    with pytest.raises(ValueError, match="standing_at"):
        copies_of(ULA(LogisticRegression(2), chains=1), 3, seed=0)
    with pytest.raises(ValueError, match="copies_of"):
        standing_at(OnlineSagaLD, LogisticRegression(2), (), SETTINGS, 1, 0, [0.0, 0.0])
    open_one = saga()
    open_one.arrive(STREAM.features[100], STREAM.labels[100])
    with pytest.raises(ValueError, match="between two epochs"):
        copies_of(open_one, 3, seed=0)


def test_it_is_where_it_was_put_and_counts_only_its_own_epoch():
    problem = LogisticRegression(2)
    mode = find_mode(problem.posterior(STREAM.features[:50], STREAM.labels[:50]))
    sgld = standing_at(SGLD, problem, (STREAM.features[:50], STREAM.labels[:50]), SETTINGS, 4, 0, mode)
    assert sgld.t == 50 and sgld.gradient_evaluations == 0
    np.testing.assert_array_equal(sgld.positions, np.repeat(mode[None], 4, axis=0))
    sgld.arrive(STREAM.features[50], STREAM.labels[50])
    sgld.advance(3)
    assert sgld.t == 51 and sgld.gradient_evaluations == 8 * sgld.steps_done.sum() > 0
