"""Invalid and extreme values for all fuzz tests (numbers, texts, JSON, arrays), and the search."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EDGE_FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, math.nan, math.inf, -math.inf, 5e-324, -5e-324, 2.2e-308, 1e-300, 1e300,
               1.7976931348623157e308, 1e16, 3.0000000001]
EDGE_INTS = [0, -1, 1, 2, 3, 7, 255, 2**31, -(2**31), 2**53, 2**53 + 1, 2**63, -(2**63), 2**64, 10**30, 10**400]
EDGE_TEXTS = ["", " ", "0", "1", "nan", "inf", "-inf", "1e400", "1_000", "٣", "½", "\x00", "\ud800", "a\nb", "\u202e", "ﬀ",
              "9" * 5000, "x" * 3000, "None", "../../etc/passwd", "<script>alert(1)</script>", "%s%n",
              "{}", "{0.__class__}", "γ₀ = 1"]

edge_floats = st.sampled_from(EDGE_FLOATS)
edge_ints = st.sampled_from(EDGE_INTS)
numbers = st.one_of(edge_floats, edge_ints, st.floats(), st.integers(-3, 70), st.integers())
texts = st.one_of(st.sampled_from(EDGE_TEXTS), st.text(max_size=12),
                  st.text(st.characters(codec=None, exclude_categories=[]), max_size=6))
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
json_values = st.recursive(st.one_of(scalars, st.binary(max_size=8)),
                           lambda inner: st.lists(inner, max_size=3)
                           | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=6)
"""Message content: JSON as Bokeh decodes it, including non-finite numbers and bytes."""


NOTHING_FITS = [None, "", "abc", "3", b"3", [], {}, (), [[]], [1, [2]], ..., math.nan, math.inf, -math.inf, 1j,
                "\ud800", np.array("x"), np.array(None, dtype=object)]
WRONG_COUNTS = [0, -1, -3, 2.5, math.nan, math.inf, -math.inf, True, None, "3", b"3", [3], {}, 2**63, -(2**63), 10**30,
                10**400, 1e300, 1j, np.array([3]), np.nan, np.float64("inf"), np.array(3.5)]
GOOD_COUNTS = [1, 2, 3, 5, 3.0, np.int64(2), np.float64(4.0)]
WRONG_FLOATS = [math.nan, math.inf, -math.inf, None, "0.1", "", b"1", [], [0.1], {}, True, 1j, np.array([0.1, 0.2]),
                10**400, "nan", np.array("x"), object()]
FLAGS = [True, False, np.True_, 0, 1, 2, None, "yes", "", [], math.nan]


def nonsense_for(value, only_wrong=False):
    """Return nonsense for the type of a valid value; with `only_wrong` only invalid values."""
    wrong = st.sampled_from(NOTHING_FITS)
    if isinstance(value, bool):
        return wrong if only_wrong else st.sampled_from(FLAGS)
    if isinstance(value, int | np.integer):
        counts = st.sampled_from(WRONG_COUNTS)
        return counts if only_wrong else st.one_of(counts, st.sampled_from(GOOD_COUNTS))
    if isinstance(value, float):
        floats = st.sampled_from(WRONG_FLOATS)
        return floats if only_wrong else st.one_of(floats, st.sampled_from(EDGE_FLOATS), st.floats(-3, 3), st.floats())
    if isinstance(value, str):
        texts = st.one_of(st.sampled_from([*EDGE_TEXTS, *NOTHING_FITS]), st.text(max_size=5))
        return texts.filter(lambda text: not isinstance(text, str) or text != value)
    if isinstance(value, np.ndarray):
        return arrays_like(value, only_wrong)
    if isinstance(value, tuple | list) and value and isinstance(value[0], int | float):
        return st.one_of(wrong, st.lists(nonsense_for(value[0], only_wrong), max_size=4),
                         st.lists(nonsense_for(value[0], only_wrong), max_size=4).map(tuple))
    return wrong


def arrays_like(array, only_wrong):
    """Return arrays of other shapes, dtypes, orders and contents."""
    wrong = [np.empty((0,) + array.shape[1:]), np.empty(array.shape + (0,)), array[None], array[..., None],
             np.array(0.0), array.astype(object), np.full(array.shape, None), np.full(array.shape, "a"),
             np.full(array.shape, math.nan), np.full(array.shape, math.inf), array.astype(complex) + 1j,
             array.tolist() + [["a"]], [array, array[:1]], array[:-1], np.concatenate([array, array[:1]]),
             array[..., :-1], None, "array", {}, 3, object()]
    fine = [array.astype(np.float32), np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2], array.tolist(),
            np.round(array), np.nan_to_num(array, posinf=9.0).astype(int), array > 0, scaled(array, -1.0),
            np.zeros(array.shape), array[::-1], array * 1e-310, scaled(array, 1e150), scaled(array, 1e300),
            np.full(array.shape, 1.7e308), np.full(array.shape, 5e-324), np.full(array.shape, -0.0), array.T]
    if array.size:
        wrong += [with_entry(array, value, at) for value in (math.nan, math.inf, -math.inf) for at in (0, -1)]
        fine += [with_entry(array, value, 0) for value in (1e308, -1e308, 1e16, 5e-324)]
    return st.sampled_from(wrong if only_wrong else wrong + fine)


def scaled(array, factor):
    """Return an array times a huge factor; non-finite entries are kept."""
    with np.errstate(invalid="ignore", over="ignore"):
        return array * factor


def with_entry(array, value, at):
    copy = np.array(array, dtype=float)
    copy.reshape(-1)[at] = value
    return copy


def amounts(quick, slow):
    """Parametrize a test over the number of examples: `quick` in tier 1, `slow` in the slow tier."""
    return pytest.mark.parametrize("examples", [
        pytest.param(quick, id="some"),
        pytest.param(slow, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(14_400)])])


def search(examples, strategy, check):
    """Run `check` on `examples` draws of a strategy; the draws are deterministic."""
    run = settings(max_examples=examples, derandomize=True, database=None, deadline=None, print_blob=False,
                   suppress_health_check=list(HealthCheck))(given(strategy)(check))
    run()
