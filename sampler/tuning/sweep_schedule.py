"""What a sweep has still to do: the order of its cells, which of them are given up, and what they cost.

That is what a cell should cost, put right by what the cells so far did cost.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sampler.algorithms.algorithm_names import PLAIN
from sampler.arguments import instance_of, shown, whole_number
from sampler.metrics.ceiling import MOST_DRAWS
from sampler.settings import Settings, checked_settings
from sampler.tuning.algorithm_settings import CellKey, key_of
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast, cost
from sampler.tuning.settings_grid import Grid

ENOUGH = {"saga-ld": 0.01, "preconditioned": 0.02}
"""Accuracy missing that costs a cell no place. The preconditioned sampler's default gives up 0.02, 9 % of the variance: half
of that takes twice as many steps."""
REMEMBERED = {"saga-ld": 0.3, "preconditioned": 0.4}
"""Share of the start that an epoch may leave; the preconditioned sampler's default leaves 0.4."""
MEMORY_PRICE = 0.2
"""Accuracy that one unit of memory beyond what an epoch may leave is worth."""
COST_PRICE = 0.02
"""Accuracy that an epoch dearer by a factor e is worth."""


def forecast_grid(forecast: Forecast, grid: Grid, settings: Settings, draws: int = 1024) -> dict[CellKey, CellForecast]:
    """Forecast every cell of a grid at once; keys as `key_of` says.

    Parameters
    ----------
    forecast : Forecast
        Of the grid's algorithm.
    grid : Grid
    settings : Settings
        Gives every other knob.
    draws : int
        Samples behind the accuracy that is forecast.
    """
    check_forecast(forecast)
    instance_of("grid", grid, Grid, "make one with Grid(eta0, i_max, batch_size, acceptance_radius)")
    settings, draws = checked_settings(settings), whole_number("draws", draws, 1, MOST_DRAWS)
    keys = [(eta0, i_max, batch) for batch in grid.batch_size for i_max in grid.i_max for eta0 in grid.eta0]
    forecasts = forecast.many([settings.replace(eta0=eta0, i_max=i_max, batch_size=batch) for eta0, i_max, batch in keys],
                              draws)
    return {CellKey(*key, grid.algorithm): cell for key, cell in zip(keys, forecasts, strict=True)}


class TrialOrder:
    """The `order` of a `Sweep`, made by `trial_order`; it also knows what a forecast says a setting lacks."""

    def __init__(self, forecasts: Mapping[CellKey, CellForecast]) -> None:
        self._forecasts = forecasts
        self._best = max((cell.true_accuracy for cell in forecasts.values()), default=1.0)

    def __call__(self, settings: Settings) -> float:
        """Number of a setting: those with a larger one are tried first."""
        key = key_of(settings)
        forecast, algorithm = self._forecasts[key], key.algorithm
        missing = max(0.0, self._best - ENOUGH[algorithm] - forecast.true_accuracy)
        remembered = max(0.0, forecast.memory - REMEMBERED[algorithm])
        return -missing - MEMORY_PRICE * remembered - COST_PRICE * math.log(forecast.cost)

    def missing(self, settings: Settings) -> float | None:
        """Accuracy that a setting is predicted to lack to the best one; None without a forecast."""
        forecast = self._forecasts.get(key_of(settings))
        return None if forecast is None else self._best - forecast.true_accuracy


def trial_order(forecasts: Mapping[CellKey, CellForecast]) -> TrialOrder:
    """Return the `order` of a `Sweep`: settings with a larger number are tried first.

    The number falls with the accuracy missing beyond `ENOUGH` to the best of these forecasts, with the memory beyond
    `REMEMBERED`, and with the logarithm of the cost. Among accurate settings the cheap ones come first.

    Parameters
    ----------
    forecasts : mapping of key to CellForecast
        Of every cell of the sweep's grids, as `forecast_grid` gives them.

    Raises
    ------
    ValueError
        For anything but forecasts by key.
    """
    if not isinstance(forecasts, Mapping) or not all(isinstance(cell, CellForecast) for cell in forecasts.values()):
        raise ValueError(f"forecasts must be a mapping of keys to CellForecast, got {shown(forecasts)}; use forecast_grid")
    return TrialOrder(forecasts)


HALF = 0.03
"""Accuracy missing to the best predicted at which half of the cells are expected to go on, before any has been judged."""
STEEP = 3.0
"""Power of the accuracy missing with which that chance falls."""
JUDGED = 2.0
"""Cells like it that this expectation counts for, beside those that were judged."""
AWAY = 0.1
"""Accuracy missing from which chains may run away, and the cell take next to no time."""
FLOOR = 0.005
"""Accuracy that makes no difference."""
ALIKE = 0.4
"""Standard deviation, in the logarithm of the accuracy missing, of the weight that another cell's fate has."""
FINE = 8
"""Kinds of cells that are told apart, where the accuracy missing changes by a factor e."""


