"""The optimizers of the page: how a configuration makes one, and what a run is called."""

from __future__ import annotations

from collections.abc import Callable

from app.plots.optimizer_looks import look_of
from app.state.coreset import RATES, CoresetConfig, RunKey
from sampler import coreset

MAKERS: dict[str, Callable[[CoresetConfig], object]] = {
    "hot_dog": lambda config: coreset.HotDoG(config.reach), "dog": lambda config: coreset.DoG(config.reach),
    "dowg": lambda config: coreset.DoWG(config.reach), "d_adaptation": lambda config: coreset.DAdaptation(config.guess),
    "prodigy": lambda config: coreset.Prodigy(config.guess), "adam_sqrt": lambda config: coreset.Adam(config.adam_rate),
    "adam_const": lambda config: coreset.Adam(config.adam_constant, "constant"),
    "untrained": lambda config: coreset.Untrained(),
}
"""Key -> maker of the library's optimizer."""
RATE_SYMBOLS = {"reach": "r", "adam_rate": "rate", "adam_constant": "rate", "guess": "d₀"}


def rate_of(optimizer: str, config: CoresetConfig) -> float | None:
    """Return the rate an optimizer runs at; None for one without."""
    return getattr(config, RATES[optimizer]) if optimizer in RATES else None


def with_rate(optimizer: str, config: CoresetConfig) -> str:
    """Return an optimizer's name with the rate it runs at."""
    name, rate = look_of(optimizer).name, rate_of(optimizer, config)
    return name if rate is None else f"{name}, {RATE_SYMBOLS[RATES[optimizer]]} = {rate:g}"


def name_of(key: RunKey, both: bool) -> str:
    """Return the name of a run; whether it is hot is said only where both kinds are run."""
    label = look_of(key.optimizer).name
    return label if not both else f"{label}, {'hot' if key.hot else 'cold'}"


def plotted(key: RunKey, both: bool) -> str:
    """Return what figures call a run: its optimizer's key, with ", cold" after it where both kinds are run."""
    return key.optimizer if key.hot or not both else f"{key.optimizer}, cold"


def marked(optimizer: str) -> list[str]:
    """Return [mark, colour token] of an optimizer, for tables and switches."""
    look = look_of(optimizer)
    return [look.mark, look.token]
