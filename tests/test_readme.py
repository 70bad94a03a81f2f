"""The README's table "Where a line lives" names places that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def places():
    """Yield (row, place) of the table; a name without a folder lies in the place named before it, or in its folder."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("### Where a line lives")[1].split("\n\n")[1]
    for row in table.splitlines()[2:]:
        folder = ROOT
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]):
            found = [path for base in (ROOT, folder, folder.parent) for end in ("", ".py") for path in base.glob(name + end)]
            yield row, name, found
            if "/" in name and found:
                folder = found[0] if found[0].is_dir() else found[0].parent


def test_every_place_is_there():
    named = list(places())
    assert len(named) > 40
    assert [(row, name) for row, name, found in named if not found] == []


def test_the_worked_example_for_contributors_works():
    """The measure and its test stand in the README; a change of what they use is noticed here."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("### A first change in ten minutes")[1].split("\n### ")[0]
    measure, proof = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert not (ROOT / "sampler/metrics/jump.py").exists(), "take another example: this one is in the library"
    names: dict = {}
    exec(compile(measure, "jump.py", "exec"), names)  # noqa: S102 - our own words
    exec(compile(proof.replace("from sampler.metrics import mean_squared_jump\n", ""), "test_jump.py", "exec"), names)  # noqa: S102
    names["test_independent_draws_jump_by_twice_their_variance"]()
