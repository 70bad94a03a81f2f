"""The verdict on a cell of a sweep, by the same rules as for a running chain."""

import numpy as np

from sampler.algorithms.online_algorithms import PLAIN
from sampler.arguments import instance_of, positive_number, whole_number
from sampler.settings import Settings, checked_settings
from sampler.tuning.forecast import CellForecast
from sampler.tuning.sweep_cell import CellResult
from sampler.tuning.verdicts.judge import judge
from sampler.tuning.verdicts.measurements import Measurements
from sampler.tuning.verdicts.verdict import Verdict


def verdict_of(cell: CellResult, settings: Settings, chains: int, forecast: CellForecast | None = None,
               reference_draws: int | None = None, largest_curvature: float | None = None, dim: int = 1) -> Verdict:
    """Judge a cell's setting.

    Parameters
    ----------
    cell : CellResult
    settings : Settings
        The sweep's; the cell's own knobs replace theirs.
    chains : int
        Of a cell.
    forecast : CellForecast, optional
        Of the same setting.
    reference_draws : int, optional
        ``judges.ess``.
    largest_curvature : float, optional
        ``Forecast.largest_curvature`` of the cell's algorithm, for the words about divergence.
    dim : int
        Coordinates that widths, memory and lag are the largest of.
    """
    instance_of("cell", cell, CellResult, "take one of a sweep's outcome")
    settings, chains, dim = checked_settings(settings), whole_number("chains", chains), whole_number("dim", dim)
    if reference_draws is not None:
        positive_number("reference_draws", reference_draws, np.inf, "None is an exact reference")
    if largest_curvature is not None:
        positive_number("largest_curvature", largest_curvature, np.inf, "None where it is not known")
    own = settings.replace(eta0=cell.eta0, i_max=cell.i_max, batch_size=cell.batch_size,
                           acceptance_radius=cell.acceptance_radius)
    window = max(cell.rows // 2, 1)
    if cell.diverged is not None:
        divisor = cell.diverged[1] + own.offset if cell.algorithm == PLAIN else 1.0
        limit = None if largest_curvature is None else 0.5 * divisor / largest_curvature
        return judge(Measurements(own, cell.diverged[1], chains, cell.diverged[1], diverged=cell.diverged, diverged_chains=1,
                                  largest_curvature=largest_curvature, largest_eta0=limit, algorithm=cell.algorithm))
    resets = round(cell.reset_rate * chains * window)
    exits = None if cell.exit_rate is None else round(cell.exit_rate * chains * window)
    return judge(Measurements(
        own, cell.rows, chains, cell.rows, accuracy=cell.accuracy, ceiling=cell.ceiling, ceiling_sd=cell.ceiling_sd,
        predicted=None if forecast is None else forecast.accuracy, width_bias=cell.widest - 1.0,
        narrowness=1.0 - cell.narrowest, lag=cell.lag, memory=cell.memory, dim=dim, resets=resets, exits=exits,
        window=window, checkpoint_epoch=1 << ((cell.rows - 1).bit_length() - 1), reference_draws=reference_draws,
        reference_epoch=cell.rows, largest_curvature=largest_curvature, algorithm=cell.algorithm, **cell.counts(chains)))
