"""A `LiveConfig` as URL parameters and back: short keys, validated values, nonsense answered in words."""

from __future__ import annotations

import math

from app.knobs import KnobSpec
from app.live.config import SPEEDS, LiveConfig
from app.live.knobs import KNOBS
from app.live.presets import PROBLEMS, STREAMS, choice_of, default_config
from app.live.user_defaults import OWN
from app.state.link import LinkReader, shown, written
from app.user_data import Given

VERSION = "1"

_NUMBERS = {"eta0": "eta0", "b": "batch_size", "imax": "i_max", "C": "acceptance_radius", "c": "offset"}
"""URL key -> field of `Settings`."""
_SWITCHES = {
    "vr": ("variance_reduction", "variance reduction"),
    "reset": ("reset", "reset"),
    "random": ("random_length", "random length"),
    "refresh": ("refresh", "refresh"),
}


def _speed_keys() -> list[str]:
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
    query |= {key: written(getattr(settings, name)) for key, name in _NUMBERS.items()}
    query |= {"R": written(config.escape_radius)}
    query |= {key: "1" if getattr(settings, name) else "0" for key, (name, _) in _SWITCHES.items()}
    query["speed"] = _speed_keys()[config.speed]
    query["follow"] = "none" if config.follow is None else str(config.follow)
    axes = config.axes
    query["axes"] = axes if isinstance(axes, str) else f"{axes[0] + 1}-{axes[1] + 1}"
    query["view"] = "rescaled" if config.rescaled else "asis"
    return query


def from_query(query: dict, given: Given | None = None) -> tuple[LiveConfig, list[str]]:
    """Read URL parameters (str, bytes, numbers, or lists of them: the last counts). Never raises.

    Returns the configuration and one sentence for each thing that was wrong and what was taken instead. `given`
    are the person's own data, if the page has any: they cannot be in a link.
    """
    link = LinkReader(query)
    version = link.text("v")
    if version not in (None, VERSION):
        link.words.append(f"This link has version {shown(version)}, not {VERSION}; the page took what it could.")

    if link.text("problem") == OWN and given is None:
        link.words.append("This link was made on somebody's own data, which are not here: give them on the Tune page."
                          " The page took problem = logistic2.")
        return default_config(), link.words
    problem = link.choice("problem", [*PROBLEMS, OWN], "logistic2")
    choice = choice_of(problem, given)
    base = choice.default
    stream = OWN if problem == OWN else link.choice("stream", list(STREAMS), base.stream)
    chains = link.number("chains", KNOBS["chains"], base.chains)
    seed = link.number("seed", KNOBS["seed"], base.seed)
    changes: dict[str, object] = {}
    for key, name in _NUMBERS.items():
        changes[name] = link.number(key, KNOBS[name], getattr(base.settings, name))
    radius = link.number("R", KNOBS["escape_radius"], base.escape_radius)
    for key, (name, label) in _SWITCHES.items():
        changes[name] = link.switch(key, getattr(base.settings, name), label)

    keys = _speed_keys()
    speed = keys.index(link.choice("speed", keys, keys[base.speed]))
    follow = _follow(link, chains, base.follow)
    axes = _axes(link, choice.dim)
    rescaled = link.choice("view", ["asis", "rescaled"], "asis") == "rescaled"
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
    return config, link.words


def _follow(link: LinkReader, chains: int, default: int | None) -> int | None:
    text = link.text("follow")
    if text is None:
        return default
    if text.lower() == "none":
        return None
    knob = KnobSpec("follow", "", "chain to follow", "", "", 0, chains - 1, whole=True)
    return link.number("follow", knob, default or 0)


def _axes(link: LinkReader, dim: int) -> tuple[int, int] | str:
    text = link.text("axes")
    if text is None:
        return (0, 1)
    if text == "principal":
        return "principal"
    first, _, second = text.partition("-")
    if first.isascii() and first.isdigit() and second.isascii() and second.isdigit():
        pair = int(first[:9]) - 1, int(second[:9]) - 1
        if pair[0] != pair[1] and all(0 <= axis < dim for axis in pair):
            return pair
    link.words.append(f"axes = {shown(text)} must be two different coordinates from 1 to {dim}, such as 1-2, or"
                      " principal; took 1-2.")
    return (0, 1)
