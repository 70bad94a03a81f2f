"""Numbers of all errata; true values also by simulation, quadrature or a limit."""

import math

import numpy as np
import pytest

from sampler.errata import ERRATA, PAPERS
from sampler.errata.counterexamples import averaged_divergence, planar_exit_probability, second_moment_constant
from sampler.errata.erratum import KINDS, Counterexample
from sampler.theory import ExitSimulation, flat_target

VALUES = {  # printed value, true value
    "acceptance-ball": (4.0, 4.0861), "ladder": (1 / 1024, 1.0), "step-size": (3.1639, 0.1), "prior": (-1.0, 1.0),
    "labels": (1.6335, -1.6335), "marginal-accuracy": (0.5, 0.442), "gradient-variance": (0.001, 27.778),
    "azuma": (2.66e-12, 0.245), "exit-event": (1.518e-5, 1.0), "drift-square": (4e-5, 2.0),
    "steps-bound": (4.925e19, 1.970e20), "cutoff": (1.667e-5, 1.0976e-4), "half-noise": (0.05, 0.0996),
    "quiet-outside": (0.2236, 0.870), "second-moment": (0.0, math.sqrt(2.0)), "fisher-information": (9.524, 0.25),
    "posterior-tail": (-7677.6, math.log10(math.erfc(math.sqrt(2.0)))),
    "initial-constant": (0.01518, 0.03162), "martingale-tail": (8.755e-223, 0.07681),
    "second-moment-bound": (155.93, 1.0), "example-smoothness": (1.0, 2.0), "example-variance": (0.25, 0.125),
    "example-mean": (2.0, 1.0), "hardness": (0.5, 0.4795), "unrolled-maximum": (0.9**100, 0.9**10),
    "stale-anchor": (0.04, 0.0), "condition-number": (2.0, 3.0), "prior-scale": (0.5, 1.0),
    "matrix-product": (0.0, -20.214), "cross-term": (0.0, 0.0162),
    "segments": (50.0, 0.0), "first-distance": (math.nan, 0.001),
}
def test_every_record_has_one_expected_value():
    assert [record.key for record in ERRATA] == list(VALUES)


@pytest.mark.parametrize("record", ERRATA, ids=lambda record: record.key)
def test_numbers_contradict_the_text_but_not_the_correction(record):
    example = record.example()
    assert (example.printed, example.true) == pytest.approx(VALUES[record.key], rel=1e-3, abs=1e-12, nan_ok=True)
    assert example.refutes == (record.kind != "loose bound") and example.mends
    assert record.paper in PAPERS and record.kind in KINDS and record.place
    assert record.printed.endswith(".") and record.holds.endswith(".")
    assert example.setting and example.quantity and not example.setting.endswith(".")


def test_claims_are_compared_by_their_relation():
    assert Counterexample("", "", printed=1.0, true=1.1, relation="at most").refutes
    assert not Counterexample("", "", printed=1.0, true=0.9, relation="at most").refutes
    assert Counterexample("", "", printed=1.0, true=0.9, relation="at least").refutes
    assert not Counterexample("", "", printed=1.0, true=1.0 + 1e-12).refutes
    assert Counterexample("", "", printed=math.nan, true=1.0).refutes
    assert not Counterexample("", "", printed=0.0, true=1.0, mended=0.5).mends


def example(key):
    return next(record for record in ERRATA if record.key == key).example()


def test_exit_probability_matches_simulated_walks():
    walks = ExitSimulation(flat_target(2), 5e-5, 10_000, 2.0, chains=4000, walk_free=False)
    walks.run()
    share = float(np.mean(walks.exit_steps > 0))
    truth = planar_exit_probability(5e-5, 10_000, 2.0)
    assert abs(share - truth) < 4.0 * math.sqrt(truth * (1.0 - truth) / 4000)


def test_noise_of_algorithm_1_satisfies_lemma_6_4():
    assert averaged_divergence(2.0, 0.025, 800) <= 0.05
    variance = 1.0 / (2.0 - 0.025)  # stationary variance with sqrt(eta) xi
    assert averaged_divergence(1.0, 0.025, 4000) == pytest.approx(0.5 * (variance - 1.0 - math.log(variance)), rel=0.02)


def test_the_second_chain_contracts_to_the_mode_only_without_noise():
    rng, eta, n, chains = np.random.default_rng(1), 0.05, 4000, 400
    near = np.zeros(2)
    x, left = np.zeros((2, chains)), np.zeros(chains, bool)  # without and with noise outside
    for _ in range(n):
        noise = math.sqrt(2.0 * eta) * rng.standard_normal(chains)
        x = (1.0 - eta) * x + np.stack([np.where(left, 0.0, noise), noise])
        left |= np.abs(x[0]) > 2.0
        near += (np.abs(x) < 0.1).mean(1) / n
    share = math.erf(0.1 / math.sqrt(2.0))
    assert near[0] - share >= example("quiet-outside").true - 0.02
    assert near[1] == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(("amplitude", "rate"), [(1.0, 1.0), (1.0, 2.0), (5.0, 0.5)])
def test_second_moment_constant_integrates_the_tail(amplitude, rate):
    s, width = np.linspace(0.0, 100.0, 400_001, retstep=True)
    moment = width * np.sum(2.0 * s * np.minimum(1.0, amplitude * np.exp(-rate * s)))
    assert second_moment_constant(amplitude, rate) ** 2 == pytest.approx(moment, rel=1e-4)


def test_cross_term_in_closed_form():
    assert example("cross-term").true == pytest.approx(2.0 * 0.1**2 * 0.9 * (1.0 - 0.1))
