"""End labels never overlap and keep their order; ticks and numbers read well."""

import numpy as np
import pytest

from app.exit_time.numbers import round_ticks, steps
from app.exit_time.result_words import chance
from app.live.charts.end_labels import EndLabel, place
from app.plots.numbers import share


@pytest.mark.parametrize("seed", range(40))
def test_labels_keep_apart_and_in_order(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 9))
    wanted, heights = rng.uniform(0, 250, count), rng.choice([14.5, 29.0], count)
    placed = np.array(place(list(wanted), list(heights), 0.0, 300.0))
    rank = np.argsort(wanted, kind="stable")
    gaps = np.diff(placed[rank]) - (heights[rank][1:] + heights[rank][:-1]) / 2
    assert (gaps >= -1e-9).all()
    assert (placed - heights / 2 >= -1e-9).all() and (placed + heights / 2 <= 300 + 1e-9).all()


def test_a_lone_label_stands_where_it_wants_and_too_many_share():
    assert place([120.0], [14.5], 0.0, 300.0) == [120.0]
    crowded = place([10.0] * 40, [14.5] * 40, 0.0, 300.0)
    assert min(np.diff(sorted(crowded))) == pytest.approx(7.5)
    assert EndLabel(0.0, "a\nb", "ink").height == 2 * EndLabel(0.0, "a", "ink").height


@pytest.mark.parametrize(("value", "text"), [
    (0.637, "0.637"), (1 - 2.28e-5, "1 − 2.3 × 10⁻⁵"), (1.0, "1"), (0.0, "0"), (float("nan"), "…"),
    (2e-5, "2.0 × 10⁻⁵")])
def test_survival_in_words(value, text):
    assert share(value) == text


def test_chances_and_ticks():
    assert chance(0.5) == "0.5" and chance(0.0) == "0" and chance(2.3e-5) == "2.3 × 10⁻⁵"
    assert list(steps(10_000).values()) == ["0", "2,500", "5,000", "7,500", "10,000"]
    assert list(steps(3, 5).values()) == ["0", "1", "2", "3"] and steps(0) == {0.0: "0"}
    assert list(round_ticks(-0.6, 1.1, 5).values()) == ["−0.5", "0", "0.5", "1"]
