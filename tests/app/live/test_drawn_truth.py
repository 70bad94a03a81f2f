"""A reference sampled in the background: moved with the mode, requested once, errors reported."""

import threading

import numpy as np

from app.live.truth import Drawer, DrawnTruth
from sampler import LogisticRegression
from sampler.reference import ModeTracker, SampleReference
from tests.waiting import wait_for


def tracker_of(t, seed=1):
    tracker, rng = ModeTracker(LogisticRegression(3)), np.random.default_rng(seed)
    for _ in range(t):
        tracker.add(rng.standard_normal(3), float(rng.random() < 0.5))
    return tracker


def laplace_draws(posterior, draws, seed, warm_start, stop):
    rng = np.random.default_rng(seed)
    covariance = np.linalg.inv(posterior.hessian(warm_start))
    samples = rng.multivariate_normal(warm_start, covariance, 20_000)
    return SampleReference(samples, posterior.t, np.full(3, 20_000.0), np.ones(3))


def test_a_target_that_forgets_is_drawn_again_at_a_constant_number_of_data():
    tracker = tracker_of(50)
    truth = DrawnTruth(tracker, Drawer(laplace_draws))
    truth.add()
    wait_for(lambda: truth.drawer.latest is not None and truth.drawer.idle)
    for t in range(51, 58):
        truth.forget(1)
        tracker.add(np.ones(3), 1.0)
        truth.add()
        assert (truth.epoch, tracker.t, tracker.forgotten) == (50, 50, t - 50)
        wait_for(lambda: truth.drawer.idle)
    assert truth.drawer.latest.epoch == 57 and truth.drawer.latest.reference.t == 50  # after more than a tenth of 50 rows
    truth.close()


def test_draws_move_and_narrow_with_the_mode():
    tracker = tracker_of(50)
    truth = DrawnTruth(tracker, Drawer(laplace_draws))
    assert not truth.ready and truth.words == "being drawn"
    truth.refresh()
    wait_for(truth.refresh)
    assert truth.ready and truth.epoch == 50 and truth.draws == 20_000
    rng = np.random.default_rng(2)
    for _ in range(30):
        tracker.add(rng.standard_normal(3), 1.0)
    # the mode moves exactly; standard errors of 20,000 draws: 1/141 of a mean, 1/200 of a standard deviation
    deviation = np.sqrt(np.diagonal(tracker.covariance))
    assert np.allclose(truth.mean, tracker.mode, atol=0.05 * deviation.min())
    assert np.allclose(truth.std, deviation, rtol=0.03)
    assert np.allclose(truth.uniforms(tracker.mode[None]), 0.5, atol=0.02)
    assert "30 epochs old, moved with the mode" in truth.words and truth.busy
    truth.close()


def test_one_request_at_a_time_and_none_after_the_end():
    started, go = threading.Event(), threading.Event()

    def slow(posterior, draws, seed, warm_start, stop):
        started.set()
        while not (go.wait(0.001) or stop()):
            pass
        return None if stop() else laplace_draws(posterior, draws, seed, warm_start, stop)

    drawer, tracker = Drawer(slow), tracker_of(20)
    spread = np.sqrt(np.diagonal(tracker.covariance))
    assert drawer.idle
    drawer.request(tracker.posterior, tracker.mode, spread, 20)
    assert started.wait(300) and not drawer.idle
    drawer.request(tracker.posterior, tracker.mode, spread, 20)
    drawer.close()
    assert drawer.latest is None and not drawer._thread.is_alive() and not drawer.idle


def test_a_failed_reference_is_reported():
    def broken(*args, **kwargs):
        raise ValueError("no mode")

    truth = DrawnTruth(tracker_of(20), Drawer(broken))
    truth.refresh()
    wait_for(lambda: truth.drawer.error)
    assert truth.words == "the reference failed: ValueError: no mode" and not truth.busy
    truth.close()
