"""Labels never overlap, stay in their frame, keep their order and move as little as they can."""

import numpy as np
import pytest

from app.live.charts.label_spacing import spread


def test_labels_with_room_stay():
    assert spread([10, 40, 80], 15, 0, 100) == [10, 40, 80]


def test_two_that_collide_move_apart_by_the_same_amount():
    assert spread([50, 54], 15, 0, 100) == pytest.approx([44.5, 59.5])


@pytest.mark.parametrize("seed", range(20))
def test_any_labels(seed):
    rng = np.random.default_rng(seed)
    wanted = list(rng.uniform(-20, 170, size=rng.integers(1, 8)))
    placed = spread(wanted, 15, 4, 148)
    order = np.argsort(wanted, kind="stable")
    ranked = np.array(placed)[order]
    assert np.all(np.diff(ranked) >= 15 - 1e-9)
    assert ranked[0] >= 4 - 1e-9 and ranked[-1] <= 148 + 1e-9


def test_more_than_fit_share_the_room_and_none_is_none():
    placed = spread([5] * 12, 15, 0, 110)
    assert sorted(placed) == pytest.approx(list(np.linspace(0, 110, 12)))
    assert spread([], 15, 0, 100) == []
    assert spread([500], 15, 0, 100) == [100]
