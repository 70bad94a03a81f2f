"""A figure on a page: new results in the figure that is there, another one where its kind differs, both themes."""

import numpy as np

from app.plots import Line, lines
from app.theme import TOKENS
from app.widgets.figure_card import FigureCard, FigureView

X = np.linspace(1.0, 10.0, 5)


def figure(slope=1.0, name="chains", **options):
    """One line."""
    return lines([Line(name, X, slope * X, "ours")], "epoch", "error", **options)


def test_new_results_are_shown_in_the_figure_that_is_there():
    view = FigureView(figure())
    plot, pane = view.plot, view.column[0]
    view.show(figure(3.0, "walks"))
    assert view.plot is plot and view.column[0] is pane
    (ys,) = plot.handles["source"].data["ys"]
    assert np.array_equal(ys, 3 * X)
    assert view.spoken == "Chart of error against epoch: walks"


def test_a_figure_of_another_kind_is_redrawn_in_the_current_theme():
    heard = []
    view = FigureView(figure(), chosen=heard.append)
    view.restyle(True)
    state = view.plot.state  # the card behind it wears the browser's theme from the first paint
    assert state.styles["background-color"] == "transparent" and state.ygrid[0].grid_line_color == TOKENS["dark"]["grid"]
    plot = view.plot
    view.show(figure(2.0, logx=True), spoken="The error falls.")
    assert view.plot is not plot and view.column[0].object is view.plot
    state = view.plot.state  # the card behind it wears the browser's theme from the first paint
    assert state.styles["background-color"] == "transparent" and state.ygrid[0].grid_line_color == TOKENS["dark"]["grid"]
    assert view.spoken == "The error falls."


def test_a_card_takes_views_and_sends_the_browser_their_heights():
    left, right = FigureView(figure(), height=280), FigureView(figure(2.0), share=2.0)
    card = FigureCard([left, right], heads=[["Left", ""], ["Right", ""]], exports=["png", "svg"])
    assert card.heights == [[280, 1.0], [300, 2.0]]
    card.restyle(True)
    assert left.dark and right.dark
