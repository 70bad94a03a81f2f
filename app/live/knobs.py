"""The knobs and switches of the Live page: ranges, symbols, help."""

from __future__ import annotations

from app.knobs import KnobSpec, knobs_within
from app.live.config import LIMITS

_knob = knobs_within(LIMITS)

KNOBS: dict[str, KnobSpec] = {spec.name: spec for spec in (
    _knob("eta0", "η<sub>0</sub>", "η₀", "step size", "Step size: a step of epoch t is η₀/(t + c) long."),
    _knob("batch_size", "b", "b", "batch a step", "Data drawn at each step to guess the gradient.",
          whole=True),
    _knob("i_max", "i<sub>max</sub>", "i_max", "steps an epoch",
          "Most steps in one epoch; with random length their number is drawn evenly from 1 to i_max.",
          whole=True),
    _knob("acceptance_radius", "C′", "C′", "reset beyond",
          "Acceptance radius: a chain farther than C′/√(t + c) from its checkpoint is put back there.",
          token="acc"),
    _knob("escape_radius", "R", "R", "escape radius",
          "Escape radius: the ball R/√(t + c) round the mode that a chain should not leave. It changes"
          " what is counted, not the chains.", token="esc"),
    _knob("offset", "c", "c", "time offset", "Offset of the schedule: steps and balls shrink with t + c.",
          scale="log1p"),
    _knob("chains", "", "chains", "chains",
          "Independent chains on the same stream; a change starts again.", whole=True),
    _knob("seed", "", "seed", "seed", "Seed of the stream and of the chains; a change starts again.",
          scale="none", whole=True),
)}

SWITCHES: dict[str, tuple[str, str]] = {
    "variance_reduction": ("Variance reduction", "Correct the guessed gradient with the cached ones (SAGA)."),
    "reset": ("Reset to checkpoint", "Put a chain that strayed beyond C′/√(t + c) back at its checkpoint."),
    "random_length": ("Random number of steps",
                      "Draw the steps of an epoch from 1 to i_max; off: always i_max."),
    "refresh": ("Refresh stale gradients", "Recompute a cached gradient once it is older than t/2."),
}
"""Parameter -> (label, help)."""
