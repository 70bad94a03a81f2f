import json
import re
from dataclasses import replace

import numpy as np
import pytest

from app.exit_time.job import ExitJobs
from app.exit_time.setup import prepare_exits
from app.recording.exit_figures import HEADS
from app.recording.exit_recorder import record_epoch
from app.recording.lesson_text import SHOWN
from app.recording.packing import restored, unpack
from app.recording.requests import lesson_plans, plan_of
from app.recording.size import LIMIT


def part(html, name):
    return re.search(rf'<script type="[\w/]+" id="{name}">(.*?)</script>', html, re.DOTALL)[1]


@pytest.fixture(scope="module")
def plan():
    plan = plan_of("why_the_exponential")
    return replace(plan, config=plan.config.replace(chains=200))


@pytest.fixture(scope="module")
def recording(plan):
    return record_epoch(plan)


@pytest.fixture(scope="module")
def read(recording):
    head = json.loads(part(recording.html, "head"))
    return head, unpack(head["blocks"], part(recording.html, "packed"))


def test_chains_are_those_of_the_page_until_they_leave(plan, read):
    head, columns = read
    simulation = ExitJobs.simulation(prepare_exits(plan.config, None), 200)
    simulation.advance(400)
    codes = np.cumsum(columns["positions"].reshape(80, 2, head["frames"]), axis=2, dtype=np.int16)
    center, half = np.zeros((1, 2)), np.full((1, 401), columns["half"][0])
    found = restored(codes.transpose(0, 2, 1), center, half)
    for chain in range(0, 80, 7):
        path, left = simulation.record(chain).after, simulation.exit_steps[chain]
        stay = left - 1 if left else 400
        np.testing.assert_allclose(found[chain, 1:stay + 1], path[:stay], atol=1e-3)
        assert np.isnan(found[chain, stay + 1:]).all()
    rings = columns["exits"].reshape(-1, 4)
    assert rings[:, 0].tolist() == sorted(left for left in simulation.exit_steps[:80] if left)
    assert (np.hypot(*rings[:, 2:].T) >= plan.config.radius).all()


def test_figures_are_those_the_lesson_names_and_inside_is_the_blue_curve(plan, read):
    head, columns = read
    named = {badge["place"] for told in head["lesson"]["parts"] for badge in told["badges"]} - {"settings"}
    assert named == {"paths", "sums", "process", "survival"} == {figure["name"] for figure in head["figures"]}
    survival = next(figure for figure in head["figures"] if figure["name"] == "survival")
    chains = next(line for line in survival["lines"] if line["name"] == "chains")
    assert chains["grows"] and chains["told"][-1].split(",")[0] == f"{columns['inside'][-1]:.3f}"
    assert not any(line["grows"] for line in survival["lines"] if line["role"] == "bound")
    assert sum(line["n"] for line in survival["lines"]) == columns["survival_x"].size
    assert columns["t"].tolist() == list(range(401))


def test_every_place_of_a_lesson_on_one_epoch_has_its_figure():
    for plan in lesson_plans():
        if plan.lesson.page == "exit":
            places = {SHOWN.get(place.name, "settings") for place in plan.lesson.places}
            assert places <= HEADS.keys() | {"settings"}, plan.lesson.key


def test_the_file_is_small_asks_for_nothing_and_has_no_raw_formula(recording):
    assert recording.size <= LIMIT
    assert (recording.epochs, recording.unit, recording.frames) == (400, "steps", 6 * 401)
    assert not re.search(r"""(?:src|href)=["']?(?!data:)\w""", recording.html)
    assert "<title>Why e^(θ D²) and not D² ·" in recording.html
    title = json.loads(part(recording.html, "head"))["titleHtml"]
    assert "e<sup>θ D<sup>2</sup></sup>" in title and "D<sup>2</sup>" in title
    assert "$e^" not in part(recording.html, "head")
