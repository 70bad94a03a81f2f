"""How large a recording will be, before it is made: how many frames a second it can have, or that it is too long."""

from __future__ import annotations

from app.recording.pace import RATES
from app.recording.plan import Plan

LIMIT = 3_000_000
"""Bytes of a file."""
FIXED = 280_000
"""Bytes of scripts, styles, fonts and words."""
BASE64 = 4 / 3
_FRAME, _CHAIN = 60, 3.9  # bytes, packed: of a frame, and of a chain in it
_SCENERY, _EPOCH = 420, 230  # bytes, packed: of a change of the contours, at most ten a second; of a row of the charts


def estimate(plan: Plan, rate: int) -> int:
    """Return the size in bytes, rather too large than too small, at so many frames a second of film."""
    frames = plan.pace.frames(plan.epochs, rate)
    sceneries = min(10 * frames / rate, frames, plan.epochs + 1)
    packed = frames * (_FRAME + _CHAIN * plan.config.chains) + sceneries * _SCENERY + plan.epochs * _EPOCH
    return int(FIXED + BASE64 * packed)


def fitting_epochs(plan: Plan) -> int:
    """Return how many of the plan's epochs fit into a file, at the fewest frames a second."""
    size = estimate(plan, RATES[-1])
    if size <= LIMIT:
        return plan.epochs
    return max(1, int(plan.epochs * (LIMIT - FIXED) / (size - FIXED) // 10 * 10))


def frames_a_second(plan: Plan) -> int:
    """Return the most frames a second with which the file stays within `LIMIT`.

    Raises
    ------
    ValueError
        When not even the fewest fit: says how many epochs would.
    """
    for rate in RATES:
        if estimate(plan, rate) <= LIMIT:
            return rate
    raise ValueError(f"epochs = {plan.epochs:,} of {plan.config.chains} chains would make a file of about"
                     f" {estimate(plan, RATES[-1]) / 1e6:.0f} MB; a recording has {LIMIT / 1e6:.0f} MB at most. Ask for"
                     f" about {fitting_epochs(plan):,} epochs, or for fewer chains.")
