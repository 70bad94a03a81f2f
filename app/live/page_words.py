"""Texts of the Live page: titles and the notice; grid layouts of its cards."""

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
    """Titles of the chains card and subtitles of the charts."""

    chains: str
    hint: str  #: next to the title: the effect of a click, or the displayed part
    accuracy: str  #: subtitle of the accuracy chart
    variance: str  #: subtitle of the gradient variance chart


def titles_of(snapshot: Snapshot) -> Titles:
    """Return the titles of a snapshot."""
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
    """Return the reference of the accuracy as part of a subtitle: its name, or its draws and their epoch."""
    if not reference:
        return ""
    if reference == "being drawn":
        return "; the reference is being drawn"
    words = TRUTHS.get(reference) or ", ".join(reference.replace(" effective", "").split(", ")[:2])
    return f", against {words}"


ACTIONS = {"ended": "Restart", "error": "Go on", "arrived": "Play on"}
"""Kind -> label of the notice's button."""


class RunNotice(NamedTuple):
    """Text, its kind ("compiling", "replaying", "diverged", "ended", "arrived", "error"), and progress in [0, 1]."""

    words: str | None = None
    kind: str | None = None
    progress: float | None = None


NOTHING = RunNotice()


def replay_notice(replay: Replay) -> RunNotice:
    """Return the notice of a replay, with its progress."""
    words = f"Replaying exactly to epoch {replay.target:,}: {replay.fraction:.0%}"
    return RunNotice(words, "replaying", replay.fraction)


def run_notice(run: LiveRun, arrived: bool) -> RunNotice:
    """Return the notice of a run in its current state; `arrived`: at the moment of a link."""
    state = run.state
    if state.halted:
        verdict = run.verdict()[0]
        return RunNotice(f"{verdict.sentence} {verdict.suggestion}", "diverged")
    if state.ended:
        why = "where your data end" if state.data.exhausted(state.t) else "so that its memory stays bounded"
        return RunNotice(f"The run ends at epoch {state.t:,}, {why}. Restart it, or rewind.", "ended")
    if arrived:
        changes = len(run.moment.way)
        way = f", with {changes} change{'s' if changes > 1 else ''} on the way" if changes else ""
        return RunNotice(f"This is epoch {state.t:,} as it was shared{way}.", "arrived")
    return NOTHING


def fault_notice(error: str, t: int) -> RunNotice:
    """Return the notice of a fault; `t` is the epoch of the last snapshot, 0 if there is none to return to."""
    on = f"replays it to epoch {t:,}, the last one shown" if t else "begins it again"
    return RunNotice(f"The run stopped: {error.rstrip('.')}. Go on {on}; if it stops there again, press Restart.",
                     "error")


def notice_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return the arguments of `Notices.show`; empty if chains have diverged, which the verdict reports."""
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