class GivenUp:
    """The chance that a cell goes on from a rung: between a least and a most.

    Parameters
    ----------
    prune : bool
        Whether cells are given up at all.
    rungs : int
    order : TrialOrder, optional
        Knows the forecasts. Without it nothing is known of a cell that has not been judged.
    """

    def __init__(self, prune: bool, rungs: int, order: TrialOrder | None = None) -> None:
        self._prune, self._order = prune, order
        self._judged: list[dict[int, list[float]]] = [{} for _ in range(rungs)]  # kind -> [judged, went on], of each rung
        self._chances: dict[tuple[int, int], tuple[float, float]] = {}  # (rung, kind) -> chance

    def may_run_away(self, settings: Settings) -> bool:
        """Whether chains may run away, for all that is predicted: such a cell takes next to no time."""
        missing = None if self._order is None else self._order.missing(settings)
        return missing is None or missing > AWAY

    def learn(self, settings: Settings, rung: int, promoted: bool) -> None:
        """Take in whether a cell went on from a rung."""
        kind = self._kind(settings)
        if kind is not None:
            judged = self._judged[rung].setdefault(kind, [0.0, 0.0])
            judged[0], judged[1] = judged[0] + 1.0, judged[1] + promoted
            self._chances = {key: chance for key, chance in self._chances.items() if key[0] != rung}

    def chance_to_go_on(self, settings: Settings, rung: int) -> tuple[float, float]:
        """Return the least and the most chance that a cell goes on from a rung: a standard deviation to either side."""
        if not self._prune:
            return (0.0 if self.may_run_away(settings) else 1.0), 1.0
        kind = self._kind(settings)
        if kind is None:
            return 0.0, 1.0
        if (rung, kind) not in self._chances:
            self._chances[rung, kind] = self._chance(rung, kind)
        return self._chances[rung, kind]

    def _chance(self, rung: int, kind: int) -> tuple[float, float]:
        missing = math.exp(kind / FINE)
        judged, promoted = JUDGED, JUDGED / (1.0 + (missing / HALF) ** STEEP)
        for other, (some, went_on) in self._judged[rung].items():
            weight = math.exp(-0.5 * ((other - kind) / (FINE * ALIKE)) ** 2)
            judged, promoted = judged + weight * some, promoted + weight * went_on
        chance = promoted / judged
        sd = math.sqrt(chance * (1.0 - chance) / (judged + 1.0))
        return max(0.0, chance - sd), min(1.0, chance + sd)

    def _kind(self, settings: Settings) -> int | None:
        """Cells that should fare alike have one number: the logarithm of the accuracy missing."""
        missing = None if self._order is None else self._order.missing(settings)
        return None if missing is None else round(FINE * math.log(FLOOR + missing))


GRADIENT, COORDINATE = 8e-9, 0.5e-9  # seconds of a core a gradient of one term, and a coordinate of it
METRIC = 0.06e-9  # and, preconditioned, as often as d^2 a step and d^3 an epoch
EPOCH, WHITENED_EPOCH = 45e-6, 90e-6  # and an epoch of all chains, however few its gradients; preconditioned
CELL = 2e-3  # and a cell's own measures
UNSURE = 0.4
"""Standard deviation of the logarithm of what one cell takes, over what it should; of n cells the root of n less."""
RECALLS = (0.8, 1.0)
"""What a cell counts for once another has come: the last few cells, and all of them, each say how fast work goes."""
OFF = 1.5
"""Factor by which a single cell may take longer or shorter than cells of its kind do on average."""
UNLIKELY = 0.5
"""Chance to go on that nobody need reckon with where a single cell is left."""
MARGIN = 1.12
"""Factor for all that is not counted here: chance cell by cell, and workers that wait since results are taken in order."""


def core_seconds(settings: Settings, dim: int, rows: int, chains: int) -> float:
    """Seconds that one core of our own takes, roughly, for a cell run over so many rows.

    Parameters
    ----------
    settings : Settings
    dim : int >= 1
    rows : int >= 0
    chains : int >= 1
    """
    dim, rows, chains = whole_number("dim", dim), whole_number("rows", rows, 0), whole_number("chains", chains)
    spent, epoch = cost(settings) * (GRADIENT + COORDINATE * dim), EPOCH
    if settings.algorithm != PLAIN:
        epoch = WHITENED_EPOCH
        steps = (settings.i_max + 1) / 2 if settings.random_length else settings.i_max
        spent += METRIC * dim**2 * (steps + dim)
    return CELL + (epoch + spent * chains) * rows


