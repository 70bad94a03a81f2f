"""The cell of a sweep to use: the cheapest of the accurate ones."""

from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.verdicts.limits import MEMORY_LIMIT, WIDTH_LIMIT

CLOSE = 0.005


def best_cell(cells: list[CellResult], last_rung: int) -> CellResult | None:
    """Return the cheapest cell that is as accurate as the best, to within noise, and forgets its last sample.

    Among cells run to the last rung that did not diverge: accuracy at most max(0.005, 2 sd) below the best, memory
    below one half where any such cell is (else the least), at most a tenth too wide where any such cell is. Of equal
    cost the most accurate.
    """
    sound = [cell for cell in cells if cell.rung == last_rung and cell.diverged is None]
    if not sound:
        return None
    fresh = [cell for cell in sound if abs(cell.memory) <= MEMORY_LIMIT]
    fresh = fresh or [min(sound, key=lambda cell: abs(cell.memory))]
    fresh = [cell for cell in fresh if cell.width - 1.0 <= WIDTH_LIMIT] or fresh
    top = max(fresh, key=lambda cell: cell.accuracy)
    margin = max(CLOSE, 2.0 * top.ceiling_sd)
    near = [cell for cell in fresh if cell.accuracy >= top.accuracy - margin]
    return min(near, key=lambda cell: (cell.cost, -cell.accuracy))
