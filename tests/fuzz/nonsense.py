"""The nonsense that all searches share: numbers at the edge of their types, texts, JSON, and arrays of every wrong kind."""

import math

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
"""What a message may hold: JSON as Bokeh reads it, with numbers that are not finite, and bytes."""
