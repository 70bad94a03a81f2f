import pytest

from app.lessons.setting_words import setting_words


@pytest.mark.parametrize(("page", "settings", "words"), [
    ("exit", {"ed": "20", "er": "8"}, "Sets d = 20 and r = 8; all else as in the lesson."),
    ("exit", {"preset": "quadratic"}, "Shows the picture “Curvature makes it sharp”."),
    ("live", {"vr": "0", "b": "18", "speed": "32e"},
     "Sets “Variance reduction” off, b = 18 and the speed to 32 epochs a second; all else as in the lesson."),
    ("live", {"algorithm": "preconditioned", "stream": "paper"},
     "Sets algorithm “Preconditioned SAGA-LD” and stream “As the paper”; all else as in the lesson."),
    ("live", None, ""),
])
def test_every_setting_is_said(page, settings, words):
    assert setting_words(page, settings) == words
