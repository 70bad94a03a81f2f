"""Regret of Thompson sampling with draws of SAGA-LD, a Gaussian fit and exact ones, with the code of how-to/predict.md."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from sampler import LogisticRegression, PreconditionedSagaLD, WarmLaplace
from tests.benchmarks.timing import Row, row
from tests.docs.pages import blocks, page

SEEDS, ROUNDS = 20, {"rare": 2_000, "common": 500}
SAMPLERS = {"PreconditionedSagaLD": PreconditionedSagaLD, "WarmLaplace": WarmLaplace}
WORDS = {"rare": "ten adverts, a click in 50 or so", "common": "twenty adverts by five features, a click in two"}
GRID = np.linspace(-25.0, 25.0, 4001)
"""Grid of one arm's coefficient: 240 points per prior standard deviation, out to eight of them."""


class Bandit(NamedTuple):
    """Arms, (m, d), their reward probabilities, (m,), and the prior standard deviation of the coefficients."""

    arms: np.ndarray
    chances: np.ndarray
    prior_sd: float


def bandit(regime: str, seed: int) -> Bandit:
    """Draw a bandit with ``rare`` rewards, one indicator per arm, or with ``common`` ones, drawn from the prior."""
    rng = np.random.default_rng([seed, 2])
    if regime == "rare":
        return Bandit(np.eye(10), expit(rng.normal(-4.0, 1.0, 10)), 3.0)
    arms = rng.normal(size=(20, 5))
    return Bandit(arms, expit(arms @ rng.normal(0.0, 2.0, 5)), 2.0)


class ExactArms:
    """Exact posterior draws on a grid for bandits with one coefficient per arm, with the interface of a sampler."""

    def __init__(self, arms: int, prior_sd: float) -> None:
        self._log_density = np.tile(-0.5 * (GRID / prior_sd)**2, (arms, 1))
        self._cumulative = np.array([self._summed(row) for row in self._log_density])

    @staticmethod
    def _summed(log_density: np.ndarray) -> np.ndarray:
        total = np.exp(log_density - log_density.max()).cumsum()
        return total / total[-1]

    def observe(self, arm: np.ndarray, reward: float) -> None:
        k = int(arm.argmax())
        self._log_density[k] -= np.logaddexp(0.0, -GRID if reward else GRID)
        self._cumulative[k] = self._summed(self._log_density[k])

    def predictive(self) -> "ExactArms":
        return self

    def thompson(self, rng: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
        drawn = np.array([GRID[np.searchsorted(row, rng.random())] for row in self._cumulative])
        return lambda rows: expit(rows @ drawn)


def page_play() -> Callable[..., np.ndarray]:
    """Return ``play`` of the page how-to/predict.md: the documented code is what is measured."""
    block, = (block.text for block in blocks(page("how-to/predict.md"), "python") if "def play(" in block.text)
    names: dict[str, Any] = {"np": np}
    exec(block, names)  # noqa: S102 - our own code
    return names["play"]


def regrets(regime: str, seeds: int, rounds: int) -> dict[str, np.ndarray]:
    """Return player -> regret after ``rounds``, (seeds,); all play the same bandits."""
    play, regrets_of = page_play(), {}
    for seed in range(seeds):
        arms, chances, prior_sd = bandit(regime, seed)
        problem = LogisticRegression(arms.shape[1], prior_sd**-2.0)
        players: dict[str, Any] = {name: kind(problem, chains=64, seed=seed) for name, kind in SAMPLERS.items()}
        if regime == "rare":
            players["exact draws"] = ExactArms(len(arms), prior_sd)
        for name, player in players.items():
            regrets_of.setdefault(name, []).append(play(player, arms, chances, rounds, np.random.default_rng([seed, 1]))[-1])
        regrets_of.setdefault("each arm alike", []).append(rounds * (chances.max() - chances.mean()))
    return {name: np.array(values) for name, values in regrets_of.items()}


def measure(quick: bool) -> Iterator[Row]:
    """Yield rows of regret in rewards: mean and standard error over seeds."""
    seeds = 3 if quick else SEEDS
    for regime, whole in ROUNDS.items():
        rounds = whole // 10 if quick else whole
        table = regrets(regime, seeds, rounds)
        table["WarmLaplace less PreconditionedSagaLD, seed by seed"] = table["WarmLaplace"] - table["PreconditionedSagaLD"]
        for name, values in table.items():
            mean, error = values.mean(), values.std(ddof=1) / np.sqrt(seeds)
            yield row(f"regret in clicks, {WORDS[regime]}, after {rounds:,}: {name}", mean,
                      unit=f"± {error:.1f} (standard error of {seeds} seeds)")
