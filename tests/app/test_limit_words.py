"""Limits of measurements quoted in texts of the app equal those of the verdict."""

import re
import tomllib
from pathlib import Path

import pytest

from app.plots.settings_map import BANDS
from app.tune.sweep_words import LEGEND
from sampler.tuning import LIMITS, limit_words

ROOT = Path(__file__).parents[2]
ABOUT = {"memory": "memory|remember|too cold", "noise": "gradient noise", "resets": "reset", "narrowness": "narrow",
         "width": "too wide|too hot|width of", "lag": "lagging|off centre"}
"""Measurement -> pattern of the words that refer to it."""
THRESHOLD = re.compile(
    r"\b(?:limit|limits|past|above|below|beyond|(?:more|less) than|under|at most|up to)\b[^.;:%]{0,25}?"
    r"(?:\d[\d.,]*\s?%|(?:one |a )?half\b|a tenth|a quarter|\d[\d.,]* target widths)"
    r"|\bin a (?:hundred|thousand)\b", re.I)
"""Pattern of a threshold in a sentence."""
MEASURED = {"Now more than half of the chains are thrown back at every epoch",
            "Then more than half of the epochs start with a reset",
            "gradient noise is far above 100 % and grows with t", "at an epoch one chain in a hundred is reset"}
"""Sentences that quote measured values, not limits."""


def strings(value):
    """Yield all strings of a TOML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def cited():
    """Yield (file, sentence, measurements) of each threshold in lessons, the glossary, help and the map's texts."""
    texts = [(file.name, text) for file in sorted((ROOT / "app").rglob("*.toml"))
             for text in strings(tomllib.loads(file.read_text(encoding="utf-8")))]
    texts += [("LEGEND", re.sub("<[^>]*>", "", LEGEND)), *(("BANDS", " ".join(words)) for words in BANDS.values())]
    for file, text in texts:
        for sentence in re.split(r"(?<=[.?!])\s+", " ".join(text.replace("$", "").split())):
            names = [name for name, words in ABOUT.items() if re.search(words, sentence, re.I)]
            if names and THRESHOLD.search(sentence) and not any(words in sentence for words in MEASURED):
                yield file, sentence, names


CITED = list(cited())


@pytest.mark.parametrize("file, sentence, names", CITED)
def test_a_threshold_is_the_verdicts_limit(file, sentence, names):
    allowed = tuple(limit_words(name) for name in names)
    assert [threshold for threshold in THRESHOLD.findall(sentence) if not threshold.endswith(allowed)] == []


def test_all_files_that_cite_limits_are_checked():
    """Lesson 8 once cited 50 % and lesson 14 a half, and lesson 14 both one reset in a hundred and one in a thousand."""
    places = {(file.partition(".")[0], name) for file, _, names in CITED for name in names}
    assert places >= {("glossary", "memory"), ("glossary", "width"), ("glossary", "lag"), ("08_too_cold", "memory"),
                      ("14_your_own_data", "memory"), ("signs", "memory"),
                      ("signs", "noise"), ("signs", "resets"), ("14_your_own_data", "noise"), ("14_your_own_data", "resets"),
                      ("01_variance_reduction", "noise"), ("LEGEND", "memory"), ("LEGEND", "width"), ("BANDS", "memory")}


def test_the_reference_lists_all_limits():
    names = (ROOT / "assets/docs/pages/reference/names.md").read_text(encoding="utf-8")
    line, = (line for line in names.splitlines() if "`LIMITS`" in line)
    assert [limit_words(name) for name in LIMITS if name != "stale" and limit_words(name) not in line] == []
