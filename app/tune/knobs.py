"""The knobs of the Tune page: ranges, symbols, help."""

from __future__ import annotations

from app.knobs import KnobSpec, knobs_within
from app.tune.config import LIMITS

_knob = knobs_within(LIMITS)

KNOBS: dict[str, KnobSpec] = {spec.name: spec for spec in (
    _knob("eta0", "η<sub>0</sub>", "η₀", "step size", "Step sizes to try: a step of epoch t is η₀/(t + c) long."),
    _knob("i_max", "i<sub>max</sub>", "i_max", "steps an epoch", "Longest epochs to try.", whole=True),
    _knob("batch_size", "b", "b", "batch a step", "Data drawn at each step to guess the gradient.", whole=True),
    _knob("acceptance_radius", "C′", "C′", "reset beyond",
          "Acceptance radius: a chain farther than C′/√(t + c) from its checkpoint is put back there.", token="acc"),
    _knob("chains", "", "chains", "chains a cell", "Independent chains in every cell: more of them measure more exactly,"
          " and cost more.", whole=True),
    _knob("rows", "", "T", "rows to tune on", "Cells run on the first so many rows, and are judged on the second half of"
          " them.", whole=True),
    _knob("seed", "", "seed", "seed", "Seed of the chains, the same in every cell.", scale="none", whole=True),
)}
