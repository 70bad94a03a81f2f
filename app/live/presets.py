"""Pictures to try on Live: the same narrow target at the same budget, walked in plain steps and in steps of its metric."""

from __future__ import annotations

from app.state.live import LiveConfig, default_config
from app.state.preset import Preset

VALLEY = {"stream": "ill_conditioned", "seed": 0, "escape_radius": 45.0, "batch_size": 9, "i_max": 30}
"""The target is eight times as long as wide; an epoch has 140 gradient evaluations."""

PRESETS: dict[str, Preset] = {preset.key: preset for preset in (
    Preset("valley", "A long valley, SAGA-LD",
           "Steps short enough for the narrow way walk the long way slowly: watch the memory.",
           default_config("linear2").replace(**VALLEY, acceptance_radius=300.0)),
    Preset("metric", "Same budget, another metric",
           "In the metric of the curvature seen so far the valley is round; the acceptance ball is the ellipse it is there.",
           default_config("linear2", algorithm="preconditioned").replace(**VALLEY, eta0=0.2, acceptance_radius=6.0)),
)}


def preset_of(config: LiveConfig) -> str:
    """Return the key of the preset that `config` is, "" for none; how it is shown does not matter."""
    shown = {name: getattr(config, name) for name in ("speed", "follow", "axes", "rescaled")}
    return next((key for key, preset in PRESETS.items() if preset.config.replace(**shown) == config), "")
