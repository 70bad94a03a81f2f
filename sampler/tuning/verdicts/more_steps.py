"""The suggestion of longer epochs, which several verdicts make."""

from typing import Any

from sampler.settings import Settings


def more_steps(settings: Settings, steps: int, why: str) -> tuple[str, dict[str, Any] | None]:
    """Return the suggestion to raise i_max to `steps`, and the change; no change where i_max is as large already."""
    if steps <= settings.i_max:
        return f"Try {why}: i_max is as large as this page allows.", None
    return f"i_max = {steps:,}: {why}.", {"i_max": steps}
