"""The optimizers of the page: names, colours, and how a configuration makes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.coreset.config import CoresetConfig, RunKey
from sampler import coreset


@dataclass(frozen=True)
class Method:
    """One optimizer."""

    key: str
    label: str
    short: str  #: at the end of its line
    token: str  #: colour
    text: str  #: colour of words
    width: float
    rate: str  #: field of the configuration that it reads, "" for none
    make: Callable[[CoresetConfig], object]
    dotted: bool = False  #: drawn in dots: another has its colour

    @property
    def mark(self) -> str:
        """How it is drawn, as marks name it."""
        return "dots" if self.dotted else "line"

    def named(self, config: CoresetConfig) -> str:
        """Return its name with the rate it runs at."""
        symbol = {"reach": "r", "adam_rate": "rate", "adam_constant": "rate", "guess": "d₀"}.get(self.rate)
        return f"{self.label}, {symbol} = {getattr(config, self.rate):g}" if symbol else self.label


METHODS: dict[str, Method] = {method.key: method for method in (
    Method("hot_dog", "Hot DoG", "Hot DoG", "chain", "chain", 2.6, "reach", lambda c: coreset.HotDoG(c.reach)),
    Method("dog", "DoG", "DoG", "acc", "acctx", 1.8, "reach", lambda c: coreset.DoG(c.reach)),
    Method("dowg", "DoWG", "DoWG", "acc", "acctx", 1.8, "reach", lambda c: coreset.DoWG(c.reach), dotted=True),
    Method("d_adaptation", "D-Adaptation", "D-Adapt.", "bound", "bound", 1.8, "guess",
           lambda c: coreset.DAdaptation(c.guess)),
    Method("prodigy", "Prodigy", "Prodigy", "mode", "ink", 1.4, "guess", lambda c: coreset.Prodigy(c.guess)),
    Method("adam_sqrt", "ADAM, rate/√t", "ADAM/√t", "sgld", "sgldtx", 1.8, "adam_rate", lambda c: coreset.Adam(c.adam_rate)),
    Method("adam_const", "ADAM, constant", "ADAM const", "esc", "esctx", 1.8, "adam_constant",
           lambda c: coreset.Adam(c.adam_constant, "constant")),
    Method("untrained", "untrained", "untrained", "ref", "ink2", 1.6, "", lambda c: coreset.Untrained()),
)}
"""Key -> optimizer."""


def name_of(key: RunKey, both: bool) -> str:
    """Return the name of a run; whether it is hot is said only where both kinds are run."""
    label = METHODS[key.optimizer].label
    return label if not both else f"{label}, {'hot' if key.hot else 'cold'}"
