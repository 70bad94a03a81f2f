"""A bad argument is refused in words: its name, its range, the value, and what to do next."""

import math

import numpy as np
import pytest

from sampler.arguments import positive_number, real_number, sample_array, square_matrix, vector, whole_number


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3)])
def test_whole_numbers_of_any_type_become_ints(value):
    assert whole_number("n", value) == 3 and type(whole_number("n", value, 3, 3)) is int


@pytest.mark.parametrize("value", [2, 2.5, True, "3", None, math.nan, math.inf, 10**400])
def test_what_is_no_whole_number_in_range_is_named(value):
    with pytest.raises(ValueError, match=r"^n must be a whole number in \[3, 9\], got .*; count again$"):
        whole_number("n", value, 3, 9, "count again")


def test_a_range_without_an_end_is_said_so():
    assert whole_number("n", 2**63 - 1, 3) == 2**63 - 1
    with pytest.raises(ValueError, match=r"^n must be a whole number in \[3, \d+\], got a whole number of 1,329 bits$"):
        whole_number("n", 10**400, 3)
    with pytest.raises(ValueError, match="^n must be a whole number of 3 or more, got 2$"):
        whole_number("n", 2, 3)


@pytest.mark.parametrize(("value", "limits", "wanted"), [
    (0, {"above": 0.0}, " above 0"), (-1, {"least": 0.0}, " of 0 or more"), (math.nan, {}, ""), ("1", {}, ""),
    (True, {}, ""),
    (math.inf, {"above": 0.0}, " above 0"),
])
def test_real_numbers(value, limits, wanted):
    assert real_number("x", np.float32(1.5), "try 1", **limits) == 1.5
    with pytest.raises(ValueError, match=f"^x must be a finite number{wanted}, got {value!r}; try 1$"):
        real_number("x", value, "try 1", **limits)


@pytest.mark.parametrize("value", [0, -1.0, 8.1, math.nan, True, "1", None])
def test_positive_numbers(value):
    assert positive_number("x", 8, 8.0, "try 1") == 8.0
    with pytest.raises(ValueError, match=r"^x must be a number in \(0, 8\], got .*; try 1$"):
        positive_number("x", value, 8.0, "try 1")


@pytest.mark.parametrize(("check", "value", "words"), [
    (sample_array, [1.0, 2.0], r"shape \(n, d\), got \(2,\)"), (sample_array, [["a"]], "numbers of shape"),
    (sample_array, [[1.0], [math.inf]], "finite, row 1 has"), (vector, [[1.0]], r"shape \(n,\), got \(1, 1\)"),
    (vector, [0.0, math.nan], "finite, entry 1 is nan"), (square_matrix, [[1.0, 2.0]], r"shape \(d, d\), got \(1, 2\)"),
    (square_matrix, [[1.0, 2.0], [0.0, 1.0]], "symmetric"), (square_matrix, [[math.nan]], "finite"),
])
def test_arrays(check, value, words):
    with pytest.raises(ValueError, match=f"^a must (be|have) .*{words}|^a must be {words}"):
        check("a", value)
