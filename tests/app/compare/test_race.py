"""The Compare page's model: knobs, links, jobs, texts, CSV."""

import csv
import io
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from app.compare import race_words, table_rows
from app.compare.race_job import (
    SIZES,
    RaceResult,
    TablesResult,
    run_race,
    run_tables,
    setup_of,
    shipped_results,
    steps_of,
    time_left_of,
)
from app.compare.race_problems import data_warnings, live_query, parted, refusals, rows_of
from app.jobs.background_job import BackgroundJob
from app.live.run_state import Data
from app.number_words import growth_of, lasted, near_round, rounded
from app.state.compare import MEMORY, PROBLEMS, SAMPLERS, USUAL, CompareConfig, CompareState
from app.state.live import LiveConfig, LiveState
from sampler.racing import CONTESTANTS, RaceCurve
from tests.app.jobs.waiting import finish, wait
from tests.waiting import wait_for

QUICK = CompareConfig(problem="logistic2", t=200, eta0=1.0, batch_size=9, evaluations=5_000, chains=100,
                      samplers=("saga", "precond", "sgld", "sgld_same", "mala", "pg", "laplace"))


@pytest.fixture(scope="module")
def result():
    """Return the result of a quick race with its costs."""
    update = finish(run_race, QUICK, None)
    assert not update.error and update.done
    return update.value


def test_the_progress_names_the_current_task(result, monkeypatch):
    def begins(setup, keys, evaluations, seconds, publish, stop, goes):
        for key in keys:
            goes(key)
        publish({}, 0.4)
        return {}

    reports = []
    handle = SimpleNamespace(publish=lambda value, part, words, **more: reports.append(words), stopped=False, kept={})
    monkeypatch.setattr("app.compare.race_job.race", begins)
    monkeypatch.setattr("app.compare.race_job.refusals", lambda config: {})  # as if blackjax were installed
    run_race(QUICK.replace(samplers=("saga", "nuts_warm")), replace(result, curves={}), handle)
    assert "then the reference" in reports[0]
    assert "SAGA-LD starts; on a new machine its kernels are compiled" in reports[2]
    assert "NUTS" in reports[3] and "imports JAX" in reports[3]
    assert reports[4] == "Racing side by side: 40% of the budgets spent, 0 of 2 samplers done"


def test_a_slider_stays_within_memory():
    state = CompareState.of(QUICK.replace(chains=4_000))
    state.put("t", 10_000.0)
    assert state.t * state.chains <= MEMORY


def test_a_problem_sets_its_step_size():
    assert CompareConfig().on_problem("logistic2").eta0 == PROBLEMS["logistic2"].settings.eta0
    assert CompareConfig().paper_step and not QUICK.paper_step
    state = CompareState()
    state.choose_problem("linear2")
    assert state.frozen() == CompareConfig().on_problem("linear2") == state.base


def test_a_sampler_that_cannot_run_has_a_reason():
    assert set(refusals(CompareConfig())) <= {"nuts_warm", "nuts_scratch"}  # if blackjax is not installed
    blocked = refusals(CompareConfig(problem="linear2"))
    assert blocked["pg"] == "Pólya-Gamma needs logistic labels." and "saga" not in blocked
    assert "precond" not in refusals(CompareConfig(problem="poisson2"))
    assert set(SAMPLERS) | {"sgld_quiet"} == set(CONTESTANTS) and set(USUAL) <= set(SAMPLERS)
    text = race_words.refusal(QUICK.replace(samplers=("pg",)), blocked)
    assert "None of the selected samplers" in text and "logistic labels" in text


def test_the_first_rows_equal_those_of_live():
    live = Data(LiveConfig(problem="logistic2", seed=4))
    features, labels = rows_of(QUICK.replace(seed=4), 20)
    np.testing.assert_array_equal(live.row(20)[0], features[19])
    assert live.row(20)[1] == labels[19]


def test_the_race_and_its_costs(result):
    assert result.raced and tuple(result.curves) == QUICK.samplers and set(result.costs) == set(QUICK.samplers)
    assert result.level < result.facts.ceiling.mean < 0.9  # 100 chains cannot score 0.90
    assert abs(result.costs["saga"].slope) < 0.05 and abs(result.costs["mala"].slope - 1) < 0.1
    assert result.costs["saga"].t[-1] == 100_000
    assert steps_of(result)["pg"] <= 5


def test_a_cancelled_race_keeps_its_results():
    background = BackgroundJob()

    def begun():
        update = background.take()
        curve = update and update.value and update.value.curves.get("saga")
        return curve and curve.accuracy.size > 2

    background.start(partial(run_race, QUICK.replace(evaluations=10_000_000), None))
    wait_for(begun)
    background.cancel()
    update = wait(background)
    background.close()
    assert update.cancelled and update.fraction < 1 and not update.value.raced
    assert update.value.curves["saga"].accuracy.size > 2


def test_setups_of_other_problems_have_no_trouble():
    for problem in ("poisson2", "gaussian2", "linear2"):
        config = CompareConfig().on_problem(problem).replace(t=100, chains=50)
        setup = setup_of(config)
        assert not setup.trouble and 0 < setup.ceiling.mean < 1, problem


