"""Shipped results of the page's defaults, created by ``assets/make_shipped_results.py``; opening the page runs nothing."""

import base64
import json
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from app.canvas.contours import thin_loop
from app.offline.ladder_run import LadderRun, RungTruth
from app.offline.likelihood_race_job import LikelihoodRace
from app.offline.wasserstein_race_job import BandedCurve, GaussianRace
from app.shipped_json import plain, restored, text
from app.state.offline import LADDER, LadderConfig
from app.state.offline_races import GAUSSIAN, LIKELIHOOD, GaussianConfig, LikelihoodConfig
from sampler.racing import LikelihoodCurve

FILE = Path(__file__).with_name("shipped_results.json")
FRAMES = 20
"""Stored frames per rung; the animation interpolates between them."""


def to_json(ladder: LadderRun, gaussian: GaussianRace, likelihood: LikelihoodRace, table: dict, made: str) -> str:
    """Return the page's default results as JSON text, numbers with six digits; `made` describes their origin."""
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
        "table": [[*cell, *plain(values)] for cell, values in table.items()],
    })


@cache
def shipped_results() -> dict[str, Any]:
    """Return view -> stored part of its default run, and "table" -> result of `best_steps`."""
    shipped = json.loads(FILE.read_text(encoding="utf-8"))
    values = shipped["ladder"]
    frames = tuple(_unpacked(*packed) for packed in values.pop("frames"))
    truths = tuple(RungTruth(loops=tuple(map(np.array, one.pop("loops"))), **restored(one)) for one in values.pop("truths"))
    lists = {name: tuple(values.pop(name)) for name in ("betas", "curvatures", "evaluations", "steps", "accuracies")}
    return {
        LADDER: LadderRun(config=LadderConfig(), frames=frames, truths=truths, **lists, **restored(values)),
        GAUSSIAN: _race(GaussianRace, GaussianConfig(), BandedCurve, shipped["gaussian"]),
        LIKELIHOOD: _race(LikelihoodRace, LikelihoodConfig(), LikelihoodCurve, shipped["likelihood"], by_chain=None,
                          run=None),
        "table": {(key, n, passes): tuple(values) for key, n, passes, *values in shipped["table"]}}


def thinned(run: LadderRun) -> LadderRun:
    """Return a complete run with `FRAMES` frames per rung."""
    keep = [0, *(round((k + 1) * run.per_rung / FRAMES) + rung * run.per_rung for rung in range(run.rungs)
                 for k in range(FRAMES))]
    thin = {name: tuple(getattr(run, name)[k] for k in keep) for name in ("frames", "evaluations", "steps")}
    return replace(run, per_rung=FRAMES, **thin)


def _race(kind: type, config: Any, curve: type, values: dict[str, Any], **more: Any) -> Any:
    curves = {key: curve(**restored(one), **more) for key, one in values["curves"].items()}
    rest = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name != "curves"}
    return kind(config=config, curves=curves, **rest)


def _packed(frame: np.ndarray) -> list:
    """Return the minimum and maximum of positions, and the positions as compressed 16-bit steps between them."""
    low, high = frame.min(axis=0), frame.max(axis=0)
    steps = np.round((frame - low) / np.maximum(high - low, 1e-30) * 65_535).astype("<u2")
    return [plain(low), plain(high), base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()]


def _unpacked(low: list[float], high: list[float], text: str) -> np.ndarray:
    steps = np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u2").reshape(-1, len(low))
    return (np.array(low) + steps / 65_535 * (np.array(high) - np.array(low))).astype(np.float32)
