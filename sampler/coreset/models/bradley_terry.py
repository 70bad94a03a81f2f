"""Bradley-Terry: ratings of teams from who beat whom."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sampler.arguments import real_array, shown, whole_number
from sampler.coreset.models.base import checked_labels
from sampler.coreset.models.score_model import ScoreModel
from sampler.kernels.coreset_families import LOGISTIC

ELO_SCALE = 400.0
MOST_TEAMS = 100_000


def checked_teams(name: str, values: ArrayLike) -> np.ndarray:
    """``values`` as int64 (n,) team numbers counted from 0, or ValueError."""
    wanted, advice = "team numbers 0, 1, 2, ... of shape (n,)", "number the teams first"
    array = real_array(name, values, wanted, advice)
    if array.ndim != 1 or array.size < 1 or not np.all((array >= 0) & (array < MOST_TEAMS) & (array == np.floor(array))):
        raise ValueError(f"{name} must be {wanted}, below {MOST_TEAMS:,}, got {shown(values)}; {advice}")
    return array.astype(np.int64)


class BradleyTerry(ScoreModel):
    """P(home team h beats visitor v) = 1 / (1 + exp((theta_v - theta_h) / 400)), theta ~ N(0, I).

    With ratings on the scale of 400 and a prior of deviation 1 the data hardly move the posterior: its variances
    stay near 1 and any sampler of the prior scores well. A poor test of anything, kept for completeness.

    Parameters
    ----------
    home, visitor : (n,) arrays of team numbers, counted from 0
    wins : (n,) array, 1 where the home team won
    teams : int, optional
        Number of teams; None is one more than the largest number.
    """

    title: ClassVar[str] = "Bradley-Terry"
    family: ClassVar[int] = LOGISTIC

    def __init__(self, home: np.ndarray, visitor: np.ndarray, wins: np.ndarray, teams: int | None = None) -> None:
        home, visitor = checked_teams("home", home), checked_teams("visitor", visitor)
        if home.shape != visitor.shape or np.any(home == visitor):
            raise ValueError(f"home and visitor must have one length and differ in every game, got {home.shape} and "
                             f"{visitor.shape}; drop games of a team against itself")
        most = int(max(home.max(), visitor.max())) + 1
        teams = most if teams is None else whole_number("teams", teams, most, MOST_TEAMS, "count every team")
        rows = np.zeros((home.size, teams))
        games = np.arange(home.size)
        rows[games, home] = 1 / ELO_SCALE
        rows[games, visitor] = -1 / ELO_SCALE
        super().__init__(rows, checked_labels(wins, home.size, "binary"), teams,
                         tuple(f"team {i + 1}" for i in range(teams)))

    @classmethod
    def synthetic(cls, n: int = 26_651, dim: int = 30, seed: int = 0) -> BradleyTerry:
        """Games of ``dim`` teams with ratings N(0, 100^2), by default of the paper's shape: N = 26,651, d = 30.

        Parameters
        ----------
        n : int
            Data.
        dim : int >= 2
            Teams.
        seed : int >= 0
            Same seed, same numbers.
        """
        n = whole_number("n", n, 2, 10**8, "26651 is the paper's")
        dim = whole_number("dim", dim, 2, 1000, "30 is the paper's")
        rng = np.random.default_rng(seed)
        ratings = 100.0 * rng.standard_normal(dim)
        home = rng.integers(dim, size=n)
        visitor = (home + rng.integers(1, dim, size=n)) % dim
        chance = 1 / (1 + np.exp((ratings[visitor] - ratings[home]) / ELO_SCALE))
        return cls(home, visitor, rng.random(n) < chance, dim)

    @classmethod
    def from_data(cls, home: np.ndarray, visitor: np.ndarray, wins: np.ndarray) -> BradleyTerry:
        """The user's games: team numbers from 0, and 1 where the home team won.

        Parameters
        ----------
        home : (n,) array of int
            Numbers of the home teams, from 0.
        visitor : (n,) array of int
            Numbers of the visiting teams, from 0.
        wins : (n,) array of 0 and 1
            Whether the home team won.
        """
        return cls(home, visitor, wins)

    def score_terms(self, z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Label times z - log(1 + e^z) and its derivatives."""
        chance = 0.5 * (1 + np.tanh(0.5 * z))
        return labels * z - np.logaddexp(0, z), labels - chance, -chance * (1 - chance)
