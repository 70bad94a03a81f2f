"""What the worker computes and what the page says about it."""

import numpy as np
import pytest

from app.csv_text import result_columns
from app.exit_time.drawings import survival_columns
from app.exit_time.job import ExitResult, run_exits
from app.exit_time.result_words import printed_fails, reading, splitting, spoken, timing, warnings
from app.exit_time.simulated_chains import choose, order
from app.exit_time.target_and_start import prepare_exits
from app.state.exit_time import PRESETS, ExitConfig
from sampler import exit_bounds


class Recorder:
    """A handle outside a worker: keeps all that is published."""

    stopped = False

    def __init__(self):
        self.published, self.kept = [], {}

    def publish(self, value=None, fraction=None, words=""):
        self.published.append(value)


def compute(config: ExitConfig) -> ExitResult:
    seen = Recorder()
    result = run_exits(config, None, seen)
    assert result.complete and seen.published and not any(early.complete for early in seen.published)
    return result


@pytest.fixture(scope="module")
def printed() -> ExitResult:
    return compute(PRESETS["printed"].config)


@pytest.fixture(scope="module")
def bowl() -> ExitResult:
    return compute(PRESETS["quadratic"].config)


def test_the_printed_bound_fails(printed):
    # P(exit) by the grid of many runs is 0.081; 4,000 chains have a standard error of 0.0043: five of them.
    assert 1 - printed.crowd.inside.share[-1] == pytest.approx(0.081, abs=0.022)
    assert printed.bounds.last("printed") == pytest.approx(2.28e-5, rel=0.01)
    assert printed_fails(printed)
    assert "The printed one lies above it" in reading(printed)
    assert "bounds nothing" in spoken(printed)
    assert printed.bounds.last("corrected") == 1.0
    assert timing(printed).startswith("4,000 chains × 10,000 steps took ")


def test_bounds_are_the_librarys(bowl):
    config = bowl.config
    bounds = exit_bounds(config.dim, config.step_size, config.steps, config.radius, smoothness=config.curvature,
                         strong_convexity=config.curvature)
    assert bowl.bounds.last("local") == pytest.approx(bounds.local)
    assert bowl.bounds.last("sharp") == pytest.approx(bounds.sharp)
    assert not printed_fails(bowl)
    times = bowl.bounds.last("local") * bowl.crowd.chains / bowl.crowd.left
    assert f"{times:.1f} times the exits seen" in reading(bowl)


def test_the_mixture_is_quoted_where_it_is_sharper():
    long = compute(PRESETS["quadratic"].config.replace(step_size=0.025, radius=3.5355, chains=2000))
    # eta m n = 10: 0.124 of the chains leave, blocks allow 0.42 and the mixture about half of that.
    assert 0.124 < long.bounds.mixed < 0.25 < long.bounds.last("local")
    assert f"One mixture over all θ in place of blocks: {long.bounds.mixed:.3f}." in reading(long)


def test_the_chain_that_is_split_left_and_its_parts_add_up(bowl):
    split = bowl.sums
    assert split.left == len(split.parts.pull) and split.parts.error < 1e-14
    assert split.parts.squared_distance[-1] >= bowl.config.radius**2
    assert "never points outward" in splitting(bowl)


def test_paths_are_cut_at_their_exit_and_belong_to_the_crowd(printed):
    crowd = printed.crowd
    for row, left in zip(crowd.paths, crowd.path_exits, strict=True):
        after = crowd.path_steps >= left if left else np.zeros(row.size, bool)
        assert np.isnan(row[after]).all() and np.isfinite(row[~after]).all() and (row[~after] < 1).all()


def test_another_chain_or_cut_off_reuses_the_crowd(printed):
    seen = Recorder()
    config = printed.config.replace(chains=300)
    first = run_exits(config, None, seen)
    seen.published.clear()
    another = run_exits(config.replace(chain=5), None, seen)
    cut = run_exits(config.replace(truncation=9.0), None, seen)
    assert seen.published == []  # nothing was run again
    assert another.sums.chain == 5 and another.crowd.left == cut.crowd.left == first.crowd.left
    assert cut.bounds.last("printed") > first.bounds.last("printed")


@pytest.mark.parametrize(("config", "words"), [
    (ExitConfig(radius=2, step_size=5e-4, steps=500, curvature=1.0, noise=1000.0, chains=200),
     "because the noise S = 1000 is so large"),
    (ExitConfig(radius=2, step_size=0.5, steps=50, curvature=10.0, chains=200), "lower η to 0.2 or less"),
    (ExitConfig(radius=0.3, step_size=5e-5, steps=10_000, chains=200), "Raise r, or lower η or n"),
])
def test_a_warning_is_shown_when_every_valid_bound_is_1(config, words):
    result = compute(config)
    assert min(result.bounds.last(name) for name in ("corrected", "sharp", "local")) >= 0.9999
    assert words in warnings(result)[0]
    assert result.crowd.inside.share.size  # and the chains are drawn all the same


def test_work_is_bounded_and_the_bound_is_noted():
    setup = prepare_exits(ExitConfig(dim=100, steps=100_000, chains=20_000), None)
    assert setup.chains * 100 * 100_000 <= 3e9
    assert "would take long: 300 are run" in setup.notes[0]
    assert prepare_exits(ExitConfig(), None).notes == ()


def test_a_path_too_long_to_split_is_flagged_and_not_split(monkeypatch):
    monkeypatch.setattr("app.exit_time.simulated_chains.MOST", 999)
    result = compute(ExitConfig(radius=10.0, step_size=1e-6, dim=2, steps=500, chains=100))
    assert result.sums is None and result.too_long


def test_chains_to_look_at():
    exits = np.array([0, 9, 0, 4, 7])
    assert choose(exits, 5, None) == 4 and choose(exits, 1, None) == 4 and choose(np.zeros(3, int), 3, None) == 0
    assert choose(exits, 5, 2) == 2 and choose(exits, 5, 99) == 4
    assert order(exits) == [3, 4, 1, 0, 2]


def test_csv_has_a_row_a_step(printed):
    lines = result_columns(survival_columns(printed)).splitlines()
    names = "step,inside,band_low,band_high,free_walk,printed,corrected,sharp,local,rotation,made_with"
    assert lines[0] == names
    assert len(lines) == printed.crowd.inside.steps.size + 1
    assert float(lines[-1].split(",")[1]) == pytest.approx(printed.crowd.inside.share[-1])


def test_a_newer_request_cuts_an_older_one_short():
    handle = Recorder()
    handle.publish = lambda *what: setattr(handle, "stopped", True)
    assert run_exits(ExitConfig(steps=100_000, chains=10_000, step_size=5e-6), None, handle) is None
