"""The page's worker thread: the latest request wins, an older one is dropped in the middle of its run."""

from __future__ import annotations

import threading
import time

from app.compile_notice import Announcer
from app.exit_time.config import ExitConfig
from app.exit_time.job import Job
from app.exit_time.live_default import LiveSource
from app.exit_time.picture import ExitPicture
from app.handover import Session

JOIN = 1.0


class Runner:
    """Computes pictures for one session. The page calls `post`, `take` and `close`; nothing here touches it."""

    def __init__(self, session: Session | None = None) -> None:
        self._job = Job(LiveSource(session or Session()))
        self._condition = threading.Condition()
        self._wanted: ExitConfig | None = None
        self._request = self._current = 0
        self._slot: ExitPicture | None = None
        self._closed = self._warm = False
        self._thread: threading.Thread | None = None
        self.dropped = 0  #: requests that a newer one overtook

    def post(self, config: ExitConfig) -> int:
        """Ask for a picture; return the number of the request. Never blocks."""
        with self._condition:
            self._request += 1
            if not self._closed:
                self.dropped += self._wanted is not None
                self._wanted = config
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="exit-time-runner", daemon=True)
                    self._thread.start()
                self._condition.notify()
            return self._request

    def take(self) -> ExitPicture | None:
        """Return the newest picture, or None if there is none since the last."""
        with self._condition:
            picture, self._slot = self._slot, None
            return picture

    def close(self) -> None:
        """End the thread within a slice of work."""
        with self._condition:
            self._closed, self._wanted, self._slot = True, None, None
            self._request += 1
            self._condition.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(JOIN)
        self._job = None

    # the thread ---------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._closed or self._wanted is not None)
                if self._closed:
                    return
                config, self._wanted, request = self._wanted, None, self._request
                self._current, job = request, self._job
            if not self._answer(request, config, job):
                with self._condition:
                    self.dropped += not self._closed

    def _answer(self, request: int, config: ExitConfig, job: Job) -> bool:
        try:
            if self._warm:
                return job.pictures(request, config, self._stopped, self._publish)
            with Announcer(lambda words, part: self._announce(request, config, words, part)):
                return job.pictures(request, config, self._stopped, self._publish)
        except Exception as error:  # the page must hear of it in words, not find a dead thread
            self._publish(ExitPicture(request, config, error=f"{type(error).__name__}: {error}", done=True))
            return True

    def _stopped(self) -> bool:
        return self._closed or self._request != self._current

    def _publish(self, picture: ExitPicture) -> None:
        if picture.crowd is not None:
            self._warm = True
        with self._condition:
            if not self._closed and picture.request >= self._current:
                self._slot = picture

    def _announce(self, request: int, config: ExitConfig, words: str, part: float) -> None:
        if not self._warm:
            self._publish(ExitPicture(request, config, words=words, progress=part))


def wait(runner: Runner, request: int, seconds: float = 60.0) -> ExitPicture:
    """Return the finished picture of a request: for notebooks and tests."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        picture = runner.take()
        if picture is not None and picture.done and picture.request == request:
            return picture
        time.sleep(0.005)
    raise TimeoutError(f"request {request} took more than {seconds:g} s; ask for fewer chains or steps")
