"""Labels of lines, laid out in the browser, which alone knows how large a figure is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bokeh.core.properties import value
from bokeh.models import CategoricalColorMapper, ColumnDataSource, CustomJS

from app.theme import FONT

CODE = (Path(__file__).parent / "names.js").read_text(encoding="utf-8")
SIZE = "11.5px"
COLUMNS = ("x", "y", "text", "role", "align", "style", "back", "cover")


def add_names(figure, sources: Sequence[ColumnDataSource], ink: CategoricalColorMapper) -> None:
    """Label the lines of these sources, beside those that the figure has already.

    The names stand in a source of the browser's own: no message to the server tells where, and none comes from there.
    """
    drawn = figure.select_one({"name": "names"})
    if drawn is None:
        drawn = figure.text(
            "x", "y", "text", source=ColumnDataSource({key: [] for key in COLUMNS}), name="names", level="overlay",
            text_font=value(FONT), text_font_size=SIZE, text_color={"field": "role", "transform": ink}, text_align="align",
            text_font_style="style", text_baseline="middle", text_line_height=1.2,
            background_fill_color={"field": "back", "transform": ink}, background_fill_alpha="cover", padding=1,
            border_radius=3)
    place = CustomJS(args={"figure": figure, "names": drawn.data_source, "size": SIZE, "font": FONT},
                     code=f"clearTimeout(names.timer)\nnames.timer = setTimeout(() => {{{CODE}}})")
    for model, attributes in ((figure, ("inner_width", "inner_height")), (figure.x_range, ("start", "end")),
                              (figure.y_range, ("start", "end")), *((source, ("data",)) for source in sources)):
        for attribute in attributes:
            model.js_on_change(attribute, place)
