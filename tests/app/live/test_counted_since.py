"""From which epoch on each measure of a verdict counts."""

from app.live.counted_since import CountedSince, counted_since
from app.live.timeline import Change
from sampler import Settings

START = Settings(acceptance_radius=22.0)
HOT, TIGHT, WIDE = START.replace(eta0=0.5), START.replace(acceptance_radius=4.0), START.replace(acceptance_radius=40.0)


def since(t, *changes, first=(START, 16.0)):
    return counted_since(tuple(Change(at, None, settings, radius) for at, settings, radius in changes), first, t)


def test_without_a_change_all_count_from_the_start():
    assert since(700) == CountedSince(0, 0, 0)
    assert since(700, (300, START, 16.0)) == CountedSince(0, 0, 0)  # a knob that was put back where it was
    assert since(200, (300, HOT, 16.0)) == CountedSince(0, 0, 0)  # a change still to come, after a rewind


def test_resets_count_from_the_first_checkpoint_of_the_new_knobs():
    assert since(700, (300, HOT, 16.0)) == CountedSince(300, 512, 300)
    assert since(700, (511, HOT, 16.0)).resets == 512
    assert since(700, (512, HOT, 16.0)).resets == 1024  # X^512 was taken under the old ones
    assert since(700, (300, WIDE, 16.0)).resets == 512  # a wider ball about a checkpoint of the narrow one
    assert since(700, (0, HOT, 16.0)) == CountedSince(0, 1, 0)


def test_a_smaller_ball_is_judged_at_once_and_alone():
    assert since(700, (300, TIGHT, 16.0)) == CountedSince(300, 300, 300)
    assert since(700, (300, TIGHT.replace(eta0=0.5), 16.0)).resets == 512


def test_the_escape_radius_moves_no_chain():
    assert since(700, (300, START, 8.0)) == CountedSince(0, 0, 300)


def test_the_last_change_counts_and_says_so():
    counted = since(700, (300, HOT, 16.0), (600, START, 16.0))
    assert counted == CountedSince(600, 1024, 600)
    assert counted.words(700, True, "safe") == (" Measured since epoch 600, the last change. Resets count again from epoch "
                                                "1,024 on, the first checkpoint of these knobs.")
    assert "Resets" not in counted.words(700, False, "safe") + counted.words(1025, True, "safe")
    assert counted.words(700, True, "diverged") == CountedSince().words(700, True, "safe") == ""
