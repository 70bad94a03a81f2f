"""A figure on a page: updated in place, replaced if the kind of figure changes, in both themes."""

import numpy as np

from app.plots import Line, lines
from app.theme import TOKENS
from app.widgets.figure_card import FigureCard, FigureView, align

X = np.linspace(1.0, 10.0, 5)


def spoken(view):
    return view.plot.state.html_attributes["aria-label"]


def figure(slope=1.0, name="chains", **options):
    """Return a figure with one line."""
    return lines([Line(name, X, slope * X, "ours")], "epoch", "error", **options)


def test_new_results_update_the_figure_and_another_kind_replaces_it_in_the_same_theme():
    view = FigureView(figure(), chosen=print)
    view.draw()
    plot, pane = view.plot, view.column[0]
    view.show(figure(3.0, "walks"))
    assert view.plot is plot and view.column[0] is pane
    (ys,) = plot.handles["multi_line_1_source"].data["ys"]
    assert np.array_equal(ys, 3 * X) and spoken(view) == "Chart of error against epoch: walks"
    view.restyle(True)
    for _ in range(2):
        state = view.plot.state  # the card behind it has the browser's theme from the first paint
        assert state.styles["background-color"] == "transparent"
        assert state.ygrid[0].grid_line_color == TOKENS["dark"]["grid"]
        view.show(figure(2.0, logx=True), spoken="The error falls.")
    assert view.plot is not plot and view.column[0].object is view.plot and spoken(view) == "The error falls."


def test_settings_made_before_a_figure_is_drawn_apply_to_it_and_to_its_replacement():
    views = upper, lower = FigureView(figure(), x_axis=False), FigureView(figure())
    align(*views)
    upper.show(figure(3.0, logx=True), spoken="The error grows.")
    upper.restyle(True)
    assert upper.plot is None and not upper.column
    for view in (*views, FigureView()):  # the last has no figure yet
        view.draw()
    (ys,) = upper.plot.handles["multi_line_1_source"].data["ys"]
    assert np.array_equal(ys, 3 * X) and spoken(upper) == "The error grows."
    assert upper.plot.state.ygrid[0].grid_line_color == TOKENS["dark"]["grid"]
    upper.show(figure())  # of another scale: replaced
    (mine,), (other,) = ([tag for tag in view.plot.state.tags if str(tag).startswith("aligned ")] for view in views)
    assert mine == other and [view.plot.state.xaxis[0].visible for view in views] == [False, True]


def test_a_card_takes_views_and_sends_the_browser_their_heights():
    left, right = FigureView(figure(), height=280), FigureView(figure(2.0), share=2.0)
    card = FigureCard([left, right], heads=[["Left", ""], ["Right", ""]], exports=["png", "svg"])
    assert card.heights == [[280, 1.0], [300, 2.0]]
    card.restyle(True)
    assert left.dark and right.dark
