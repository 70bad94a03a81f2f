"""Live's certificates: the numbers they are made of, which epochs have one, and what the page says of it."""

import numpy as np
import pytest

from app.live.certificates import certified
from app.live.history import is_charted
from app.live.run import LiveRun
from app.live.snapshot_builder import SnapshotBuilder
from app.state.live import default_config
from sampler.metrics import gradient_variance
from sampler.theory import epoch_certificate

ALL = 10**9


@pytest.fixture
def make():
    runs = []

    def run(problem="gaussian2", epochs=0, stream="paper", chains=8, algorithm="saga-ld", **settings):
        config = default_config(problem, algorithm=algorithm).replace(chains=chains, stream=stream)
        runs.append(LiveRun(config.replace(settings=config.settings.replace(**settings))))
        play(runs[-1], epochs)
        return runs[-1]

    yield run
    for run in runs:
        run.close()


def play(run, epochs):
    end = run.state.t + epochs
    while run.state.t < end or not run.state.done:
        assert run.advance(ALL)


def test_the_numbers_are_those_of_the_epoch(make):
    """f_k = |y_k - x|^2: pi_t = N(mean, I/(2t)), L = 2t, and every gradient is known."""
    run = make(epochs=40)
    state, epoch = run.state, run.certificates.until(40)
    assert epoch.t == 40 and is_charted(40)
    saga, t = state.saga, 40
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


def test_the_balls_noise_is_lemma_6_2s_and_its_exits_are_the_chains(make):
    run = make(epochs=40)
    state, meter = run.state, run.constants.meter
    settings, t = state.saga.settings, 40
    small = state.config.replace(escape_radius=0.6)
    run.configure(small)
    epoch = certified(state, meter)
    left = (state.saga.farthest > 0.36 / (t + settings.offset)).mean()
    assert 0.0 < left == epoch.in_ball.exit
    sigma2 = 9 * t * 2.0**2 * (0.6 + meter.largest_drift) ** 2 / settings.batch_size
    eta = settings.step_size(t)
    assert epoch.in_ball.noise == pytest.approx(eta * sigma2 * (1 + eta * 2 * t) / 2)
    assert epoch.in_ball.value >= epoch.measured.value


def test_a_preconditioned_chain_is_certified_in_its_own_metric(make):
    """Linear regression: H is the Hessian, so that L = 1, and W2 from independent draws of pi_t would be sqrt(2 d)."""
    run = make("linear2", 60, algorithm="preconditioned")
    epoch, state = run.certificates.until(60), run.state
    saga, t = state.saga, epoch.t
    assert t >= 50 and epoch.measured.step == pytest.approx(saga.settings.eta0 * 2.0)
    assert 0.4 * 4 < epoch.wasserstein**2 < 2 * 4
    assert epoch.measured.value < 1.0 and epoch.in_ball.conditions
    assert "in each chain’s own metric" in run.promise().rows[0][2]


def test_it_is_made_at_charted_epochs_and_never_for_a_frame(make, monkeypatch):
    made = []
    monkeypatch.setattr("app.live.certificates.certified",
                        lambda state, meter: made.append(state.t) or certified(state, meter))
    run, frames = make(), SnapshotBuilder(1, 0)
    for _ in range(60):
        play(run, 1)
        frames.build(run, 1e6 * run.state.t, False, False, (None, None), None)
    assert made == [t for t in range(2, 61) if is_charted(t)]


def test_an_epoch_in_which_a_knob_was_turned_has_none(make):
    run = make(epochs=20)
    last = run.certificates.until(20).t
    run.advance(1)
    run.configure(run.state.config.replace(settings=run.state.config.settings.replace(eta0=0.03)))
    play(run, 0)
    assert run.state.t == 21 and run.certificates.until(21).t == last
    play(run, 1)
    assert run.certificates.until(22).t == 22  # though not charted: the knobs have one step size again


def test_a_rewind_shows_what_was_promised_then(make):
    run = make(epochs=60)
    then = run.certificates.until(30)
    assert then.t <= 30 < run.certificates.until(60).t
    run.certificates.truncate(30)
    assert run.certificates.until(60) is then
    assert run.certificates.until(1) is None


@pytest.mark.parametrize(("problem", "settings", "words"), [
    ("gaussian2", {"random_length": False}, "random step"),
    ("gaussian2", {"eta0": 0.7}, "above 1/L"),
    ("poisson2", {}, "smoothness is not known"),
])
def test_nothing_is_promised_where_the_lemma_does_not_speak(make, problem, settings, words):
    run = make(problem, 12, **settings)
    found = run.certificates.until(12).measured
    assert found.value == 1.0 and any(words in said for said in found.conditions)


def test_the_page_says_what_is_promised_and_what_is_so(make):
    run = make(epochs=40)
    promise = SnapshotBuilder(1, 0).build(run, 1e6, False, False, (None, None), None).promise
    values = {name: value for name, value, _ in promise.rows}
    assert list(values) == ["promised, noise as measured", "promised, noise of the ball", "what is so"]
    most = run.certificates.until(40).measured.value
    assert most <= float(values["promised, noise as measured"].removeprefix("TV ≤ ")) <= most + 0.01
    assert values["what is so"] == f"TV {run.history.column('tv', 40)[40]:.3f}"
    assert promise.note == "Measured: W₂, σ². Certified: η, L." and "own metric" not in promise.rows[0][2]
    first = SnapshotBuilder(1, 0).build(make(), 1e6, False, False, (None, None), None)
    assert first.promise is None


def test_d_on_show_is_the_largest_so_far(make):
    """D of the moment falls again as the mode settles; the assumption asks for one D for all."""
    run, largest, shown = make(chains=1, i_max=1), 0.0, []
    for _ in range(64):
        play(run, 1)
        largest = max(largest, run.constants.meter.drift)
        if run.state.t >= 2:
            shown.append(float(run.constants.lines(run.state)[2].text.removeprefix("D = ")))
            assert shown[-1] == pytest.approx(largest, abs=0.051)
    assert shown == sorted(shown) and run.constants.meter.drift < 0.8 * largest
