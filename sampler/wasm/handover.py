"""Transfer of a sampler's state to the browser and back: `to_browser` returns JSON that ``online_saga_ld.js`` continues.

Both sides have the same arrays, so the chains continue as in Python, except for the last bits of sums.
"""

import base64
from typing import Any

import numpy as np

from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.preconditioned_saga_ld import PreconditionedSagaLD
from sampler.algorithms.saved_sampler import SamplerSnapshot
from sampler.kernels.chains import Chains
from sampler.kernels.low_rank_metric import LowRankMetric
from sampler.kernels.simd_lanes import padded
from sampler.settings import Settings
from sampler.wasm.files import read_manifest
from sampler.wasm.problems import family_of, kernel_numbers, width_of

ALGORITHMS = {one.__name__: one for one in (OnlineSagaLD, PreconditionedSagaLD)}
SNAPSHOT_ARRAYS = {**{name: f"chains_{name}" for name in Chains._fields},
        **{name: f"memory_{name}" for name in ("items", "values", "links")}}
METRIC_ARRAYS = {
    "preconditioned": {**{name: f"memory_whitening_{name}" for name in ("weights", "whitener", "frozen", "trusted")},
                       "precision_matrix": "memory_whitening_precision"},
    "preconditioned_gaussian_mean": {name: f"memory_metric_{name}" for name in LowRankMetric._fields}}
"""Map from arrays of the module to arrays of a snapshot: for every family, and for those with a metric."""
MEMORY_STATE = ("refresh_lapsed", "forgotten", "since")
"""Entries of a snapshot's ``memory`` that change as the sampler runs."""


def _snapshot_arrays(family: str) -> dict[str, str]:
    return SNAPSHOT_ARRAYS | METRIC_ARRAYS.get(family, {})


def _arrays(family: str, width: int) -> dict[str, dict[str, Any]]:
    """Return the arrays of a family's entries by name, as declared in the manifest."""
    entries = read_manifest()["entries"]
    return {one["name"]: one for step in ("arrive", "advance") for one in entries[f"{family}_{step}_{width}"]["arguments"]
            if "shape" in one}


def _dtype(declared: dict[str, Any]) -> np.dtype[Any]:
    dtype = declared["dtype"]
    if isinstance(dtype, str):
        return np.dtype(dtype)
    formats, offsets = zip(*dtype["fields"].values(), strict=True)
    return np.dtype({"names": list(dtype["fields"]), "formats": formats, "offsets": offsets, "itemsize": dtype["bytes"]})


def to_browser(sampler: OnlineSagaLD, *data: Any) -> dict[str, Any]:
    """Return the whole state of a sampler as JSON-compatible data.

    Parameters
    ----------
    sampler : OnlineSagaLD or PreconditionedSagaLD
        Not changed. The browser does not adapt settings to the rows, unlike a preconditioned sampler without settings.
    *data
        Rows of future epochs, as for ``sampler.observe``; they are not processed here.

    Raises
    ------
    ValueError
        If the module has no kernels for the model or the dimension, and for invalid data.
    """
    snapshot = sampler.snapshot()
    meta, kept, problem = snapshot.meta, snapshot.arrays, sampler.problem
    family = family_of(problem, meta["memory"].get("metric"))
    dim, width = problem.dim, width_of(family, problem.dim)
    if not family:
        raise ValueError(f"sampler must have kernels in the module, got {meta['algorithm']} on {problem.kind}, dim={dim}; "
                         f"they are {', '.join(read_manifest()['entries'])}")
    declared = _arrays(family, width)
    encoded = problem.encode(*data) if data else ()
    coming = encoded if isinstance(encoded, tuple) else (encoded,)
    names = ("rows", "targets", "labels") if "targets" in declared else ("rows",)
    rows = {name: np.concatenate([kept[f"rows_{name}"], *coming[i:i + 1]]) for i, name in enumerate(names)}
    stored, mask = len(rows["rows"]), (np.arange(width) < dim).astype(float)
    center = kept["center"][:width] if kept["center"].size else np.zeros(width)
    arrays = {name: kept[own] for name, own in _snapshot_arrays(family).items() if name in declared}
    arrays = {name: array[..., :width] if declared[name]["shape"][-1] == width else array for name, array in arrays.items()}
    arrays |= {"center": center, "counts": np.array(meta["epoch_counts"]), "rows": rows["rows"], "mask": mask}
    if "targets" in declared:
        padding = ((0, 0), (0, width - dim))
        arrays |= {"precision": np.stack([np.pad(problem.prior_precision, padding[1]), mask]), "targets": rows["targets"],
                   "rows": np.pad(rows["rows"], padding)}
    return {
        "family": family, "dim": dim, "numbers": kernel_numbers(problem, family), "settings": meta["settings"],
        "t": meta["t"], "done": meta["done"],
        "stored": stored, **{name: meta["memory"][name] for name in MEMORY_STATE}, "epoch_counts": meta["epoch_counts"],
        "gradient_evaluations": meta["gradient_evaluations"],
        "sizes": {"K": meta["chains"], "N": kept["chains_noise"].shape[1], "C": min(kept["center"].size, width), "D": width},
        "labels": rows["labels"].tolist() if "labels" in rows else [],
        "arrays": {name: _base64(arrays[name].astype(_dtype(one))) for name, one in declared.items() if name in arrays},
        "meta": meta}


def from_browser(saved: dict[str, Any]) -> OnlineSagaLD:
    """Return a sampler that continues from a state of the browser, with its rows up to epoch t.

    Parameters
    ----------
    saved : dict
        Result of `to_browser`, or of ``saved()`` in the browser.
    """
    dim, t, sizes, meta = saved["dim"], saved["t"], {"T": saved["t"], "d": saved["dim"], **saved["sizes"]}, saved["meta"]
    declared = _arrays(saved["family"], sizes["D"])

    def array(name: str, **own: int) -> np.ndarray:
        shape = [{**sizes, **own}.get(str(size), size) for size in declared[name]["shape"]]
        array = np.frombuffer(base64.b64decode(saved["arrays"][name]), _dtype(declared[name])).reshape(shape)
        beyond = padded(dim) - sizes["D"] if shape[-1] == sizes["D"] else 0
        return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, beyond)]) if beyond else array

    arrays = {own: array(name) for name, own in _snapshot_arrays(saved["family"]).items() if name in declared}
    if "memory_metric_short" in arrays:
        arrays["memory_taken"] = np.zeros((sizes["K"], dim))  # unused for GaussianMean, whose curvature is constant
    arrays["center"] = array("center", C=sizes["D"])[:padded(dim) if sizes["C"] else 0]
    arrays["rows_rows"] = array("rows", T=saved["stored"])[:t, :dim]
    if "targets" in declared:
        arrays["rows_targets"] = array("targets", T=saved["stored"])[:t]
        arrays["rows_labels"] = np.array(saved["labels"][:t], float)
    memory = {**meta["memory"], **{name: saved[name] for name in MEMORY_STATE if name in saved}}
    if "follows" in memory:
        memory["follows"] &= saved["settings"] == meta["settings"]
    meta = {**meta, **{name: saved[name] for name in ("t", "done", "gradient_evaluations", "epoch_counts")},
            "settings": Settings(**saved["settings"]).to_dict(), "memory": memory}
    return ALGORITHMS[meta["algorithm"]].from_snapshot(SamplerSnapshot(meta, arrays))


def _base64(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
