"""Every relative link of README, site and .github leads somewhere, to an anchor too; nothing is loaded from another host."""

import re
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import MARKDOWN, ROOT, anchors, links, name_of

SITES = ("https://arxiv.org/", "https://doi.org/")


@pytest.mark.parametrize("page", MARKDOWN, ids=name_of)
def test_links_lead_somewhere(page, hooks):
    text = page.read_text(encoding="utf-8")
    wrong = []
    for link in links(text):
        parts = urlsplit(link)
        if parts.scheme:
            assert link.startswith(SITES) or parts.hostname == "localhost", f"{link}: another host"
            continue
        folder = page.parent if not page.is_symlink() or (page.parent / parts.path).exists() else page.resolve().parent
        target = page if not parts.path else folder / unquote(parts.path)
        if not target.exists():
            wrong.append(f"{link}: no such file")
        elif parts.fragment and target.suffix == ".md":
            there = anchors(hooks.on_page_markdown(target.read_text(encoding="utf-8")))
            if parts.fragment not in there:
                wrong.append(f"{link}: {target.name} has no such heading; it has {sorted(there)}")
    assert wrong == []


def test_every_page_is_in_the_navigation_once():
    config = (ROOT / "assets/docs/mkdocs.yml").read_text(encoding="utf-8")
    pages = ROOT / "assets/docs/pages"
    listed = re.findall(r"([\w/.-]+\.(?:md|ipynb))$", config.split("\nnav:")[1], re.MULTILINE)
    there = {path.relative_to(pages).as_posix() for ending in ("md", "ipynb") for path in
             [*pages.rglob(f"*.{ending}"), *(pages / "notebooks").glob(f"*.{ending}")]}
    assert sorted(listed) == sorted(there)
