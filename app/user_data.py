"""`Given`: a person's own data, or her own gradient, as the pages take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Given:
    """A problem with its stream.

    A gradient given as a `GradientOracle` has no rows to show: `features` and `labels` are then None, and
    `length` says how many terms it knows.
    """

    label: str  #: what the page calls it, such as "stream.csv, 512 rows"
    problem: Any  #: a problem of the library
    features: np.ndarray | None = None  #: (t, d) rows in the order they arrive
    labels: np.ndarray | None = None  #: (t,)
    length: int | None = None  #: terms there are; None: as many rows as `features` has
    source: str = ""  #: where it came from, such as the file's name

    @property
    def t(self) -> int:
        """Terms there are."""
        if self.length is not None:
            return self.length
        return 0 if self.features is None else len(self.features)
