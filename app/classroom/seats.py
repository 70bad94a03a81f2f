"""`Seats`: who is in the room, by random keys and never by name, and which chains are whose."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass

MOST_KEPT = 1_000
"""Seats remembered; beyond, the one that was left first is forgotten."""


@dataclass
class Seat:
    """One student's place. `here` counts the pages that show it: a tab can be copied."""

    key: str  #: random; the student's browser tab keeps it, so that a reload gives the seat back
    number: int  #: from 0; it says which chains are hers
    here: int = 0


class Seats:
    """Seats of one room. May be called from any thread."""

    def __init__(self) -> None:
        self._seats: dict[str, Seat] = {}
        self._lock = threading.Lock()

    def take(self, key: str = "") -> Seat:
        """Return the seat of this key, or a new one with the lowest free number."""
        with self._lock:
            seat = self._seats.pop(key, None) or Seat(secrets.token_urlsafe(12), -1)
            taken = {other.number for other in self._seats.values() if other.here}
            if seat.number < 0 or (not seat.here and seat.number in taken):
                kept = {other.number for other in self._seats.values()}
                free = (number for number in range(len(self._seats) + 1) if number not in kept)
                seat.number = next(free)
            seat.here += 1
            self._seats[seat.key] = seat
            self._forget()
            return seat

    def leave(self, seat: Seat) -> None:
        """Count a page of this seat that has gone; the seat is kept for a return."""
        with self._lock:
            seat.here = max(0, seat.here - 1)

    def instead(self, seat: Seat, key: str) -> Seat:
        """Return the seat of this key in place of one just taken, which is free again; that one where the key is unknown."""
        with self._lock:
            if key == seat.key or key not in self._seats:
                return seat
            seat.here -= 1
            if seat.here <= 0:
                self._seats.pop(seat.key, None)
        return self.take(key)

    @property
    def present(self) -> int:
        """Students in the room now."""
        with self._lock:
            return sum(seat.here > 0 for seat in self._seats.values())

    def _forget(self) -> None:
        if len(self._seats) > MOST_KEPT:
            left = next((key for key, seat in self._seats.items() if not seat.here), None)
            if left is not None:
                del self._seats[left]


def chains_of(number: int, chains: int, seats: int) -> range:
    """Return the chains of seat `number` where a run has `chains` of them for so many `seats`.

    Each seat has as many as fit, one at least. The first seats share none; with more students than slices the next
    one has the first slice again.
    """
    each = max(1, chains // seats)
    first = number % (chains // each) * each
    return range(first, first + each)