@dataclass(frozen=True)
class Piece:
    """A cell that is not finished.

    Attributes
    ----------
    settings : Settings
    rung : int
        The next to be judged.
    spent : float
        Seconds that it has been at work on this rung; infinite when the rung is done and waits to be judged.
    """

    settings: Settings
    rung: int
    spent: float = 0.0


class SweepWork:
    """Work of a sweep that is still ahead, in seconds of a core: a least and a most, far apart where nobody can tell.

    What is not known beforehand is how fast this machine is, which the cells so far say, and which cells will be given up
    early, which follows from the accuracy predicted: see `GivenUp`.

    Parameters
    ----------
    dim, chains : int
    rungs : tuple of int
        Rows after which a cell is judged.
    given_up : GivenUp
    """

    def __init__(self, dim: int, chains: int, rungs: tuple[int, ...], given_up: GivenUp) -> None:
        self._dim, self._chains, self._rungs, self._given_up = dim, chains, rungs, given_up
        self._expected: dict[float, dict[str, float]] = {recall: defaultdict(float) for recall in RECALLS}
        self._took: dict[float, dict[str, float]] = {recall: defaultdict(float) for recall in RECALLS}
        self._cells: dict[str, int] = defaultdict(int)
        self.measured = False  #: whether anything has been measured

    def learn(self, settings: Settings, rung: int, seconds: float, promoted: bool | None) -> None:
        """Take in that a cell was run to a rung's end in so many seconds, and whether it goes on; None: it ran away."""
        self.measured = True
        if promoted is None:  # it ran away, and says nothing of what others take
            self._given_up.learn(settings, rung, False)
            return
        name, price = settings.algorithm, self._price(settings, rung)
        for recall in RECALLS:
            self._expected[recall][name] = recall * self._expected[recall][name] + price
            self._took[recall][name] = recall * self._took[recall][name] + seconds
        self._cells[name] += 1
        self._given_up.learn(settings, rung, promoted)

    def recall(self, settings: Settings, rung: int, seconds: float, ran_away: bool) -> None:
        """Take in a cell that was finished at a rung in an earlier run: it had gone on from the rungs before."""
        for earlier in range(rung):
            self._given_up.learn(settings, earlier, True)
        self.learn(settings, rung, seconds, None if ran_away else False)

    def ahead(self, pieces: Sequence[Piece], workers: int = 1) -> tuple[float, float]:
        """Return the least and the most seconds of a core that these pieces still take.

        One cell's rungs come one after the other: while the longest goes on, workers that have nothing else to do count.
        """
        least = most = shortest = longest = 0.0
        for piece in pieces:
            (low, high), (later, at_most, whole) = self._at_work(piece), self._later(piece)
            least, most = least + low + later, most + high + at_most
            shortest, longest = max(shortest, low), max(longest, high + whole)
        return max(least, workers * shortest) / MARGIN, MARGIN * max(most, workers * longest)

    def _at_work(self, piece: Piece) -> tuple[float, float]:
        """Least and most seconds of the rung that comes next."""
        if piece.spent == math.inf:
            return 0.0, 0.0
        price, (slow, fast) = self._price(piece.settings, piece.rung), self._speeds(piece.settings)
        low, high = slow * price, fast * price
        if piece.spent:
            low, high = max(0.0, low / OFF - piece.spent), max(OFF * high - piece.spent, piece.spent / 2.0)
        return 0.0 if self._given_up.may_run_away(piece.settings) else low, high

    def _later(self, piece: Piece) -> tuple[float, float, float]:
        """Seconds of the rungs after the next one: expected at the least and at the most, and of a cell that goes on."""
        slow, fast = self._speeds(piece.settings)
        if fast == math.inf:
            return 0.0, math.inf, math.inf
        low = high = 1.0  # chances to come so far
        least = most = whole = 0.0
        for rung in range(piece.rung + 1, len(self._rungs)):
            price, chance = self._price(piece.settings, rung), self._given_up.chance_to_go_on(piece.settings, rung - 1)
            low, high = low * chance[0], high * chance[1]
            least, most = least + low * slow * price, most + high * fast * price
            whole += fast * price * (high > UNLIKELY)
        return least, most, whole

    def _price(self, settings: Settings, rung: int) -> float:
        return core_seconds(settings, self._dim, self._rungs[rung], self._chains)

    def _speeds(self, settings: Settings) -> tuple[float, float]:
        name = settings.algorithm
        if not self._cells[name]:
            return 0.0, math.inf
        speeds = [self._took[recall][name] / self._expected[recall][name] for recall in RECALLS]
        unsure = math.exp(UNSURE / math.sqrt(self._cells[name]))
        return min(speeds) / unsure, max(speeds) * unsure
