"""Each verdict with its numbers and change; limits with noise compared with SciPy's quantiles, resets by hand."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from sampler.settings import Settings
from sampler.tuning.settings_grid import above, below, whole_steps
from sampler.tuning.verdicts.judge import judge
from sampler.tuning.verdicts.measurements import (
    CHANCE,
    JUDGED,
    LAG_LIMIT,
    LIMITS,
    MEMORY_LIMIT,
    NARROW_LIMIT,
    RESETS_LIMIT,
    STALE_LIMIT,
    WARM_UP,
    WIDTH_LIMIT,
    Measurements,
    limit_words,
    normal_reach,
    poisson_quantile,
)
from sampler.tuning.verdicts.rules import travel

GOOD = Settings(eta0=1.0, batch_size=9, i_max=60, acceptance_radius=22.0, offset=1.0)
MEASURED = Measurements(
    GOOD, 2507, 64, 2507, accuracy=0.942, ceiling=0.946, ceiling_sd=0.0066, predicted=0.94, width_bias=0.06, narrowness=0.04,
    noise_share=0.04, memory=0.16, lag=0.05, resets=3, exits=6, checkpoint_epoch=2048, largest_curvature=400.0,
    largest_eta0=8.0, advised=GOOD, dim=1, draws=np.inf, pairs=np.inf)  # measured without noise


def measured(settings=(), **changes):
    return dataclasses.replace(MEASURED, settings=GOOD.replace(**dict(settings)), **changes)


def verdict(settings=(), **changes):
    return judge(measured(settings, **changes))


CASES = {  # kind[: case] -> settings, measurements, fragments of the sentence, change
    "safe": ({}, {}, ["0.942", "0.946", "6 of their last 30,720", "few exits, not none"], None),
    "hot": ({"eta0": 5.0}, {"width_bias": 0.63, "accuracy": 0.79, "predicted": 0.784}, ["63 %", "0.790", "0.784"],
            {"eta0": 1.0}),
    "cold": ({"eta0": 1 / 30}, {"memory": 0.89, "width_bias": 0.03}, ["89 %"], {"eta0": 1.0}),
    "noisy": ({"variance_reduction": False}, {"noise_share": 5.7, "width_bias": 0.98}, ["5.7 ×"],
              {"variance_reduction": True}),
    "resets": ({"acceptance_radius": 12.0}, {"resets": 924, "checkpoint_epoch": 256}, ["924", "256"],
               {"acceptance_radius": 22.0}),
    "narrow": ({}, {"narrowness": 0.4, "memory": 0.45}, ["40 % narrower", "limit is 10 %"], {"i_max": 120}),
    "lagging": ({}, {"lag": 1.3}, ["1.3 target widths", "limit is 0.25"], {"i_max": 800}),
    "lagging: the longest epoch": ({"i_max": 2000}, {"lag": 1.3}, [], None),
    "stale": ({"refresh": False, "batch_size": 1, "i_max": 2}, {"stale_share": 0.3}, ["30 %"], {"refresh": True}),
    "weak_reference": ({}, {"reference_draws": 90.0, "reference_epoch": 512, "accuracy": 0.8}, ["90", "512"], None),
    "diverged": ({"eta0": 20.0}, {"diverged": (12, 34, 7), "diverged_chains": 3}, ["12", "34", "7"], {"eta0": 8.0}),
    "waiting": ({}, {"epochs": 5}, ["5 of 16", "11 more"], None),
    "waiting: older checkpoints": ({}, {"epochs": 0, "counts_from": 4096}, ["from epoch 4,096 on", "16 epochs later"], None),
    "waiting: no truth": ({}, {"accuracy": None, "ceiling": None}, ["no reference"], None),
    "noisy: batch": ({}, {"noise_share": 0.4}, [], {"batch_size": 40}),
    # Three times the travel: a width bias of 0.02 allows a step 2.5 times as long.
    "cold: no advice": ({}, {"memory": 0.62, "width_bias": 0.02, "advised": None}, [], {"i_max": 200}),
    "cold: accurate": ({}, {"memory": 0.62}, ["the limit is 50 %.", "cannot show this"], {"i_max": 200}),
    "hot: no advice": ({"eta0": 5.0}, {"width_bias": 0.5, "advised": None}, [], {"eta0": 0.6}),
    # Step times curvature is 0.797 and 3.19; at eta0 = 0.627 it is 0.1, which makes a Gaussian 2.6 % too wide.
    "hot: a long step, far too wide": ({"eta0": 20.0}, {"width_bias": 3e5, "advised": None}, [], {"eta0": 0.6}),
    "hot: a long step, off centre": ({"eta0": 5.0}, {"width_bias": 0.63, "lag": 1.3}, ["63 % wider"], {"eta0": 1.0}),
    "hot: many times": ({"eta0": 20.0}, {"width_bias": 25.6, "noise_share": 63.0, "accuracy": 0.08, "predicted": None,
                                         "resets": 9000}, ["27 times as wide"], {"eta0": 1.0}),
    "hot: accurate": ({}, {"width_bias": 0.13, "accuracy": 0.94, "ceiling": 0.944},
                      ["13 % wider than the target; the limit is 10 %.", "Width decides"], {"eta0": 0.3}),
    "hot: inaccurate": ({}, {"width_bias": 0.63, "accuracy": 0.79}, ["0.790 where 0.946 is possible"], {"eta0": 0.06}),
    "safe: above its ceiling": ({}, {"accuracy": 0.949}, ["as good as exact draws, to within sampling noise: accuracy 0.949"
                                                         " against a ceiling of 0.946 ± 0.007"], None),
    "safe: a small bias": ({}, {"accuracy": 0.921, "ceiling_sd": 0.007},
                           ["to within 0.03 in accuracy: accuracy 0.921 against a ceiling of 0.946 ± 0.007, a small bias"],
                           None),
    "safe: one chain": ({}, {"chains": 1, "resets": 0}, ["1 chain agrees"], None),
    "safe: no counts": ({}, {"draws": None, "pairs": None, "dim": None},
                        ["width and centre (noise unknown"], None),
    "safe: exits unknown": ({}, {"exits": None}, ["± 0.007."], None),
    "safe: no exit": ({}, {"exits": 0}, ["They never left the escape ball in the last 480 epochs."], None),
    "safe: many exits": ({}, {"exits": 6144}, ["6,144 of their last 30,720 chain-epochs (64 chains, 480 epochs)",
                                               "20 %: with so small an R"], None),
    "safe: all shown": ({}, {"dim": 21, "draws": 1024}, ["in accuracy, width (to 17 %) and centre (to 0.36 widths),"], None),
    "safe: no centre": ({}, {"dim": 21, "draws": 1024, "lag": None}, ["in accuracy and width (to 17 %),"], None),
    "safe: largest width": ({}, {"dim": 21, "draws": 1024, "narrowness": None},
                            ["in accuracy, largest width (to 17 %) and centre"], None),
    "safe: accuracy": ({}, {"dim": 21, "draws": 1024, "width_bias": None, "lag": None}, ["in accuracy,"], None),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_has_its_numbers_and_a_valid_change(case):
    settings, changes, numbers, change = CASES[case]
    outcome = verdict(settings, **changes)
    assert outcome.kind == case.partition(":")[0]
    assert all(number in outcome.sentence for number in numbers), outcome.sentence
    assert outcome.change == change and outcome.title and outcome.subtitle and outcome.suggestion
    before = GOOD.replace(**settings)
    assert change is None or before.replace(**change) != before


def test_measurements_at_their_limits_are_safe():
    edge = {"epochs": WARM_UP, "width_bias": WIDTH_LIMIT, "memory": MEMORY_LIMIT, "narrowness": NARROW_LIMIT,
            "lag": LAG_LIMIT, "noise_share": 0.2, "resets": 30}  # of 64 chains in 480 epochs: 30.7 at RESETS_LIMIT
    assert RESETS_LIMIT == 30.72 / (64 * 480)
    assert verdict(**edge).kind == verdict({"refresh": False}, stale_share=STALE_LIMIT).kind == "safe"


def test_resets_to_a_checkpoint_of_other_settings_are_not_judged_and_drift_is_not_cured_by_a_larger_ball():
    assert verdict(resets=9000, own_checkpoint=False).kind == "safe"
    drifting = verdict(resets=9000, drifts=True)
    assert (drifting.kind, drifting.change) == ("resets", {"reset": False}) and "1/sqrt(t + c)" in drifting.sentence


@pytest.mark.parametrize(("settings", "changes", "kind"), [
    ({}, {"noise_share": 0.54, "width_bias": 0.28}, "noisy"),  # a small batch makes a cloud this wide
    ({}, {"noise_share": 0.33, "width_bias": 0.45}, "hot"),
    ({}, {"resets": 90, "width_bias": 0.45}, "resets"),  # eta_t times the largest curvature: 0.16 at eta0 = 1, 0.8 at 5
    ({"eta0": 5.0}, {"resets": 90, "width_bias": 0.45}, "hot"),  # a long step causes its resets
    ({"eta0": 5.0}, {"lag": 1.3}, "lagging"),  # a long step, but no wide cloud
    ({}, {"lag": 1.3, "width_bias": 0.45}, "lagging"),  # a varying lag widens the pooled cloud
    ({}, {"memory": 0.7, "width_bias": 0.13}, "cold"),  # the width is imprecise
    ({"refresh": False}, {"noise_share": 1.0, "stale_share": 0.4}, "stale"),  # the cause of the noise
    ({}, {"accuracy": 0.85, "width_bias": 0.02}, "cold"),  # no other measurement past its limit
    ({}, {"accuracy": 0.85, "width_bias": 0.09}, "hot"),
    ({}, {"reference_draws": 2000.0, "reference_epoch": 1000, "accuracy": 0.8}, "weak_reference"),  # too old
    ({}, {"reference_draws": 2000.0, "reference_epoch": 1800}, "safe")])  # 28 % of the stream behind
def test_of_several_causes_the_first_is_named(settings, changes, kind):
    assert verdict(settings, **changes).kind == kind


def test_the_text_of_a_limit_includes_its_noise():
    assert [limit_words(name) for name in LIMITS] == ["10 %", "10 %", "0.25 target widths", "20 %", "50 %", "0.1 %", "5 %"]
    assert limit_words("width", 0.1412) == "10 %, plus noise: 14 % here" and limit_words("width", 0.1003) == "10 %"
    assert "the limit is 10 %, plus noise: 17 % here" in verdict(dim=21, draws=1024, width_bias=0.4).sentence


@pytest.mark.parametrize("past", [{"width_bias": 0.3}, {"narrowness": 0.3}, {"lag": 0.6}, {"memory": 0.7},
                                  {"width_bias": 0.3, "resets": 900, "settings": {"eta0": 5.0}}])
@pytest.mark.parametrize("missing", [("draws", "pairs", "dim"), ("draws", "pairs"), ("dim",)])
def test_without_counts_there_is_no_fault(past, missing):
    past = dict(past)
    counts = {"draws": 1024, "pairs": 960, "dim": 21} | dict.fromkeys(missing)
    outcome = verdict(past.pop("settings", {}), **past, **counts)
    assert outcome.kind == ("resets" if "resets" in past else "waiting")
    if outcome.kind == "waiting":
        assert "not passed" in outcome.sentence and "limit of" in outcome.sentence
    assert verdict(dim=None, width_bias=0.3).kind == "hot"  # infinite counts: no noise for any dim


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Measurements) if "float" in str(field.type)])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_measurement_that_is_not_finite_is_reported(name, value):
    """`memory=nan` once reached a root finder."""
    outcome = verdict(**{name: value})
    assert not any(word in f"{outcome.sentence} {outcome.suggestion}".split() for word in ("nan", "inf"))
    if name in JUDGED:
        assert outcome.kind == "waiting" and name in outcome.sentence


def test_round_numbers():
    assert [below(x) for x in (1, 8, 0.049, 0.7, 1999)] == [1, 8, 0.04, 0.6, 1500]
    assert [above(x) for x in (1, 8, 0.049, 0.7, 1999)] == [1, 8, 0.05, 0.8, 2000]
    assert whole_steps(1e9) == 2000 and whole_steps(0.2) == 1


@pytest.mark.parametrize("draws", [0, 1])
def test_without_draws_no_width_is_too_wide(draws):
    early = measured(draws=draws, pairs=draws, epochs=draws, width_bias=0.9, lag=0.9, memory=None)
    limits = early.limits
    assert limits["width"] > 0.9 and limits["lag"] > 0.9 and np.isfinite([limits["memory"], limits["resets"]]).all()
    assert judge(early).kind not in ("hot", "lagging")


@pytest.mark.parametrize("dim", [1, 21])
@pytest.mark.parametrize("reference", [None, 700.0])
@pytest.mark.parametrize(("memory", "spacing"), [(None, 1), (0.0, 1), (-0.4, 1), (0.3, 1), (0.6, 4)])
def test_limits_are_the_tabulated_ones_plus_measurement_noise(dim, reference, memory, spacing):
    draws, pairs = 1000.0, 67.0
    bounds = measured(draws=draws, pairs=pairs, dim=dim, memory=memory, spacing=spacing, reference_draws=reference).limits
    reach, error = stats.norm.isf(CHANCE / dim), 1 / math.sqrt(67 - 3)
    kept = 0.0 if memory is None else math.tanh(math.atanh(max(memory, 0.0)) + error) ** spacing
    for name, limit, share, spread in (
            ("width", WIDTH_LIMIT, (1 - kept**2) / (1 + kept**2), 2.0),
            ("narrowness", NARROW_LIMIT, (1 - kept**2) / (1 + kept**2), 2.0),
            ("lag", LAG_LIMIT, (1 - kept) / (1 + kept), 1.0)):
        variance = 1 / (draws * share) + (0.0 if reference is None else 1 / reference)
        assert bounds[name] == pytest.approx(limit + reach * math.sqrt(variance / spread)), name
    assert bounds["memory"] == pytest.approx(math.tanh(math.atanh(MEMORY_LIMIT) + reach * error))


def test_measurements_without_noise_or_counts_have_the_tabulated_limits():
    for count in (math.inf, None, 50.0):
        bounds = measured(draws=count, pairs=count, dim=None).limits
        assert (bounds["width"], bounds["narrowness"], bounds["lag"]) == (WIDTH_LIMIT, NARROW_LIMIT, LAG_LIMIT)
        assert bounds["memory"] == pytest.approx(MEMORY_LIMIT)


@pytest.mark.parametrize(("chains", "window", "resets"), [(16, 480, 12), (64, 480, 4), (512, 120, 140), (9, 0, 3)])
def test_resets_are_per_chain_and_epoch_and_allowed_within_noise(chains, window, resets):
    measurements = measured(chains=chains, window=window, resets=resets)
    epochs = chains * max(window, 1)
    assert measurements.reset_rate == resets / epochs
    allowed = max(1.0, stats.poisson.ppf(1 - CHANCE, RESETS_LIMIT * epochs))  # a single reset is no fault
    assert measurements.limits["resets"] == pytest.approx(max(RESETS_LIMIT, allowed / epochs))


@pytest.mark.parametrize("chains", [1, 64, 1024])
def test_resets_are_a_fault_beyond_the_allowance_of_their_own_window(chains):
    """The same number is a fault in the 40 epochs since the checkpoint and none in the 480 epochs of other counts."""
    short = chains * 40
    allowed = int(max(1.0, stats.poisson.ppf(1 - CHANCE, RESETS_LIMIT * short)))
    at, beyond = (measured(chains=chains, resets=count, resets_window=40) for count in (allowed, allowed + 1))
    assert at.reset_rate == allowed / short and beyond.reset_rate == (allowed + 1) / short
    assert judge(at).kind != "resets" and judge(beyond).kind == "resets"
    assert f"{allowed + 1} resets in the last 40 epochs" in judge(beyond).sentence
    assert "% of a chain's epochs" in judge(beyond).sentence
    if chains == 1024:
        assert verdict(chains=chains, resets=allowed + 1).kind != "resets"


def test_quantiles_are_those_of_scipy():
    chances = CHANCE / np.arange(1, 2_000)
    # both have a relative error of 1e-16, and a quantile of 2 to 4 has an ulp of 4.4e-16
    np.testing.assert_allclose([normal_reach(one) for one in chances], -ndtri(chances), rtol=1e-15)
    means = np.concatenate([np.geomspace(1e-6, 3e5, 300), np.arange(1, 200) / 1000])
    assert [poisson_quantile(1 - CHANCE, mean) for mean in means] == stats.poisson.ppf(1 - CHANCE, means).tolist()


def test_travel_inverts_the_memory():
    for memory in (0.01, 0.05, 0.3, 0.5, 0.9, 0.999):
        k = travel(memory)
        # the interval in which k lies is 1e-12 wide, and the slope of (1 - exp(-k))/k is below 1/2
        assert -math.expm1(-k) / k == pytest.approx(memory, abs=1e-12)
