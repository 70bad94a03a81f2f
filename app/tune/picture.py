"""`TunePicture`: what the sweep's thread hands to the page; immutable."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.tune.config import TuneConfig
from app.tune.data import Loaded
from app.tune.foresight import Foresight
from sampler.tuning import CellForecast, CellResult, best_cell

Key = tuple[float, int, int]
"""eta0, i_max, b."""


@dataclass(frozen=True, eq=False)
class TunePicture:
    """One instant of a sweep."""

    config: TuneConfig  #: as run: every range is known
    loaded: Loaded
    foresight: Foresight
    cells: dict[Key, CellResult] = field(default_factory=dict)  #: the furthest each cell has come
    finished: frozenset[Key] = frozenset()  #: cells that nothing more is done about
    last_rung: int = 0
    reference: dict | None = None  #: method and effective draws of the truth
    ended: str = ""  #: "finished", "cancelled"; empty while it runs or before it began
    watching: bool = False  #: another page is at work on this sweep

    @property
    def best(self) -> CellResult | None:
        """The cheapest accurate cell so far."""
        return best_cell([self.cells[key] for key in self.finished], self.last_rung)

    @property
    def total(self) -> int:
        """Cells in the sweep."""
        return self.config.cells

    def cell(self, key: Key) -> CellResult | None:
        """What was measured at a setting, or None."""
        return self.cells.get(key)

    def forecast(self, key: Key) -> CellForecast | None:
        """What the formula says of a setting."""
        return self.foresight.cells.get(key)

    def state(self, key: Key) -> str:
        """Return "done", "early" (given up), "diverged", "running" or "waiting"."""
        cell = self.cells.get(key)
        if cell is None:
            return "waiting"
        if cell.diverged is not None:
            return "diverged"
        if key not in self.finished:
            return "running"
        return "done" if cell.rung == self.last_rung else "early"

    @property
    def best_key(self) -> Key | None:
        """Setting of the best cell."""
        best = self.best
        return None if best is None else key_of(best)

    @property
    def advised_key(self) -> Key:
        """Cell of the grid nearest to the advised start."""
        s = self.foresight.advice.settings
        near = lambda values, want: min(values, key=lambda v: abs(v / want - 1) if v > want else abs(want / v - 1))  # noqa: E731
        config = self.config
        return near(config.etas, s.eta0), near(config.lengths, s.i_max), near(config.batches, s.batch_size)

    @property
    def looked_at(self) -> Key:
        """The cell whose verdict is shown: the chosen one, else the best, else the advised one."""
        chosen, config = self.config.chosen, self.config
        if chosen is not None and chosen[0] in config.etas and chosen[1] in config.lengths and chosen[2] in config.batches:
            return chosen
        return self.best_key or self.advised_key


def key_of(cell: CellResult) -> Key:
    """Setting of a cell."""
    return cell.eta0, cell.i_max, cell.batch_size
