"""`Moment`: an instant of a run with every change on the way there, as short text in a link; opening it replays them.

A link's other keys are the knobs as they stand at the moment. `t` is the epoch, or `512.7` after 7 steps of epoch 512.
`log` is the way there:

    2~eta0.1_b.9~180_vr.0~-181.12_C.3.5~end

the number of changes; the knobs of the start that differ from today's; then one part a change: its place, written as
`t` is, and the knobs it set. A part that begins with `-` went on turning the knob of the one before; `revive` put
diverged chains back. Of a history that has lost its `end`, or whose parts are out of order, nothing is replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.live.timeline import HORIZON, Change, place, way_to
from app.state.live import SAMPLER, SWITCHES, LiveState
from app.state.parameters.knob_values import LinkReader, shown

if TYPE_CHECKING:
    from app.state.live import LiveConfig
    from sampler import Settings

LONGEST = 6_000
"""Characters of `log`: what every browser, mail program and chat leaves whole."""
MOST_WORDS = 4
"""Sentences about what is wrong in a history: a longer list buries the page."""
_REVIVE, _END = "revive", "end"
_KNOBS = {LiveState.param[name].key: name for name in (*SAMPLER, *SWITCHES)}


@dataclass(frozen=True)
class Moment:
    """Epoch `t`, after `advanced` of its steps (None: after its end), and how the run came there."""

    t: int
    advanced: int | None
    first: tuple[Settings, float]  #: settings and escape radius at the start
    changes: tuple[Change, ...]  #: those up to this instant count

    @property
    def way(self) -> tuple[Change, ...]:
        """The changes up to this instant."""
        return way_to(self.t, self.advanced, self.changes)

    def query(self, present: LiveConfig) -> dict[str, str]:
        """Return the URL parameters `t` and `log` beside those of `present`; none where a link cannot hold the way."""
        return moment_query(self, present, LiveState.linked())


def moment_query(moment: Moment, present: LiveConfig, parameters: Mapping[str, Any]) -> dict[str, str]:
    """As `Moment.query`; ``parameters`` are those of links by their names."""
    way, last = moment.way, present.turned(moment.first)
    parts = [str(len(way)), _difference(parameters, present, last)]
    for change in way:
        knobs = present.turned(change.knobs)
        fields = [_place(change.t, change.advanced), _difference(parameters, last, knobs), _REVIVE if change.revive else ""]
        parts.append(("-" if change.continues else "") + "_".join([field for field in fields if field]))
        last = knobs
    log = "~".join([*parts, _END])
    return {} if len(log) > LONGEST else {"t": _place(moment.t, moment.advanced), "log": log}


def moment_in(query: dict[str, Any] | None, present: LiveConfig) -> tuple[Moment | None, list[str]]:
    """Read the moment a link shows; None where it shows none, or one at the start. Never raises.

    Parameters
    ----------
    query
        URL parameters.
    present
        What the link's other keys say: the knobs at the moment.

    Returns
    -------
    moment, warnings
        What to replay, and a sentence for each thing that was wrong and what was done instead.
    """
    horizon = HORIZON if present.user_data is None else min(present.user_data.t, HORIZON)
    return read_moment(query, present, LiveState.linked(), horizon)


def read_moment(query: dict[str, Any] | None, present: LiveConfig, parameters: Mapping[str, Any],
                horizon: int) -> tuple[Moment | None, list[str]]:
    """As `moment_in`; ``parameters`` are those of links by their names, ``horizon`` is the last epoch there can be."""
    link = LinkReader(query)
    text = link.text("t")
    if text is None:
        return None, []
    at = _read_place(text)
    if at is None:
        return None, [f"t = {shown(text)} is not an epoch; the run begins at the start."]
    warnings = []
    if at[0] > horizon:
        warnings.append(f"t = {at[0]:,} lies beyond the last epoch of this run, {horizon:,}; it is replayed to there.")
        at = (horizon, None)
    first, changes, mistakes = _read_log(link.text("log"), present, parameters)
    warnings.extend(mistakes[:MOST_WORDS])
    if len(mistakes) > MOST_WORDS:
        warnings.append(f"{len(mistakes) - MOST_WORDS:,} more things in the link’s history are wrong in the same way.")
    return Moment(*at, first.knobs, changes) if at[0] else None, warnings


def _read_log(log: str | None, present: LiveConfig, parameters: Mapping[str, Any]
              ) -> tuple[LiveConfig, tuple[Change, ...], list[str]]:
    """Return the first knobs, the changes, and warnings about what is wrong."""
    if not log:
        return present, (), []
    number, *parts = log.split("~")
    places = [_read_place(part.removeprefix("-").partition("_")[0]) for part in parts[1:-1]]
    whole = parts[-1:] == [_END] and number == str(len(places)) and None not in places
    if not whole or places != sorted(places, key=lambda at: place(*at)):
        return present, (), ["The history in this link is cut off or has no sense; the run has these knobs from the start."]
    warnings: list[str] = []
    knobs = first = _turned(parts[0].split("_"), present, "at the start", warnings, parameters)[0]
    changes: list[Change] = []
    for at, part in zip(places, parts[1:-1], strict=True):
        knobs, revive = _turned(part.split("_")[1:], knobs, f"at epoch {at[0]:,}", warnings, parameters)
        changes.append(Change(*at, *knobs.knobs, revive, part.startswith("-")))
    return first, tuple(changes), warnings


def _turned(fields: list[str], knobs: LiveConfig, where: str, warnings: list[str], parameters: Mapping[str, Any]
            ) -> tuple[LiveConfig, bool]:
    """Return knobs with what the fields set, and whether they revive; what is wrong is left as it stood, with a warning."""
    revive = False
    for field in fields:
        key, _, value = field.partition(".")
        name = _KNOBS.get(key)
        if not field:
            continue
        if field == _REVIVE:
            revive = True
        elif name is None:
            warnings.append(f"The link’s history names {shown(key)} {where}, which is no knob of this version; left it out.")
        else:
            link = LinkReader({key: value})
            knobs = knobs.replace(**{name: parameters[name].from_link(link, getattr(knobs, name))})
            warnings.extend([f"In the link’s history, {where}: {mistake}" for mistake in link.words])
    return knobs, revive


def _difference(parameters: Mapping[str, Any], before: LiveConfig, after: LiveConfig) -> str:
    """Return the knobs of `after` that differ, as a part of the history holds them."""
    return "_".join([f"{key}.{parameters[name].write(getattr(after, name))}" for key, name in _KNOBS.items()
                     if getattr(before, name) != getattr(after, name)])


def _place(t: int, advanced: int | None) -> str:
    return str(t) if advanced is None else f"{t}.{advanced}"


def _read_place(text: str) -> tuple[int, int | None] | None:
    """Return epoch and steps; None where there is none."""
    epoch, dot, steps = text.partition(".")
    numbers = [epoch, steps] if dot else [epoch]
    if not all(number.isascii() and number.isdigit() and len(number) <= 9 for number in numbers):
        return None
    return int(epoch), int(steps) if dot else None


def link_to(shown: Any) -> tuple[dict[str, str], str]:
    """Return the URL parameters of the picture on show, its epoch and history among them, and words about them."""
    way = shown.moment.query(shown.config)
    return LiveState.to_query(shown.config) | way, link_words(shown.moment, way)


def link_words(moment: Moment, way: dict[str, str]) -> str:
    """Return words about a link that holds a moment's `Moment.query`."""
    if not way:
        return "these knobs from the start. The history of this run is too long for a link."
    changes = len(moment.way)
    return f"epoch {moment.t:,}" + (f" with {changes} change{'s' if changes > 1 else ''}" if changes else "")
