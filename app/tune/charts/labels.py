"""How values of the grid are written along its sides and in its cells."""

from __future__ import annotations


def step_words(value: float) -> str:
    """Return eta0 in two digits: 0.033, 0.6, 1.8, 17, 4e-6."""
    return f"{value:.2g}".replace("e-0", "e-") if value < 100 else f"{value:.0f}"


def accuracy_words(value: float) -> str:
    """Return an accuracy as .94."""
    return f"{min(value, 0.995):.2f}".removeprefix("0")
