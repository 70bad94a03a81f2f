"""The verdict on a setting: its kind, its words and the change it suggests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    kind is one of safe, hot, cold, noisy, resets, lagging, stale, weak_reference, diverged, waiting.
    """

    kind: str
    title: str
    subtitle: str
    sentence: str
    suggestion: str
    change: dict[str, Any] | None = None  #: for `Settings.replace(**change)`; None: nothing to press
