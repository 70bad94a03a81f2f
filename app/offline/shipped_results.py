"""Results that come with the page, so that opening it starts nothing; made by ``assets/make_shipped_results.py``."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from app.canvas.contours import thin_loop
from app.offline.ladder_run import LadderRun
from app.offline.likelihood_race_job import LikelihoodRace
from app.offline.rung_target import RungTruth
from app.offline.wasserstein_race_job import BandedCurve, BestTable, GaussianRace
from app.shipped_json import plain, restored, text
from app.state.offline_ladder import LadderConfig
from app.state.offline_races import GaussianConfig, LikelihoodConfig
from sampler.racing import LikelihoodCurve

FILE = Path(__file__).with_name("shipped_results.json")
FRAMES = 20
"""Frames kept of each rung: between them the animation moves the chains straight on."""


def to_json(ladder: LadderRun, gaussian: GaussianRace, likelihood: LikelihoodRace, table: BestTable, made: str) -> str:
    """Return the page's results with its defaults as text, numbers with six digits; `made` says how they were made."""
    ladder = thinned(ladder)
    return text({
        "made": made,
        "ladder": plain(ladder, "config", "frames", "truths", "notes") | {
            "frames": [_packed(frame) for frame in ladder.frames], "truths": [
                plain(one, "cdf", "loops") | {"loops": plain([thin_loop(loop) for loop in one.loops])}
                for one in ladder.truths]},
        "gaussian": plain(gaussian, "config", "curves") | {
            "curves": {key: plain(curve) for key, curve in gaussian.curves.items()}},
        "likelihood": plain(likelihood, "config", "curves") | {
            "curves": {key: plain(curve, "by_chain", "run") for key, curve in likelihood.curves.items()}},
        "table": [[*cell, *plain(found)] for cell, found in table.cells.items()],
    })


@cache
def _found() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


@cache
def shipped_ladder() -> LadderRun:
    """Return the default ladder's run."""
    found = dict(_found()["ladder"])
    frames = tuple(_unpacked(*packed) for packed in found.pop("frames"))
    truths = tuple(RungTruth(loops=tuple(map(np.array, one.pop("loops"))), **restored(one))
                   for one in map(dict, found.pop("truths")))
    lists = {name: tuple(found.pop(name)) for name in ("betas", "curvatures", "evaluations", "steps", "accuracies")}
    return LadderRun(config=LadderConfig(), frames=frames, truths=truths, **lists, **restored(found))


@cache
def shipped_gaussian() -> GaussianRace:
    """Return the default Gaussian race."""
    return _race(GaussianRace, GaussianConfig(), BandedCurve, _found()["gaussian"])


@cache
def shipped_likelihood() -> LikelihoodRace:
    """Return the default likelihood race; its curves have no chain by itself."""
    return _race(LikelihoodRace, LikelihoodConfig(), LikelihoodCurve, _found()["likelihood"], by_chain=None, run=None)


@cache
def shipped_table() -> BestTable:
    """Return W2 at the best step size of each cell."""
    return BestTable({(key, n, passes): tuple(values) for key, n, passes, *values in _found()["table"]}, complete=True)


def thinned(run: LadderRun) -> LadderRun:
    """Return a complete run with `FRAMES` frames a rung."""
    keep = [0, *(round((k + 1) * run.per_rung / FRAMES) + rung * run.per_rung for rung in range(run.rungs)
                 for k in range(FRAMES))]
    taken = {name: tuple(getattr(run, name)[k] for k in keep) for name in ("frames", "evaluations", "steps")}
    return LadderRun(**{field.name: getattr(run, field.name) for field in fields(run)} | taken | {"per_rung": FRAMES})


def _race(kind: type, config: Any, curve: type, found: dict[str, Any], **more: Any) -> Any:
    curves = {key: curve(**restored(values), **more) for key, values in found["curves"].items()}
    rest = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items() if name != "curves"}
    return kind(config=config, curves=curves, **rest)


def _packed(frame: np.ndarray) -> list:
    """Return positions as 16-bit steps between their least and their greatest, compressed."""
    low, high = frame.min(axis=0), frame.max(axis=0)
    steps = np.round((frame - low) / np.maximum(high - low, 1e-30) * 65_535).astype("<u2")
    return [plain(low), plain(high), base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()]


def _unpacked(low: list[float], high: list[float], text: str) -> np.ndarray:
    steps = np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u2").reshape(-1, len(low))
    return (np.array(low) + steps / 65_535 * (np.array(high) - np.array(low))).astype(np.float32)
