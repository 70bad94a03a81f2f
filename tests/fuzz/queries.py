"""Links with valid, nearly valid, wrong and unknown parameters of a page."""

from hypothesis import strategies as st

from app.visit import Visit
from tests.fuzz.nonsense import EDGE_TEXTS, numbers, scalars, texts

PIECES = ["0", "1", "-1", "9", "64", "1e-3", "0.5", "nan", "inf", "-inf", "1e999", "0000000011111111111", "1" + "0" * 4400,
          ",", "|", "-", "~", "_", ".", "%", " ", "none", "principal", "auto", "file-", "../", "given", "on", "off", "log",
          "eta0", "saga-ld", "preconditioned", "logistic2", "end", "revive", "b.9", "eta0.0.5", "2~", "~end", "180_vr.0",
          "-181.12_C.3.5"]
OTHERS = ["v", "page", "preset", "theme", "class", "teacher", "lesson"]
"""Keys that belong to no knob."""
MOMENT = "2~eta0.1_b.9~180_vr.0~-181.12_C.3.5~end"

lists = st.lists(st.one_of(st.sampled_from(["nan", "inf", "-inf", "-1", "0", "0000000011111111111", "000000009" + "0" * 4400,
                                            "1e400", "1e-400", "9", "64", "0.1", "5e-324", "saga-ld", "", " 8 "]),
                           st.integers(-2, 2000).map(str), st.floats(0, 50).map(str)), max_size=5).map(",".join)
composed = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)
"""Concatenated parts of links."""


def damaged(text):
    """Return a text cut off, doubled, in capitals or with a character changed, as mail programs do."""
    return st.one_of(st.integers(0, len(text)).map(lambda n: text[:n]), st.just(text + text), st.just(text.upper()),
                     st.tuples(st.integers(0, max(len(text) - 1, 0)), st.sampled_from([*"0-~_.,|%\x00é", "99999999999"]))
                     .map(lambda change: text[:change[0]] + change[1] + text[change[0] + 1:]))


def values(written_values):
    """Return link values for a key; `written_values` are values that pages write for it."""
    own = st.sampled_from(sorted(written_values)) if written_values else st.nothing()
    return st.one_of(own, own, own.flatmap(damaged), composed, lists, texts, numbers, scalars, st.binary(max_size=6),
                     st.lists(texts, max_size=2), st.just(MOMENT), st.just(MOMENT).flatmap(damaged))


def queries(written_values):
    """Return URL parameters; `written_values` is key -> values that pages write for it."""
    one = st.one_of([st.tuples(st.just(key), values(texts_of_key)) for key, texts_of_key in sorted(written_values.items())]
                    + [st.tuples(st.sampled_from([*EDGE_TEXTS, *OTHERS]), values([]))])
    return st.lists(one, max_size=5).map(dict)


VARIETY = [{}, {"preset": "cold"}, {"problem": "poisson2", "stream": "drifting"}, {"alg": "preconditioned"},
           {"talg": "both", "teta": "0.1,1", "timax": "4,8", "tb": "4,9", "tcell": "0.1,8,9,preconditioned",
            "tdata": "file-a.csv", "tx": "a|b", "ty": "y", "tscale": "1"}, {"t": "181.12", "log": MOMENT}]
"""Links that set many parameters."""


def written_values(page, state):
    by_key = {}
    for query in VARIETY:
        for key, value in (query | state.to_query(page.read_link(query, Visit())[0])).items():
            by_key.setdefault(key, set()).add(value)
    return by_key


def sentences(words):
    """Return True if these are at most 99 sentences of reasonable length."""
    return all(isinstance(sentence, str) and 3 < len(sentence) < 1_000 for sentence in words) and len(words) < 100
