"""`RecentKeys`: the last keys of a query that were read, so that a row which comes late among them is noticed."""

from collections import deque
from collections.abc import Iterable
from typing import Any

Key = int | float | str


class RecentKeys:
    """The last ``most`` keys that were read. No key among them is at or below ``below``, and all that were read above are.

    Attributes
    ----------
    below : key or None
        None while all keys that were read are among them.
    read : int or None
        Rows read in all; None where that was not counted.
    """

    def __init__(self, most: int) -> None:
        self._most, self._keys, self._late = most, deque[Key](), set[Key]()
        self.below: Key | None = None
        self.read: int | None = 0

    def add(self, keys: Iterable[Key], late: bool = False) -> None:
        """Take in keys that were read: above all before them in the order of the database, or ``late``."""
        for key in keys:
            self._keys.append(key)
            if late:
                self._late.add(key)
            self.read = None if self.read is None else self.read + 1
        while len(self._keys) > self._most:
            if (key := self._keys.popleft()) in self._late:  # those read before it have gone, one of them above it
                self._late.remove(key)
            else:
                self.below = key

    def unread(self, keys: list[Key]) -> list[Key]:
        """Return those of ``keys`` that were not read, of keys above ``below``."""
        read = set(self._keys)
        return [key for key in keys if key not in read]

    def state(self) -> dict[str, Any]:
        """Plain values; ``restore`` goes on from them."""
        return {"below": self.below, "read": self.read, "keys": list(self._keys), "late": list(self._late)}

    def restore(self, last: Key, state: dict[str, Any] | None) -> None:
        """Put back what ``state`` gave; with None nothing is known but the last key."""
        state = state or {"below": last, "read": None, "keys": [], "late": []}
        self._keys, self._late = deque(state["keys"]), set(state["late"])
        self.below, self.read = state["below"], state["read"]
