"""Figures of the Coreset page: what is drawn, what is said on hover, and colours in both themes."""

import numpy as np

from app.coreset.charts.lines import Curve, Level, LinesChart, Mark
from app.coreset.charts.paper import PaperSheet, legend
from app.coreset.charts.points import LARGEST, UNIT, PointsChart
from app.coreset.cloud import Background2d, Points
from app.coreset.figure_panels import draw
from app.coreset.figure_plan import FIGURES, SCALES
from app.theme import TOKENS

X = np.array([1.0, 10.0, 100.0, 1000.0])


class Chart(LinesChart):
    name = "a-chart"


def chart(*curves, **options):
    made = Chart()
    made.show_curves(curves, 1000.0, **options)
    return made


def test_lines_bands_and_marks():
    y = np.array([np.nan, 3.0, 0.02, 1e-5])
    made = chart(Curve(X, y, "one", "one 1e-5", low=y / 2, high=y * 2), Curve(X[:2], X[:2], "two", dashed=True),
                 level=Level(X, np.full(4, 0.1), "floor"), marks=[Mark(10.0, 3.0, "acc", "passed", True)])
    low, high = made.y_range.start, made.y_range.end
    assert low < 1e-5 and high > 10 and made.x_range.end == 1000
    assert made.lines.data["dash"] == ["solid", "dashed"] and made.bands.data["xs"][0].size == 6  # no band where unknown
    assert made.diamonds.data["marker"] == ["circle"]
    assert sorted(made.labels.data["text"]) == ["floor", "one 1e-5"]


def test_hover_names_every_line_that_is_there():
    made = chart(Curve(X, X, "one"), Curve(X[:2], 2 * X[:2], "two"), marks=[Mark(900.0, 900.0, "acc", "passed")])
    texts = made.spots.data["text"]
    assert texts[1] == "one &nbsp; <b>10</b><br>two &nbsp; <b>20</b>" and "two" not in texts[3]
    assert texts[3].endswith("<br>passed") and made.spots.data["at"] == ["1", "10", "100", "1,000"]
    np.testing.assert_array_equal(made.spots.data["y"], [2, 20, 100, 1000])


def test_nothing_to_draw_is_drawn():
    made = chart()
    assert made.spots.data["text"] == [] and made.y_range.start < made.y_range.end
    made = chart(Curve(X, np.full(4, np.nan), "nothing"))
    assert set(made.spots.data["text"]) == {""}


def test_the_dark_theme_repaints_lines_bands_and_marks():
    made = chart(Curve(X, X, "one", low=X / 2, high=X * 2), marks=[Mark(1, 1, "acc", "")])
    made.restyle(True)
    dark = TOKENS["dark"]
    assert made.lines.data["color"] == made.bands.data["color"] == [dark["chain"]]
    assert made.diamonds.data["color"] == [dark["acc"]]


def test_axes_hold_still_while_values_move_a_little():
    made = chart(Curve(X, X, "one"))
    before = made.y_range.start, made.y_range.end
    made.show_curves([Curve(X, 1.05 * X, "one")], 1000.0)
    assert before == (made.y_range.start, made.y_range.end)


def test_area_is_weight_and_points_without_weight_are_crosses():
    made, five = PointsChart(), np.arange(5.0)
    background = Background2d(five, five, five > 3, ("a", "b"), (0.0, 0.0), (4.0, 4.0), True)
    weight = np.array([1.0, 4.0, 0.0, 1e4, 0.25])
    made.show(background, Points(five, five, weight, np.arange(5), np.array([0, 0, 0, 0, 1], bool), 0))
    assert made.plain.data["size"].tolist() == [UNIT, 2 * UNIT, LARGEST]
    assert made.positive.data["size"].tolist() == [UNIT / 2] and made.dead.data["x"].tolist() == [2.0]
    made.show(background, None)
    assert len(made.plain.data["x"]) == 0


def test_the_papers_panels_take_every_figure():
    sheet = PaperSheet()
    for figure in FIGURES:
        result = draw(figure, SCALES["small"], {})
        sheet.show(result)
        assert legend(result) == ""
    sheet.fit(800.0, 500.0, False)
    sheet.restyle(True)
    assert sheet.panels[0].figure.height == 240
