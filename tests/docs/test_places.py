"""Facts of the pages about the repository: paths and names in tables, counts, links, unreleased changes."""

import importlib
import re
from urllib.parse import unquote, urlsplit

import pytest

import app.plots
import sampler
from sampler import estimators, river_models
from sampler.version import VERSION
from tests.docs.pages import DOCS, MARKDOWN, PAGES, ROOT, anchors, links, name_of, page


def places():
    """Yield (row, path, matching files); a name without a folder is relative to the preceding path or its folder."""
    table = page("contribute/where.md").split("\n\n")[1]
    for row in table.splitlines()[2:]:
        folder = ROOT
        for name in re.findall(r"`([^`]+)`", row.split("|")[2]):
            paths = [path for base in (ROOT, folder, folder.parent) for end in ("", ".py") for path in base.glob(name + end)]
            yield row, name, paths
            if "/" in name and paths:
                folder = paths[0] if paths[0].is_dir() else paths[0].parent


def test_every_path_in_the_table_exists():
    named = list(places())
    assert len(named) > 40
    assert [(row, name) for row, name, paths in named if not paths] == []


def test_names_in_the_table_exist_in_the_library():
    table = page("reference/names.md").split("| in the library | names |")[1].split("\n\n")[0]
    rooms = [sampler, app.plots, estimators, river_models,
             *(importlib.import_module(f"sampler.{room}") for room in sampler._ROOMS)]
    named = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)(?:\(.*?\))?`", row.split("|")[2])}
    assert len(named) > 100
    assert {name for name in named if not any(hasattr(room, name) for room in rooms)} == {
        # arguments, methods, a command
        "offset", "go_on_after", "keep_last", "to_datatree", "to_dataframe", "save_draws", "check", "smoothness"}


def test_counts_in_the_text():
    """Size of the lab file; numbers of lessons, top-level names, notebooks and how-to pages."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    megabytes = (ROOT / "assets/lab.html").stat().st_size / 1e6
    for text in (readme, page("how-to/lab-file.md")):
        size, = re.findall(r"one (?:HTML )?file of ([\d.]+) MB", text)
        assert abs(float(size) - megabytes) < 0.1
    assert "sixteen" in readme and len(readme.splitlines()) <= 150
    assert len([path for path in (ROOT / "app/lessons").glob("*.toml") if path.stem[0].isdigit()]) == 16
    assert f"The {len(sampler.__all__)} names of a first hour" in page("reference/names.md")
    assert len(list((ROOT / "notebooks").glob("*.ipynb"))) == 7 and page("tutorials/notebooks.md").split()[2] == "Seven"
    more = len(list((PAGES / "how-to").glob("*.md"))) - 3  # three are named
    assert f"and {('twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen')[more - 12]} more." in readme


FRAGMENTS = sorted((DOCS / "changes").glob("*.md"))


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_change_fragments_are_short_texts(path, hooks):
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(r"[a-z0-9-]+\.md", path.name)
    assert 0 < len(text) <= 500 and text.endswith(".\n") and "\n\n" not in text
    assert not text.startswith(("#", "-", "*"))
    for link in links(text):
        name, _, anchor = link.partition("#")
        assert anchor in {"", *anchors(hooks.on_page_markdown((PAGES / "reference" / name).read_text(encoding="utf-8")))}


def test_the_page_lists_fragments_before_the_newest_release(hooks):
    text = hooks.on_page_markdown(page("reference/changes.md"))
    before, release, _ = text.partition(f"- **{VERSION}** ")
    assert release and before.count("\n    - ") == len(FRAGMENTS)
    for path in FRAGMENTS:
        assert " ".join(path.read_text(encoding="utf-8").split()) in before


def test_changes_are_ordered_by_file_name(hooks, tmp_path):
    assert hooks.changes(tmp_path) == ""
    (tmp_path / "b.md").write_text("Second,\non two lines.\n", encoding="utf-8")
    (tmp_path / "a.md").write_text("First.\n", encoding="utf-8")
    assert hooks.changes(tmp_path) == "- **Next**\n\n    - First.\n    - Second, on two lines."


SITES = ("https://arxiv.org/", "https://doi.org/")


@pytest.mark.parametrize("page", MARKDOWN, ids=name_of)
def test_links_resolve(page, hooks):
    text = page.read_text(encoding="utf-8")
    wrong = []
    for link in links(text):
        parts = urlsplit(link)
        if parts.scheme:
            assert link.startswith(SITES) or parts.hostname == "localhost", f"{link}: host not allowed"
            continue
        folder = page.parent if not page.is_symlink() or (page.parent / parts.path).exists() else page.resolve().parent
        target = page if not parts.path else folder / unquote(parts.path)
        if not target.exists():
            wrong.append(f"{link}: file does not exist")
        elif parts.fragment and target.suffix == ".md":
            headings = anchors(hooks.on_page_markdown(target.read_text(encoding="utf-8")))
            if parts.fragment not in headings:
                wrong.append(f"{link}: {target.name} has no such heading, only {sorted(headings)}")
    assert wrong == []


def test_every_page_is_in_the_navigation_once():
    config = (DOCS / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"([\w/.-]+\.(?:md|ipynb))$", config.split("\nnav:")[1], re.MULTILINE)
    existing = {path.relative_to(PAGES).as_posix() for ending in ("md", "ipynb") for path in
             [*PAGES.rglob(f"*.{ending}"), *(PAGES / "notebooks").glob(f"*.{ending}")]}
    assert sorted(listed) == sorted(existing)
