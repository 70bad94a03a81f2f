import numpy as np
import pytest

from app.recording.packing import FINEST, NO_NUMBER, REACH, Blocks, as_json, differences, quantised, restored, unpack


def test_positions_come_back_within_half_a_code():
    rng = np.random.default_rng(0)
    center, half = rng.normal(size=(50, 1, 2)), rng.uniform(0.01, 30, size=(50, 1))
    points = center + half[..., None] * rng.uniform(-REACH, REACH, size=(50, 9, 2))
    codes = quantised(points, center, half)
    assert codes.dtype == np.int16
    wrong = np.abs(restored(codes, center, half) - points) / half[..., None]
    assert wrong.max() <= 0.5001 * REACH / FINEST


def test_what_is_no_number_stays_none_and_what_is_far_stands_at_the_edge():
    points = np.array([[np.nan, 1.0], [np.inf, 0.0], [1e9, -1e9]])
    codes = quantised(points, np.zeros(2), np.ones(3))
    assert codes[0, 0] == NO_NUMBER == codes[1, 0]
    assert codes[2].tolist() == [FINEST, -FINEST]
    assert np.isnan(restored(codes, np.zeros(2), np.ones(3))[0, 0])


def test_differences_add_up_again_across_the_wrap():
    codes = np.array([[FINEST], [-FINEST], [NO_NUMBER], [5]], np.int16)
    assert np.cumsum(differences(codes), axis=0, dtype=np.int16).tolist() == codes.tolist()


@pytest.mark.parametrize("empty", [False, True])
def test_blocks_come_back_as_they_went_in(empty):
    given = {"a": ("i2", [] if empty else [-5, 300, 7]), "b": ("f4", [0.5, np.nan]), "c": ("u1", [1, 255]),
             "d": ("i4", [-70_000])}
    blocks = Blocks()
    for name, (kind, values) in given.items():
        blocks.add(name, kind, np.array(values))
    blocks.add_words("words", {"</script>": "η₀"})
    found = unpack(blocks.directory, blocks.text())
    for name, (_, values) in given.items():
        np.testing.assert_array_equal(found[name], np.array(values, found[name].dtype))
    assert bytes(found["words"]).decode() == as_json({"</script>": "η₀"})


def test_words_refuse_what_a_browser_cannot_read():
    with pytest.raises(ValueError, match="JSON"):
        as_json({"x": float("nan")})
