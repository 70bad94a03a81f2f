"""An `OfflineConfig` as URL parameters and back: validated, clamped, nonsense answered in words."""

from __future__ import annotations

from typing import Any

from app.offline.config import (
    AVERAGES,
    DEFAULT_LADDERS,
    DEFAULT_RACES,
    GAUSSIAN,
    LIKELIHOOD,
    SPEEDS,
    STEPS,
    TARGETS,
    VIEWS,
    ZOOMS,
    LadderConfig,
    OfflineConfig,
    RaceConfig,
)
from app.offline.knobs import KNOBS
from app.offline.samplers import SAMPLERS
from app.state.link import LinkReader, shown, written

LADDER_KEYS = {"oT": "terms", "oeta": "eta0", "ob": "batch_size", "oi": "i_max", "ok": "chains", "ox": "start",
               "os": "seed"}
RACE_KEYS = {"n": "n", "p": "passes", "b": "batch_size", "B": "anchor_batch", "eta": "step_size", "k": "chains",
             "s": "seed"}
LIKELIHOOD_KEYS = {"d": "dim", "share": "train", "prior": "prior_precision"}
PREFIX = {GAUSSIAN: "og", LIKELIHOOD: "of"}
PRINCIPAL, AUTO = "principal", "auto"


def to_query(config: OfflineConfig) -> dict[str, str]:
    """Return all that can be set as strings; `from_query` gives the same configuration back (but for a file)."""
    ladder = config.ladder
    query = {"oview": config.view, "otarget": ladder.target}
    query |= {key: written(getattr(ladder, field)) for key, field in LADDER_KEYS.items()}
    axes = ladder.axes if ladder.axes == PRINCIPAL else "-".join(str(axis + 1) for axis in ladder.axes)
    query |= {"ospeed": written(SPEEDS[ladder.speed]), "ozoom": ladder.zoom, "oaxes": axes}
    for view, prefix in PREFIX.items():
        race = config.race(view)
        keys = RACE_KEYS | (LIKELIHOOD_KEYS if view == LIKELIHOOD else {})
        query |= {prefix + key: written(getattr(race, field)) for key, field in keys.items()}
        query[prefix + "m"] = AUTO if race.anchor_every is None else str(race.anchor_every)
        query |= {prefix + "step": race.step, prefix + "on": ",".join(race.samplers) or "none"}
    query["ofavg"] = config.nll.average
    return query


def from_query(query: dict[str, Any]) -> tuple[OfflineConfig, list[str]]:
    """Read URL parameters; never raises. Returns the configuration and a sentence for each thing that was wrong."""
    link = LinkReader(query)
    view = link.choice("oview", VIEWS, VIEWS[0])
    config = OfflineConfig(view, _ladder(link), _race(link, GAUSSIAN), _race(link, LIKELIHOOD))
    return config, link.words


def _ladder(link: LinkReader) -> LadderConfig:
    base = DEFAULT_LADDERS[link.choice("otarget", tuple(TARGETS), "plane")]
    values = {field: link.number(key, KNOBS[f"ladder-{field}"], getattr(base, field))
              for key, field in LADDER_KEYS.items()}
    speed = link.choice("ospeed", tuple(written(s) for s in SPEEDS), written(SPEEDS[base.speed]))
    return base.replace(**values, speed=[written(s) for s in SPEEDS].index(speed),
                        zoom=link.choice("ozoom", ZOOMS, base.zoom), axes=_axes(link, base.dim))


def _axes(link: LinkReader, dim: int) -> tuple[int, int] | str:
    text = link.text("oaxes")
    if text in (None, "1-2") or (text == PRINCIPAL and dim > 2):
        return PRINCIPAL if text == PRINCIPAL else (0, 1)
    parts = text.split("-")
    if len(parts) == 2 and all(part.isascii() and part.isdigit() and 1 <= int(part[:4]) <= dim for part in parts):
        first, second = (int(part) - 1 for part in parts)
        if first != second:
            return first, second
    link.words.append(f"oaxes = {shown(text)} must be two different coordinates from 1 to {dim}, such as 1-2; took 1-2.")
    return 0, 1


def _race(link: LinkReader, view: str) -> RaceConfig:
    base, prefix = DEFAULT_RACES[view], PREFIX[view]
    keys = RACE_KEYS | (LIKELIHOOD_KEYS if view == LIKELIHOOD else {})
    values = {field: link.number(prefix + key, KNOBS[f"{view}-{field}"], getattr(base, field))
              for key, field in keys.items()}
    if not link.has(prefix + "B"):
        values["anchor_batch"] = max(1, values["n"] // 5)
    elif values["anchor_batch"] > values["n"] and view == GAUSSIAN:  # a file may have more rows than a stream
        link.words.append(f"B = {values['anchor_batch']:,} must be at most n = {values['n']:,}; took n, which is SVRG-LD.")
        values["anchor_batch"] = values["n"]
    if view == GAUSSIAN and 0 < values["chains"] < 20:
        link.words.append(f"K = {values['chains']} must be 20 or more, or 0 for none; took 20.")
        values["chains"] = 20
    text = link.text(prefix + "m")
    every = None if text in (None, AUTO) else link.number(prefix + "m", KNOBS[f"{view}-anchor_every"], 0) or None
    samplers = base.samplers
    if link.text(prefix + "on") == "none":
        samplers = ()
    elif link.has(prefix + "on"):
        samplers = link.choices(prefix + "on", tuple(SAMPLERS), base.samplers)
    average = link.choice("ofavg", AVERAGES, base.average) if view == LIKELIHOOD else base.average
    step = link.choice(prefix + "step", STEPS, base.step)
    return base.replace(**values, anchor_every=every, samplers=samplers, average=average, step=step)
