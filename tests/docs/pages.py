"""Markdown files of the site and the repository: texts, code blocks, links and anchors."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown.extensions.toc import slugify

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "assets" / "docs"
PAGES = DOCS / "pages"
MARKDOWN = sorted([ROOT / "README.md", *(ROOT / ".github").glob("*.md"), *PAGES.rglob("*.md")])
"""All Markdown pages; a page may be a symbolic link."""

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced code block."""

    language: str
    text: str
    line: int  #: number of the first line, from 1


def name_of(page: Path) -> str:
    """Return a page's path relative to the repository."""
    return page.relative_to(ROOT).as_posix()


def page(name: str) -> str:
    """Return the text of a page of the site, such as ``how-to/serve.md``."""
    return (PAGES / name).read_text(encoding="utf-8")


def blocks(text: str, *languages: str) -> list[Block]:
    """Return the dedented fenced blocks of a page in the listed languages, by default all."""
    all_blocks = [Block(match["language"], re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE),
                        text.count("\n", 0, match.start("text")) + 1) for match in _BLOCK.finditer(text)]
    return [block for block in all_blocks if not languages or block.language in languages]


def prose(text: str) -> str:
    """Return a page with empty lines in place of its fenced blocks."""
    return _BLOCK.sub(lambda match: "\n" * match[0].count("\n"), text)


def anchors(text: str) -> set[str]:
    """Return the anchors that Python-Markdown creates for headings, and explicit ids."""
    slugs: dict[str, int] = {}
    for heading in re.findall(r"^#+ +(.*?)\s*#*$", prose(text), re.MULTILINE):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda match: match[1] or "", heading)
        slug = slugify(plain, "-")
        slugs[slug] = slugs.get(slug, -1) + 1
    numbered = {slug if not number else f"{slug}_{number}" for slug, count in slugs.items() for number in range(count + 1)}
    return numbered | set(re.findall(r'id="([^"]+)"', text))


def links(text: str) -> Iterator[str]:
    """Yield the target of every link, image and embedded element outside code."""
    without_code = re.sub(r"`[^`\n]*`", "", prose(text))
    yield from re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", without_code)
    yield from re.findall(r'(?:src|href)="([^"]+)"', without_code)
