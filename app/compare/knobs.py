"""The knobs of the Compare page, and what happens to a number that is slid or typed."""

from __future__ import annotations

from app.compare.config import LIMITS, MEMORY, CompareConfig
from app.knobs import KnobSpec, knobs_within

_knob = knobs_within(LIMITS)

KNOBS: dict[str, KnobSpec] = {knob.name: knob for knob in (
    _knob("t", "T", "T", "epoch", "Number of data; the last one opens the epoch that is raced.", whole=True),
    _knob("eta0", "η<sub>0</sub>", "η₀", "SAGA-LD’s step", "Step of epoch t is η₀/(t + c). SGLD and the SVRG family take"
          " it too; the other samplers’ steps come from the curvature."),
    _knob("batch_size", "b", "b", "batch a step", "Gradients drawn at each step of SAGA-LD, SGLD and the SVRG family.",
          whole=True),
    _knob("evaluations", "", "evaluations", "evaluations", "Gradient evaluations that each chain of each sampler may"
          " spend in the epoch.", whole=True),
    _knob("seconds", "", "seconds", "seconds a chain", "Seconds of one core that each chain of each sampler may spend"
          " in the epoch."),
    _knob("chains", "", "chains", "chains", "Runs of the epoch, all from one start. More of them lift the ceiling.",
          whole=True),
    _knob("seed", "", "seed", "seed", "Of the stream and of every chain.", scale="none", whole=True),
)}


def turn(config: CompareConfig, name: str, given: float | str) -> CompareConfig:
    """Return the configuration with one knob turned.

    Raises
    ------
    ValueError
        The words for the person: what is wrong, the allowed range, what was kept.
    """
    value = KNOBS[name].read(given, getattr(config, name))
    changed = config.replace(**{name: value})
    if name in ("t", "chains") and changed.t * changed.chains > MEMORY:
        if isinstance(given, str):
            other = "chains" if name == "t" else "T"
            raise ValueError(f"T × chains must be at most {MEMORY:,}: SAGA-LD keeps a number a datum and chain. Lower"
                             f" {other} first. Kept {KNOBS[name].say(getattr(config, name))}.")
        changed = changed.replace(**{name: max(int(LIMITS[name][0]), MEMORY // (
            changed.chains if name == "t" else changed.t))})
    return changed
