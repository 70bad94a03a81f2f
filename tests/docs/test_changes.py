"""The changes that no release has yet: one short file each, listed before the releases."""

import re

import pytest

from sampler.version import VERSION
from tests.docs.pages import DOCS, PAGES, anchors, links, page

FRAGMENTS = sorted((DOCS / "changes").glob("*.md"))


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_change_is_a_short_text_in_a_file_of_its_name(path, hooks):
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(r"[a-z0-9-]+\.md", path.name)
    assert 0 < len(text) <= 500 and text.endswith(".\n") and "\n\n" not in text
    assert not text.startswith(("#", "-", "*"))
    for link in links(text):
        name, _, anchor = link.partition("#")
        assert anchor in {"", *anchors(hooks.on_page_markdown((PAGES / "reference" / name).read_text(encoding="utf-8")))}


def test_the_page_lists_them_before_the_newest_release(hooks):
    text = hooks.on_page_markdown(page("reference/changes.md"))
    before = text.partition(f"- **{VERSION}** ")[0]
    assert VERSION in text and before.count("\n    - ") == len(FRAGMENTS)
    for path in FRAGMENTS:
        assert " ".join(path.read_text(encoding="utf-8").split()) in before


def test_changes_are_ordered_by_file_name_and_none_give_no_text(hooks, tmp_path):
    assert hooks.changes(tmp_path) == ""
    (tmp_path / "b.md").write_text("Second,\non two lines.\n", encoding="utf-8")
    (tmp_path / "a.md").write_text("First.\n", encoding="utf-8")
    assert hooks.changes(tmp_path) == "- **Next**\n\n    - First.\n    - Second, on two lines."
