"""What stands beside the pictures of a run: titles, the one notice, and where the cards stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from app.state.live_menu import ALGORITHMS
from sampler.algorithms import PLAIN

if TYPE_CHECKING:
    from app.live.rewind import Replay
    from app.live.run import LiveRun
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


ACTIONS = {"ended": "Restart", "error": "Go on", "arrived": "Play on"}
"""Kind -> words of the notice's button."""


class RunNotice(NamedTuple):
    """One sentence or two, their kind ("compiling", "replaying", "diverged", "ended", "arrived", "error"), a share done."""

    words: str | None = None
    kind: str | None = None
    progress: float | None = None


NOTHING = RunNotice()


def replay_notice(replay: Replay) -> RunNotice:
    """Return how far a replay has come."""
    words = f"Replaying to epoch {replay.target:,}, exactly as it went: {replay.fraction:.0%}"
    return RunNotice(words, "replaying", replay.fraction)


def run_notice(run: LiveRun, arrived: bool) -> RunNotice:
    """Return what is to be said of a run as it stands; `arrived`: at the moment of a link."""
    state = run.state
    if state.halted:
        verdict = run.verdict()[0]
        return RunNotice(f"{verdict.sentence} {verdict.suggestion}", "diverged")
    if state.ended:
        why = "where your data end" if state.data.spent(state.t) else "so that its memory stays bounded"
        return RunNotice(f"The run ends at epoch {state.t:,}, {why}. Restart it, or rewind.", "ended")
    if arrived:
        changes = len(run.moment.way)
        way = f", with {changes} change{'s' if changes > 1 else ''} on the way" if changes else ""
        return RunNotice(f"This is epoch {state.t:,} as it was shared{way}.", "arrived")
    return NOTHING


def fault_notice(error: str, t: int) -> RunNotice:
    """Return what is said of a fault; `t` is the epoch of the last picture, 0 where there is none to go back to."""
    on = f"replays it to epoch {t:,}, the last one shown" if t else "begins it again"
    return RunNotice(f"The run stopped: {error.rstrip('.')}. Go on {on}; should it stop there again, Restart begins anew.",
                     "error")


def notice_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return what `Notices.show` takes; that chains have diverged is said by the verdict, with its own button."""
    kind = snapshot.notice_kind
    if kind in (None, "diverged"):
        return {"notice": "", "kind": ""}
    progress = None if snapshot.progress is None else round(snapshot.progress, 2)
    return {"notice": snapshot.notice or "", "kind": kind, "progress": progress, "action": ACTIONS.get(kind, "")}


WIDE = ('grid-template: "chains charts" minmax(320px, 1fr) "verdict charts" max(206px, var(--lesson-room, 0px))'
        ' / minmax(0, 566fr) minmax(0, 578fr); height: var(--lab-room)')
NARROW = ('grid-template: "chains" min(520px, var(--lesson-free, 520px)) "verdict" minmax(174px, auto) "charts" 760px'
          ' / minmax(0, 1fr)')
PHONE = 'grid-template: "chains" 292px "verdict" auto "charts" auto / minmax(0, 1fr)'
