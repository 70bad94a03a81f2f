"""`Preset`: a picture to try, one frozen state of a page that shows one thing."""

from __future__ import annotations

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """One button."""

    key: str
    label: str
    says: str  #: what to look at, one sentence
    config: Any
