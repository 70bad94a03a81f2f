import numpy as np
import pytest

from sampler.theory.good_events import escape_event, is_reset_point, reset_point_event


def test_reset_points_are_zero_and_powers_of_two():
    assert np.flatnonzero(is_reset_point(np.arange(70))).tolist() == [0, 1, 2, 4, 8, 16, 32, 64]
    assert is_reset_point(2**40) and not is_reset_point(2**40 + 1)


def test_an_escape_is_never_forgotten():
    epochs = np.array([1, 2, 3])
    allowed = 10.0 / np.sqrt(epochs + 2.0)
    farthest = np.stack([allowed**2 * 0.9, allowed**2 * [0.9, 1.1, 0.9]], axis=1)
    event = escape_event(farthest, epochs, 10.0, 2.0)
    np.testing.assert_allclose(event.allowed, allowed)
    assert event.held.tolist() == [[True, True], [True, False], [True, True]]
    assert event.so_far.tolist() == [[True, True], [True, False], [True, False]]
    assert event.share.tolist() == [1.0, 0.5, 0.5]
    assert event.broken.tolist() == [0, 1, 0]


def test_the_ball_is_closed():
    assert escape_event([[4.0]], [2], 4.0, 2.0).held.all()
    assert not escape_event([[4.0 + 1e-9]], [2], 4.0, 2.0).held.any()


def test_only_reset_points_matter_for_h():
    epochs = np.arange(1, 6)
    distances = np.full((5, 1), 0.1)
    distances[[2, 4]] = 1e9  # epochs 3 and 5
    assert reset_point_event(distances, epochs, 1.0, 2.0).so_far.all()
    distances[3] = 1e9  # epoch 4
    event = reset_point_event(distances, epochs, 1.0, 2.0)
    assert event.so_far[:, 0].tolist() == [True, True, True, False, False]


def test_a_chain_that_is_not_finite_has_left():
    assert not escape_event([[np.nan, np.inf]], [1], 1.0, 1.0).so_far.any()


def test_an_event_on_a_live_walk():
    rng = np.random.default_rng(0)
    farthest = rng.chisquare(2, size=(50, 100)) / np.arange(1, 51)[:, None]
    event = escape_event(farthest, np.arange(1, 51), 3.0, 0.0)
    for t in range(50):
        kept = farthest[: t + 1] <= 9.0 / np.arange(1, t + 2)[:, None]
        np.testing.assert_array_equal(event.so_far[t], kept.all(axis=0))
    assert 0 < event.share[-1] < 1


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("farthest", dict(farthest=[1.0, 2.0])),
        ("farthest", dict(farthest=[[1.0]])),
        ("farthest", dict(farthest=[[1.0], [-2.0]])),
        ("epochs", dict(epochs=[2, 1])),
        ("epochs", dict(epochs=[-1, 1])),
        ("epochs", dict(epochs=[0, 1], offset=0.0)),
        ("escape_radius", dict(escape_radius=0.0)),
        ("offset", dict(offset=-1.0)),
    ],
)
def test_bad_input_is_refused_by_name(name, changes):
    good = dict(farthest=[[1.0], [2.0]], epochs=[1, 2], escape_radius=1.0, offset=2.0)
    with pytest.raises(ValueError, match=f"{name} must"):
        escape_event(**(good | changes))
