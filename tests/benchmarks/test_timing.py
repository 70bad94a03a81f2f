"""The harness itself: turns are paired, medians decide, and what is saved can be read back."""

import json

import numpy as np
import pytest

from tests.benchmarks import timing


class Clock:
    """A clock that runs only when told to, and slower for everybody as the turns go by."""

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
