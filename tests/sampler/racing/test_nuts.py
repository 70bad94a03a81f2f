"""NUTS in a race with blackjax, and its message without."""

from types import SimpleNamespace

import numpy as np
import pytest

from sampler import LinearRegression, LogisticRegression, PoissonRegression, Settings, synthetic_stream
from sampler.racing import CONTESTANTS, nuts, prepare_race, race

KEYS = ("nuts_warm", "nuts_scratch")
SETTINGS = Settings(eta0=0.3, batch_size=8)


def setup_of(problem, n):
    made = synthetic_stream(problem.kind, 2, "paper", n, 0)
    return prepare_race(problem, (made.features[:n], made.labels[:n]), SETTINGS, chains=200, seed=1)


def test_without_blackjax_the_message_has_the_install_command(monkeypatch):
    monkeypatch.setattr(nuts, "PACKAGES", ("no_such_package",))
    for key in KEYS:
        assert CONTESTANTS[key].refuses(LogisticRegression(2)) == (
            "needs blackjax, which is not installed here: pip install 'exit-time-lab[nuts]', then start again")
    assert "pip install" not in CONTESTANTS["saga"].refuses(LogisticRegression(2))


class Chains:
    """Stub of NUTS with 3 gradients per draw."""

    step_size, seconds, gradients = 0.5, 0.0, 500

    def __init__(self, draws):
        self.n, self.rng = draws, np.random.default_rng(0)

    def more(self):
        self.gradients += 3 * self.n
        return self.rng.normal(size=(self.n, 2))


def test_gradients_are_counted_per_chain(monkeypatch):
    monkeypatch.setattr(nuts, "ScratchNuts", lambda target, start, block, seed: Chains(block))
    monkeypatch.setattr(nuts, "warm_nuts", lambda target, start, chains, seed: Chains(chains))
    setup = setup_of(LogisticRegression(2), 20)
    warm, scratch = (nuts.NutsRunner(setup, kind) for kind in (True, False))
    for runner in (warm, scratch):
        runner.advance(0.0)
    assert warm.evaluations == (500 + 3 * 200) * 20 / 200 and warm.steps == 1.0 and warm.positions.shape == (200, 2)
    assert scratch.evaluations == (500 + 3 * 10) * 20 / 200 and scratch.positions.shape == (200, 2)
    assert np.array_equal(scratch.positions[:10], scratch.positions[10:20])  # ten draws are repeated
    warm.advance(10 * warm.evaluations)
    assert warm.step_cost == 60.0 and warm.evaluations <= 1100 < warm.evaluations + 60
    scratch.advance(1e9)
    assert not scratch.moving and len(np.unique(scratch.positions[:, 0])) == 200
    before = warm.steps
    warm.advance(1e9, lambda: True)
    assert warm.steps == before


def test_a_warm_start_is_tuned_without_the_newest_datum(monkeypatch):
    monkeypatch.setattr(nuts, "ScratchNuts", lambda target, *more: SimpleNamespace(step_size=target, inverse_mass=None))
    monkeypatch.setattr(nuts, "WarmNuts", lambda *made: made)
    target = LinearRegression(2).posterior(np.ones((3, 2)), np.ones(3))
    made, points, tuned_on, *_ = nuts.warm_nuts(target, np.array([1.0, 2.0]), 4, 0)
    assert made is target and np.array_equal(points, [[1.0, 2.0]] * 4)
    assert np.array_equal(tuned_on.rows, [[1, 1], [1, 1], [0, 0]])


def test_a_failure_is_an_error_with_its_cause(monkeypatch):
    monkeypatch.setattr(nuts, "ScratchNuts", lambda *args: 1 / 0)
    runner = nuts.NutsRunner(setup_of(LogisticRegression(2), 20), False)
    with pytest.raises(ValueError, match="NUTS failed: ZeroDivisionError: division by zero"):
        runner.advance(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("problem", [LogisticRegression(2), LinearRegression(2), PoissonRegression(2, 4.0)])
def test_nuts_reaches_the_ceiling_at_a_counted_cost(problem):
    pytest.importorskip("blackjax")
    setup = setup_of(problem, 60)
    result = race(setup, KEYS, evaluations=50_000)
    for key, curve in result.items():
        assert not curve.trouble and curve.finished and np.all(np.diff(curve.evaluations) > 0)
        assert curve.accuracy[-1] > setup.ceiling.mean - 6 * setup.ceiling.sd, key
        assert curve.evaluations[0] >= setup.t and curve.seconds[-1] > 0 and curve.step_size > 0
    assert result["nuts_warm"].reaches(0.85) < 60 * setup.t
    assert np.isfinite(result["nuts_warm"].rhat) and np.isnan(result["nuts_scratch"].rhat)
