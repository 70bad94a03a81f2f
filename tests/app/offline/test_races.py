"""The races of the page: exact numbers, bands, rejected settings, and texts."""

import csv
import io
import math
from dataclasses import replace

import numpy as np
import pytest

from app.offline import race_words
from app.offline.likelihood_race_job import OwnFile, run_likelihood, split_of
from app.offline.race_samplers import Trace, best_at, best_words, label, small_anchor
from app.offline.race_words import corollaries, theorem_lines
from app.offline.shipped_results import shipped_results
from app.offline.wasserstein_race_job import TABLE_PASSES, best_steps, chains_of, run_gaussian
from app.plots import convergence
from app.state.offline import OfflineState
from app.state.offline_races import DEFAULT_RACES, GAUSSIAN, LIKELIHOOD, SAMPLERS
from sampler.theory import check_prescription, gaussian_experiment
from tests.app.jobs.waiting import finish
from tests.sampler.theory.best_distances import DISTANCES


def gaussian(**changes):
    config = DEFAULT_RACES[GAUSSIAN].replace(n=200, anchor_batch=40, chains=100, passes=3.0).replace(**changes)
    return finish(run_gaussian, config)


def likelihood(own=None, **changes):
    config = DEFAULT_RACES[LIKELIHOOD].replace(n=300, dim=4, anchor_batch=60, passes=4.0, chains=4).replace(**changes)
    return finish(run_likelihood, config, own)


@pytest.fixture(scope="module")
def table():
    return best_steps()


def test_the_table_reproduces_the_measured_distances(table):
    assert len(table) == 7 * 2 * 4
    for n, samplers in DISTANCES.items():
        for key, values in samplers.items():
            for passes, distance in zip(TABLE_PASSES, values, strict=True):
                assert table[key, n, passes][0] == pytest.approx(distance, abs=0.1 * distance + 5e-5), (n, key, passes)
    rows = race_words.table_rows(table)
    assert rows[0][1] == "SGLD" and rows[0][5][0][0] == "0.0208" and len(rows[0][5]) == len(race_words.table_columns())


def test_shipped_results_are_those_of_the_defaults(table):
    assert shipped_results()["table"].keys() == table.keys()
    for cell, values in shipped_results()["table"].items():
        assert values == pytest.approx(table[cell], rel=1e-4)
    exact = finish(run_gaussian, DEFAULT_RACES[GAUSSIAN].replace(chains=0)).value
    shipped = shipped_results()[GAUSSIAN]
    assert shipped.config == DEFAULT_RACES[GAUSSIAN]
    for key, curve in exact.curves.items():
        np.testing.assert_allclose(shipped.curves[key].exact, curve.exact, rtol=1e-4)
        assert len(shipped.curves[key].points) == len(shipped.curves[key].low) == 9 and shipped.curves[key].chains == 1000
    assert race_words.rows(shipped)[0][5][0][0] == race_words.rows(exact)[0][5][0][0]
    first = finish(run_likelihood, DEFAULT_RACES[LIKELIHOOD].replace(samplers=("sgld",)), None).value
    race = shipped_results()[LIKELIHOOD]
    np.testing.assert_allclose(race.curves["sgld"].mean, first.curves["sgld"].mean, rtol=1e-4)
    for name in ("train", "test", "dim", "mode", "chance"):
        assert getattr(race, name) == pytest.approx(getattr(first, name), rel=1e-4)
    assert race_words.headline(race) and race_words.race_csv(race).count("\n") == 1 + 4 * len(race.curves["sgld"].passes)


