"""`WaitingCommands`: what is asked of a run during a replay, and acts at its end."""

from __future__ import annotations

from collections import deque

from app.live import commands as do

MOST = 100
"""Commands that wait; of more the first are forgotten, so that the last settings hold."""
_LAST_ONE_HOLDS = (do.Configure, do.Play, do.Hurry, do.KeepGhost)
"""Of several such commands one after the other the last one does what all would do."""


class WaitingCommands:
    """Commands in the order in which they came, at most `MOST`."""

    def __init__(self) -> None:
        self._commands: deque[do.Command] = deque(maxlen=MOST)

    def __len__(self) -> int:
        return len(self._commands)

    def add(self, command: do.Command) -> None:
        """Have a command wait."""
        before = self._commands[-1] if self._commands else None
        if type(command) is type(before) and isinstance(command, _LAST_ONE_HOLDS):
            self._commands.pop()
        self._commands.append(command)

    def forget(self, kind: type[do.Command] | None = None) -> None:
        """Forget the commands of a kind, or all."""
        kept = [] if kind is None else [one for one in self._commands if not isinstance(one, kind)]
        self._commands = deque(kept, MOST)

    def take(self) -> list[do.Command]:
        """Return the commands; none waits any more."""
        taken = list(self._commands)
        self._commands.clear()
        return taken
