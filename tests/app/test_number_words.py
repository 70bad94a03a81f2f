"""Numbers in words, against what a person would write."""

import pytest

from app.number_words import percent


@pytest.mark.parametrize("value, words", [(0.0, "0 %"), (0.0043, "0.43 %"), (0.01, "1 %"), (0.123, "12 %"), (1.0, "100 %")])
def test_a_share_in_percent(value, words):
    assert percent(value) == words
