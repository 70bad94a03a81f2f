"""One caller at a time: calls of several threads on one sampler take turns.

A call that moves or saves the chains runs alone: another thread's call waits until it has ended. Rows are learnt in the
order in which their calls begin, so the path depends on that order and on nothing else.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


class Turn:
    """Lock of one sampler; a copy or a pickle of the sampler has a free one of its own.

    Attributes
    ----------
    lock : threading.RLock
        Held by the thread whose call is at work.
    at_work : str
        Name of the call that moves or saves the chains; empty between calls.
    """

    def __init__(self) -> None:
        self.lock, self.at_work = threading.RLock(), ""

    def __reduce__(self) -> tuple[type["Turn"], tuple[()]]:
        return Turn, ()


def one_at_a_time(method: Method) -> Method:
    """Method of an object with a ``_turn`` that waits for its turn; a ValueError inside a call of its own thread.

    A gradient that calls its own sampler, or a signal handler in mid-step, would find the chains half moved.
    """
    name = method.__name__

    @wraps(method)
    def alone(self: Any, *args: Any, **kwargs: Any) -> Any:
        turn = self._turn
        with turn.lock:
            if turn.at_work:
                raise ValueError(f"{name} must wait until {turn.at_work} of this sampler has returned, got it from inside "
                                 "that call (a gradient, a signal handler); set a flag there and call it afterwards")
            turn.at_work = name
            try:
                return method(self, *args, **kwargs)
            finally:
                turn.at_work = ""

    return cast(Method, alone)


def between_calls(method: Method) -> Method:
    """Method of an object with a ``_turn`` that waits until no other thread's call is at work."""
    @wraps(method)
    def waiting(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._turn.lock:
            return method(self, *args, **kwargs)

    return cast(Method, waiting)
