import pytest

from app.compile_notice import compiling
from app.live.meters import meters
from sampler import Settings
from sampler.tuning import Measurements


def test_meters_say_their_numbers_and_their_limits():
    measured = Measurements(Settings(), 500, 64, 500, width_bias=0.063, noise_share=5.7, memory=0.16, resets=62)
    width, noise, memory, resets = meters(measured)
    assert (width.text, noise.text, memory.text, resets.text) == ("6 %", "5.7 ×", "16 %", "0.2 %")
    assert [meter.bad for meter in (width, noise, memory, resets)] == [False, True, False, True]
    assert width.fill == pytest.approx(0.63 * width.tick) and noise.fill == 1.0


def test_meters_without_a_measurement_are_empty():
    for meter in meters(Measurements(Settings(), 3, 64, 3))[:3]:
        assert (meter.text, meter.fill, meter.bad) == ("…", 0.0, False)


def test_a_negative_bias_is_an_empty_bar():
    (width, *_) = meters(Measurements(Settings(), 500, 64, 500, width_bias=-0.004, memory=-0.2))
    assert width.fill == 0.0 and width.text == "0 %"


@pytest.mark.parametrize("bias, words", [(2.0, "200 %"), (12.0, "13 ×"), (4e300, "> 10⁴ ×")])
def test_a_cloud_far_too_wide_is_said_in_a_word_that_fits(bias, words):
    (width, *_) = meters(Measurements(Settings(), 500, 64, 500, width_bias=bias))
    assert width.text == words and len(words) <= 9 and width.bad


def test_compiling_words_count_down():
    assert "12 s so far" in compiling(12.3) and "Later starts need none of this" in compiling(60.0)
