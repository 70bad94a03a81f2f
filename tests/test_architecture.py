"""The picture of the rooms is what the imports say."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "assets"))
from make_architecture import PICTURE, picture  # noqa: E402
from room_imports import arrows, layers, reach, rooms_of  # noqa: E402


def test_the_picture_is_made_from_the_imports_of_today():
    assert PICTURE.read_text(encoding="utf-8") == picture(), "python assets/make_architecture.py makes it anew"


@pytest.mark.parametrize("graph", [
    {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set()},
    {"a": {"b", "c", "e"}, "b": {"c", "e"}, "c": {"d"}, "d": {"b"}, "e": set()},  # with a circle
    rooms_of("sampler")], ids=["chain", "circle", "sampler"])
def test_arrows_that_are_left_out_follow_from_those_that_stay(graph):
    drawn = {room: {other for one, other in arrows(graph) if one == room} for room in graph}
    for room in graph:
        assert reach(drawn, room) == reach(graph, room) and drawn[room] <= graph[room]
    height = layers(graph)
    assert all(height[one] > height[other] or one in reach(graph, other) for one in graph for other in graph[one])
    assert sum(map(len, drawn.values())) < sum(map(len, graph.values()))
