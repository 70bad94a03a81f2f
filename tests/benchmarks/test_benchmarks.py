"""The harness, the methods that NUTS is compared with, and the light document of Live: known answers."""

import json
import threading

import numpy as np
import pytest

from sampler.kernels.refresh_calendar import ITEM
from sampler.kernels.simd_lanes import aligned_zeros, lanes_for, padded
from tests.benchmarks import timing
from tests.benchmarks.document import build_live
from tests.benchmarks.followers import ParticleFilter, StreamingLogistic, bound_curvature, logistic_filter
from tests.benchmarks.kernels import _gather


class Clock:
    """A clock that runs only when advanced, and slower for everybody as the turns go by."""

    def __init__(self):
        self.now, self.order = 0.0, []

    def __call__(self):
        return self.now

    def contestant(self, name, cost):
        def run():
            self.order.append(name)
            self.now += cost * (1 + len(self.order) // 2)
        return run


def test_contestants_take_turns_and_only_their_ratio_holds():
    clock = Clock()
    seconds = timing.race({"a": (clock.contestant("a", 2.0), 10), "b": (clock.contestant("b", 6.0), 10)}, 50, clock)
    assert clock.order[:6] == ["a", "b", "a", "b", "b", "a"]  # once unmeasured, then forth and back
    assert seconds["a"].shape == (50,) and seconds["a"][-1] > 10 * seconds["a"][0]
    assert np.median(seconds["b"] / seconds["a"]) == pytest.approx(3.0, rel=0.1)


@pytest.mark.parametrize(("limits", "outcome"), [
    ({"at_least": 2.0}, "pass"), ({"at_least": 2.1}, "MISS"), ({"at_most": 2.0}, "pass"), ({"at_most": 1.9}, "MISS"),
    ({}, "")])
def test_a_row_passes_by_its_median(limits, outcome):
    row = timing.row("x", [1.0, 2.0, 9.0], **limits)
    assert (row.measured, row.low, row.high, row.outcome) == (2.0, 1.0, 9.0, outcome)
    assert outcome in row.line()


def test_what_is_saved_can_be_read_back():
    rows = [timing.row("x", [1.5]), timing.skipped("y", "needs z")]
    saved = json.loads(json.dumps(timing.as_data(rows, quick=True), allow_nan=False))
    assert [r["outcome"] for r in saved["rows"]] == ["", "skipped"]
    assert saved["rows"][1]["measured"] is None and "needs z" in rows[1].line()
    assert saved["machine"]["cores"] >= 1


PARTICLES, DATA, SIGMAS = 2_000, 60, 5.0


def test_a_particle_filter_has_the_conjugate_posterior_of_a_gaussian_mean():
    """theta ~ N(0, I), y ~ N(theta, I): after t data N(sum y/(t + 1), I/(t + 1)).

    At least half the particles count, so a mean errs by sd/sqrt(N/2) and a variance by variance sqrt(2/(N/2)).
    """
    rng = np.random.default_rng(1)
    y = rng.standard_normal((DATA, 2)) + [1.0, -2.0]

    def log_likelihood(theta, first, last):
        return -0.5 * ((y[first:last, None, :] - theta) ** 2).sum(axis=(0, 2))

    def log_prior(theta):
        return -0.5 * (theta**2).sum(axis=1)

    result = ParticleFilter(rng.standard_normal((PARTICLES, 2)), log_prior, log_likelihood, rng)
    for t in range(1, DATA + 1):
        result.observe()
        if t not in (1, 7, DATA):
            continue
        weights, effective = result.weights, PARTICLES / 2
        mean = weights @ result.particles
        variance = weights @ (result.particles - mean) ** 2
        sd = 1.0 / np.sqrt(t + 1.0)
        assert 1.0 / (weights @ weights) >= effective
        assert np.abs(mean - y[:t].sum(axis=0) / (t + 1)).max() <= SIGMAS * sd / np.sqrt(effective)
        assert np.abs(variance - sd**2).max() <= SIGMAS * sd**2 * np.sqrt(2.0 / effective)
        kept = log_prior(result.particles) + log_likelihood(result.particles, 0, t)
        assert result._log_target == pytest.approx(kept, rel=1e-9)  # what Metropolis steps compare with
    assert result.rejuvenations >= 3 and np.mean(result.acceptance) > 0.3


def test_its_logistic_likelihood_is_the_sum_over_data():
    rng = np.random.default_rng(2)
    rows, theta = rng.standard_normal((50, 3)), rng.standard_normal((4, 3))
    result = logistic_filter(rows, 4, 0)
    wanted = [-sum(np.log1p(np.exp(row @ point)) for row in rows[10:40]) for point in theta]
    assert result._log_likelihood(theta, 10, 40) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("xi", [0.0, 0.3, 2.0, 9.0])
def test_the_bound_lies_below_the_logistic_and_touches_it(xi):
    x = np.linspace(-12, 12, 481)

    def log_sigmoid(x):
        return -np.logaddexp(0.0, -x)

    bound = log_sigmoid(xi) + (x - xi) / 2 - 0.5 * bound_curvature(xi) * (x**2 - xi**2)
    assert np.all(bound <= log_sigmoid(x) + 1e-12)
    assert log_sigmoid(-xi) == pytest.approx(log_sigmoid(xi) - xi, abs=1e-12)  # touches at -xi too


def test_streaming_logistic_regression_ends_where_the_bound_is_tightest():
    """Of all xi, the one taken gives the largest evidence of N(0, v) times the bound; one datum, d = 1."""
    result, row = StreamingLogistic(1, prior_precision=0.5), np.array([1.7])
    result.observe(row, 1.0)
    xi = np.sqrt(row @ result.covariance @ row + (row @ result.mean) ** 2)

    def evidence(xi):
        curvature = bound_curvature(xi)
        precision = 0.5 + curvature * row[0] ** 2
        return (-np.logaddexp(0.0, -xi) - xi / 2 + 0.5 * curvature * xi**2 - 0.5 * np.log(precision)
                + (0.5 * row[0]) ** 2 / (2 * precision))

    assert result.covariance[0, 0] == pytest.approx(1 / (0.5 + bound_curvature(xi) * row[0] ** 2), rel=1e-8)
    assert all(evidence(xi) > evidence(xi * factor) for factor in (0.5, 0.9, 1.1, 2.0))
    assert result.mean[0] > 0


def test_the_live_page_is_a_light_document():
    built = build_live()
    assert built.models < built.all_models <= 200  # its figures follow
    assert built.kilobytes < built.all_kilobytes <= 150
    for thread in threading.enumerate():  # its run ends
        if thread.name == "exit-time-engine":
            thread.join(60)
            assert not thread.is_alive()


def test_the_bare_gather_reads_every_record_of_its_chain_alone():
    lanes, rows, items = lanes_for(3), aligned_zeros((50, padded(3))), aligned_zeros((2, 50), ITEM)
    rows[:, 0] = 2.0
    x, fresh = np.eye(padded(3))[0], np.zeros(8)
    for ahead in (False, True):
        _gather(lanes, rows, items, 1, x, fresh, np.zeros(8, np.uint64), 20, ahead)
    assert items["touched"][1].sum() == 2 * 20 * 8 and not items["touched"][0].any()
    assert items["value"][1].sum() == pytest.approx(2.0 * 2 * 20 * 8)