def test_separable_labels_and_a_step_too_long_give_warnings():
    setup = setup_of(QUICK.replace(stream="separable"))
    assert any("likelihood has no mode" in words for words in data_warnings(setup))
    assert data_warnings(setup_of(QUICK)) == ()
    features, labels = rows_of(QUICK.replace(stream="separable", seed=1), 100)
    assert parted(features, labels) and not parted(*rows_of(QUICK.replace(seed=1), 100))
    setup = setup_of(CompareConfig().on_problem("linear2").replace(t=100, chains=50, eta0=30.0))
    assert any("Lower η₀" in words for words in data_warnings(setup))


def test_texts_quote_the_results(result):
    text = race_words.body(result, QUICK)
    assert rounded(result.reached()["saga"]) in text and "Precondition" in text
    assert race_words.headline(result, QUICK).startswith("At T = 200")
    assert f"Evaluations to reach {result.level:.2f}" in race_words.spoken(result)


def test_headlines_follow_the_curves(result):
    def raced(config=QUICK, **curves):
        made = {key: RaceCurve(key, costs, costs, costs, accuracy, 0.1, 1.0, finished=True)
                for key, (costs, accuracy) in curves.items()}
        return RaceResult(config, result.facts, made, raced=True)

    level = result.level
    near, far = np.array([100.0, 1_000.0]), np.array([1_000.0, 10_000.0])
    reached, short = level + np.array([-0.2, 0.01]), level - np.array([0.3, 0.1])
    step = raced(saga=(near, reached), sgld_same=(near, reached), sgld=(far, reached))
    assert "the step makes the gap, not the sampler" in race_words.headline(step, QUICK)
    noise = raced(saga=(near, reached), sgld_same=(near, short))
    assert "gradient noise" in race_words.headline(noise, QUICK)
    unreached = raced(saga=(near, short))
    assert "No chain reached" in race_words.headline(unreached, QUICK)
    both = QUICK.replace(samplers=("saga", "nuts_warm"))
    for costs, words in ((near, "takes as many; NUTS’s grow as t"), (far, "10 times fewer than SAGA-LD’s"),
                         (near / 10, "times what SAGA-LD takes, and that grows as t")):
        race = raced(both, saga=(costs, reached), nuts_warm=(near, reached))
        assert words in race_words.body(race, both) and "It wins if" in race_words.body(race, both)
    assert "NUTS" not in race_words.body(unreached, QUICK)


def test_the_table_has_a_cell_for_each_column(result):
    for row in table_rows.race_rows(result, QUICK):
        assert len(row[5]) == len(table_rows.race_columns(result))
        assert all(isinstance(text, str) for text, _ in row[5])
    assert len(table_rows.race_rows(result, QUICK.replace(samplers=("saga",)))) == 1
    for view in ("race", "paper", "tables"):
        assert table_rows.content_of(QUICK.replace(view=view), result, None, None)[1]["heading"]
    assert table_rows.content_of(QUICK, None, None, None)[0]["rows"] == []
    assert "press Compare" in table_rows.content_of(QUICK, None, None, None)[1]["body"]
    begun = table_rows.content_of(QUICK, None, None, None, running=True)[1]
    assert begun["heading"] == "The race is about to begin." and "press Compare" not in begun["body"]


def test_numbers():
    assert rounded(34_871) == "35,000" and rounded(None) == "–" and rounded(7.349) == "7.3"
    assert near_round(19_000) == 20_000 and near_round(300_000 / 15) == 20_000 and near_round(300_000 / 1.5) == 200_000
    assert lasted(0.0023) == "2.3 ms" and lasted(float("nan")) == "–"
    assert [growth_of(s) for s in (0.02, 0.97, 0.5, None)] == ["flat", "grows as t", "grows as t^0.50", "–"]


def test_csv_and_live(result):
    rows = list(csv.DictReader(io.StringIO(table_rows.race_csv(result, QUICK))))
    assert len(rows) == sum(c.accuracy.size for c in result.curves.values())
    assert {r["sampler"] for r in rows} >= {"SAGA-LD", "MALA"}
    costs = list(csv.DictReader(io.StringIO(table_rows.race_csv(result, QUICK.replace(axis="t")))))
    assert {int(r["t"]) for r in costs} >= {100, 100_000}
    _, figure, tables = shipped_results()
    table = list(csv.DictReader(io.StringIO(table_rows.figure_one_csv(figure))))
    assert len(table) == 7 * 8 and table[0]["sampler"] and 0 < float(table[0]["accuracy"]) < 1
    assert table_rows.tables_csv(tables[0]).count("\n") > 20
    live, notes = LiveState.from_query(live_query(QUICK))
    assert notes == [] and (live.problem, live.seed, live.eta0) == ("logistic2", 4, 1.0)


def test_time_left_assumes_that_pieces_take_as_long_as_the_finished_ones():
    now = iter([0.0, 3.0, 10.0, 14.0, 24.0, 40.0])
    seconds_left = time_left_of(3, lambda: next(now))
    assert [seconds_left(ended) for ended in (0, 1, 1, 2, 2)] == [None, 20.0, 16.0, 12.0, 0.0]


@pytest.mark.slow
def test_the_tables_run_to_the_end():
    config = CompareConfig().on_problem("logistic2")
    for table in ("online", "fixed"):
        result = finish(run_tables, config.replace(table=table)).value
        assert len(result.growth) >= 5 and len(table_rows.tables_rows(result)) == len(result.tried)
        assert table_rows.tables_csv(result).count("\n") > 20
    assert result.sizes == SIZES and isinstance(result, TablesResult)
