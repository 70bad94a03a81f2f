"""Every record of the errata is shown by the number it computes, and what holds instead agrees with the truth."""

import math

import pytest

from sampler.errata import ERRATA, PAPERS
from sampler.errata.erratum import KINDS, Counterexample

KNOWN = {  # printed value, true value
    "acceptance-ball": (4.0, 4.0861), "ladder": (1 / 1024, 1.0), "step-size": (3.1639, 0.1), "prior": (-1.0, 1.0),
    "labels": (1.6335, -1.6335), "marginal-accuracy": (0.5, 0.442), "gradient-variance": (0.001, 27.778),
    "azuma": (2.66e-12, 0.245), "exit-event": (1.518e-5, 1.0), "drift-square": (4e-5, 2.0),
    "steps-bound": (4.925e19, 1.970e20), "cutoff": (1.667e-5, 1.0976e-4), "half-noise": (0.05, 0.0996),
    "quiet-outside": (0.2236, 0.870), "second-moment": (0.0, math.sqrt(2.0)), "fisher-information": (9.524, 0.25),
    "posterior-tail": (-7677.6, -1.342), "initial-constant": (0.01518, 0.03162), "martingale-tail": (8.755e-223, 0.07681),
    "second-moment-bound": (155.93, 1.0), "example-smoothness": (1.0, 2.0), "example-variance": (0.25, 0.125),
    "example-mean": (2.0, 1.0), "hardness": (0.5, 0.4795), "unrolled-maximum": (0.9**100, 0.9**10),
    "stale-anchor": (0.04, 0.0), "condition-number": (2.0, 3.0), "prior-scale": (0.5, 1.0),
    "matrix-product": (0.0, -20.214), "cross-term": (0.0, 0.0162),
    "segments": (50.0, 0.0), "first-distance": (math.nan, 0.001),
}
def test_records_are_one_each_and_all_have_a_known_answer():
    assert [record.key for record in ERRATA] == list(KNOWN)


@pytest.mark.parametrize("record", ERRATA, ids=lambda record: record.key)
def test_numbers_are_the_known_ones_and_contradict_the_text_but_not_the_mended_one(record):
    example = record.example()
    assert (example.printed, example.true) == pytest.approx(KNOWN[record.key], rel=1e-3, abs=1e-12, nan_ok=True)
    assert example.refutes == (record.kind != "loose bound") and example.mends
    assert record.paper in PAPERS and record.kind in KINDS and record.place
    assert record.printed.endswith(".") and record.holds.endswith(".")
    assert example.setting and example.quantity and not example.setting.endswith(".")


def test_a_claim_is_compared_as_it_is_meant():
    assert Counterexample("", "", printed=1.0, true=1.1, relation="at most").refutes
    assert not Counterexample("", "", printed=1.0, true=0.9, relation="at most").refutes
    assert Counterexample("", "", printed=1.0, true=0.9, relation="at least").refutes
    assert not Counterexample("", "", printed=1.0, true=1.0 + 1e-12).refutes
    assert Counterexample("", "", printed=math.nan, true=1.0).refutes
    assert not Counterexample("", "", printed=0.0, true=1.0, mended=0.5).mends
