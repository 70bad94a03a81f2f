"""An `ExitConfig` as URL parameters and back: validated, clamped, nonsense answered in words."""

from __future__ import annotations

from typing import Any

from app.exit.config import LIMITS, STARTS, TARGETS, ExitConfig
from app.exit.knobs import KNOBS, read_number
from app.exit.presets import PRESETS, default_config

KEYS = {
    "er": "radius", "eeta": "step_size", "ed": "dim", "en": "steps", "em": "curvature", "eS": "noise",
    "eC": "truncation", "erho": "distance", "ek": "chains",
}
"""URL key -> field. The letter e keeps them apart from the keys of the Live page."""


def to_query(config: ExitConfig) -> dict[str, str]:
    """Return all knobs as strings; `from_query` gives the same configuration back."""
    query = {key: _number(getattr(config, field)) for key, field in KEYS.items()}
    query |= {"etarget": config.target, "estart": config.start}
    query["echain"] = "auto" if config.chain is None else str(config.chain)
    return query


def from_query(query: dict[str, Any]) -> tuple[ExitConfig, list[str]]:
    """Read URL parameters (str, bytes or lists of them). Never raises.

    ``preset=<key>`` starts from a preset. Returns the configuration and one sentence for each thing that was
    wrong and what was taken instead.
    """
    words: list[str] = []
    given = {str(key): _text(value) for key, value in dict(query or {}).items()}
    base = default_config()
    if "preset" in given:
        base = PRESETS[_choice(given, "preset", tuple(PRESETS), "printed", words)].config
    values = {field: _clamped(given, key, field, getattr(base, field), words) for key, field in KEYS.items()}
    target = _choice(given, "etarget", TARGETS, base.target, words)
    start = _choice(given, "estart", STARTS, base.start, words)
    adopt = base.adopt and not any(key in given for key in KEYS)
    config = ExitConfig(**values, target=target, start=start, chain=_chain(given, words), adopt=adopt)
    return _consistent(config, words), words


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


def _number(value: float) -> str:
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        value = value[-1] if value else ""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return str(value).strip()


def _show(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _choice(given: dict[str, str], key: str, options: tuple[str, ...], default: str, words: list[str]) -> str:
    text = given.get(key)
    if text is None or text in options:
        return default if text is None else text
    words.append(f"{key} = {_show(text)} is not one of {', '.join(options)}; took {default}.")
    return default


def _clamped(given: dict[str, str], key: str, field: str, default: float, words: list[str]) -> float:
    text, knob = given.get(key), KNOBS[field]
    if text is None:
        return default
    value = read_number(text)
    if value is None:
        words.append(f"{knob.plain} = {_show(text)} is not a number; took {default:g}.")
        return default
    low, high = LIMITS[field]
    clamped = min(max(value, low), high)
    if knob.whole:
        clamped = int(round(clamped))
    if clamped != value:
        need = f"a whole number from {low:,g} to {high:,g}" if knob.whole else f"from {low:,g} to {high:,g}"
        words.append(f"{knob.plain} = {_show(text)} must be {need}; took {clamped:,g}.")
    return clamped


def _chain(given: dict[str, str], words: list[str]) -> int | None:
    text = given.get("echain")
    if text is None or text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text[:9]) < LIMITS["chains"][1]:
        return int(text[:9])
    words.append(f"echain = {_show(text)} is no chain; took one that left.")
    return None
