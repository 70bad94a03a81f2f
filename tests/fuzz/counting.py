"""`search`: nonsense put to a check, a given number of times, and counted."""

import os
import time

import pytest
from hypothesis import HealthCheck, Phase, given, settings

SHARE = float(os.environ.get("FUZZ_SHARE", "1"))
"""Part of the slow tier's examples that are drawn; more than 1 draws more."""


def amounts(quick, slow):
    """Parametrize a test over how much nonsense it sees: a handful in tier 1, `slow` examples in the slow tier."""
    return pytest.mark.parametrize("examples", [pytest.param(quick, id="some"),
                                                pytest.param(amount(slow), id="many",
                                                             marks=[pytest.mark.slow, pytest.mark.timeout(14_400)])])


def amount(examples):
    """Return how many examples of the slow tier are drawn."""
    return max(1, int(examples * SHARE))


def search(record_property, area, examples, strategy, check):
    """Put `examples` draws of a strategy to `check(drawn)`, which returns how many cases that were (None: one).

    The same draws each time: what fails once fails again. The number of cases is recorded with the test, and the seconds of
    the processor that they took.
    """
    count, begun = 0, time.process_time()

    @settings(max_examples=examples, derandomize=True, database=None, deadline=None, print_blob=False,
              suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate, Phase.shrink))
    @given(strategy)
    def run(drawn):
        nonlocal count
        cases = check(drawn)
        count += 1 if cases is None else cases

    try:
        run()
    finally:
        record_property("fuzz", (area, count, time.process_time() - begun))
