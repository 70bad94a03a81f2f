"""Measurements of a sweep's cell cover every coordinate; for a step that is too long its verdict suggests a shorter one."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from sampler import Settings
from sampler.tuning import CellResult, best_cell, sweep_cell, verdict_of
from sampler.tuning.sweep_reference import ReferenceEpoch, SweepReference, judged_epochs

ROWS = 64


class Draws:
    """Stub of an online sampler: normal draws scaled by ``width`` and shifted by ``shift`` per coordinate, with correlation
    ``memory`` between successive draws of a chain.
    """

    dim, gradient_evaluations, divergence = 21, 0, None

    def __init__(self, rng, chains, width=1.0, shift=0.0, memory=0.0, dim=21):
        self._rng, self._width, self._shift, self._memory = rng, width, shift, memory
        self.dim, self.t, self._z = dim, 0, rng.normal(size=(chains, dim))

    def observe(self):
        self.t += 1
        fresh = self._rng.normal(size=self._z.shape)
        self._z = self._memory * self._z + np.sqrt(1.0 - np.square(self._memory)) * fresh
        return SimpleNamespace(resets=0)

    @property
    def positions(self):
        return self._width * self._z + self._shift

    @property
    def farthest(self):
        return np.zeros(len(self._z))

    def reserve(self, rows):
        """Do nothing."""

    watch = reserve


class Counted(Draws):
    """One reset and 10 gradients per epoch over all chains; the farthest distance is beyond the ball in late epochs."""

    gradient_evaluations = property(lambda self: 10 * self.t)
    farthest = property(lambda self: np.full(len(self._z), 1.0 / 50.5))

    def observe(self):
        super().observe()
        return SimpleNamespace(resets=1)


def one(value, rest=1.0):
    """Return 21 values, ``value`` at index 3 and ``rest`` elsewhere."""
    values = np.full(21, rest)
    values[3] = value
    return values


@pytest.fixture
def cell(monkeypatch):
    def measured(chains, seed=0, dim=21, sampler=Draws, radius=None, **odd):
        law = np.zeros(dim), np.zeros(dim), np.ones(dim)
        references = SweepReference({t: ReferenceEpoch(*law, None) for t in judged_epochs(ROWS)}, "exact", None)
        monkeypatch.setattr(sweep_cell, "online_algorithm", lambda name: lambda *args, **named: sampler(
            np.random.default_rng([seed, chains, dim]), chains, dim=dim, **odd))
        job = sweep_cell.SweepJob(SimpleNamespace(kind="oracle"), None, None, chains, 0, (ROWS,), references, radius)
        return sweep_cell.run_cell(job, Settings(), 0)
    return measured


def kind(result, chains, dim=21):
    return verdict_of(result, Settings(), chains, dim=dim).kind


def test_a_narrow_coordinate_does_not_mask_a_wide_one(cell):
    """Judged by the coordinate furthest from 1 only, 100 of 100 of these were safe; without the narrow one 0 of 100."""
    odd = one(1.25)
    odd[4] = 0.7
    for seed in range(3):
        result = cell(64, seed, width=odd)
        assert result.narrowest < 0.77 and result.widest > 1.17  # 4.5 and 3 standard errors, of 0.016 and 0.028
        assert result.width == result.narrowest
        assert kind(result, 64) == "hot"
        assert best_cell([result, cell(64, seed)], 0, 64, 21).widest < 1.17


@pytest.mark.parametrize("odd, verdict", [({"width": 1.2}, "hot"), ({"width": one(1.3)}, "hot"),
                                          ({"width": one(0.7)}, "narrow"), ({"width": one(0.5)}, "narrow"),
                                          ({"shift": one(0.45, rest=0.0)}, "lagging")])
@pytest.mark.parametrize("memory", [0.0, 0.4])
def test_a_fault_in_one_coordinate_of_21_is_detected(cell, odd, verdict, memory):
    # 64 chains at 16 judged epochs, two apart: a memory of 0.4 is 0.16 between judged epochs. Limits are 0.17 and 0.36,
    # standard errors 0.03 and 0.04: a margin of 2.4 standard errors or more, the centre's the smallest.
    cells = [cell(64, seed, memory=memory, **odd) for seed in range(4)]
    assert [kind(one_, 64) for one_ in cells].count(verdict) >= 3
    assert best_cell([*cells, cell(64, 9)], 0, 64, 21).beside_target["lag"] < 0.3


@pytest.mark.parametrize("chains, dim, memory", [(1, 1, 0.0), (1, 21, 0.0), (2, 2, 0.0), (4, 21, 0.0), (16, 100, 0.0),
                                                 (64, 21, 0.0), (1, 1, 0.55), (4, 21, 0.55)])
def test_exact_draws_are_safe(cell, chains, dim, memory):
    # Without noise allowance 44 % (d = 2, K = 1), 94 % (21, 4) and 26 % (21, 16) were not safe. The error rate in 1,500 is
    # at most 0.7 %, or 1.7 % for a memory of 0.3 between judged epochs: more than 3 of 15 once in 9,000.
    cells = [cell(chains, seed, dim, memory=memory) for seed in range(15)]
    assert sum(kind(one_, chains, dim) != "safe" for one_ in cells) <= 3
    assert all(np.isfinite(one_.memory) for one_ in cells)


@pytest.mark.parametrize("odd", [{"width": 1.08}, {"width": 0.92}, {"shift": 0.2}])
def test_a_deviation_below_its_limit_is_safe_however_significant(cell, odd):
    # 16,384 draws: 0.08 is 14 standard errors of a width, 0.2 is 26 of a centre. All 21 coordinates deviate, each by at
    # least 0.02 less than its limit, plus a noise allowance of 0.02.
    assert kind(cell(1024, **odd), 1024) in ("safe", "cold")


def test_noise_of_the_centre_is_no_lag(cell):
    # The mean of 16 squares exceeds 1 + 2 sqrt(2/16) with probability 1/26, in more than 4 of 20 cells once in 1,300; it
    # exceeds 1 in every second cell.
    assert len(judged_epochs(ROWS)) == 16 and sum(cell(16, seed, 1).lag > 0.0 for seed in range(20)) <= 4


def test_negative_correlation_does_not_mask_a_positive_one(cell):
    """A correlation of -0.6 masked one of +0.55; with 960 pairs, 0.55 is 4 standard errors beyond the limit of 0.5."""
    memory = one(-0.8, rest=0.0)
    memory[4] = 0.7
    result = cell(64, memory=memory)
    assert 0.6 < result.memory < 0.8 and kind(result, 64) == "cold"


def test_a_cell_that_cannot_be_measured_has_verdict_waiting(cell):
    """A constant chain has no correlation; the verdict was once computed from the NaN by a root finder."""
    result = cell(4, width=0.0)
    assert np.isnan(result.memory) and kind(result, 4) == "waiting"


def test_counts_are_of_the_second_half_and_per_chain(cell):
    result, judged = cell(4, sampler=Counted, radius=1.0), np.array(judged_epochs(ROWS))
    assert len(judged) < ROWS / 2 and (result.reset_rate, result.cost) == (1 / 4, 10 / 4)
    assert 0.0 < result.exit_rate == np.mean(judged + Settings().offset > 50.5) < 1.0  # squared distance times t + c
    # The mean of 4 chains is subtracted: 3 degrees of freedom.
    assert result.counts(4) == {"draws": 64, "spacing": 2, "pairs": 48} and result.counts(1)["pairs"] == 16


STORED = {"eta0": 0.1, "i_max": 10, "batch_size": 9, "acceptance_radius": 20.0, "rung": 0, "rows": 64, "accuracy": 0.94,
          "ceiling": 0.945, "ceiling_sd": 0.005, "width": 1.3, "lag": 0.1, "memory": 0.2, "reset_rate": 0.0,
          "exit_rate": None, "cost": 90.0, "seconds": 1.0, "diverged": None, "algorithm": "saga-ld"}


def test_cells_of_version_0_6_open():
    """They store only the width furthest from 1."""
    old = CellResult.from_json(STORED)
    assert (old.narrowest, old.widest) == (1.3, 1.3) and kind(old, 64) == "hot"
    assert kind(CellResult.from_json(STORED | {"width": 0.6}), 64) == "narrow"
    again = CellResult.from_json(json.loads(json.dumps(old.to_json())))
    assert again.to_dict() == old.to_dict()


def test_resets_are_of_the_second_half_and_the_stable_step_is_of_the_epoch_of_divergence():
    thrown = verdict_of(CellResult.from_json(STORED | {"width": 1.0, "rows": 512, "reset_rate": 0.02}), Settings(), 4)
    assert "20 resets in the last 256 epochs of 4 chains" in thrown.sentence  # 0.02 of 1,024
    assert "to its position at epoch 256." in thrown.sentence  # 512 starts the next checkpoint interval
    lost = CellResult.from_json(STORED | {"eta0": 8.0, "diverged": (3, 98, 7)})
    result = verdict_of(lost, Settings(offset=2.0), 4, largest_curvature=50.0, horizon=198)
    assert result.change == {"eta0": 2.0}  # 2 / 100 times the 25 of 98 rows is 1/2, a quarter of what is unstable
    assert "The step times the largest curvature is 2;" in result.sentence  # 8 / 100 times 25
