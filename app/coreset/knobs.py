"""The knobs of the Coreset page, and what happens to a number that is slid or typed."""

from __future__ import annotations

from app.coreset.config import LIMITS, MOST_NUMBERS, CoresetConfig
from app.coreset.files import OwnData
from app.coreset.kinds import KINDS
from app.knobs import KnobSpec, knobs_within

_knob = knobs_within(LIMITS)

KNOBS: dict[str, KnobSpec] = {knob.name: knob for knob in (
    _knob("n", "N", "N", "data", "Number of generated data.", whole=True),
    _knob("dim", "d", "d", "dimension", "Features (or teams, or coordinates) of the generated data.", whole=True),
    _knob("size", "M", "M", "coreset points", "Points of the coreset, drawn once; weights begin at N/M.", whole=True),
    _knob("subsample", "S", "S", "data a step", "Data drawn afresh at every iteration to guess the gradient.",
          scale="log1p", whole=True, lowest="M"),
    _knob("chains", "K", "K", "chains", "Chains; the gradient of Eq. 4 is a covariance over them, so two at least.",
          whole=True),
    _knob("iterations", "T", "T", "iterations", "Iterations, warm-up included. Raise it and the runs go on.", whole=True),
    _knob("reach", "r", "r", "first distance", "How far Hot DoG moves every weight in its first step; the distance that"
          " DoG and DoWG assume at first."),
    _knob("adam_rate", "γ/√t", "γ/√t", "decaying rate", "Rate of ADAM, divided by the root of the iteration."),
    _knob("adam_constant", "γ", "γ", "constant rate", "Rate of ADAM that does not decay; 0.001 is what"
          " libraries ship."),
    _knob("guess", "d<sub>0</sub>", "d₀", "first guess", "Lower bound of the distance that D-Adaptation and Prodigy begin"
          " with."),
    _knob("threshold", "", "the threshold", "passes below", "The hot start passes once the statistic is below it; the"
          " paper’s is 0.5."),
    _knob("cap", "", "the cap", "waits at most", "Iterations after which the weights are trained all the same.",
          whole=True),
    _knob("seed", "", "seed", "seed", "Seed of the data, the coreset and the chains.", scale="none", whole=True),
)}

RATES = ("reach", "adam_rate", "adam_constant", "guess")
"""Knobs that only some optimizers read."""


def turn(config: CoresetConfig, name: str, given: float | str) -> CoresetConfig:
    """Return the configuration with one knob turned.

    Raises
    ------
    ValueError
        The words for the person: what is wrong, the allowed range, what was kept.
    """
    knob, typed = KNOBS[name], isinstance(given, str)
    kept = f"Kept {knob.say(getattr(config, name))}."
    if name == "chains" and typed and str(given).strip() in ("0", "1"):
        raise ValueError(f"K must be 2 or more: Eq. 4 is a covariance over chains, and one chain has none. {kept}")
    new = config.replace(**{name: knob.read(given, getattr(config, name))})
    n = new.n
    if name in ("size", "subsample") and getattr(new, name) > n:
        if typed:
            why = "a coreset is a part of the data" if name == "size" else "it is drawn without replacement"
            raise ValueError(f"{knob.plain} must be at most N = {n:,}: {why}. {kept}")
        new = new.replace(**{name: n})
    if name == "n":
        new = new.replace(size=min(new.size, n), subsample=min(new.subsample, n))
    if name == "dim" and new.model == "bradley_terry":
        new = new.replace(dim=max(2, new.dim))
    return affordable(new)


def affordable(config: CoresetConfig) -> CoresetConfig:
    """Return the configuration if its runs fit into memory.

    Raises
    ------
    ValueError
        In words, with what to change.
    """
    if config.numbers > MOST_NUMBERS:
        raise ValueError(f"{len(config.keys)} runs of {config.iterations:,} iterations in {config.dim} dimensions would"
                         f" keep {8 * config.numbers / 1e9:.1f} GB; switch some off, or lower T. Kept what was.")
    return config


def of_model(config: CoresetConfig, key: str) -> CoresetConfig:
    """Return the configuration for another model, at that model's shape in the paper."""
    kind = KINDS[key]
    return config.replace(model=key, data="generated", n=kind.n, dim=kind.dim, size=kind.size, subsample=0,
                          iterations=kind.iterations)


def of_file(config: CoresetConfig, own: OwnData) -> CoresetConfig:
    """Return the configuration for a file that was read: a fifth of its data at most in the coreset."""
    kind, n = KINDS[own.kind], own.model.n
    return config.replace(model=own.kind, data="file", n=n, dim=own.model.dim, size=min(kind.size, max(1, n // 5)),
                          subsample=0, iterations=kind.iterations)
