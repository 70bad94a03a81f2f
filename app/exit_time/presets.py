"""Pictures to try: four configurations that each show one thing; links may name one."""

from __future__ import annotations

from typing import Any

from app.state.exit_time import ExitConfig, ExitState
from app.state.parameters.url_reader import LinkReader
from app.state.preset import Preset

DEFAULT_PRESET = "printed"


PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("printed", "The printed bound fails",
           "A flat F and 2ηn = 1. The bound as printed promises that all but two chains in 100,000 stay;"
           " eight in a hundred leave.",
           ExitConfig(radius=2.5, step_size=5e-5, dim=2, steps=10_000, curvature=0.0, chains=4_000)),
    Preset("quadratic", "Curvature makes it sharp",
           "A bowl, ηmn = 1. Counting the pull back takes our bound from useless to a few times the truth.",
           ExitConfig(radius=2.8, step_size=2.5e-3, dim=2, steps=400, curvature=1.0, chains=20_000)),
    Preset("concentrates", "d = 20: distance concentrates",
           "In twenty dimensions all chains climb together: the squared distance is a sum of twenty, so it"
           " strays little from its mean, and the bound is close.",
           ExitConfig(radius=6.0, step_size=2.5e-3, dim=20, steps=400, curvature=1.0, chains=10_000)),
    Preset("live", "Logistic, as Live left it",
           "The posterior, its step size and its chains as the Live page left them. When Live has not run in"
           " this session, its default is run here to epoch 256.",
           ExitConfig(target="live", start="live", chains=10_000, adopt=True)),
)}


def default_config() -> ExitConfig:
    """Return the configuration the page opens with."""
    return PRESETS[DEFAULT_PRESET].config


def preset_of(config: ExitConfig) -> str:
    """Return the key of the preset that `config` is, "" for none."""
    plain = config.replace(chain=None)
    return next((key for key, preset in PRESETS.items() if preset.config == plain), "")


def from_query(query: dict[str, Any]) -> tuple[ExitConfig, list[str]]:
    """Read URL parameters; never raises. ``preset=<key>`` says what the others change.

    Returns the configuration and one sentence for each thing that was wrong and what was taken instead.
    """
    link = LinkReader(query)
    base = default_config()
    if link.has("preset"):
        base = PRESETS[link.choice("preset", tuple(PRESETS), DEFAULT_PRESET)].config
    return ExitState.read_query(link, base), link.words
