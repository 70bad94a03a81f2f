"""What the page may ask of the engine. Each is small, immutable and handed over by `Engine.post`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.handover import LiveHandover
from app.live.moment import Moment
from app.state.live import LiveConfig


@dataclass(frozen=True)
class Play:
    """Go on at the chosen speed."""


@dataclass(frozen=True)
class Pause:
    """Stand still; snapshots are still published when something changes."""


@dataclass(frozen=True)
class Step:
    """Pause, then one step of every chain that has not finished its epoch (a new epoch when all have)."""


@dataclass(frozen=True)
class Epoch:
    """Pause, then finish the epoch under way, or run a whole new one when none is."""


@dataclass(frozen=True)
class Restart:
    """Back to epoch 0 with the present knobs; the event log is cleared."""


@dataclass(frozen=True)
class Recover:
    """After an error: a new run, replayed to the last picture before it, that plays on."""


@dataclass(frozen=True)
class Rewind:
    """Pause and replay exactly to the end of epoch t (clamped to what has been reached); 0 is the start."""

    t: int


@dataclass(frozen=True)
class Recall:
    """Begin a new run and replay it to the moment a link shows, with every change on the way; it pauses there."""

    config: LiveConfig
    moment: Moment


@dataclass(frozen=True)
class Configure:
    """Make `config` hold from now on: problem, stream, chains or seed restart, the rest acts at once."""

    config: LiveConfig


@dataclass(frozen=True)
class Follow:
    """Follow this chain; None follows nobody."""

    chain: int | None


@dataclass(frozen=True)
class Hurry:
    """Play as fast as it goes up to the end of epoch t, then at the chosen speed; an epoch that is past changes nothing."""

    t: int


@dataclass(frozen=True)
class Revive:
    """Put diverged chains back at their checkpoint, after applying `change` (see Verdict.change)."""

    change: dict | None = None


@dataclass(frozen=True)
class KeepGhost:
    """Keep the run as it is recorded, its curves and the outline of its cloud, beside whatever runs from now on."""


@dataclass(frozen=True)
class LetGhostGo:
    """Forget the run that was kept."""


@dataclass(frozen=True)
class HandOver:
    """Pause at the end of the epoch under way and hand the state to `take`, on the engine's thread."""

    take: Callable[[LiveHandover], None]


Command = (Play | Pause | Step | Epoch | Restart | Rewind | Recall | Configure | Follow | Hurry | Revive | KeepGhost
           | LetGhostGo | HandOver)
