"""A `TuneConfig` as URL parameters and back: validated, clamped, nonsense answered in words."""

from __future__ import annotations

from typing import Any

from app.state.link import LinkReader, shown, written
from app.tune.config import LIMITS, REFERENCES, TuneConfig
from app.tune.data import KINDS
from app.tune.examples import EXAMPLES
from app.tune.knobs import KNOBS
from app.tune.reading import Reading

DEFAULT = TuneConfig(going=True)
"""What the page opens on: the first example, swept at once."""


def to_query(config: TuneConfig) -> dict[str, str]:
    """Return what is not left to the data as strings; `from_query` gives the same configuration back.

    Keys that are not used are empty, so that an older value does not stay in the address bar.
    """
    reading = config.reading
    query = {"tdata": config.data, "tkind": config.kind, "tchains": "" if config.chains is None else str(config.chains),
             "tseed": str(config.seed),
             "tref": config.reference, "tprune": str(int(config.prune)), "tgo": str(int(config.going))}
    query |= {"tT": "" if config.rows is None else str(config.rows),
              "teta": _range(config.eta0), "timax": _range(config.i_max),
              "tb": "" if config.batches is None else ",".join(map(str, config.batches)),
              "tC": "" if config.acceptance_radius is None else written(config.acceptance_radius),
              "tcell": "" if config.chosen is None else ",".join(written(v) for v in config.chosen),
              "tplane": "" if config.plane is None else str(config.plane)}
    query |= {"ty": reading.response or "", "tx": "|".join(reading.features or ()),
              "tones": str(int(reading.intercept)), "tscale": "" if reading.scale is None else str(int(reading.scale))}
    return query


def from_query(query: dict[str, Any]) -> tuple[TuneConfig, list[str]]:
    """Read URL parameters. Never raises.

    Returns the configuration and one sentence for each thing that was wrong and what was taken instead.
    """
    link = LinkReader({key: value for key, value in dict(query or {}).items() if value not in ("", b"", [b""], [""])})
    data = link.text("tdata") or DEFAULT.data
    if data not in EXAMPLES and data != "given" and not data.startswith("file-"):
        link.words.append(f"tdata = {shown(data)} is none of the streams there are; took {DEFAULT.data}.")
        data = DEFAULT.data
    kind = link.choice("tkind", tuple(KINDS), "") if link.has("tkind") else ""
    names = [name for name in (link.text("tx") or "").split("|") if name]
    reading = Reading(link.text("ty"), tuple(names) or None, link.switch("tones", True, "intercept"),
                      link.switch("tscale", False, "scaling") if link.has("tscale") else None)
    radius = link.number("tC", KNOBS["acceptance_radius"], 1.0) if link.has("tC") else None
    config = TuneConfig(
        data=data, kind=kind, reading=reading,
        rows=link.number("tT", KNOBS["rows"], 1000) if link.has("tT") else None,
        eta0=_read_range(link, "teta", "eta0", float), i_max=_read_range(link, "timax", "i_max", int),
        batches=_batches(link), acceptance_radius=None if radius is None else float(radius),
        chains=link.number("tchains", KNOBS["chains"], 64) if link.has("tchains") else None,
        seed=link.number("tseed", KNOBS["seed"], DEFAULT.seed),
        reference=link.choice("tref", tuple(REFERENCES), DEFAULT.reference),
        prune=link.switch("tprune", DEFAULT.prune, "giving up"),
        going=link.switch("tgo", not link.has("tdata") or data in EXAMPLES, "sweeping"),
        chosen=_cell(link), plane=link.number("tplane", KNOBS["batch_size"], 1) if link.has("tplane") else None)
    return config, link.words


def _range(pair: tuple[float, float] | None) -> str:
    return "" if pair is None else f"{written(pair[0])},{written(pair[1])}"


def _read_range(link: LinkReader, key: str, field: str, kind: type) -> tuple | None:
    text = link.text(key)
    if text is None:
        return None
    low, high = LIMITS[field]
    try:
        first, last = (float(part) for part in text.split(","))
        if not 0 < first <= last < float("inf"):
            raise ValueError
    except ValueError:
        link.words.append(f"{key} = {shown(text)} must be smallest,largest; took what the advisor says.")
        return None
    pair = tuple(kind(min(max(value, low), high)) for value in (first, last))
    if pair != (first, last):
        link.words.append(f"{key} = {shown(text)} must lie from {low:g} to {high:g}; took {pair[0]:g} to {pair[1]:g}.")
    return pair


def _batches(link: LinkReader) -> tuple[int, ...] | None:
    text = link.text("tb")
    if text is None:
        return None
    low, high = LIMITS["batch_size"]
    parts = [part.strip() for part in text.split(",")]
    good = sorted({int(part) for part in parts if part.isascii() and part.isdigit() and low <= int(part[:9]) <= high})
    if len(good) != len(set(parts)):
        link.words.append(f"tb = {shown(text)} must be whole numbers from {low:g} to {high:g}; "
                          + (f"took {', '.join(map(str, good))}." if good else "took the advised one."))
    return tuple(good[:6]) or None


def _cell(link: LinkReader) -> tuple[float, int, int] | None:
    text = link.text("tcell")
    if text is None:
        return None
    try:
        eta0, length, batch = (float(part) for part in text.split(","))
        return eta0, int(length), int(batch)
    except ValueError:
        link.words.append(f"tcell = {shown(text)} must be eta0,i_max,b; took the best cell.")
        return None
