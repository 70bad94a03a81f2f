"""Serialised access: calls of several threads on one sampler run one at a time.

A call that moves or saves the chains runs alone: calls of other threads wait until it has returned. Rows are learnt in the
order of the calls, so the path depends only on that order.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


class Turn:
    """Lock of one sampler; a copy or a pickle of the sampler gets a new, free one.

    Attributes
    ----------
    lock : threading.RLock
        Held by the thread that runs a call.
    running : str
        Name of the call that is moving or saving the chains; empty between calls.
    """

    def __init__(self) -> None:
        self.lock, self.running = threading.RLock(), ""

    def __reduce__(self) -> tuple[type["Turn"], tuple[()]]:
        return Turn, ()


def one_at_a_time(method: Method) -> Method:
    """Decorate a method of an object with a ``_turn`` to wait for calls of other threads; ValueError on a nested call.

    A gradient or a signal handler that calls its own sampler in mid-step would read inconsistent chains.
    """
    name = method.__name__

    @wraps(method)
    def alone(self: Any, *args: Any, **kwargs: Any) -> Any:
        turn = self._turn
        with turn.lock:
            if turn.running:
                raise ValueError(f"{name} must wait until {turn.running} of this sampler has returned, got it from inside "
                                 "that call (a gradient, a signal handler); set a flag there and call it afterwards")
            turn.running = name
            try:
                return method(self, *args, **kwargs)
            finally:
                turn.running = ""

    return cast(Method, alone)


def between_calls(method: Method) -> Method:
    """Decorate a method of an object with a ``_turn`` to wait until no call of another thread is running."""
    @wraps(method)
    def waiting(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._turn.lock:
            return method(self, *args, **kwargs)

    return cast(Method, waiting)
