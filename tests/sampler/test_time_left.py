"""Estimates of the remaining time are within a factor of two after the first tenth, or None."""

import math

import numpy as np
import pytest

from sampler.time_left import TimeLeft, time_words

TOTAL = 100.0


class Clock:
    """Manual clock."""

    def __init__(self, now=1e6):
        self.now = now

    def __call__(self):
        return self.now


def lumps(count):
    """Return work reported in a few equal parts only."""
    return lambda x: math.floor(x * count + 1e-9) / count


def stalled(at, share):
    """Return steady work that stalls for a fraction of the total time."""
    def done(x):
        return min(1.0, (x if x < at else at if x < at + share else x - share) / (1.0 - share))
    return done


def noisy(seed):
    """Return steady work in pieces of random length."""
    ends = np.cumsum(np.random.default_rng(seed).gamma(2.0, size=150))
    return lambda x: float(np.searchsorted(ends / ends[-1], x, "right")) / ends.size


WORKLOADS = {
    "constant": lambda x: x,
    "seven parts": lumps(7),
    "twelve parts": lumps(12),
    "slowing": lambda x: x**0.5,
    "getting faster": lambda x: x**2,
    "a slow start": lambda x: max(0.0, x - 0.2) / 0.8,
    "a slower start": lambda x: max(0.001 * x, x - 0.5) / 0.5,
    "front-loaded": lambda x: x if x < 0.3 else 0.3 + 0.7 * ((x - 0.3) / 0.7) ** 0.9,
    "stalled early": stalled(0.15, 0.3),
    "stalled": stalled(0.4, 0.2),
    "stalled late": stalled(0.7, 0.12),
    "noisy": noisy(0),
}
SHARES = {"constant": 0.95, "a slow start": 0.6, "noisy": 0.8, "twelve parts": 0.7, "stalled": 0.5}
"""Fraction of the times after the first tenth that must have an estimate."""


def estimates(done, units=1.0, reports=2_000):
    """Return ``(true remaining seconds, estimate or None)`` at many times of work of TOTAL seconds."""
    clock = Clock()
    left, last, history = TimeLeft(clock), 0.0, []
    for i in range(1, reports):
        clock.now = 1e6 + TOTAL * i / reports
        now = done(i / reports)
        if now > last:
            left.update(units * now, units * (1.0 - now))
            last = now
        history.append((TOTAL * (1.0 - i / reports), left.seconds))
    return history


@pytest.mark.parametrize("name", WORKLOADS)
def test_an_estimate_after_the_first_tenth_is_within_a_factor_of_two(name):
    """Or within two seconds."""
    late = [(true, estimate) for true, estimate in estimates(WORKLOADS[name]) if true < 0.9 * TOTAL]
    wrong = [(true, estimate) for true, estimate in late if estimate is not None and abs(estimate - true) > 2.0
             and not true / 2 <= estimate <= 2 * true]
    assert not wrong, f"{len(wrong)} of {len(late)}, the first {wrong[0]}"
    assert sum(estimate is not None for _, estimate in late) >= SHARES.get(name, 0.0) * len(late)


def test_estimates_are_independent_of_the_unit():
    assert estimates(WORKLOADS["noisy"], 1.0) == estimates(WORKLOADS["noisy"], 4096.0)


def test_work_of_uncertain_amount_has_an_estimate_where_its_bounds_are_near():
    clock = Clock()
    left = TimeLeft(clock)
    for done in (10.0, 20.0, 30.0, 40.0):
        clock.now += 10.0
        left.update(done, 50.0, 100.0)
    assert left.seconds == pytest.approx(5_000.0**0.5)
    left.update(41.0, 20.0, 100.0)
    assert left.seconds is None


def test_stalled_work_has_no_estimate_until_it_moves_again():
    left = [left for _, left in estimates(stalled(0.3, 0.3))]
    assert left[500] is not None and left[1_150] is None and any(left[1_300:])


def test_there_is_no_estimate_at_the_beginning_and_after_a_restart():
    clock = Clock()
    left = TimeLeft(clock)
    assert left.seconds is None
    for share in (0.25, 0.5, 0.75):
        clock.now += 10.0
        left.update(share)
    assert left.seconds == pytest.approx(10.0)
    left.update(0.1)  # less than before: a restart
    assert left.seconds is None
    left.update(1.0)
    assert left.seconds == 0.0


@pytest.mark.parametrize(("seconds", "words"), [(None, ""), (1.0, "a second"), (42.4, "42 s"), (180, "about 3 min"),
                                                (7200, "about 2.0 h")])
def test_time_in_words(seconds, words):
    assert time_words(seconds) == words
