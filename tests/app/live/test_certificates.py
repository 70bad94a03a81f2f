"""Live's certificates: their inputs, the epochs that have one, and their display."""

import numpy as np
import pytest

from app.live.certificates import certified
from app.live.history import is_charted
from app.live.snapshot_builder import SnapshotBuilder
from app.state.live import default_config
from sampler.metrics import gradient_variance
from sampler.theory import epoch_certificate
from tests.app.live.playing import picture, play

MEAN = default_config("gaussian2").replace(chains=8)


def test_certified_values_match_explicit_formulas_and_are_listed_with_measured_ones(make):
    """f_k = |y_k - x|^2: pi_t = N(mean, I/(2t)), L = 2t, and gradients are explicit."""
    run = make(MEAN, 40)
    saga, epoch, t = run.state.saga, run.certificates.until(40), 40
    assert epoch.t == t and is_charted(t)
    starts = np.where(saga.was_reset[:, None], saga.checkpoints, saga.warm_starts)
    rows = saga.posterior.rows
    square = ((starts - rows.mean(axis=0)) ** 2).sum(axis=1).mean() + 2 / (2 * t)
    noises = [gradient_variance(2 * (x - rows), saga.cached_gradients(k), saga.settings.batch_size).saga
              for k, x in enumerate(saga.positions)]
    settings = saga.settings
    wanted = epoch_certificate(2, settings.step_size(t), settings.i_max, square**0.5, np.mean(noises), 2.0 * t, 0.0)
    assert epoch.chains == 8
    assert epoch.variance == pytest.approx(np.mean(noises)) and epoch.wasserstein == pytest.approx(square**0.5)
    assert epoch.measured.value == pytest.approx(wanted.value) and wanted.value < 1.0
    assert epoch.measured.measured == ("wasserstein", "variance")
    assert epoch.measured.certified == ("smoothness", "exit_probability")
    promise, most = picture(run).promise, epoch.measured.value
    values = {name: value for name, value, _ in promise.rows}
    assert list(values) == ["promised, noise as measured", "promised, noise of the ball", "measured distance"]
    assert most <= float(values["promised, noise as measured"].removeprefix("TV ≤ ")) <= most + 0.01
    assert values["measured distance"] == f"TV {run.history.column('tv', 40)[40]:.3f}"
    assert promise.note == "Measured: W₂, σ². Certified: η, L." and "own metric" not in promise.rows[0][2]
    assert picture(make(MEAN)).promise is None


def test_the_noise_of_the_ball_is_that_of_lemma_6_2_and_its_exits_are_counted(make):
    run = make(MEAN, 40)
    state, meter = run.state, run.state.constants.meter
    settings, t = state.saga.settings, 40
    run.configure(state.config.replace(escape_radius=0.6))
    epoch = certified(state)
    left = (state.saga.farthest > 0.36 / (t + settings.offset)).mean()
    assert 0.0 < left == epoch.in_ball.exit
    sigma2 = 9 * t * 2.0**2 * (0.6 + meter.largest_drift) ** 2 / settings.batch_size
    eta = settings.step_size(t)
    assert epoch.in_ball.noise == pytest.approx(eta * sigma2 * (1 + eta * 2 * t) / 2)
    assert epoch.in_ball.value >= epoch.measured.value


def test_a_preconditioned_chain_is_certified_in_its_own_metric(make):
    """Linear regression: H is the Hessian, so L = 1, and W2 of independent draws of pi_t would be sqrt(2 d)."""
    run = make(default_config("linear2", algorithm="preconditioned"), 60, chains=8)
    epoch = run.certificates.until(60)
    assert epoch.t >= 50 and epoch.measured.step == pytest.approx(run.state.saga.settings.eta0 * 2.0)
    assert 0.4 * 4 < epoch.wasserstein**2 < 2 * 4
    assert epoch.measured.value < 1.0 and epoch.in_ball.conditions
    assert "in each chain’s own metric" in run.promise().rows[0][2]


def test_certificates_are_computed_at_charted_epochs_and_never_for_a_frame(make, monkeypatch):
    made = []
    monkeypatch.setattr("app.live.certificates.certified",
                        lambda state: made.append(state.t) or certified(state))
    run, frames = make(MEAN), SnapshotBuilder(1)
    for _ in range(40):
        play(run, 1)
        picture(run, frames)
    assert made == [t for t in range(2, 41) if is_charted(t)]


def test_an_epoch_with_a_changed_setting_has_no_certificate_and_a_rewind_restores_earlier_ones(make):
    run = make(MEAN, 20)
    last = run.certificates.until(20)
    run.advance(1)
    run.configure(run.state.config.replace(eta0=0.03))
    play(run, 0)
    assert run.state.t == 21 and run.certificates.until(21) is last
    play(run, 1)
    assert run.certificates.until(22).t == 22  # not charted, but the step size is constant again
    run.certificates.truncate(21)
    assert run.certificates.until(60) is last and run.certificates.until(1) is None


@pytest.mark.parametrize(("problem", "settings", "words"), [
    ("gaussian2", {"random_length": False}, "random step"),
    ("gaussian2", {"eta0": 0.7}, "above 1/L"),
    ("poisson2", {}, "smoothness is not known"),
])
def test_nothing_is_promised_if_the_lemma_does_not_apply(make, problem, settings, words):
    certificate = make(default_config(problem), 12, chains=8, **settings).certificates.until(12).measured
    assert certificate.value == 1.0 and any(words in condition for condition in certificate.conditions)


def test_the_displayed_d_is_the_largest_so_far(make):
    """D of an epoch falls again as the mode settles; the assumption requires one D for all epochs."""
    run, largest, shown = make(MEAN, chains=1, i_max=1), 0.0, []
    for _ in range(64):
        play(run, 1)
        largest = max(largest, run.state.constants.meter.drift)
        if run.state.t >= 2:
            shown.append(float(run.state.assumptions[2].text.removeprefix("D = ")))
            assert shown[-1] == pytest.approx(largest, abs=0.051)
    assert shown == sorted(shown) and run.state.constants.meter.drift < 0.8 * largest
