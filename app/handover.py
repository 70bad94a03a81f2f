"""What one page of a session leaves for another, so that pages need not know each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import panel as pn

from app.allowance import Allowance
from app.turns import Account
from app.user_data import Given
from sampler import Settings


@dataclass(frozen=True, eq=False)
class LiveHandover:
    """A Live run as it stood at the end of epoch t, for K chains in d dimensions."""

    problem: str  #: label, such as "Logistic regression, d = 2"
    kind: str  #: "logistic", "linear", "poisson" or "gaussian_mean"
    t: int
    settings: Settings  #: of plain SAGA-LD; where Live ran another algorithm its defaults, with Live's c
    escape_radius: float  #: R
    features: np.ndarray  #: (t, d)
    labels: np.ndarray | None  #: (t,)
    prior_precision: np.ndarray  #: (d,)
    mode: np.ndarray  #: (d,)
    hessian: np.ndarray  #: (d, d) at the mode
    positions: np.ndarray  #: (K, d)
    variance_trace: float  #: V, largest over the visited states
    variance_max: float  #: v, largest over the visited states
    increment_bound: float  #: B, largest over the visited states
    visited: int  #: number of states these three were measured on
    smoothness: float  #: L, largest curvature of one term; inf for Poisson
    concentration: float  #: C, root second moment about the mode, times sqrt(t + c)
    drift: float  #: D, how far the mode ever moved while the data doubled, times sqrt(t + c): the largest so far
    first_exit: np.ndarray  #: (K,) first epoch in which a chain left its escape ball, 0 for none
    reset_epochs: np.ndarray  #: (p,) powers of two up to t
    reset_distances: np.ndarray  #: (p, K) distance of each chain's sample to the mode at those epochs
    preconditioned: bool = False  #: whether Live's chains were, so that their own steps have other units
    fresh: bool = False  #: made for the asking page, not left by the Live page

    @property
    def dim(self) -> int:
        """d, number of coordinates."""
        return self.mode.size

    @property
    def step_size(self) -> float:
        """Step of the next epoch like this one, eta0 / (t + c)."""
        return self.settings.step_size(self.t)

    @property
    def escape_distance(self) -> float:
        """R / sqrt(t + c)."""
        return self.escape_radius / float(np.sqrt(self.t + self.settings.offset))


UPLOADS = 12, 0.1
"""Files that a visit may send one after the other, on all its pages together, and that come back each second."""


class Session:
    """One visit: what the pages of one browser tab share."""

    def __init__(self) -> None:
        self.live: LiveHandover | None = None
        self.uploads = Allowance(*UPLOADS)
        self.given: Given | None = None  #: the user's data or gradient
        self.scheduler: str | None = None  #: address of a Dask scheduler for sweeps
        self.visit: Callable[[str, dict], None] | None = None  #: brings a page, by key, showing what a query says
        self.account = Account()  #: what its jobs have used of the processor
        self.coreset: Any = None  #: a coreset posterior the Coreset page left, with `.label`, `.problem`, `.dim`

    def leave_live(self, state: LiveHandover) -> None:
        """Keep the state the Live page left; called from its engine's thread."""
        self.live = state


_ALONE = Session()
_NAME = "exit_time_session"


def session() -> Session:
    """Return the session of the present document; outside a server, one for all.

    The document itself keeps it: it holds the pages, which hold the document, so that no table of all visits could ever
    let go of one.
    """
    document = pn.state.curdoc
    if document is None:
        return _ALONE
    return document.__dict__.setdefault(_NAME, Session())
