"""An `ExitConfig` as URL parameters and back: validated, clamped, nonsense answered in words."""

from __future__ import annotations

from typing import Any

from app.exit_time.config import LIMITS, STARTS, TARGETS, ExitConfig
from app.exit_time.knobs import KNOBS
from app.exit_time.presets import PRESETS, default_config
from app.state.link import LinkReader, shown, written

KEYS = {
    "er": "radius", "eeta": "step_size", "ed": "dim", "en": "steps", "em": "curvature", "eS": "noise",
    "eC": "truncation", "erho": "distance", "ek": "chains",
}
"""URL key -> field. The letter e keeps them apart from the keys of the Live page."""


def to_query(config: ExitConfig) -> dict[str, str]:
    """Return all knobs as strings; `from_query` gives the same configuration back."""
    query = {key: written(getattr(config, field)) for key, field in KEYS.items()}
    query |= {"etarget": config.target, "estart": config.start}
    query["echain"] = "auto" if config.chain is None else str(config.chain)
    return query


def from_query(query: dict[str, Any]) -> tuple[ExitConfig, list[str]]:
    """Read URL parameters. Never raises.

    ``preset=<key>`` starts from a preset. Returns the configuration and one sentence for each thing that was
    wrong and what was taken instead.
    """
    link = LinkReader(query)
    base = default_config()
    if link.has("preset"):
        base = PRESETS[link.choice("preset", tuple(PRESETS), "printed")].config
    values = {field: link.number(key, KNOBS[field], getattr(base, field)) for key, field in KEYS.items()}
    target = link.choice("etarget", TARGETS, base.target)
    start = link.choice("estart", STARTS, base.start)
    adopt = base.adopt and not link.has(*KEYS)
    config = ExitConfig(**values, target=target, start=start, chain=_chain(link), adopt=adopt)
    return _consistent(config, link.words), link.words


def _consistent(config: ExitConfig, words: list[str]) -> ExitConfig:
    if config.start == "distance" and config.distance >= config.radius:
        distance = config.radius / 2
        words.append(f"ρ₀ = {config.distance:g} must be below r = {config.radius:g}; took {distance:g}.")
        config = config.replace(distance=distance)
    if 0.0 < config.truncation < config.least_truncation:
        words.append(f"C_ξ = {config.truncation:g} must be √(2d) = {config.least_truncation:.3g} or more;"
                     " took the best.")
        config = config.replace(truncation=0.0)
    return config


def _chain(link: LinkReader) -> int | None:
    text = link.text("echain")
    if text is None or text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text[:9]) < LIMITS["chains"][1]:
        return int(text[:9])
    link.words.append(f"echain = {shown(text)} is no chain; took one that left.")
    return None
