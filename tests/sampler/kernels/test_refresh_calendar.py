"""The lazy calendar of refreshes against a full scan."""

import numpy as np
import pytest

from sampler.kernels.refresh_calendar import ITEM, file_all_under, find_due, open_bucket, refile_due

NEVER, PAUSE = range(0), range(100, 333)


@pytest.mark.parametrize(("seed", "touches", "off"), [
    (0, 0, NEVER), (1, 1, NEVER), (2, 20, NEVER), (0, 1, PAUSE), (1, 2, PAUSE), (2, 5, PAUSE)])
def test_calendar_finds_exactly_what_a_scan_finds(seed, touches, off):
    """Random touches, and no refresh in the epochs ``off``."""
    rng, counts = np.random.default_rng(seed), {}
    items, touched = np.zeros(700, ITEM), np.zeros(700, int)
    out, lapsed = np.empty(700, np.int64), False
    for t in range(1, 701):
        open_bucket(items, t)
        touched[t - 1] = t
        if t in off:
            lapsed = True
        else:
            counts[t] = find_due(items, t, lapsed, out)
            refile_due(items, t, lapsed)
            due = np.flatnonzero((2 * touched[:t] <= t) if lapsed else (2 * touched[:t] == t))
            np.testing.assert_array_equal(np.sort(out[:counts[t]]), due, err_msg=f"epoch {t}")
            touched[due], lapsed = t, False
        for datum in rng.integers(0, t, touches):
            items[datum]["touched"] = touched[datum] = t
    assert counts[off.stop or 2] > 0  # refreshes are overdue after the pause


def test_touching_all_empties_the_old_buckets():
    items, out = np.zeros(64, ITEM), np.empty(64, np.int64)
    for t in range(1, 33):
        open_bucket(items, t)
    file_all_under(items, 32)
    for t in range(33, 64):
        open_bucket(items, t)
        assert find_due(items, t, False, out) == (1 if t % 2 == 0 and t // 2 > 32 else 0)
        refile_due(items, t, False)
    open_bucket(items, 64)
    assert find_due(items, 64, False, out) == 32
