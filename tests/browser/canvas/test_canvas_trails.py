"""Trails on the chain canvas: joined by steps, broken by resets and runs, kept through changes of the window."""

import numpy as np
import pytest

from app.canvas.frame_bytes import Arrows
from app.theme import TOKENS
from tests.app.canvas.clouds import make_cloud

pytestmark = pytest.mark.browser


def test_values_that_are_no_numbers_are_not_drawn(open_view):
    view = open_view()
    positions = make_cloud().positions.copy()
    positions[3] = np.nan
    positions[4, 0] = np.inf
    nan = np.full(2, np.nan, np.float32)
    view.send(make_cloud(positions=positions), follow=3)
    view.send(make_cloud(positions=positions + 1, checkpoints=np.tile(nan, (64, 1))), follow=3)
    ink = view.page.evaluate("ink()")
    assert ink > 1000
    view.send(make_cloud(positions=positions, mode=nan, escape_distance=np.inf, acceptance_distance=np.nan))
    view.send(make_cloud(positions=positions, contours=(np.full((5, 2), np.nan),) * 3, half_width=np.nan))
    arrows = Arrows(np.tile(nan, (4, 1)), path=np.full((2, 2), np.nan, np.float32), batch_size=1, t=1)
    view.send(make_cloud(arrows=arrows), follow=1)
    assert view.page.evaluate("ink()") > 1000


@pytest.mark.parametrize("chains", [1, 33, 512])
def test_any_number_of_chains_and_a_change_of_it(open_view, chains):
    view = open_view()
    view.send(make_cloud(chains), run=1, follow=chains - 1)
    count = f"{chains} chain{'s' if chains > 1 else ''} at epoch 100."
    view.page.wait_for_function("words => canvas.ariaLabel.includes(words)", arg=count)
    view.send(make_cloud(chains, seed=1), run=1, follow=chains - 1)
    view.send(make_cloud(64), run=2)
    assert view.page.evaluate("canvas.dataset.run") == "2"


def plain_cloud(x, **changes):
    positions = np.array([[x, 2.0]], np.float32)
    return make_cloud(1, positions=positions, contours=(), balls=(), escape_distance=np.nan, **changes)


def stepped(open_view, **options):
    view = open_view(**options)
    view.send(plain_cloud(-3.0))
    view.send(plain_cloud(3.0))
    return view


def middle(half_width=5.5):
    """Return the expression of the pixel midway between x = -3 and x = 3 at height 2, on a canvas of 532 pixels."""
    return f"pixel(282, {round(266 - 2 * 266 / half_width)})"


def trail_ink(view):
    """Return whether the trail crosses the middle."""
    return view.page.evaluate(f"{middle()}[3] > 0")


def test_a_trail_joins_steps_survives_pauses_resizes_and_themes_and_ends_with_a_run_or_a_reset(open_view):
    view = stepped(open_view)
    assert trail_ink(view)
    for _ in range(60):
        view.send(plain_cloud(3.0))
    assert trail_ink(view), "a paused picture sent again must not fade"
    for height in (300, 532):
        view.page.evaluate("height => document.getElementById('stage').style.height = `${height}px`", height)
        view.page.wait_for_function("height => canvas.height === height", arg=height)
    assert trail_ink(view)
    before = view.page.evaluate(f"{middle()}.join()")
    darken = "palette => { model.palette = palette; model.dark = true; fire('palette'); }"
    view.page.evaluate(darken, TOKENS["dark"])
    view.page.wait_for_function(f"before => {middle()}.join() !== before", arg=before)
    assert trail_ink(view)
    view.send(plain_cloud(-3.0), run=2)
    assert not trail_ink(view), "a new run begins with an empty canvas"
    view.send(plain_cloud(3.0, reset=np.array([True])), run=2)
    assert not trail_ink(view), "a reset is not a step"


@pytest.mark.parametrize("motion", [{}, {"reduced_motion": "reduce"}])
def test_the_window_eases_or_jumps_to_the_new_one_and_trails_follow(open_view, motion):
    view = stepped(open_view, **motion)
    view.send(plain_cloud(3.0, half_width=11.0))
    at_rest = f"{middle(11.0)}[3] > 0"
    assert not motion or view.page.evaluate(at_rest)
    view.page.wait_for_function(at_rest)
