"""Reference values of chains: within a minor version a seed gives the same chain."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from sampler import LinearRegression, LogisticRegression, OnlineSagaLD, PreconditionedSagaLD
from sampler import coreset as coresets
from sampler.algorithms import (
    KNOBLESS,
    ONLINE_ALGORITHMS,
    CvULD,
    OfflineSagaLD,
    OfflineSGLD,
    SagaLD,
    SvrgLD,
    stream_algorithm,
)
from sampler.version import VERSION, release_numbers
from tests.conftest import ROOT

MINOR = (1, 2)
"""Version of the numbers below; changing them requires a new minor version and a changelog entry."""
MEANS = {OnlineSagaLD: [1.1094160896833674, 1.869564025865315, 0.48910243833912925],
         PreconditionedSagaLD: [1.243861125187391, 1.3617846319736624, 0.1641530464030866]}


@pytest.mark.parametrize("algorithm", MEANS)
def test_a_seed_gives_the_chain_of_this_minor_version(algorithm):
    """After 12 epochs; rounding on other processors differs by less than 1e-6."""
    rows = np.cos(np.arange(36.0)).reshape(12, 3)
    saga = algorithm(LogisticRegression(3), chains=8, seed=2019)
    saga.observe(rows, np.where(rows[:, 0] > 0, 1.0, -1.0))
    assert release_numbers(VERSION)[:2] == MINOR
    assert saga.positions.mean(axis=0) == pytest.approx(MEANS[algorithm], rel=1e-6)


def digests():
    """Return a digest of the result of each sampler, offline sampler and coreset, by name."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3))
    labels = (rows[:, 0] + rng.normal(size=200) > 0).astype(float)
    ends = {}
    for name in [*ONLINE_ALGORITHMS, *KNOBLESS]:
        for problem, answers in ((LogisticRegression(3), labels), (LinearRegression(3), rows[:, 0])):
            try:
                saga = stream_algorithm(name)(problem, chains=8, seed=1)
            except ValueError:  # it does not support this problem
                continue
            saga.observe(rows[:40], answers[:40])
            ends[f"{name} {problem.kind}"] = saga.positions
    for algorithm in (OfflineSGLD(), SagaLD(), SvrgLD(1e-3, 4, 60), OfflineSagaLD(), CvULD()):
        ends[type(algorithm).__name__] = algorithm.sample(LogisticRegression(3), rows, labels, chains=4, seed=0).positions
    models = [coresets.GaussianLocation(rows), coresets.SparseRegression(rows, rows[:, 0] + labels),
              coresets.LinearLogVariance(rows, labels), coresets.CauchyLogistic(rows, labels),
              coresets.SoftplusPoisson(rows, labels)]
    for model in models:
        for optimizer in (coresets.HotDoG(), coresets.DoWG(), coresets.DAdaptation(), coresets.Prodigy(), coresets.Adam()):
            run = coresets.CoresetMCMC(model, 20, optimizer, seed=3).run(60)
            ends[f"{type(model).__name__} {type(optimizer).__name__}"] = run.weights
    return {name: hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest() for name, values in ends.items()}


@pytest.mark.slow
def test_a_run_that_compiles_kernels_equals_later_runs(tmp_path):
    """The process that compiled a kernel may call another copy of its callees that are not inlined."""
    script = "import json; from tests.sampler.test_same_seed import digests; print(json.dumps(digests()))"
    first, later = (json.loads(subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}, check=True,
        capture_output=True, text=True).stdout) for _ in range(2))
    assert {name for name in first if first[name] != later[name]} == set()
    assert len(first) >= 40
