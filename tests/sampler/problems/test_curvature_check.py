"""A curvature or a factor beside the gradient is looked at by the same check."""

import numpy as np
import pytest

from sampler import GradientOracle
from sampler.problems import check_gradient

ROWS = np.random.default_rng(0).standard_normal((30, 2))


def check(**given):
    return check_gradient(GradientOracle(lambda i, x: (ROWS[i] @ x)[:, None] * ROWS[i], 2, lambda x: x, **given), 30)


def test_a_right_one_is_noted_with_its_error():
    for given in ({"factor": lambda i, x: ROWS[i]}, {"curvature": lambda i, x: ROWS[i][:, :, None] * ROWS[i][:, None, :]}):
        found = check(**given)
        assert found.ok and f"{next(iter(given))}: 1 times the gradient's own derivatives in trace" in found.notes[0]
    assert "curvature: 1 times" in check(curvature=lambda i, x: ROWS[i] ** 2).notes[0]  # diagonals: off in the other entries
    assert not any("curvature" in note for note in check().notes)


@pytest.mark.parametrize(("given", "words"), [
    ({"factor": lambda i, x: 5.0 * ROWS[i]}, "the factor is 25 times the derivatives of the gradient in trace; look at"),
    ({"curvature": lambda i, x: 0.01 * ROWS[i] ** 2}, "the curvature is 0.01 times"),
    ({"curvature": lambda i, x: -(ROWS[i] ** 2)}, "curvature must be >= 0 in every direction"),
    ({"factor": lambda i, x: ROWS[:3]}, r"factor must return shape"),
    ({"factor": lambda i, x: 1 / 0}, "the factor raises ZeroDivisionError"),
    ({"factor": lambda i, x: np.random.default_rng().random((len(i), 2))}, "gives another answer the second time"),
])
def test_a_wrong_one_is_a_fault_in_words(given, words):
    found = check(**given)
    assert not found.ok and any(words in fault for fault in found.faults)
