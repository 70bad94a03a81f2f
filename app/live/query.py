"""A `LiveConfig` as URL parameters and back: short keys, validated values, nonsense answered in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.live.config import LiveConfig

VERSION = "1"

_NUMBERS = {  # key -> (field, whole number, symbol in words)
    "eta0": ("eta0", False, "η₀"),
    "b": ("batch_size", True, "b"),
    "imax": ("i_max", True, "i_max"),
    "C": ("acceptance_radius", False, "C'"),
    "c": ("offset", False, "c"),
}
_SWITCHES = {
    "vr": ("variance_reduction", "variance reduction"),
    "reset": ("reset", "reset"),
    "random": ("random_length", "random length"),
    "refresh": ("refresh", "refresh"),
}
_TRUE, _FALSE = {"1", "on", "true", "yes"}, {"0", "off", "false", "no"}


def _speed_keys() -> list[str]:
    from app.live.config import SPEEDS

    return ["max" if math.isinf(rate) else f"{rate:g}{kind[0]}" for _, kind, rate in SPEEDS]


def to_query(config: LiveConfig) -> dict[str, str]:
    """Return all knobs as strings; `from_query` gives the same configuration back."""
    settings = config.settings
    query = {
        "v": VERSION,
        "problem": config.problem,
        "stream": config.stream,
        "chains": str(config.chains),
        "seed": str(config.seed),
    }
    query |= {key: _number(getattr(settings, name)) for key, (name, _, _) in _NUMBERS.items()}
    query |= {"R": _number(config.escape_radius)}
    query |= {key: "1" if getattr(settings, name) else "0" for key, (name, _) in _SWITCHES.items()}
    query["speed"] = _speed_keys()[config.speed]
    query["follow"] = "none" if config.follow is None else str(config.follow)
    axes = config.axes
    query["axes"] = axes if isinstance(axes, str) else f"{axes[0] + 1}-{axes[1] + 1}"
    query["view"] = "rescaled" if config.rescaled else "asis"
    return query


def from_query(query: dict) -> tuple[LiveConfig, list[str]]:
    """Read URL parameters (str, bytes, numbers, or lists of them: the last counts). Never raises.

    Returns the configuration and one sentence for each thing that was wrong and what was taken instead.
    """
    from app.live.config import LIMITS
    from app.live.presets import PROBLEMS, STREAMS, default_config

    words: list[str] = []
    given = {str(key): _text(value) for key, value in dict(query or {}).items()}
    version = given.get("v", VERSION)
    if version != VERSION:
        words.append(f"This link has version {_show(version)}, not {VERSION}; the page took what it could.")

    problem = _choice(given, "problem", list(PROBLEMS), "logistic2", words)
    base = default_config(problem)
    stream = _choice(given, "stream", list(STREAMS), base.stream, words)
    chains = int(_clamped(given, "chains", base.chains, LIMITS["chains"], True, "chains", words))
    seed = int(_clamped(given, "seed", base.seed, LIMITS["seed"], True, "seed", words))
    changes: dict[str, object] = {}
    for key, (name, whole, symbol) in _NUMBERS.items():
        changes[name] = _clamped(given, key, getattr(base.settings, name), LIMITS[name], whole, symbol, words)
    radius = _clamped(given, "R", base.escape_radius, LIMITS["escape_radius"], False, "R", words)
    for key, (name, label) in _SWITCHES.items():
        changes[name] = _switch(given, key, getattr(base.settings, name), label, words)

    keys = _speed_keys()
    speed = keys.index(_choice(given, "speed", keys, keys[base.speed], words))
    follow = _follow(given, chains, base.follow, words)
    axes = _axes(given, PROBLEMS[problem].dim, words)
    rescaled = _choice(given, "view", ["asis", "rescaled"], "asis", words) == "rescaled"
    config = base.replace(
        stream=stream,
        chains=chains,
        seed=seed,
        settings=base.settings.replace(**changes),
        escape_radius=float(radius),
        speed=speed,
        follow=follow,
        axes=axes,
        rescaled=rescaled,
    )
    return config, words


def _number(value: float) -> str:
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _show(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        value = value[-1] if value else ""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return str(value).strip()


def _choice(given: dict[str, str], key: str, options: list[str], default: str, words: list[str]) -> str:
    text = given.get(key)
    if text is None or text in options:
        return default if text is None else text
    words.append(f"{key} = {_show(text)} is not one of {', '.join(options)}; took {default}.")
    return default


def _clamped(
    given: dict[str, str],
    key: str,
    default: float,
    limits: tuple[float, float],
    whole: bool,
    symbol: str,
    words: list[str],
) -> float:
    text = given.get(key)
    if text is None:
        return default
    low, high = limits
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        words.append(f"{symbol} = {_show(text)} is not a number; took {default:g}.")
        return default
    clamped = min(max(value, low), high)
    if whole:
        clamped = int(round(clamped))
    if clamped != value:
        need = f"a whole number from {low:,g} to {high:,g}" if whole else f"from {low:,g} to {high:,g}"
        words.append(f"{symbol} = {_show(text)} must be {need}; took {clamped:g}.")
    return clamped


def _switch(given: dict[str, str], key: str, default: bool, label: str, words: list[str]) -> bool:
    text = given.get(key)
    if text is None or text.lower() in _TRUE | _FALSE:
        return default if text is None else text.lower() in _TRUE
    words.append(f"{label} = {_show(text)} is neither 1 nor 0; took {int(default)}.")
    return default


def _follow(given: dict[str, str], chains: int, default: int | None, words: list[str]) -> int | None:
    text = given.get("follow")
    if text is None:
        return default
    if text.lower() == "none":
        return None
    return int(_clamped(given, "follow", default or 0, (0, chains - 1), True, "chain to follow", words))


def _axes(given: dict[str, str], dim: int, words: list[str]) -> tuple[int, int] | str:
    text = given.get("axes")
    if text is None:
        return (0, 1)
    if text == "principal":
        return "principal"
    first, _, second = text.partition("-")
    if first.isascii() and first.isdigit() and second.isascii() and second.isdigit():
        pair = int(first[:9]) - 1, int(second[:9]) - 1
        if pair[0] != pair[1] and all(0 <= axis < dim for axis in pair):
            return pair
    words.append(
        f"axes = {_show(text)} must be two different coordinates from 1 to {dim}, such as 1-2, or principal; took 1-2."
    )
    return (0, 1)
