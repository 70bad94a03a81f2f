"""The Coreset page without a browser: user actions and their effects."""

import pytest

from app.coreset.result import CoresetPosterior
from app.pages.coreset import CoresetPage
from app.state.coreset import PRESETS, CoresetConfig, CoresetState
from tests.app.jobs.waiting import until

SMALL = CoresetConfig(n=300, dim=3, size=20, iterations=1000, optimizers=("hot_dog", "dog"))


def opened():
    """Return a page with due first runs that only the tests advance."""
    lab = CoresetPage(SMALL)
    lab.paper.began = True  # the paper's figures are tested separately
    lab.activate()
    lab._callback.stop()
    return lab


@pytest.fixture(scope="module")
def page():
    page = opened()
    yield page
    page.close()


@pytest.fixture
def lab(page):
    """Yield the shared page after starting the small runs."""
    page.load(CoresetState.to_query(SMALL))
    assert page.config == SMALL
    return page


def settle(lab):
    """Tick until the newest runs have finished; return the page's data attributes."""
    until(lab, lambda: lab.shell.state.get("done") == "1" and not lab._due and not lab.files.worker.running)
    return lab.shell.state


def test_it_opens_with_running_jobs_whose_curves_can_be_saved_and_extended():
    lab = opened()
    lab._press("compare")
    assert "has not finished" in lab.notices.words[-1] and lab.visit.coreset is None
    state = settle(lab)
    assert state["t"] == "1000" and state["runs"] == "2" and int(state["hot"]) == 30
    assert [row[0] for row in lab.cards.table.rows] == ["hot_dog", "dog"]
    assert "floor" in lab.cards.summary.heading and lab.cards.scores.spoken.startswith("After 1,000")
    assert lab.sidebar.runner.label == "Twice as far"
    assert lab.cards.scores.progress is None
    text = lab.cards.scores._act("csv")
    assert text.startswith("optimizer,hot_start,iteration,z_score") and "dog,1,1000," in text
    run = run_in_view(lab)
    lab.run()
    assert settle(lab)["t"] == "2000" and run_in_view(lab) is run
    lab.dark(True)
    assert lab.cards.scores.views[0].dark and lab.paper.figures.views[0].dark
    lab.deactivate()
    lab.close()
    lab.close()
    lab.activate()
    assert lab._callback is None


def run_in_view(lab):
    return lab.worker.kept["runs"].run_of(lab.config, lab.config.shown)


def test_cancelled_runs_are_kept_and_continue(lab):
    lab.state.param.update(n=5_000, dim=20, size=1_000, chains=8, iterations=200_000)  # minutes on any machine
    until(lab, lambda: lab.cards.result and lab.cards.result.config.iterations == 200_000 and lab.cards.result.t > 1000)
    lab.cancel()
    state = settle(lab)
    assert state["cancelled"] == "1" and 1000 < int(state["t"]) < 200_000
    assert lab.sidebar.runner.label == "Go on" and "the results so far are kept" in lab.sidebar.runner.words
    lab.run()
    lab.sidebar.knobs["iterations"].on_typed(str(int(state["t"]) + 100))
    assert int(settle(lab)["t"]) >= int(state["t"])


def test_a_wrong_number_starts_no_runs_and_of_the_optimizers_that_are_switched_one_must_stay(lab):
    settle(lab)
    knob = lab.sidebar.knobs["size"]
    knob.on_typed("301")
    assert "a coreset is a part of the data" in knob.error and not lab._due and lab.config == SMALL
    knob.on_typed("40")
    assert knob.error == "" and lab._due
    lab.sidebar.optimizers.on_turn("dog", False)
    lab.sidebar.optimizers.on_turn("hot_dog", False)
    assert lab.config.optimizers == ("hot_dog",) and "must stay" in lab.sidebar.rules.note
    lab.sidebar.optimizers.on_turn("prodigy", True)
    assert lab.config.optimizers == ("hot_dog", "prodigy") and lab.sidebar.knobs["guess"].visible
    settle(lab)
    assert lab.cards.result.config.size == 40
    lab.look_at("prodigy")
    settle(lab)
    assert "Prodigy" in lab.cards.points.heads[0][1] and lab.cards.table.chosen == "prodigy"


def test_another_model_and_a_picture_to_try(lab):
    lab.choose("model", "bradley_terry")
    assert lab.config.n == 26_651 and lab.sidebar.about.note.startswith("The prior dominates here")
    assert not lab.sidebar.kernel.visible
    lab.show_preset("far")
    assert lab.config == PRESETS["far"].config and lab.sidebar.presets.chosen == "far" and lab.sidebar.kernel.visible
    assert lab.query()["kstart"] == "far"
    lab.cancel()


def test_a_file_is_run_on_and_a_broken_one_changes_nothing(lab, tmp_path):
    def send(name, data):
        (tmp_path / name).write_bytes(data)
        lab.files.take(tmp_path / name)

    settle(lab)
    lab.choose("data", "file")
    assert lab.config == SMALL and lab.files.view.visible and lab.sidebar.data.value == "file"
    send("broken.csv", b"a,b\nx,y\n")
    until(lab, lambda: not lab.files.worker.running and not lab.files.picker.words)
    assert "broken.csv cannot be read" in lab.files.picker.error and lab.config == SMALL
    rows = "\n".join(f"{(i * 7) % 13},{(i * 5) % 11}" for i in range(90))
    send("mine.csv", f"a,b\n{rows}\n".encode())
    until(lab, lambda: lab._due)
    lab._tick()  # a last update of the old runs
    assert lab.cards.result is None and lab.cards.table.rows == [] and "floor" not in lab.cards.summary.heading
    assert all("Preparing the data" in card.empty for card in lab.cards.figures)  # no result on the old data
    state = settle(lab)
    assert not any(card.empty for card in lab.cards.figures)
    assert lab.config.data == "file" and lab.config.n == 90 and lab.files.own.name == "mine.csv"
    assert lab.cards.result.n == 90 and "90 of 90 rows used" in lab.sidebar.about.note and state["done"] == "1"
    lab.choose("data", "generated")
    assert lab.config.n == 10_000 and lab.config.data == lab.sidebar.data.value == "generated"


def test_a_coreset_is_passed_to_compare(lab):
    visited = []
    lab.visit.open_page = lambda key, query: visited.append(key)
    settle(lab)
    lab._press("compare")
    until(lab, lambda: lab.visit.coreset is not None)
    left = lab.visit.coreset
    assert isinstance(left, CoresetPosterior) and left.mean.shape == (3,) and "Hot DoG" in left.label
    assert visited[-1] == "compare"
    lab.visit.open_page = lab.visit.coreset = None
