"""Each lesson's own settings, on its own seed, show what its text says.

Accuracy is that of 1,024 pooled draws; for exact draws its standard deviation is 0.0066 (`exact_ceiling`). Chains that
remember tell less than independent draws: with a correlation of 0.45 from epoch to epoch, sixteen epochs are worth six.
So a difference of 0.04 is beyond chance (3.6 standard deviations of one such pool, 2.6 of a difference), and most
asserted here are two to eight times that. The runs are exact repetitions: the margin only keeps them from being pinned.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from app.exit_time.job import ExitJobs
from app.exit_time.presets import from_query
from app.lessons.reader import gather_lessons
from app.live.run import LiveRun
from app.state.live import LiveState
from sampler import exit_bounds, theorem_constants
from sampler.metrics import exact_ceiling, measure_gradient_variance
from sampler.theory import exit_process

LESSONS = {lesson.was or lesson.key: lesson for lesson in gather_lessons(["live", "exit"])[0]}
CLEAR = 0.04


class Found(dict):
    """Measurements of one instant, by name."""

    __getattr__ = dict.__getitem__


@cache
def told(number, epochs, later=(), **settings):
    """Play a lesson; `later` is ((epoch, key, value), ...). Returns epoch -> what was measured at its end."""
    lesson, changes = LESSONS[number], {}
    for change in lesson.changes:
        changes.setdefault(change.epoch, {}).update(change.settings)
    for epoch, key, value in later:
        changes.setdefault(epoch, {})[key] = value
    config, words = LiveState.from_query(lesson.settings | settings)
    assert words == []
    run, found = LiveRun(config), {}
    while run.state.t < max(epochs):
        if run.state.done and run.state.t in changes:
            run.configure(LiveState.from_query(LiveState.to_query(run.state.config) | changes[run.state.t])[0])
        assert run.advance(10**9)
        if run.state.done and run.state.t in epochs:
            found[run.state.t] = measured(run)
    run.close()
    return found


def measured(run):
    return Found(accuracy=run.state.pool.accuracy(), width=run.state.pool.shape()[0], memory=run.state.pool.memory(),
                 noise=run.measures.noise_share(run.state), variance=variance(run), stale=stale(run),
                 resets=run.history.count("resets", run.state.t, 100), exits=run.history.count("exits", run.state.t, 100),
                 cost=cost(run),
                 verdict=run.verdict()[0].kind)


def variance(run):
    """E||g - grad F||^2 of the corrected guess, mean over sixteen chains."""
    saga = run.state.saga
    return np.mean([measure_gradient_variance(
        saga.posterior, saga.positions[k], saga.settings.batch_size, saga.cached_scores(k), seed=k).saga
        for k in range(0, saga.chains, 4)])


def cost(run):
    return run.history.column("cost", run.state.t)[1:].mean()


def stale(run):
    return np.mean([(2 * run.state.saga.cached_epochs(k) < run.state.t).mean() for k in range(0, run.state.saga.chains, 4)])


def test_the_margin_is_beyond_chance():
    assert exact_ceiling(1024, 2).sd * np.sqrt(16 / 6) * np.sqrt(2) * 2.5 < CLEAR


def test_2_without_variance_reduction_the_cloud_swells():
    found = told(2, (199, 230, 300))
    assert found[199].accuracy > 0.90 and found[199].noise < 0.1
    assert found[230].accuracy < found[199].accuracy - 3 * CLEAR
    assert found[300].width > 0.5 and found[300].noise > 1.0 and found[300].verdict == "noisy"


def test_2_double_the_batch_and_it_lasts_twice_as_long():
    small = told(2, (100, 200), vr="0")
    large = told(2, (200, 400), vr="0", b="18")
    for t in (100, 200):
        assert abs(small[t].accuracy - large[2 * t].accuracy) < CLEAR
        assert large[2 * t].noise == pytest.approx(small[t].noise, rel=0.25)
    assert large[400].accuracy < large[200].accuracy - CLEAR  # so not four times as long


def test_2_switched_on_again_it_heals_in_twenty_epochs():
    assert told(2, (420,), later=((400, "vr", "1"),))[420].accuracy > 0.92


def test_3_too_hot():
    found = told(3, (199, 240, 300, 350, 400, 480))
    assert found[480].accuracy < found[199].accuracy - 2 * CLEAR
    assert (found[199].accuracy, found[240].accuracy, found[240].width) == pytest.approx((0.95, 0.81, 0.55), abs=0.006)
    later = [found[t] for t in (300, 350, 400, 480)]
    assert np.mean([now.width for now in later]) == pytest.approx(0.4, abs=0.03)
    assert np.mean([now.accuracy for now in later]) == pytest.approx(0.85, abs=0.01)
    assert 0.3 < found[480].width < 0.6 and found[480].verdict == "hot"


def test_3_ten_times_the_batch_heals_half_of_it():
    hot = told(3, (199, 300, 480))[480]
    noiseless = told(3, (480,), later=((300, "b", "90"),))[480]
    cured = told(3, (480,), later=((300, "eta0", "1"),))[480]
    assert noiseless.noise < 0.05 and hot.noise == pytest.approx(0.36, abs=0.02)
    assert 0.35 < noiseless.width / hot.width < 0.65
    assert cured.accuracy > noiseless.accuracy + CLEAR > hot.accuracy + 2 * CLEAR
    assert cured.width < 0.12


def test_4_too_cold_breaks_memory_not_accuracy():
    found = told(4, (199, 300))
    assert abs(found[300].accuracy - found[199].accuracy) < CLEAR
    assert found[199].memory < 0.25 and found[300].memory > 0.8 and found[300].verdict == "cold"


def test_4_thirty_times_the_steps_forget_as_before():
    long = told(4, (230,), later=((200, "imax", "1800"),))[230]
    some = told(4, (230,), later=((200, "imax", "330"),))[230]
    assert long.memory < 0.25 and 0.45 < some.memory < 0.7


def test_5_a_short_leash_and_its_new_knots():
    found = told(5, (250, 505, 536, 576, 1015, 1056))
    assert (found[505].accuracy, found[536].accuracy) == pytest.approx((0.73, 0.87), abs=0.006)  # as the question says
    assert found[250].resets < 20 and found[505].resets > 3200 and found[505].verdict == "resets"
    for before, after in ((505, 576), (1015, 1056)):
        assert found[before].accuracy < found[250].accuracy - 2 * CLEAR
        assert found[after].accuracy > found[before].accuracy + 2 * CLEAR
        assert found[after].resets > 3200, "they go on"


def test_5_a_longer_leash_or_longer_epochs_heal_it():
    found = told(5, (250, 505))
    healthy = found[250].accuracy - CLEAR
    assert told(5, (505,), later=((480, "C", "22"),))[505].accuracy > healthy
    long = told(5, (505,), later=((300, "imax", "60"),))[505]
    assert long.accuracy > found[505].accuracy + 3 * CLEAR and long.resets > 3200
    assert told(5, (505,), later=((480, "reset", "0"),))[505].accuracy > healthy


def test_6_a_quarter_is_stale_until_the_refresh_comes_on():
    found = told(6, (399, 420, 480))
    assert found[399].stale == pytest.approx(0.25, abs=0.02)  # half the data are old, half of those not redrawn
    assert found[420].stale == 0.0
    assert found[420].accuracy > found[399].accuracy + 2 * CLEAR
    assert found[480].accuracy > found[399].accuracy + 2 * CLEAR
    assert found[420].variance < 0.6 * found[399].variance


def test_6_enough_draws_need_no_refresh():
    off = told(6, (390,), b="8")[390]
    on = told(6, (390,), b="8", refresh="1")[390]
    assert off.stale < 0.005  # 2^-9 of the data
    assert abs(off.accuracy - on.accuracy) < CLEAR and off.accuracy > 0.88


def test_6_off_again_it_sinks_again():
    off = told(6, (1000,), later=((500, "refresh", "0"),))[1000]
    assert off.accuracy < told(6, (1000,))[1000].accuracy - CLEAR


def test_7_the_mode_leaves_the_checkpoints():
    found = told(7, (500, 1010, 1060))
    assert found[1010].resets > 4000
    assert found[1010].accuracy < found[1060].accuracy - CLEAR
    assert told(7, (1010,), stream="paper")[1010].resets < 0.1 * found[1010].resets


def test_7_twice_the_ball_lasts_four_times_as_long():
    small = told(7, (500, 1010, 1060))
    large = told(7, (1000, 2000), C="32")
    assert large[1000].resets < 0.1 * small[500].resets + 100  # twice the epochs: nothing yet
    assert large[2000].resets == pytest.approx(small[500].resets, rel=0.6)  # four times: as many
    assert small[1010].resets > 2 * large[2000].resets


def test_7_without_resets_the_chains_keep_up():
    assert told(7, (1010,), later=((800, "reset", "0"),))[1010].accuracy > 0.92


def test_9_at_the_same_budget_only_the_other_metric_is_there():
    plain = told(9, (300,))[300]
    other = told(9, (300,), **LESSONS[9].hints[0].settings)[300]
    assert plain.memory == pytest.approx(0.98, abs=0.01) and other.memory == pytest.approx(0.14, abs=0.05)
    assert plain.accuracy == pytest.approx(0.87, abs=0.02) and other.accuracy == pytest.approx(0.93, abs=0.02)
    assert plain.verdict == "cold" and other.verdict == "safe"
    assert plain.cost == pytest.approx(140, rel=0.02) and other.cost == pytest.approx(140, rel=0.02)


def test_9_more_steps_are_slow_and_longer_ones_too_hot():
    ten, fifty = (told(9, (300,), imax=steps)[300] for steps in ("300", "1500"))
    assert ten.memory == pytest.approx(0.81, abs=0.05) and fifty.memory == pytest.approx(0.38, abs=0.06)
    assert fifty.accuracy > 0.93 - CLEAR / 2 and fifty.cost == pytest.approx(6800, rel=0.02)
    hot = told(9, (300,), **LESSONS[9].hints[1].settings)[300]
    assert hot.width == pytest.approx(0.29, abs=0.06) and hot.memory == pytest.approx(0.89, abs=0.03)


@pytest.mark.parametrize("step", [5e-5, 5e-7])
def test_1_the_push_at_the_mode(step):
    rng = np.random.default_rng(0)
    moved = np.sqrt(2 * step) * rng.standard_normal((200_000, 2))
    plain = np.linalg.norm(moved, axis=1) / (2 * step)
    square = (moved**2).sum(axis=1) / (2 * step)
    error = 4 / np.sqrt(200_000)  # four standard errors, for a relative spread below 1
    assert plain.mean() == pytest.approx({5e-5: 125, 5e-7: 1253}[step], rel=error + 0.003)  # as the text rounds
    assert square.mean() == pytest.approx(2, rel=error)


def test_8_the_price_of_ten_times_the_precision():
    size = {"horizon": 1000, "dim": 21, "smoothness": 1.5, "concentration": 1.0, "drift": 1.0}
    coarse, fine = (theorem_constants(epsilon=epsilon, **size) for epsilon in (0.1, 0.01))
    assert coarse.eta0 == pytest.approx(1.4e-12, rel=0.02)
    assert coarse.i_max == pytest.approx(2.0e20, rel=0.02) and fine.i_max == pytest.approx(3.7e24, rel=0.02)
    assert fine.i_max / coarse.i_max == pytest.approx(18_600, rel=0.01)


def test_what_is_going_on_squares_and_lines():
    """The variances and the ceiling that lesson 0 names, means over forty epochs of its own run."""
    run = LiveRun(LiveState.from_query(LESSONS["what_is_going_on"].settings)[0])
    found = {}
    while run.state.t < 800:
        assert run.advance(10**9)
        if run.state.done and run.state.t in (100, 200, 400, 800):
            found[run.state.t] = [np.nanmean(run.history.column(name, run.state.t)[-41:]) for name in ("sgld", "saga")]
    run.close()
    for t, sgld in ((100, 172), (200, 957), (400, 3746)):
        assert found[t][0] == pytest.approx(sgld, rel=0.1)
    for t, saga in ((200, 17), (400, 46), (800, 111)):
        assert found[t][1] == pytest.approx(saga, rel=0.1)
    assert exact_ceiling(1024, 2).mean == pytest.approx(0.946, abs=0.002)
    assert (exact_ceiling(64, 2).mean, exact_ceiling(64, 2).sd) == pytest.approx((0.79, 0.03), abs=0.006)


def test_the_exponential_pays_once():
    def bound(steps, step, radius, curvature):
        return exit_process(2, step, steps, radius, 0.0, [0, steps], 0.0, curvature, curvature).bound

    assert bound(400, 2.5e-3, 2.8, 1.0) == pytest.approx(0.1337, abs=5e-4)
    assert bound(4000, 2.5e-4, 2.8, 1.0) == pytest.approx(0.1339, abs=5e-4)
    assert bound(400, 2.5e-3, 3.5, 1.0) == pytest.approx(0.016, abs=1e-3)
    assert bound(400, 2.5e-3, 2.8, 0.0) == pytest.approx(0.75, abs=0.005)
    whole = exit_bounds(2, 2.5e-3, 400, 2.8, 0.0, 0.0, 1.0, 1.0)
    assert whole.local == pytest.approx(0.133, abs=5e-4) and whole.corrected == 1.0


def epoch_of(key, **settings):
    config = from_query(LESSONS[key].settings | settings)[0]
    return ExitJobs(None).run(config, SimpleNamespace(stopped=False, publish=lambda *said: None))


@pytest.mark.parametrize(("key", "step", "promised", "stayed"), [
    ("why_the_exponential", 5, 0.867, 0.958), ("from_the_ball_to_total_variation", 0, 0.909, 0.968)])
def test_the_numbers_at_the_right_end_of_the_survival_chart(key, step, promised, stayed):
    found = epoch_of(key)
    assert 1 - found.bounds.last("local") == pytest.approx(promised, abs=6e-4)
    assert 1 - found.crowd.left / found.crowd.chains == pytest.approx(stayed, abs=6e-4)
    assert all(str(number) in " ".join(LESSONS[key].steps[step].paragraphs) for number in (promised, stayed))


@pytest.mark.parametrize(("steps", "radius", "promise", "so"), [(4000, 4.0, 0.27, 0.018), (400, 4.0, 0.71, 0.21)])
def test_from_the_ball_to_total_variation(steps, radius, promise, so):
    found = epoch_of("from_the_ball_to_total_variation", en=str(steps), er=str(radius)).promise
    assert found.last.value == pytest.approx(promise, abs=0.01)
    assert found.measured[-1] == pytest.approx(so, abs=0.01)
    assert found.last.start == pytest.approx(400 / steps) and found.last.step == pytest.approx(0.005)


def test_a_fresh_sample_is_a_matter_of_step_times_steps():
    key = "a_fresh_sample"
    few, always = told(key, (300,))[300], told(key, (300,), random="0")[300]
    assert few.memory == pytest.approx(0.66, abs=0.02) and always.memory == pytest.approx(0.53, abs=0.02)
    assert few.cost == pytest.approx(33, abs=1) and always.cost == pytest.approx(55, abs=1)
    assert few.accuracy == pytest.approx(0.93, abs=0.01)
    assert told(key, (300,), imax="60")[300].memory == pytest.approx(0.17, abs=0.02)
    assert told(key, (300,), imax="60", random="0")[300].memory == pytest.approx(-0.03, abs=0.02)


def test_your_own_data_three_meters_and_half_a_step():
    key = "your_own_data"
    usual = told("a_fresh_sample", (300,), imax="60")[300]
    assert usual.noise == pytest.approx(0.03, abs=0.005) and usual.resets < 64
    assert told(key, (300,), imax="3")[300].memory == pytest.approx(0.81, abs=0.02)
    hot, half = told(key, (480,), eta0="5")[480], told(key, (480,), eta0="2.5", imax="120")[480]
    assert (hot.width, half.width) == pytest.approx((0.47, 0.17), abs=0.01)
    short = [told(key, (480,))[480].width, told(key, (480,), eta0="0.5", imax="120")[480].width]
    assert short == pytest.approx([0.07, 0.05], abs=0.01)


CASES = {case.question.options[[option.right for option in case.question.options].index(True)].text: case
         for case in LESSONS["tune_it_yourself"].cases}


def seen(diagnosis, epoch=300):
    case = CASES[diagnosis]
    return told("tune_it_yourself", (epoch,), **case.settings)[epoch]


def test_ten_cases_each_with_one_right_answer():
    assert len(CASES) == 10 and CASES["the truth moves"].arrive == 1010


@pytest.mark.parametrize(("diagnosis", "what", "value", "off"), [
    ("the step is too long", "width", 0.43, 0.02), ("the step is too long", "noise", 0.27, 0.02),
    ("the step is too short", "memory", 0.92, 0.02), ("the step is too short", "cost", 275, 3),
    ("the batch is too small", "noise", 0.44, 0.02), ("the batch is too small", "width", 0.25, 0.02),
    ("the batch is too small", "cost", 31, 1), ("the acceptance ball is too small", "resets", 3659, 60),
    ("too few steps an epoch", "memory", 0.74, 0.02), ("too few steps an epoch", "cost", 28, 1),
    ("variance reduction is off", "noise", 1.84, 0.05), ("the cache is stale", "stale", 0.25, 0.02),
    ("the cache is stale", "noise", 1.66, 0.05), ("nothing is wrong", "accuracy", 0.938, 0.005),
    ("nothing is wrong", "noise", 0.03, 0.005), ("only the escape ball is drawn too small", "accuracy", 0.938, 0.005)])
def test_the_signs_of_a_case(diagnosis, what, value, off):
    assert seen(diagnosis)[what] == pytest.approx(value, abs=off)


@pytest.mark.slow
def test_the_signs_of_a_moving_truth():
    case = CASES["the truth moves"]
    early, late = (told("tune_it_yourself", (300, 1010), **case.settings)[t].resets / 6400 for t in (300, 1010))
    assert early == pytest.approx(0.01, abs=0.004) and late == pytest.approx(0.70, abs=0.05)


def test_a_small_escape_ball_is_left_at_nearly_every_epoch():
    assert seen("only the escape ball is drawn too small").exits > 90


def test_drift_and_ball_on_live_shrink_alike():
    config = LiveState.from_query({})[0]
    assert 2 * config.eta0 * 2 * (1 + config.i_max) / 2 == 122 and config.escape_radius**2 == 256
