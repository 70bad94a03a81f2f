"""The Compare page's model: knobs, links, the work in the thread, words, CSV."""

import csv
import io
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from app.background_job import BackgroundJob, wait
from app.compare import words
from app.compare.charts.placing import place_names
from app.compare.charts.race_scene import race_scene
from app.compare.config import AXES, LIMITS, MEMORY, SCALES, CompareConfig
from app.compare.job import SIZES, ground_of, race_work, steps_of, tables_work
from app.compare.knobs import KNOBS, turn
from app.compare.links import live_query
from app.compare.notes import notes_of, parted
from app.compare.numbers import lasted, nice, rounded, slope_words
from app.compare.picture import RacePicture, TablesPicture
from app.compare.problems import CORESET, PROBLEMS, coreset_choice, coreset_eta0, rows_of
from app.compare.query import from_query, to_query
from app.compare.rows import race_columns, race_rows, tables_rows
from app.compare.samplers import LOOKS, USUAL, reasons
from app.compare.saving import race_csv, tables_csv
from app.compare.telling import told
from app.state.live import LiveConfig, LiveState
from sampler import GradientOracle
from sampler.racing import CONTESTANTS, RaceCurve

QUICK = CompareConfig(problem="logistic2", t=200, eta0=1.0, batch_size=9, evaluations=5_000, chains=100,
                      samplers=("saga", "precond", "sgld", "sgld_same", "mala", "pg", "laplace"))


@pytest.fixture(scope="module")
def picture():
    """A quick race, its costs included."""
    background = BackgroundJob()
    background.start(race_work(QUICK))
    update = wait(background, 120)
    assert not update.error and update.done
    return update.value


class TestConfig:
    def test_links_hold_everything(self):
        config = QUICK.replace(stream="drifting", budget="seconds", seconds=3e-4, axis="t", scale="linear", view="tables",
                               table="fixed", steps=3_000, seed=17)
        assert from_query(to_query(config)) == (config, [])

    @pytest.mark.parametrize(("query", "part"), [
        ({"cproblem": "banana"}, "cproblem = 'banana'"), ({"cT": "1e99"}, "T = '1e99'"), ({"ceta": "hot"}, "not a number"),
        ({"csamplers": "saga,nuts"}, "'nuts'"), ({"cx": "money"}, "cx"), ({"csteps": "77"}, "csteps"),
        ({"cproblem": "coreset"}, "No coreset"), ({"cT": "10000", "cchains": "4000"}, "T × chains")])
    def test_nonsense_is_answered_in_words_and_clamped(self, query, part):
        config, said = from_query(query)
        assert any(part in sentence for sentence in said)
        for name, (low, high) in LIMITS.items():
            assert low <= getattr(config, name) <= high
        assert config.t * config.chains <= MEMORY and config.axis in AXES and config.scale in SCALES
        assert set(config.samplers) <= set(LOOKS)

    def test_bytes_and_lists_and_nothing(self):
        assert from_query({"cT": [b"50", b"80"]})[0].t == 80
        assert from_query({}) == (CompareConfig(), [])
        assert from_query({"csamplers": ""})[0].samplers == ()

    @pytest.mark.parametrize("name", list(KNOBS))
    def test_every_knob_refuses_nonsense_and_keeps_its_value(self, name):
        for given in ("x", "", "1e400", str(KNOBS[name].high * 10)):
            with pytest.raises(ValueError, match="Kept"):
                turn(QUICK, name, given)

    def test_memory_is_bounded(self):
        with pytest.raises(ValueError, match="T × chains must be at most"):
            turn(QUICK.replace(chains=4_000), "t", "10000")
        slid = turn(QUICK.replace(chains=4_000), "t", 10_000.0)
        assert slid.t * slid.chains <= MEMORY

    def test_a_problem_brings_its_own_step(self):
        assert CompareConfig().on_problem("logistic2").eta0 == PROBLEMS["logistic2"].eta0
        assert CompareConfig().paper_step and not QUICK.paper_step

    def test_switching_keeps_the_order_of_the_list(self):
        config = CompareConfig(samplers=("pg", "saga")).on("mala", True)
        assert config.samplers == ("saga", "mala", "pg") and config.on("saga", False).samplers == ("mala", "pg")

    def test_what_cannot_run_says_why(self):
        assert reasons(PROBLEMS["logistic21"]) == {}
        found = reasons(PROBLEMS["linear2"])
        assert found["pg"] == "Pólya-Gamma needs logistic labels." and "saga" not in found
        assert "precond" in reasons(PROBLEMS["poisson2"])
        assert set(LOOKS) | {"sgld_quiet"} == set(CONTESTANTS)

    def test_the_first_rows_are_those_live_meets(self):
        from app.live.streams import Data

        live = Data(LiveConfig(problem="logistic2", seed=4))
        features, labels = rows_of(PROBLEMS["logistic2"], "paper", 20, 4)
        np.testing.assert_array_equal(live.row(20)[0], features[19])
        assert live.row(20)[1] == labels[19]


