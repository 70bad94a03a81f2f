"""Live on a user's data and gradient: defaults, run, end, links without the data."""

import numpy as np
import pytest

from app.live.run_handover import hand_over
from app.pages.live import LivePage
from app.state.live import LiveState, default_config
from app.state.live_menu import choice_of
from app.state.user_data import OWN, UserData
from app.visit import Visit
from sampler import GradientOracle, LogisticRegression, PoissonRegression, synthetic_logistic
from tests.app.live.playing import replayed

TARGETS = np.random.default_rng(0).standard_normal((150, 2))


def logistic(rows=150, dim=3):
    features, labels, _ = synthetic_logistic(rows, dim - 1, sparsity=1, seed=5)
    return UserData("stream.csv", LogisticRegression(dim), features, labels)


def oracle(rows):
    return UserData("mine", GradientOracle(lambda i, theta: 2 * (theta - TARGETS[i]), 2), length=rows)


def test_defaults_come_from_the_rows_and_stay_in_range():
    config = default_config(OWN, logistic())
    assert (config.problem, config.stream, config.user_data.label) == (OWN, OWN, "stream.csv")
    assert config.settings != default_config().settings and config.escape_radius < config.settings.acceptance_radius
    choice = choice_of(OWN, config.user_data)
    assert (choice.truth, choice.dim, choice.note) == ("draws", 3, "")
    rows = np.random.default_rng(1).standard_normal((20, 2)) * 1e-9  # no information
    config = default_config(OWN, UserData("nothing", PoissonRegression(2), rows, np.zeros(20)))
    assert np.isfinite([config.settings.eta0, config.escape_radius]).all()


def test_a_run_on_the_users_rows_ends_with_them(make):
    user_data = logistic(60)
    run = make(default_config(OWN, user_data), 60, chains=16)
    assert run.state.ended and not run.advance(1) and run.history.t == 60
    assert np.array_equal(run.state.saga.posterior.features, user_data.features)


def test_a_gradient_runs_against_laplace_and_is_handed_over(make):
    run = make(default_config(OWN, oracle(150)), 100, chains=16)
    truth, tracker = run.state.truth, run.state.tracker
    assert truth.words.startswith("Laplace") and np.allclose(tracker.mode, TARGETS[:100].mean(axis=0), atol=1e-6)
    # F_t = sum ||y_k - theta||^2 has the Hessian 2 t I
    assert np.allclose(tracker.covariance, np.eye(2) / 200, rtol=1e-4)
    assert run.verdict()[0].kind != "diverged"
    smooth = run.state.assumptions[0]
    assert smooth.ok is None and "unknown" in smooth.text
    state = hand_over(run)
    assert state.kind == "oracle" and state.features is None and state.dim == 2 and np.isfinite(state.variance_trace)


def test_rewinding_a_run_of_a_gradient_is_exact(make_worker):
    worker = make_worker(default_config(OWN, oracle(60)).replace(chains=8), epochs=40)
    expected = worker._run.state.saga.positions
    worker.execute("rewind", 20)
    assert replayed(worker)._error is None
    for _ in range(20):
        worker.execute("epoch")
    assert worker._run.state.t == 40 and np.array_equal(worker._run.state.saga.positions, expected)


def test_the_page_reports_once_that_no_step_size_could_be_advised():
    def hilly(indices, theta):  # a maximum at 0: there is no mode
        return np.tile(-theta - 1.0, (len(indices), 1))

    user_data = UserData("hills", GradientOracle(hilly, 2), length=40)
    page = LivePage(default_config(OWN, user_data))
    assert page.config.user_data is user_data
    page._problem_changed()  # not reported again
    page.visit.user_data = None
    assert sum("No step size could be advised for hills" in words for words in page.notices.words) == 1
    page.close()


def test_a_link_to_the_users_data_requires_the_data():
    user_data = logistic()
    config = default_config(OWN, user_data).replace(chains=32, axes=(0, 2))
    assert LiveState.from_query(LiveState.to_query(config), user_data) == (config, [])
    back, words = LiveState.from_query(LiveState.to_query(config))
    assert back == default_config() and len(words) == 1 and "Tune page" in words[0]


def test_one_visit_never_reads_anothers_data():
    mine = Visit()
    mine.user_data = logistic(40)
    page = LivePage.from_query({"problem": OWN}, False, Visit())
    assert page.config == default_config() and "Tune page" in page.notices.words[0]
    page.close()


def test_a_state_moves_between_own_data_and_the_others():
    user_data, other = logistic(), logistic(120)
    state = LiveState(user_data=user_data)
    assert state.frozen().user_data is None  # the data are available, but not chosen
    state.problem = OWN
    assert state.frozen() == default_config(OWN, user_data).replace(speed=state.speed)
    state.problem = "linear2"
    assert (state.stream, state.frozen().user_data) == ("paper", None)
    state.problem = OWN
    assert state.stream == OWN
    state.user_data = other
    assert state.frozen() == default_config(OWN, other).replace(speed=state.speed)


def test_the_users_data_cannot_be_chosen_before_they_are_set():
    state = LiveState()
    with pytest.raises(ValueError, match="set `user_data` first"):
        state.problem = OWN
    assert state.frozen() == default_config()
    with pytest.raises(ValueError, match="problem must be one of"):
        choice_of(OWN)
