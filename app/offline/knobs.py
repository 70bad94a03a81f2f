"""The knobs of the Offline page, and what happens to a number that is slid or typed."""

from __future__ import annotations

from app.knobs import KnobSpec, knobs_within
from app.offline.config import LADDER, LIMITS, OfflineConfig, RaceConfig

_knob = knobs_within(LIMITS)

KNOBS: dict[str, KnobSpec] = {knob.name: knob for knob in (
    _knob("ladder-terms", "T", "T", "data", "Number of terms f₁, …, f_T. The ladder has ⌈log₂T + 1⌉ rungs.",
          whole=True),
    _knob("ladder-eta0", "η<sub>0</sub>", "η₀", "step size", "A rung steps by η₀/(βT): the pull of a step is the same"
          " at every temperature."),
    _knob("ladder-batch_size", "b", "b", "batch a step", "Gradients evaluated at each step.", whole=True),
    _knob("ladder-i_max", "i<sub>max</sub>", "i_max", "steps a rung", "Steps at each temperature. η₀ λ i_max/T should"
          " be 5 or more for the least curvature λ.", whole=True),
    _knob("ladder-start", "ρ", "ρ", "cold start at", "Distance from zero of the one point where every chain starts;"
          " lowest: draws from the prior.", scale="log1p", lowest="prior"),
    _knob("ladder-chains", "", "chains", "chains", "Independent chains.", whole=True),
    _knob("ladder-seed", "", "seed", "seed", "Same seed, same data and same chains.", scale="none", whole=True),
    _knob("w2-n", "n", "n", "data", "Terms of the average, standard normal in 10 dimensions.", whole=True),
    _knob("w2-passes", "", "passes", "data passes", "Gradient evaluations a chain may use, over n."),
    _knob("w2-batch_size", "b", "b", "batch a step", "Gradients drawn at each step.", whole=True),
    _knob("w2-anchor_batch", "B", "B", "anchor batch", "Terms in SVRG-LD+'s anchor gradient; n is SVRG-LD.", whole=True,
          token="esc"),
    _knob("w2-anchor_every", "m", "m", "anchor every", "Steps between two anchors.", whole=True),
    _knob("w2-step_size", "η", "η", "step size", "Of every sampler (CV-ULD: the time δ of a step)."),
    _knob("w2-chains", "K", "K", "chains", "Simulated chains behind each point; lowest: exact lines alone.",
          scale="log1p", whole=True, lowest="none"),
    _knob("w2-seed", "", "seed", "seed", "Same seed, same data and same chains.", scale="none", whole=True),
    _knob("nll-n", "n", "n", "training rows", "Of the generated stream; a third as many more are for the test.",
          whole=True),
    _knob("nll-dim", "d", "d", "features", "Of the generated stream, the intercept not counted.", whole=True),
    _knob("nll-train", "", "training share", "training share", "Share of the file's rows; the others are the test."),
    _knob("nll-prior_precision", "1/λ", "1/λ", "prior precision", "Of the coefficients' Gaussian prior N(0, λI).",
          scale="log1p", lowest="flat"),
    _knob("nll-passes", "", "passes", "data passes", "Gradient evaluations a chain may use, over n."),
    _knob("nll-batch_size", "b", "b", "batch a step", "Gradients drawn at each step.", whole=True),
    _knob("nll-anchor_batch", "B", "B", "anchor batch", "Terms in SVRG-LD+'s anchor gradient; n is SVRG-LD.",
          whole=True, token="esc"),
    _knob("nll-anchor_every", "m", "m", "anchor every", "Steps between two anchors.", whole=True),
    _knob("nll-step_size", "η", "η", "step size", "Of every sampler but CV-ULD, whose step is a time."),
    _knob("nll-chains", "K", "K", "chains", "The curve is their mean, the band one standard deviation.", whole=True),
    _knob("nll-seed", "", "seed", "seed", "Same seed, same split and same chains.", scale="none", whole=True),
)}


def present(config: OfflineConfig, name: str, rows: int | None = None) -> float:
    """Return a knob's value; where m follows B it is SVRG-LD+'s B/b."""
    view, field = name.split("-", 1)
    part = getattr(config, view)
    value = getattr(part, field)
    return default_every(part) if value is None else value


def default_every(race: RaceConfig) -> int:
    """Steps between anchors that SVRG-LD+ takes when m is left open."""
    return max(1, race.anchor_batch // race.batch_size)


def turn(config: OfflineConfig, name: str, given: float | str, rows: int | None = None) -> OfflineConfig:
    """Return the configuration with one knob turned.

    Parameters
    ----------
    rows
        Training rows of the file that the likelihood race runs on; None for the generated stream.

    Raises
    ------
    ValueError
        The words for the person: what is wrong, the allowed range, what was kept.
    """
    view, field = name.split("-", 1)
    old = present(config, name)
    value = KNOBS[name].read(given, old)
    part = getattr(config, view)
    if view == LADDER:
        return config.replace(ladder=part.replace(**{field: value}))
    typed, kept = isinstance(given, str), f"Kept {KNOBS[name].say(old)}."
    n = rows if rows is not None else part.n
    if field == "anchor_batch" and value > n:
        if typed:
            raise ValueError(f"B must be at most n = {n:,}, the number of data; B = n is SVRG-LD. {kept}")
        value = n
    if field == "chains" and view == "w2" and 0 < value < 20:
        if typed:
            raise ValueError(f"K must be 20 or more (W2 takes the chains' covariance), or none. {kept}")
        value = 20 if value > 4 else 0
    changes = {field: value}
    if field == "n":  # B keeps its share of the data
        changes["anchor_batch"] = min(value, max(1, round(part.anchor_batch * value / part.n)))
    if field == "step_size":
        changes["step"] = "common"
    return config.replace(**{view: part.replace(**changes)})