class TestWork:
    def test_the_race_and_its_costs(self, picture):
        assert picture.raced and tuple(picture.curves) == QUICK.samplers and set(picture.costs) == set(QUICK.samplers)
        assert picture.level < picture.ground.ceiling.mean < 0.9  # 100 chains cannot score 0.90
        assert abs(picture.costs["saga"].slope) < 0.05 and abs(picture.costs["mala"].slope - 1) < 0.1
        assert picture.costs["saga"].t[-1] == 100_000
        assert steps_of(picture)["pg"] <= 5

    def test_a_sampler_more_runs_alone(self, picture):
        background = BackgroundJob()
        background.start(race_work(QUICK.on("ula", True), kept=picture))
        more = wait(background).value
        assert more.ground is picture.ground and more.curves["saga"] is picture.curves["saga"]
        assert more.curves["ula"].finished and "ula" in more.costs

    def test_cancelled_it_keeps_what_was_done(self):
        background, seen = BackgroundJob(), threading.Event()

        def work(control):
            def show(value=None, fraction=None, words=""):
                type(control).publish(control, value, fraction, words)
                if value is not None and value.curves.get("saga") is not None and value.curves["saga"].accuracy.size > 2:
                    background.cancel()
                    seen.set()

            control.publish = show
            return race_work(QUICK.replace(evaluations=10_000_000))(control)

        background.start(work)
        update = wait(background)
        assert seen.is_set() and update.cancelled and update.value.curves["saga"].accuracy.size > 2
        assert not update.value.raced

    def test_poisson_and_gaussian_lay_their_ground(self):
        for problem in ("poisson2", "gaussian2", "linear2"):
            config = CompareConfig().on_problem(problem).replace(t=100, chains=50)
            ground = ground_of(config)
            assert not ground.trouble and 0 < ground.ceiling.mean < 1, problem

    def test_separable_labels_say_what_happens_to_the_mode(self):
        ground = ground_of(QUICK.replace(stream="separable"))
        assert any("runs to infinity" in words for words in notes_of(ground))
        assert notes_of(ground_of(QUICK)) == ()
        features, labels = rows_of(PROBLEMS["logistic2"], "separable", 100, 1)
        assert parted(features, labels) and not parted(*rows_of(PROBLEMS["logistic2"], "paper", 100, 1))

    def test_a_step_too_long_is_said(self):
        ground = ground_of(CompareConfig().on_problem("linear2").replace(t=100, chains=50, eta0=30.0))
        assert any("Lower η₀" in words for words in notes_of(ground))

    def test_a_coreset_is_raced_on(self):
        rng = np.random.default_rng(0)
        y, weights = rng.standard_normal((30, 2)), np.full(30, 10.0)
        problem = GradientOracle(lambda i, x: 2 * weights[i, None] * (x - y[i]), 2)
        left = SimpleNamespace(label="Coreset, M = 30", problem=problem, dim=2, terms=30, n=300, mean=y.mean(axis=0),
                               std=np.full(2, 1 / np.sqrt(600)))
        config = CompareConfig().on_problem(CORESET, coreset_eta0(left)).replace(
            chains=50, evaluations=1_000, samplers=("saga", "ula"))
        assert "mala" in reasons(coreset_choice(left)) and "saga" not in reasons(coreset_choice(left))
        background = BackgroundJob()
        background.start(race_work(config, left))
        update = wait(background)
        assert not update.error and update.value.curves["ula"].accuracy.size and not update.value.costs
        assert any("coreset" in words for words in update.value.notes)


