"""What the pages say of the repository is so: the places and names in their tables are there."""

import importlib
import re

import app.plots
import sampler
from sampler import estimators, river_models
from sampler.version import VERSION
from tests.docs.pages import DOCS, ROOT, page


def places():
    """Yield (row, place, what is there); a name without a folder lies in the place named before it, or in its folder."""
    table = page("contribute/where.md").split("\n\n")[1]
    for row in table.splitlines()[2:]:
        folder = ROOT
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]):
            paths = [path for base in (ROOT, folder, folder.parent) for end in ("", ".py") for path in base.glob(name + end)]
            yield row, name, paths
            if "/" in name and paths:
                folder = paths[0] if paths[0].is_dir() else paths[0].parent


def test_every_place_is_there():
    named = list(places())
    assert len(named) > 40
    assert [(row, name) for row, name, paths in named if not paths] == []


def test_names_of_the_library_are_there():
    table = page("reference/names.md").split("| in the library | names |")[1].split("\n\n")[0]
    rooms = [sampler, app.plots, estimators, river_models,
             *(importlib.import_module(f"sampler.{room}") for room in sampler._ROOMS)]
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)(?:\(.*?\))?`", row.split("|")[2])}
    assert len(named) > 100
    assert {name for name in named if not any(hasattr(room, name) for room in rooms)} == {
        # arguments, methods, a command
        "offset", "go_on_after", "keep_last", "to_datatree", "to_dataframe", "save_draws", "check", "smoothness"}


def test_numbers_in_words_are_so():
    """The size of the lab file, its lessons, the names on the facade: to the digit as written."""
    megabytes = (ROOT / "assets/lab.html").stat().st_size / 1e6
    for text in ((ROOT / "README.md").read_text(encoding="utf-8"), page("how-to/lab-file.md")):
        size, = re.findall(r"one (?:HTML )?file of ([\d.]+) MB", text)
        assert abs(float(size) - megabytes) < 0.1
    assert "sixteen" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len([path for path in (ROOT / "app/lessons").glob("*.toml") if path.stem[0].isdigit()]) == 16
    assert f"The {len(sampler.__all__)} names of a first hour" in page("reference/names.md")
    assert len(list((ROOT / "notebooks").glob("*.ipynb"))) == 7 and page("tutorials/notebooks.md").split()[2] == "Seven"


def test_the_readme_counts_the_pages():
    numbers = ("twelve", "thirteen", "fourteen", "fifteen", "sixteen")
    more = len(list((DOCS / "pages/how-to").glob("*.md"))) - 3  # three are named
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"and {numbers[more - 12]} more." in text and len(text.splitlines()) <= 150


def test_the_changes_have_the_release():
    assert f"- **{VERSION}** " in (DOCS / "CHANGELOG.md").read_text(encoding="utf-8")
