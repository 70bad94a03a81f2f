"""Live on a person's own data and on her own gradient: her defaults, her run, its end, links without her data."""

import numpy as np
import pytest

from app.live.run import LiveRun
from app.live.run_handover import hand_over
from app.live.worker import Worker
from app.state.live import LiveState, default_config
from app.state.own_data_defaults import OWN
from app.state.problem_menu import choice_of
from app.user_data import Given
from sampler import GradientOracle, LogisticRegression, PoissonRegression, synthetic_logistic


def _logistic(rows=150, dim=3):
    features, labels, _ = synthetic_logistic(rows, dim - 1, sparsity=1, seed=5)
    return Given("stream.csv", LogisticRegression(dim), features, labels)


def _oracle(rows=150):
    targets = np.random.default_rng(0).standard_normal((rows, 2))
    return Given("mine", GradientOracle(lambda i, theta: 2 * (theta - targets[i]), 2), length=rows), targets


def _run(given, epochs):
    run = LiveRun(default_config(OWN, given).replace(chains=16))
    while run.state.t < epochs or not run.state.done:
        assert run.advance(10_000)
    return run


def test_defaults_come_from_her_rows_and_stay_in_range():
    config = default_config(OWN, _logistic())
    assert (config.problem, config.stream, config.given.label) == (OWN, OWN, "stream.csv")
    assert config.settings != default_config().settings and config.escape_radius < config.settings.acceptance_radius
    assert choice_of(OWN, config.given).truth == "draws" and choice_of(OWN, config.given).dim == 3


def test_a_run_on_her_rows_ends_where_they_end():
    given = _logistic(60)
    run = _run(given, 60)
    assert run.state.ended and not run.advance(1) and run.history.t == 60
    assert np.array_equal(run.state.saga.posterior.features, given.features)
    run.close()


def test_a_gradient_runs_against_laplace_and_can_be_left_to_other_pages():
    given, targets = _oracle()
    run = _run(given, 100)
    truth, tracker = run.state.truth, run.state.tracker
    assert truth.words.startswith("Laplace") and np.allclose(tracker.mode, targets[:100].mean(axis=0), atol=1e-6)
    # F_t = sum ||y_k - theta||^2 has the Hessian 2 t I
    assert np.allclose(tracker.covariance, np.eye(2) / 200, rtol=1e-4)
    assert run.verdict()[0].kind != "diverged"
    smooth = run.constants.lines(run.state)[0]
    assert smooth.ok is None and "not known" in smooth.text
    state = hand_over(run)
    assert state.kind == "oracle" and state.features is None and state.dim == 2 and np.isfinite(state.variance_trace)
    run.close()


def test_rewinding_a_gradients_run_replays_it_exactly():
    given, _ = _oracle(60)
    worker = Worker(default_config(OWN, given).replace(chains=8), False, _silent)
    from app.live import commands as do

    for _ in range(40):
        worker.obey(do.Epoch())
    there = worker._run.state.saga.positions
    worker.obey(do.Rewind(20))
    while worker._replay is not None:
        worker.work()
        assert worker._error is None
    for _ in range(20):
        worker.obey(do.Epoch())
    assert worker._run.state.t == 40 and np.array_equal(worker._run.state.saga.positions, there)
    worker.close()


class _silent:
    def __enter__(self):
        return self

    def __exit__(self, *problem):
        return None


def test_data_without_advice_still_open():
    rows = np.random.default_rng(1).standard_normal((20, 2)) * 1e-9  # nothing to learn from these
    given = Given("nothing", PoissonRegression(2), rows, np.zeros(20))
    config = default_config(OWN, given)
    assert np.isfinite([config.settings.eta0, config.escape_radius]).all()


def test_data_without_advice_are_told_so_on_the_page():
    from app.pages.live import LivePage

    def hilly(indices, theta):  # a maximum at 0: there is no mode
        return np.tile(-theta - 1.0, (len(indices), 1))

    given = Given("hills", GradientOracle(hilly, 2), length=40)
    page = LivePage(default_config(OWN, given))
    assert page.config.given is given
    page._problem_changed()  # once is enough
    page.session.given = None
    said = [words for words in page.notices.words if "No step size could be advised for hills" in words]
    page.close()
    assert len(said) == 1 and choice_of(OWN, _logistic()).note == ""


def test_a_link_to_data_that_are_not_here_says_so():
    query = LiveState.to_query(default_config(OWN, _logistic()))
    config, words = LiveState.from_query(query)
    assert config == default_config() and len(words) == 1 and "Tune page" in words[0]


def test_a_link_with_her_data_at_hand_reads_back():
    given = _logistic()
    config = default_config(OWN, given).replace(chains=32, axes=(0, 2))
    back, words = LiveState.from_query(LiveState.to_query(config), given)
    assert back == config and words == []


def test_a_state_moves_between_her_data_and_the_others():
    given = _logistic()
    state = LiveState(given=given)
    assert state.frozen().given is None  # her data are there, but not chosen
    state.problem = OWN
    assert state.frozen() == default_config(OWN, given).replace(speed=state.speed)
    state.problem = "linear2"
    assert (state.stream, state.frozen().given) == ("paper", None)
    state.problem = OWN
    assert state.stream == OWN


def test_other_data_bring_their_own_defaults():
    state, other = LiveState(problem=OWN, given=_logistic()), _logistic(120)
    state.given = other
    assert state.frozen() == default_config(OWN, other)


def test_her_data_cannot_be_chosen_before_they_are_there():
    state = LiveState()
    with pytest.raises(ValueError, match="set `given` first"):
        state.problem = OWN
    assert state.frozen() == default_config()


def test_without_data_there_is_no_such_problem():
    with pytest.raises(ValueError, match="problem must be one of"):
        choice_of(OWN)
