"""Pictures to try: settings that each show one thing."""

from __future__ import annotations

from dataclasses import dataclass

from app.coreset.config import CoresetConfig
from app.coreset.kinds import KINDS


@dataclass(frozen=True)
class Preset:
    """One button."""

    key: str
    label: str
    says: str  #: what to look at, one sentence
    config: CoresetConfig


_POISSON = KINDS["poisson"]

PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("tie", "All tie at the floor",
           "Gaussian location. Whatever trains at a sensible rate ends at the dashed floor, which only the subsampling"
           " sets; ADAM as shipped, at 0.001, does not get there.",
           CoresetConfig()),
    Preset("far", "A far start, hot and cold",
           "The chains start 300 posterior deviations away. Trained from the first step, the weights never recover;"
           " after a hot start every optimizer does. Prodigy needs it least.",
           CoresetConfig(size=100, iterations=20_000, kernel="ar", start="far", hot="both",
                         optimizers=("hot_dog", "dog", "prodigy"))),
    Preset("blind", "Blind to spread",
           "ADAM at a rate of 10: a z-score as good as the others’, and a posterior many times too narrow. Look at the"
           " variance ratio.",
           CoresetConfig(size=100, adam_constant=10.0, optimizers=("hot_dog", "d_adaptation", "adam_const"))),
    Preset("poisson", "Counts in the hundreds",
           "Poisson regression: the mode lies hundreds of prior deviations from where the chains start. The first"
           " gradients are a million times too large, and the hot start waits them out.",
           CoresetConfig(model="poisson", n=_POISSON.n, dim=_POISSON.dim, size=500, iterations=10_000, hot="both",
                         optimizers=("hot_dog", "adam_sqrt"), adam_rate=10.0)),
)}
"""Key -> picture."""


def preset_of(config: CoresetConfig) -> str:
    """Return the key of the preset that `config` is, "" for none."""
    plain = config.replace(focus="hot_dog", view="response")
    return next((key for key, preset in PRESETS.items() if preset.config == plain), "")
