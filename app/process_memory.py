"""The memory of the server's process: what is collected when, and what goes back to the machine."""

from __future__ import annotations

import gc

ALLOCATIONS = 10_000
"""New objects after which the youngest are looked through; Python's 700 is for smaller programs."""


def settle() -> None:
    """Look through all that has been imported once, and never again.

    A full collection stops every visit; of some 300,000 objects nearly all are modules, classes and functions.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, 10, 10)
