"""The verdict on a setting: its kind, its words and the change it suggests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sampler.settings import Settings


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    kind is one of safe, hot, narrow, cold, noisy, resets, lagging, stale, weak_reference, diverged, waiting.
    """

    kind: str
    title: str
    subtitle: str
    sentence: str
    suggestion: str
    change: dict[str, Any] | None = None  #: for `Settings.replace(**change)`; None: nothing to press


def more_steps(settings: Settings, steps: int, why: str) -> tuple[str, dict[str, Any] | None]:
    """Return the suggestion to raise i_max to `steps`, and the change; no change where i_max is as large already."""
    if steps <= settings.i_max:
        return f"Try {why}: i_max is as large as this page allows.", None
    return f"i_max = {steps:,}: {why}.", {"i_max": steps}
