"""`search`: nonsense put to a check, a given number of times."""

import pytest
from hypothesis import HealthCheck, given, settings


def amounts(quick, slow):
    """Parametrize a test over how much nonsense it sees: a handful in tier 1, `slow` examples in the slow tier."""
    return pytest.mark.parametrize("examples", [
        pytest.param(quick, id="some"),
        pytest.param(slow, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(14_400)])])


def search(examples, strategy, check):
    """Put `examples` draws of a strategy to `check(drawn)`, the same draws each time: what fails once fails again."""
    run = settings(max_examples=examples, derandomize=True, database=None, deadline=None, print_blob=False,
                   suppress_health_check=list(HealthCheck))(given(strategy)(check))
    run()
