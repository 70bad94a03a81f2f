"""The price of theory: a row a constant, theory's dot and the tuned one on a logarithmic strip."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.exit_time.theory_price import Price
from app.widgets.component import LabComponent


class PriceCard(LabComponent):
    """`choose("paper" | "live")` is called when the numbers put in are chosen."""

    _source = "price_card"

    rows = param.List([], doc="[symbol, words, theory, by hand, log10 of the ratio] of each constant.")
    source = param.String("", doc="What was put in.")
    verdict = param.String("")
    why = param.String("", doc="HTML.")
    choice = param.String("paper")
    has_live = param.Boolean(False)

    def __init__(self, choose: Callable[[str], None], **params: object) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_both", **params)

    def show(self, price: Price | None, error: str = "") -> None:
        """Show a price, or why there is none."""
        if price is None:
            self.param.update(rows=[], source="", verdict=error, why="")
        else:
            self.param.update(rows=[list(row) for row in price.rows], source=price.source, verdict=price.verdict,
                              why=price.why)

    def on_choose(self, value: str) -> None:
        """Take the segmented control."""
        self._choose(str(value))
