"""The titles of Live's cards that change with the run: how many chains of which algorithm, against which truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.state.algorithm_menu import ALGORITHMS
from sampler.algorithms import PLAIN

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot

TRUTHS = {"exact": "the exact posterior", "grid": "the posterior on a grid"}


class Titles(NamedTuple):
    """What the cards of chains and charts are called."""

    chains: str
    hint: str  #: beside it: what a click does, or what is shown
    accuracy: str  #: subtitle of the accuracy chart
    variance: str  #: of the gradient variance


def titles_of(snapshot: Snapshot) -> Titles:
    """Return the titles of one picture."""
    config = snapshot.config
    algorithm = ALGORITHMS[config.algorithm]
    chains = f"{config.chains} {algorithm.prefix}chain{'s' if config.chains > 1 else ''}"
    target = f" and {'their' if config.chains > 1 else 'its'} target" if config.algorithm == PLAIN else ""
    followed = "click a chain to follow it" if config.follow is None else f"following chain {config.follow}"
    title, hint = f"{chains}{target}", followed
    if snapshot.cloud.arrows is not None:
        title, hint = "One step of one chain", f"zoomed to chain {config.follow or 0}"
    return Titles(title, hint, f"{chains} × last 16 epochs{_against(snapshot.reference)}", algorithm.variance)


def _against(reference: str | None) -> str:
    """Return what the chains are compared with, short enough for a subtitle: at most its draws and their age."""
    if not reference:
        return ""
    if reference == "being drawn":
        return "; what they are compared with is being drawn"
    words = TRUTHS.get(reference) or ", ".join(reference.replace(" effective", "").split(", ")[:2])
    return f", against {words}"
