"""The choice of response and feature columns, by name, by number or found."""

from dataclasses import dataclass

import numpy as np

from sampler.streams.chunk import Chunk
from sampler.streams.number_column import GOOD, TEXT, as_numbers


@dataclass(frozen=True)
class Choice:
    """Columns in use.

    Attributes
    ----------
    response : str or None
        None where every column is an observation (a mean is sought).
    features : tuple of str
    left_out : dict of str to str
        Columns not in use, and why.
    """

    response: str | None
    features: tuple[str, ...]
    left_out: dict[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns in use, the response last."""
        return self.features if self.response is None else (*self.features, self.response)


def choose(names: tuple[str, ...], response, features, with_response: bool = True) -> Choice:
    """Choice by name or by number (from 1, or from the end with -1); the response is the last column if not given.

    Raises
    ------
    ValueError
        That lists the columns there are, when one is missing.
    """
    if with_response and len(names) < 2:
        raise ValueError(f"source must have two columns or more, a feature and a response, got {', '.join(names)}")
    target = _find("response", -1 if response is None else response, names) if with_response else None
    if features is None:
        return Choice(target, tuple(name for name in names if name != target), {})
    if isinstance(features, str):
        features = [part.strip() for part in features.split(",")]
    chosen = tuple(_find("features", feature, names) for feature in features)
    if not chosen:
        raise ValueError("features must name one column at least, got none; leave it out for all columns")
    twice = [name for name in chosen if chosen.count(name) > 1]
    if twice or target in chosen:
        raise ValueError(f"features must be different columns without the response {target!r}, got "
                         f"{', '.join(chosen)}")
    left = {name: "not chosen" for name in names if name not in chosen and name != target}
    return Choice(target, chosen, left)


def without_text(choice: Choice, chunk: Chunk, decimal: str) -> Choice:
    """The choice without features that hold text in most of their first rows; they are named in ``left_out``."""
    text = {}
    for name in choice.features:
        reasons = as_numbers(chunk.columns[name], decimal)[1]
        if (reasons == TEXT).sum() > 0.5 * max(1, len(reasons)):
            text[name] = "text, not numbers"
    features = tuple(name for name in choice.features if name not in text)
    if not features:
        raise ValueError(f"features must hold numbers, but {', '.join(text)} hold text; recode categories as columns "
                         "of 0 and 1 first" + _decimal_hint(chunk, choice.features[0], decimal))
    return Choice(choice.response, features, {**choice.left_out, **text})


def refuse_text(choice: Choice, chunk: Chunk, decimal: str) -> None:
    """A ValueError when a feature chosen by name holds nothing but text."""
    for name in choice.features:
        reasons = as_numbers(chunk.columns[name], decimal)[1]
        if len(reasons) and (reasons == TEXT).all() and not (reasons == GOOD).any():
            raise ValueError(f"features: column {name!r} holds text ({_cell(chunk, name)!r} in {chunk.name(0)}); leave "
                             "it out, or recode it as columns of 0 and 1" + _decimal_hint(chunk, name, decimal))


def _cell(chunk: Chunk, name: str):
    cell = chunk.columns[name][0]
    return cell.as_py() if hasattr(cell, "as_py") else cell


def _decimal_hint(chunk: Chunk, name: str, decimal: str) -> str:
    cell = str(_cell(chunk, name))
    comma = decimal == "." and cell.replace(",", "", 1).lstrip("-").isdigit() and "," in cell
    return "; or it uses a decimal comma: pass decimal=','" if comma else ""


def _find(argument: str, wanted, names: tuple[str, ...]) -> str:
    if isinstance(wanted, str) and wanted in names:
        return wanted
    if isinstance(wanted, str) and wanted.lstrip("-").isdigit():
        wanted = int(wanted)
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool):
        if 1 <= wanted <= len(names):
            return names[wanted - 1]
        if -len(names) <= wanted <= -1:
            return names[wanted]
    close = [name for name in names if str(wanted).lower() == name.lower().strip()]
    hint = f"did you mean {close[0]!r}?" if close else f"the columns are {', '.join(names)}"
    raise ValueError(f"{argument}: there is no column {wanted!r}; {hint}")
