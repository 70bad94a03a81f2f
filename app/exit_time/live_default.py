"""The Live page's state, or its default run made here when the Live page has not run in this session."""

from __future__ import annotations

from collections.abc import Callable

from app.handover import LiveHandover, Session
from app.live.run import LiveRun
from app.live.run_handover import hand_over
from app.state.live import default_config

EPOCH = 256


class LiveSource:
    """Answers with what the session has; makes the default run once, and only when nothing was left."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._made: LiveHandover | None = None

    def __call__(self, say: Callable[[str], None], stop: Callable[[], bool]) -> LiveHandover | None:
        """Return the state; None when `stop()` cut the making short."""
        if self._session.live is not None:
            return self._session.live
        if self._made is None:
            say(f"running Live's default to epoch {EPOCH}")
            run = LiveRun(default_config())
            try:
                while run.state.t < EPOCH or not run.state.done:
                    if stop():
                        return None
                    run.go(run.state.longest if not run.state.done else 1)
                self._made = hand_over(run, fresh=True)
            finally:
                run.close()
        return self._made