def test_all_seven_have_lines_and_points_in_their_bands():
    update = gaussian(samplers=SAMPLERS)
    race = update.value
    assert update.error == "" and tuple(race.curves) == SAMPLERS
    inside = [low <= y <= high for c in race.curves.values()
              for y, low, high in zip(c.points, c.low, c.high, strict=True) if high > low * 1.0001]
    # Each is inside with probability 0.95, points of one curve dependently: 4 standard deviations at a third of the count.
    count = len(inside)
    assert count > 30 and np.mean(inside) > 0.95 - 4 * math.sqrt(0.95 * 0.05 / (count / 3))
    saga = race.curves["saga"]
    waiting = saga.passes < 1
    assert np.allclose(saga.exact[waiting], race.start) and saga.exact[-1] < 0.1
    rows = list(csv.DictReader(io.StringIO(race_words.race_csv(race))))
    assert {row["kind"] for row in rows} == {"exact", "chains"} and {row["sampler"] for row in rows} >= {"SAGA-LD"}
    assert "points are in the 95 % band" in race_words.body(race)
    assert len(race_words.rows(race)[0][5]) == len(race_words.columns(race))


def test_one_step_for_all_and_lines_only():
    race = gaussian(step="common", step_size=0.01, chains=0).value
    assert {c.step_size for c in race.curves.values()} == {0.01} and all(not c.points.size for c in race.curves.values())
    too_long = gaussian(step="common", step_size=1e6, chains=50, samplers=("sgld", "svrg")).value
    assert [note.partition(":")[0] for note in too_long.notes if "diverged" in note] == ["SGLD", "SVRG-LD"]


@pytest.mark.parametrize(("changes", "words"), [
    ({"anchor_batch": 201}, "B = 201 must be at most n = 200, the number of data; lower B"),
    ({"samplers": ()}, "Choose at least one sampler.")])
def test_a_race_rejects_invalid_settings(changes, words):
    assert words in gaussian(**changes).error
    assert words[:9] in likelihood(**changes | {"n": 200}).error


def test_memory_and_time_limit_the_chains_with_a_note():
    config = DEFAULT_RACES[GAUSSIAN].replace(n=50_000, chains=5000)
    count, note = chains_of(config, "saga")
    assert count == 50 and "table" in note
    assert chains_of(config.replace(chains=20), "saga") == (20, None)
    assert "more would take too long" in chains_of(config, "sgld")[1]


def test_likelihood_on_a_stream():
    race = likelihood(samplers=("sgld", "svrg", "plus", "uld")).value
    assert list(race.curves) == ["sgld", "svrg", "plus", "uld"] and race.train == 300 and race.dim == 5
    for curve in race.curves.values():
        assert curve.mean[0] == pytest.approx(math.log(2)) and curve.passes[-1] == 4.0
        assert race.mode - 0.02 < curve.mean[-1] < math.log(2)
    assert race_words.spoken(race).startswith(race_words.headline(race)) and "Passes to NLL ≤" in race_words.spoken(race)
    assert "<" not in race_words.spoken(race) and all(c.name in race_words.spoken(race) for c in race.curves.values())
    assert "training" not in race_words.body(race) and "300 training rows" in race_words.data(race)
    assert race_words.level_of(race) > min(c.mean[-1] for c in race.curves.values())


def test_the_best_curve_and_the_first_at_a_level():
    x = np.linspace(0, 10, 101)
    early, late = Trace("a", "A", x, 3 / (1 + x)), Trace("b", "B", x, np.where(x < 4, 3.0, 0.1))
    assert best_words([early, late], 10.0, 3.0) == "Best after 2 passes: A; after 5 and 10 passes: B."
    assert best_words([late], 1.0, 3.0) == "Best after 0.5 and 1 pass: no clear winner."  # it has not moved
    close = [trace._replace(error=0.2 + 0 * x) for trace in (early, early._replace(key="c", label="C", y=early.y + 0.5))]
    assert best_at(close, 5.0, 3.0) is None  # 0.5 is less than twice the error of a difference, 0.28
    assert best_at([early, early._replace(y=1.01 * early.y)], 5.0, 3.0) is None and best_at(close[:1], 5.0, 3.0)
    assert early.reached(1.0) == pytest.approx(2.0) and early.reached(0.1) is None
    assert small_anchor(early, late) == 4.0 and small_anchor(late, early) is None


def test_names_of_a_small_anchor():
    race = DEFAULT_RACES[GAUSSIAN]
    assert label("plus", race, 500) == "SVRG-LD+, B = n/5"
    assert label("plus", race.replace(anchor_batch=333), 500) == "SVRG-LD+, B = 333"


