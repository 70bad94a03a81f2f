"""Pictures to try: settings that each show one thing; links that may name one."""

from __future__ import annotations

from typing import Any

from app.state.coreset import CoresetConfig, CoresetState
from app.state.parameters.url_reader import LinkReader
from app.state.preset import Preset

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
           CoresetConfig().of_model("poisson").replace(hot="both", optimizers=("hot_dog", "adam_sqrt"), adam_rate=10.0)),
)}
"""Key -> picture to try."""


def preset_of(config: CoresetConfig) -> str:
    """Return the key of the preset that `config` is, "" for none."""
    plain = config.replace(focus="hot_dog", view="response")
    return next((key for key, preset in PRESETS.items() if preset.config == plain), "")


def from_query(query: dict[str, Any]) -> tuple[CoresetConfig, list[str]]:
    """Read URL parameters; ``kpreset=<key>`` starts from a picture to try. Never raises.

    Returns the configuration and one sentence for each thing that was wrong and what was taken instead.
    """
    link, base = LinkReader(query), CoresetConfig()
    if link.has("kpreset"):
        base = PRESETS[link.choice("kpreset", tuple(PRESETS), "tie")].config
    return CoresetState.read_query(link, base), link.words
