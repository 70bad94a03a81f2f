"""`ExitResult`: what the page's job computes; immutable."""

from __future__ import annotations

from dataclasses import dataclass

from app.exit_time.bound_curves import BoundCurves
from app.exit_time.crowd import Crowd
from app.exit_time.process import Process
from app.exit_time.promise import Promise
from app.exit_time.running_sums import Sums
from app.handover import LiveHandover
from app.state.exit_time import ExitConfig


@dataclass(frozen=True, eq=False)
class ExitResult:
    """What is known of one configuration so far."""

    config: ExitConfig  #: as computed: what Live fixes is filled in
    crowd: Crowd | None = None
    bounds: BoundCurves | None = None
    sums: Sums | None = None
    too_long: bool = False  #: whether the path is too long to be split
    order: tuple[int, ...] = ()  #: chains, as the chooser steps through them
    notes: tuple[str, ...] = ()
    live: LiveHandover | None = None
    process: Process | None = None  #: once complete; None where it proves nothing
    promise: Promise | None = None  #: once complete; None for a flat F
    complete: bool = False  #: whether every chain has made every step
    seconds: float = 0.0  #: what the whole crowd took