def test_the_theorem_is_drawn_if_it_applies_and_noted_otherwise():
    hot = gaussian(chains=0, samplers=("svrg", "sgld"), step="common", step_size=0.0113).value
    assert not theorem_lines(hot)["svrg"].applies and "sgld" not in theorem_lines(hot)
    assert "no bound at η = 0.0113, it requires η ≤" in race_words.body(hot)
    slow = gaussian(chains=0, samplers=("svrg", "plus"), step="common", step_size=1e-4).value
    promises = theorem_lines(slow)
    assert promises["svrg"].applies and promises["plus"].applies
    for key, line in promises.items():
        exact = np.interp(line.passes, slow.curves[key].passes, slow.curves[key].exact)
        assert np.all(exact <= line.promised * (1 + 1e-6))
        assert slow.curves[key].exact[-1] <= line.repaired
    assert "with the proof corrected); exact:" in race_words.body(slow)
    # ZXG Table 1: exact and printed exponents.
    assert "ε −1.13 (−2)" in race_words.body(slow) and "d 0.5 (0.5)" in race_words.body(slow)
    # ZXG Corollaries 3.6 and 3.8: prescribed settings, and passes required by the exact law.
    check = check_prescription(gaussian_experiment(slow.config.n, 10, slow.config.seed), 2.4)
    assert (check.prescription.corollary, check.prescription.anchor_batch) == ("3.8", 200)
    assert f"For W₂ ≤ 2.4, 3.8 prescribes B = 200, m = {check.prescription.anchor_every}, η =" in race_words.body(slow)
    assert f"and {check.reached / 200:.3g} suffice." in race_words.body(slow)
    assert "For W₂ ≤ 1.5, 3.6 prescribes B = 4,558" in corollaries(10_000, slow.config.seed)
    figure = convergence(slow.curves, top=slow.start, promised=promises)
    assert [line.role for line in figure.data if line.name.endswith("theorem")] == ["bound", "bound"]
    assert not [line for line in convergence(hot.curves, promised=theorem_lines(hot)).data if line.name.endswith("theorem")]


@pytest.mark.parametrize(("source", "train", "test", "dim"), [("pima", 600, 168, 9), ("mushrooms", 6000, 2124, 112)])
def test_the_papers_own_data(source, train, test, dim, monkeypatch):
    own, whole = OwnFile(__file__), split_of(DEFAULT_RACES[LIKELIHOOD].replace(source=source), None)  # the file is not read
    assert abs(whole.train_features.shape[1] - dim) <= 6  # constant columns are left out
    # as wide as other tests' data, to share their compiled kernels
    narrow = replace(whole, train_features=whole.train_features[:, -6:], test_features=whole.test_features[:, -6:])
    monkeypatch.setattr("app.offline.likelihood_race_job.paper_split", lambda *args, **options: narrow)
    race = likelihood(own, source=source, passes=1.0, chains=2, samplers=("sgld", "plus"), anchor_batch=train // 5).value
    assert (race.train, race.test) == (train, test) and race.dim == 6
    assert race.source == f"{source}, as in ZXG’s Table 2" and race.curves["plus"].mean[-1] < math.log(2)


def test_the_papers_data_in_state_and_link():
    state = OfflineState()
    nll = state.nll
    nll.take("pima")
    assert nll.rows == 600 and nll.anchor_batch == 120 and nll.anchor_every == 120
    link = OfflineState.to_query(state.frozen())
    assert link["ofdata"] == "pima"
    assert OfflineState.from_query(link) == (state.frozen(), [])
    assert OfflineState.from_query({"ofdata": "mushrooms"})[0].nll.anchor_batch == 1200
    assert OfflineState.from_query({"ofdata": "pima", "ofB": "3000"})[0].nll.anchor_batch == 600
    config, words = OfflineState.from_query({"ofdata": "file"})
    assert config.nll.source == "generated" and "'file' is not one of generated, pima, mushrooms" in words[0]
    nll.take("generated")
    assert nll.rows is None and nll.anchor_batch == 600
    nll.source = "file"
    assert OfflineState.to_query(state.frozen())["ofdata"] == "generated"
