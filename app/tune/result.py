"""`TuneResult`: one instant of a sweep, as its thread hands it to the page; immutable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from app.state.tune import CellKey, TuneConfig
from app.tune.grid_forecast import GridForecast
from app.tune.tuning_rows import TuningRows
from sampler import Settings
from sampler.tuning import CellForecast, CellResult, best_cell


@dataclass(frozen=True, eq=False)
class TuneResult:
    """What is known of every cell of a sweep."""

    config: TuneConfig  #: as run: every range is known
    advised: TuneConfig  #: the same where the user had chosen nothing
    stream: TuningRows
    forecast: GridForecast
    cells: dict[CellKey, CellResult] = field(default_factory=dict)  #: the furthest each cell has come
    finished: frozenset[CellKey] = frozenset()  #: cells that nothing more is done about
    last_rung: int = 0
    reference: dict | None = None  #: method and effective draws of the truth
    ended: str = ""  #: "finished", "cancelled"; empty while it runs or before it began
    shipped: bool = False  #: cells came with the app, nobody has run this sweep here
    elsewhere: bool = False  #: another page is at work on this sweep

    def with_cells(self, cells: Iterable[CellResult], finished: bool) -> TuneResult:
        """Return the result with these cells of its grid."""
        mine = {key_of(cell): cell for cell in cells if key_of(cell) in self.forecast.cells
                and cell.acceptance_radius == self.config.acceptance_radius}
        return replace(self, cells={**self.cells, **mine},
                       finished=self.finished | frozenset(mine) if finished else self.finished)

    @property
    def best(self) -> CellResult | None:
        """The cheapest accurate cell so far."""
        return best_cell([self.cells[key] for key in self.finished], self.last_rung)

    @property
    def total(self) -> int:
        """Cells in the sweep."""
        return self.config.cells

    @property
    def whole(self) -> bool:
        """Whether every cell is finished."""
        return len(self.finished) == self.total

    def cell(self, key: CellKey) -> CellResult | None:
        """What was measured at a setting, or None."""
        return self.cells.get(key)

    def foretold(self, key: CellKey) -> CellForecast | None:
        """What the formula says of a setting."""
        return self.forecast.cells.get(key)

    def settings(self, key: CellKey) -> Settings:
        """All knobs of a cell."""
        eta0, i_max, batch = key
        return self.stream.settings.replace(eta0=eta0, i_max=i_max, batch_size=batch,
                                            acceptance_radius=self.config.acceptance_radius)

    def state(self, key: CellKey) -> str:
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
    def best_key(self) -> CellKey | None:
        """Setting of the best cell."""
        best = self.best
        return None if best is None else key_of(best)

    @property
    def advised_key(self) -> CellKey:
        """Cell of the grid nearest to the advised start."""
        advised = self.forecast.advice.settings
        return self.nearest(advised.eta0, advised.i_max, advised.batch_size)

    def nearest(self, eta0: float, i_max: float, batch: float) -> CellKey:
        """Cell of the grid nearest to a setting, by ratios."""
        def near(values: tuple, wanted: float) -> float:
            return min(values, key=lambda value: max(value / wanted, wanted / value))

        config = self.config
        return near(config.etas, eta0), near(config.lengths, i_max), near(config.batches, batch)

    @property
    def looked_at(self) -> CellKey:
        """The cell whose verdict is shown: the chosen one, else the best, else the advised one."""
        chosen, config = self.config.chosen, self.config
        if chosen is not None and chosen[0] in config.etas and chosen[1] in config.lengths and chosen[2] in config.batches:
            return chosen
        return self.best_key or self.advised_key


def key_of(cell: CellResult) -> CellKey:
    """Setting of a cell."""
    return cell.eta0, cell.i_max, cell.batch_size
