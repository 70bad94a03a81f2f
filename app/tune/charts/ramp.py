"""The colours of the map: one hue, darker is better; in the dark theme lighter is better."""

from __future__ import annotations

STOPS = {
    "light": ("#fafbfc", "#dee9f4", "#abcae6", "#609acf", "#1b5faa"),
    "dark": ("#181d23", "#21364e", "#2f5882", "#508cc8", "#80c5ff"),
}
SPAN = 0.146
"""Accuracy below the ceiling at which the ramp ends."""


def shade(accuracy: float, ceiling: float) -> float:
    """Place on the ramp, in [0, 1]: accuracies near the ceiling are told apart best."""
    at = min(1.0, max(0.0, (accuracy - ceiling + SPAN) / SPAN))
    return 0.55 * at * at + 0.45 * at


def colour(accuracy: float, ceiling: float, dark: bool) -> str:
    """CSS colour of a cell."""
    stops = STOPS["dark" if dark else "light"]
    at = shade(accuracy, ceiling) * (len(stops) - 1)
    k = min(int(at), len(stops) - 2)
    low, high = (tuple(int(stop[i:i + 2], 16) for i in (1, 3, 5)) for stop in stops[k:k + 2])
    return "#" + "".join(f"{round(a + (b - a) * (at - k)):02x}" for a, b in zip(low, high, strict=True))


def ink(accuracy: float, ceiling: float, dark: bool) -> str:
    """Token of the digits that can be read on it."""
    at = shade(accuracy, ceiling)
    if dark:
        return "on" if at > 0.62 else "ink"
    return "on" if at > 0.6 else "ink"
