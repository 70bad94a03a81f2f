"""The time left of pieces that go alike is read off the first, however unevenly it reports."""

import pytest

from app.compare.alike_pieces import AlikePieces


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Handle:
    anew = 0

    def time_anew(self):
        self.anew += 1


def test_work_goes_at_one_pace_though_shares_do_not():
    """Reports come after half a second and after three or four; a second of a later piece is a second of work."""
    clock, handle = Clock(), Handle()
    alike = AlikePieces(handle, 3, clock)
    reports = [(0.25, 0.5), (0.5, 3.0), (0.75, 7.0), (1.0, 10.0)]  # share, seconds
    for share, seconds in reports[:-1]:
        clock.now = 100.0 + seconds
        assert alike.tell(0, share) is None
    clock.now = 110.0
    assert alike.tell(1, 0.0) == (0.0, 20.0) and handle.anew == 1
    for ended in (1, 2):
        for share, seconds in reports[:-1]:
            told = alike.tell(ended, share)
            if ended == 2:  # at most 10 s are left, and the first piece was silent for 4 of them
                assert told is None
                continue
            done, left = told
            assert done == pytest.approx(10.0 * (ended - 1) + seconds) and done + left == pytest.approx(20.0)
    assert handle.anew == 1


def test_shares_between_reports_lie_on_a_line():
    clock = Clock()
    alike = AlikePieces(Handle(), 7, clock)
    clock.now += 4.0
    alike.tell(1, 0.0)
    assert alike.tell(1, 0.5) == (2.0, 22.0) and alike.tell(2, 0.0) == (4.0, 20.0)
