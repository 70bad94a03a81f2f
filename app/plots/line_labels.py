"""Labels of lines, laid out in the browser, which alone knows how large a figure is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bokeh.core.properties import field, value
from bokeh.models import CategoricalColorMapper, ColumnDataSource, CustomJS, Text

from app.theme import FONT

CODE = (Path(__file__).parent / "line_labels.js").read_text(encoding="utf-8")
SIZE = "11.5px"
COLUMNS = ("x", "y", "text", "role", "align", "style", "back", "cover")


def add_names(figure, sources: Sequence[ColumnDataSource], ink: CategoricalColorMapper) -> None:
    """Label the lines of these sources, beside those that the figure has already.

    The names stand in a source of the browser's own: no message to the server tells where, and none comes from there.
    """
    drawn = next((found for found in figure.renderers if found.name == "names"), None)
    if drawn is None:
        glyph = Text(
            x="x", y="y", text="text", text_font=value(FONT), text_font_size=SIZE, text_align=field("align"),
            text_color={"field": "role", "transform": ink}, text_font_style=field("style"), text_baseline="middle",
            text_line_height=1.2, background_fill_color={"field": "back", "transform": ink},
            background_fill_alpha="cover", padding=1, border_radius=3)
        drawn = figure.add_glyph(ColumnDataSource({key: [] for key in COLUMNS}), glyph, name="names", level="overlay")
    place = CustomJS(args={"figure": figure, "names": drawn.data_source, "size": SIZE, "font": FONT},
                     code="if (cb_obj !== figure) names.tries = 0\n"
                          f"clearTimeout(names.timer)\nnames.timer = setTimeout(() => {{{CODE}}})")
    for model, attributes in ((figure, ("inner_width", "inner_height")), (figure.x_range, ("start", "end")),
                              (figure.y_range, ("start", "end")), *((source, ("data",)) for source in sources)):
        for attribute in attributes:
            model.js_on_change(attribute, place)