class TestWords:
    def test_they_come_from_the_numbers(self, picture):
        said = words.body(picture, QUICK)
        assert rounded(picture.reached()["saga"]) in said and "Precondition" in said
        assert words.headline(picture, QUICK).startswith("At T = 200")
        assert f"Evaluations to reach {picture.level:.2f}" in words.spoken(picture)

    def test_headlines_follow_the_curves(self, picture):
        def curve(key, costs, accuracies):
            costs = np.array(costs, float)
            return RaceCurve(key, costs, costs, costs, np.array(accuracies), 0.1, 1.0, finished=True)

        level = picture.level
        near, far = [100.0, 1_000.0], [1_000.0, 10_000.0]
        reached, short = [level - 0.2, level + 0.01], [level - 0.3, level - 0.1]
        step = RacePicture(QUICK, picture.ground, {"saga": curve("saga", near, reached), "sgld_same": curve(
            "sgld_same", near, reached), "sgld": curve("sgld", far, reached)}, raced=True)
        assert "the step makes the gap, not the sampler" in words.headline(step, QUICK)
        noise = RacePicture(QUICK, picture.ground, {"saga": curve("saga", near, reached), "sgld_same": curve(
            "sgld_same", near, short)}, raced=True)
        assert "gradient noise" in words.headline(noise, QUICK)
        nobody = RacePicture(QUICK, picture.ground, {"saga": curve("saga", near, short)}, raced=True)
        assert "No chain reached" in words.headline(nobody, QUICK)

    def test_no_samplers_are_refused(self):
        assert "switch one on" in words.refusal(QUICK.replace(samplers=()), {})
        blocked = reasons(PROBLEMS["linear2"])
        said = words.refusal(QUICK.replace(samplers=("pg",)), blocked)
        assert "None of the samplers" in said and "logistic labels" in said
        assert words.refusal(QUICK, {}) == ""

    def test_the_table_has_a_cell_for_each_column(self, picture):
        for row in race_rows(picture, QUICK):
            assert len(row[5]) == len(race_columns(picture))
            assert all(isinstance(text, str) for text, _ in row[5])
        assert len(race_rows(picture, QUICK.replace(samplers=("saga",)))) == 1
        for view in ("race", "paper", "tables"):
            assert told(QUICK.replace(view=view), picture, None, None).heading
        assert told(QUICK, None, None, None).rows == []

    def test_numbers(self):
        assert rounded(34_871) == "35,000" and rounded(None) == "–" and rounded(7.349) == "7.3"
        assert nice(19_000) == 20_000 and nice(300_000 / 15) == 20_000 and nice(300_000 / 1.5) == 200_000
        assert lasted(0.0023) == "2.3 ms" and lasted(float("nan")) == "–"
        assert [slope_words(s) for s in (0.02, 0.97, 0.5, None)] == ["flat", "grows as t", "grows as t^0.50", "–"]

    def test_csv_and_live(self, picture):
        rows = list(csv.DictReader(io.StringIO(race_csv(picture, QUICK))))
        assert len(rows) == sum(c.accuracy.size for c in picture.curves.values())
        assert {r["sampler"] for r in rows} >= {"SAGA-LD", "MALA"}
        costs = list(csv.DictReader(io.StringIO(race_csv(picture, QUICK.replace(axis="t")))))
        assert {int(r["t"]) for r in costs} >= {100, 100_000}
        assert race_csv(None, QUICK) == ""
        live, said = LiveState.from_query(live_query(QUICK))
        assert said == [] and (live.problem, live.seed, live.settings.eta0) == ("logistic2", 4, 1.0)


class TestScenes:
    @pytest.mark.parametrize("axis", AXES)
    @pytest.mark.parametrize("scale", SCALES)
    def test_every_point_lies_in_the_frame(self, picture, axis, scale):
        scene = race_scene(picture, QUICK.replace(axis=axis, scale=scale))
        assert len(scene.traces) == len(QUICK.samplers)
        for trace in scene.traces:
            assert (trace.x >= scene.x.low - 1e-9).all() and (trace.x <= scene.x.high + 1e-9).all(), trace.key
            assert (trace.y >= scene.y.low - 1e-9).all() and (trace.y <= scene.y.high + 1e-9).all(), trace.key
            assert len(trace.told) == trace.x.size == trace.y.size
        assert scene.x.ticks and scene.y.ticks

    def test_hidden_samplers_are_not_drawn_and_nothing_is_an_empty_frame(self, picture):
        assert len(race_scene(picture, QUICK.replace(samplers=("pg",))).traces) == 1
        assert race_scene(None, QUICK).traces == ()

    def test_names_do_not_cover_each_other(self, picture):
        named = place_names(race_scene(picture, QUICK), 900.0, 400.0)
        assert len(named) >= 5
        boxes = [(n.x, n.y) for n in named]
        assert len(set(boxes)) == len(boxes)
        assert place_names(race_scene(picture, QUICK), 20.0, 20.0) == []


@pytest.mark.slow
def test_the_tables_run_through():
    config = CompareConfig().on_problem("logistic2")
    for table in ("online", "fixed"):
        background = BackgroundJob()
        background.start(tables_work(config.replace(table=table)))
        found = wait(background, 3600).value
        assert len(found.growth) >= 5 and len(tables_rows(found)) == len(found.tried)
        assert tables_csv(found).count("\n") > 20
    assert found.sizes == SIZES and isinstance(found, TablesPicture)


def test_usual_samplers_are_known():
    assert set(USUAL) <= set(LOOKS)
