"""One visit never reads another's data: what pages share, what a link brings back, what a class follows."""

import numpy as np
import pytest

from app.pages.live import LivePage
from app.state.live import LiveState
from app.state.user_data import UserData
from app.visit import Visit
from sampler import LogisticRegression


@pytest.fixture
def user_data():
    features = np.random.default_rng(0).normal(size=(40, 2))
    return UserData("mine.csv, 40 rows", LogisticRegression(2), features, np.arange(40) % 2.0)


@pytest.fixture
def other(user_data):
    """A visit whose neighbour has brought data; the neighbour's stays open meanwhile."""
    mine = Visit()
    mine.user_data, mine.coreset = user_data, object()
    yield Visit()
    assert mine.user_data is user_data


def test_what_one_visit_has_brought_is_not_in_another(other, user_data):
    assert other.user_data is None and other.coreset is None and other.live is None
    config, words = LiveState.from_query({"problem": "given"}, other.user_data)
    assert config.problem != "given" and config.user_data is None and words
    page = LivePage.from_query({"problem": "given"}, False, other)
    try:
        assert page.config.user_data is None and page.config.problem != "given"
    finally:
        page.close()
