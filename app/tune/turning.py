"""What becomes of a configuration when a knob is turned; ValueError in words when it cannot be."""

from __future__ import annotations

from app.state.numbers import read_number
from app.tune.config import LIMITS, MOST_CELLS, TuneConfig
from app.tune.knobs import KNOBS
from app.tune.picture import TunePicture

MOST_BATCHES = 5


def turn(config: TuneConfig, name: str, given: float | str, picture: TunePicture | None) -> TuneConfig:
    """Return the configuration with one knob turned."""
    present = getattr(config, name)
    value = KNOBS[name].read(given, LIMITS[name][0] if present is None else present)
    if name == "rows" and picture is not None and value > picture.loaded.length:
        raise ValueError(f"There are {picture.loaded.length:,} rows. Kept {present:,}.")
    return config.replace(**{name: value}, chosen=None if name == "rows" else config.chosen)


def turn_range(config: TuneConfig, name: str, low: object, high: object) -> TuneConfig:
    """Return the configuration with another range of eta0 or i_max."""
    knob, kept = KNOBS[name], getattr(config, name)
    say = f"Kept {kept[0]:g} to {kept[1]:g}." if kept else ""
    ends = [_fraction(low), _fraction(high)]
    for given, value in zip((low, high), ends, strict=True):
        if value is None:
            raise ValueError(f"“{str(given)[:20]}” is not a number. {say}")
        if not knob.low <= value <= knob.high or (knob.whole and value != round(value)):
            raise ValueError(f"{knob.plain} must be {knob.range_words}. {say}")
    if ends[0] > ends[1]:
        raise ValueError(f"The smallest {knob.plain} must not be above the largest. {say}")
    pair = tuple(int(v) if knob.whole else float(v) for v in ends)
    return _small_enough(config.replace(**{name: pair}, chosen=None), say)


def add_batch(config: TuneConfig, batch: int) -> TuneConfig:
    """Return the configuration with one more b swept and shown."""
    have = config.batches or ()
    if batch in have:
        return config
    if len(have) >= MOST_BATCHES:
        raise ValueError(f"{MOST_BATCHES} batches at most: leave one out first.")
    KNOBS["batch_size"].read(batch, batch)
    return _small_enough(config.replace(batches=tuple(sorted((*have, batch))), plane=batch, chosen=None), "")


def remove_batch(config: TuneConfig, batch: int) -> TuneConfig:
    """Return the configuration without a b; the last one stays."""
    left = tuple(b for b in config.batches or () if b != batch)
    return config if not left else config.replace(batches=left, plane=None, chosen=None)


def _small_enough(config: TuneConfig, say: str) -> TuneConfig:
    if config.settled and config.cells > MOST_CELLS:
        raise ValueError(f"That would be {config.cells:,} cells; {MOST_CELLS:,} at most. {say}")
    return config


def _fraction(given: object) -> float | None:
    """A number, or a fraction such as 1/30."""
    first, slash, last = str(given).partition("/")
    top, bottom = read_number(first), read_number(last) if slash else 1.0
    return None if top is None or not bottom else top / bottom
