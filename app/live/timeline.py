"""`Timeline`: log of the changes of knobs during a run, and their marks on the time axes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.state.live import SAMPLER, SWITCHES, LiveState
from sampler import Settings

_SYMBOLS = {name: LiveState.param[name].plain for name in SAMPLER}
_SWITCHES = {name: name.replace("_", " ") for name in SWITCHES}
HORIZON = 65_536
"""Last epoch of a Live run, which bounds a session's memory."""
MOST_EVENTS = 200
SAME_GESTURE = 1.5
"""Maximum seconds between moves of one knob that are merged into one event on the axes."""


def place(t: int, advanced: int | None) -> tuple[int, float]:
    """Return the sort key of an instant: epoch t, after `advanced` steps of it (None: after its end)."""
    return t, float("inf") if advanced is None else advanced


def not_after(one: tuple[int, float], other: tuple[int, float]) -> bool:
    """Return whether a `place` is equal to or before another."""
    return one[0] < other[0] or (one[0] == other[0] and one[1] <= other[1])


@dataclass(frozen=True)
class Event:
    """A change during a run, marked on every time axis."""

    t: float  #: epoch, with the fraction finished when the knob moved
    t_end: float | None  #: end of the band from t to t_end, when a switch was set back; None: one line
    text: str  #: such as "η₀ 1 → 5" or "variance reduction off"
    kind: str  #: "knob", "switch" or "chains" (revived)


@dataclass(frozen=True)
class Change:
    """New knobs at one instant: epoch t, after `advanced` steps of it (None: after its end)."""

    t: int
    advanced: int | None
    settings: Settings
    escape_radius: float
    revive: bool = False
    continues: bool = False  #: whether it continues the gesture of the previous change, without its own mark

    @property
    def place(self) -> tuple[int, float]:
        """Sort key, see `place`."""
        return place(self.t, self.advanced)

    @property
    def knobs(self) -> tuple[Settings, float]:
        """Settings and escape radius."""
        return self.settings, self.escape_radius


def way_to(t: int, advanced: int | None, changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Return the changes up to an instant."""
    here = place(t, advanced)
    return tuple(change for change in changes if not_after(change.place, here))


@dataclass(frozen=True)
class _Mark:
    event: Event
    knob: str
    before: float | bool
    clock: float


class Timeline:
    """Log of changes and their marks on the time axes."""

    def __init__(self) -> None:
        self.changes: tuple[Change, ...] = ()
        self._marks: list[_Mark] = []

    def add(self, change: Change) -> None:
        """Append a change, or replace the last one at the same place."""
        last = self.changes[-1] if self.changes else None
        if last is not None and last.place == change.place and not last.revive and not change.revive:
            self.changes = (*self.changes[:-1], replace(change, continues=last.continues))
        else:
            self.changes = (*self.changes, change)

    def mark(
        self, position: float, clock: float, before: tuple[Settings, float], after: tuple[Settings, float]
    ) -> bool:
        """Mark the differences between two (settings, escape radius); position in epochs, clock in seconds.

        Return whether a knob gesture was continued: its last mark is then updated instead.
        """
        went_on = False
        for name, symbol in _SYMBOLS.items():
            old, new = (knobs[1] if name == "escape_radius" else getattr(knobs[0], name) for knobs in (before, after))
            if old != new:
                went_on = self._turned(name, symbol, old, new, position, clock) or went_on
        for name, label in _SWITCHES.items():
            old, new = getattr(before[0], name), getattr(after[0], name)
            if old != new:
                self._switched(name, label, old, new, position, clock)
        self._marks = self._marks[-MOST_EVENTS:]
        return went_on

    def mark_revived(self, position: float, chains: int, clock: float) -> None:
        """Mark the reset of diverged chains."""
        text = f"{chains} chain{'s' if chains > 1 else ''} revived"
        self._marks.append(_Mark(Event(position, None, text, "chains"), "", 0.0, clock))

    def _turned(self, name: str, symbol: str, old: float, new: float, position: float, clock: float) -> bool:
        last = self._marks[-1] if self._marks else None
        if last is not None and last.knob == name and clock - last.clock < SAME_GESTURE:
            if last.before == new:
                self._marks.pop()
                return True
            event = replace(last.event, text=f"{symbol} {last.before:g} → {new:g}")
            self._marks[-1] = replace(last, event=event, clock=clock)
            return True
        event = Event(position, None, f"{symbol} {old:g} → {new:g}", "knob")
        self._marks.append(_Mark(event, name, old, clock))
        return False

    def _switched(self, name: str, label: str, old: bool, new: bool, position: float, clock: float) -> None:
        for i in range(len(self._marks) - 1, -1, -1):
            mark = self._marks[i]
            if mark.knob == name:
                if mark.event.t_end is None and mark.before == new:
                    self._marks[i] = replace(mark, event=replace(mark.event, t_end=position))
                    return
                break
        event = Event(position, None, f"{label} {'on' if new else 'off'}", "switch")
        self._marks.append(_Mark(event, name, old, clock))

    def events(self, upto: float) -> tuple[Event, ...]:
        """Return the marks up to a position in epochs; a band that ends later is open."""
        return tuple(_clipped(mark.event, upto) for mark in self._marks if mark.event.t <= upto)

    def truncate(self, t: int) -> None:
        """Remove everything after the end of epoch t."""
        self.changes = tuple(c for c in self.changes if (c.t, c.advanced is None) <= (t, False))
        self._marks = [replace(mark, event=_clipped(mark.event, t)) for mark in self._marks if mark.event.t <= t]


def _clipped(event: Event, upto: float) -> Event:
    return event if event.t_end is None or event.t_end <= upto else replace(event, t_end=None)
