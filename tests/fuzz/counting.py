"""`search`: nonsense put to a check, a given number of times, and counted."""

import os
import time
import traceback

import pytest
from hypothesis import HealthCheck, Phase, given, settings

PARTS = dict(part.split("=") if "=" in part else ("", part) for part in os.environ.get("FUZZ_SHARE", "1").split(","))
"""Area -> part of the slow tier's examples that are drawn, "" for those not named; more than 1 draws more."""
LONGEST = 1_500
"""Letters of an example that a finding shows."""


def amounts(area, quick, slow):
    """Parametrize a test over how much nonsense it sees: a handful in tier 1, `slow` examples in the slow tier."""
    return pytest.mark.parametrize("examples", [pytest.param(quick, id="some"),
                                                pytest.param(amount(area, slow), id="many",
                                                             marks=[pytest.mark.slow, pytest.mark.timeout(14_400)])])


def amount(area, examples):
    """Return how many examples of the slow tier are drawn."""
    return max(1, int(examples * float(PARTS.get(area, PARTS.get("", 1)))))


def search(record_property, area, examples, strategy, check):
    """Put `examples` draws of a strategy to `check(drawn)`, which returns how many cases that were (None: one).

    The same draws each time: what fails once fails again. A finding does not end the search: all of them are told at its
    end, one for each place that raises, with the shortest example of each. The number of cases is recorded with the test,
    the seconds of the processor that they took, and the number of findings.
    """
    count, begun, findings = 0, time.process_time(), {}

    @settings(max_examples=examples, derandomize=True, database=None, deadline=None, print_blob=False,
              suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate))
    @given(strategy)
    def run(drawn):
        nonlocal count
        try:
            cases = check(drawn)
        except Exception as error:
            cases, example = 1, repr(drawn)
            frames = traceback.extract_tb(error.__traceback__)
            known = findings.setdefault((type(error), *[(frame.filename, frame.lineno) for frame in frames[1:]]), [0])
            known[0] += 1
            if len(known) == 1 or len(example) < len(known[1]):
                known[1:] = [example, "".join(traceback.format_exception(error)[-6:])]
        count += 1 if cases is None else cases

    try:
        run()
    finally:
        record_property("fuzz", (area, count, time.process_time() - begun, len(findings)))
    assert not findings, "\n\n".join(f"{times} times, the shortest with {example[:LONGEST]}\n{told}"
                                     for times, example, told in findings.values())
