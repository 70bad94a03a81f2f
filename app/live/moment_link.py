"""`Moment`: an instant of a run with all previous changes, as short text in a link; opening the link replays them.

The other keys of a link are the knobs at the moment. `t` is the epoch, or `512.7` after 7 steps of epoch 512.
`log` is the history:

    2~eta0.1_b.9~180_vr.0~-181.12_C.3.5~end

that is, the number of changes; the initial knobs that differ from the present ones; then one part per change: its position,
in the format of `t`, and the knobs that it set. A part that begins with `-` continues the knob gesture of the previous one;
`revive` resets diverged chains. A history without its `end`, or with parts out of order, is not replayed.
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

MAX_LOG_LENGTH = 6_000
"""Maximum characters of `log`, which browsers, mail programs and chats do not truncate."""
MAX_WARNINGS = 4
"""Maximum number of warnings about one history."""
_REVIVE, _END = "revive", "end"
_KNOBS = {LiveState.param[name].key: name for name in (*SAMPLER, *SWITCHES)}


@dataclass(frozen=True)
class Moment:
    """Epoch `t`, after `advanced` of its steps (None: after its end), and the changes of the run."""

    t: int
    advanced: int | None
    first: tuple[Settings, float]  #: initial settings and escape radius
    changes: tuple[Change, ...]  #: those after this instant are ignored

    @property
    def way(self) -> tuple[Change, ...]:
        """The changes up to this instant."""
        return way_to(self.t, self.advanced, self.changes)

    def query(self, present: LiveConfig) -> dict[str, str]:
        """Return the URL parameters `t` and `log` in addition to those of `present`; empty if the history is too long."""
        return moment_query(self, present, LiveState.linked())


def moment_query(moment: Moment, present: LiveConfig, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return `Moment.query`; ``parameters`` maps names to the parameters stored in links."""
    way, last = moment.way, present.turned(moment.first)
    parts = [str(len(way)), _difference(parameters, present, last)]
    for change in way:
        knobs = present.turned(change.knobs)
        fields = [_place(change.t, change.advanced), _difference(parameters, last, knobs), _REVIVE if change.revive else ""]
        parts.append(("-" if change.continues else "") + "_".join([field for field in fields if field]))
        last = knobs
    log = "~".join([*parts, _END])
    return {} if len(log) > MAX_LOG_LENGTH else {"t": _place(moment.t, moment.advanced), "log": log}


def moment_in(query: dict[str, Any] | None, present: LiveConfig) -> tuple[Moment | None, list[str]]:
    """Read the moment in a link; None if there is none, or if it is the start. Never raises.

    Parameters
    ----------
    query
        URL parameters.
    present
        Configuration from the link's other keys: the knobs at the moment.

    Returns
    -------
    moment, warnings
        The moment to replay, and one warning per error, with the action taken.
    """
    horizon = HORIZON if present.user_data is None else min(present.user_data.t, HORIZON)
    return read_moment(query, present, LiveState.linked(), horizon)


def read_moment(query: dict[str, Any] | None, present: LiveConfig, parameters: Mapping[str, Any],
                horizon: int) -> tuple[Moment | None, list[str]]:
    """Read a moment as `moment_in`; ``parameters`` maps names to parameters of links, ``horizon`` is the last epoch."""
    link = LinkReader(query)
    text = link.text("t")
    if text is None:
        return None, []
    at = _read_place(text)
    if at is None:
        return None, [f"t = {shown(text)} is not an epoch; the run begins at the start."]
    warnings = []
    if at[0] > horizon:
        warnings.append(f"t = {at[0]:,} is beyond the last epoch of this run, {horizon:,}; it is replayed to there.")
        at = (horizon, None)
    first, changes, mistakes = _read_log(link.text("log"), present, parameters)
    warnings.extend(mistakes[:MAX_WARNINGS])
    if len(mistakes) > MAX_WARNINGS:
        warnings.append(f"The link’s history has {len(mistakes) - MAX_WARNINGS:,} more errors of this kind.")
    return Moment(*at, first.knobs, changes) if at[0] else None, warnings


def _read_log(log: str | None, present: LiveConfig, parameters: Mapping[str, Any]
              ) -> tuple[LiveConfig, tuple[Change, ...], list[str]]:
    """Return the initial knobs, the changes, and warnings."""
    if not log:
        return present, (), []
    number, *parts = log.split("~")
    places = [_read_place(part.removeprefix("-").partition("_")[0]) for part in parts[1:-1]]
    whole = parts[-1:] == [_END] and number == str(len(places)) and None not in places
    if not whole or places != sorted(places, key=lambda at: place(*at)):
        return present, (), ["The history in this link is truncated or invalid; the run has these knobs from the start."]
    warnings: list[str] = []
    knobs = first = _turned(parts[0].split("_"), present, "at the start", warnings, parameters)[0]
    changes: list[Change] = []
    for at, part in zip(places, parts[1:-1], strict=True):
        knobs, revive = _turned(part.split("_")[1:], knobs, f"at epoch {at[0]:,}", warnings, parameters)
        changes.append(Change(*at, *knobs.knobs, revive, part.startswith("-")))
    return first, tuple(changes), warnings


def _turned(fields: list[str], knobs: LiveConfig, where: str, warnings: list[str], parameters: Mapping[str, Any]
            ) -> tuple[LiveConfig, bool]:
    """Return knobs updated by the fields, and whether these revive chains; invalid fields are ignored, with a warning."""
    revive = False
    for field in fields:
        key, _, value = field.partition(".")
        name = _KNOBS.get(key)
        if not field:
            continue
        if field == _REVIVE:
            revive = True
        elif name is None:
            warnings.append(f"The link’s history has {shown(key)} {where}, which is no knob of this version; left it out.")
        else:
            link = LinkReader({key: value})
            knobs = knobs.replace(**{name: parameters[name].from_link(link, getattr(knobs, name))})
            warnings.extend([f"In the link’s history, {where}: {mistake}" for mistake in link.words])
    return knobs, revive


def _difference(parameters: Mapping[str, Any], before: LiveConfig, after: LiveConfig) -> str:
    """Return the knobs of `after` that differ from `before`, in the format of the history."""
    return "_".join([f"{key}.{parameters[name].write(getattr(after, name))}" for key, name in _KNOBS.items()
                     if getattr(before, name) != getattr(after, name)])


def _place(t: int, advanced: int | None) -> str:
    return str(t) if advanced is None else f"{t}.{advanced}"


def _read_place(text: str) -> tuple[int, int | None] | None:
    """Return epoch and steps; None if the text is invalid."""
    epoch, dot, steps = text.partition(".")
    numbers = [epoch, steps] if dot else [epoch]
    if not all(number.isascii() and number.isdigit() and len(number) <= 9 for number in numbers):
        return None
    return int(epoch), int(steps) if dot else None


def link_to(shown: Any) -> tuple[dict[str, str], str]:
    """Return the URL parameters of the displayed snapshot, with its epoch and history, and their description."""
    way = shown.moment.query(shown.config)
    return LiveState.to_query(shown.config) | way, link_words(shown.moment, way)


def link_words(moment: Moment, way: dict[str, str]) -> str:
    """Return the description of a link with a moment's `Moment.query`."""
    if not way:
        return "these knobs from the start. The history of this run is too long for a link."
    changes = len(moment.way)
    return f"epoch {moment.t:,}" + (f" with {changes} change{'s' if changes > 1 else ''}" if changes else "")
