"""The built documentation site: strict build, opened from the disk, no requests to other hosts. Needs the extra ``docs``."""

import functools
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

from sampler import _ROOMS
from tests.browser.accessible import RULES, findings
from tests.browser.conftest import skip_or_fail
from tests.browser.person import new_tab

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "assets" / "docs" / "pages"
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
PARTS = {"start": "*.md", "tutorials": "tutorials/*.md", "how-to": "how-to/*.md", "explanation": "explanation/*.md",
         "reference": "reference/*.md", "api": "reference/api/*.md", "notebooks": "notebooks/*.ipynb",
         "contribute": "contribute/*.md"}
"""Part of the site -> pattern of its pages' sources."""
LONG = ("tutorials", "how-to", "explanation", "reference", "api", "notebooks")
"""Parts with pages that take axe seconds, in the slow tier."""
MOST_BYTES = 1_500_000
"""Limit on the first page with all files it loads, uncompressed; more than half is the search index."""
NO_FETCH = {"preload": False}
"""From the disk axe cannot fetch style sheets again."""
pytestmark = [pytest.mark.journey, pytest.mark.browser]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if os.environ.get("EXIT_TIME_LAB_SITE"):
        return Path(os.environ["EXIT_TIME_LAB_SITE"])
    needed = ("mkdocs", "material", "mkdocstrings", "mkdocs_jupyter")
    missing = [name for name in needed if not importlib.util.find_spec(name)]
    if missing:
        skip_or_fail(f"{', '.join(missing)} not installed: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", PAGES.parent / "mkdocs.yml",
                            "-d", folder], cwd=ROOT, capture_output=True, text=True,
                           env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    assert built.returncode == 0, built.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def host(site):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        """Suppress the log of requests."""


@pytest.fixture
def open_page(site, chromium):
    """Return a function that opens a page from the disk or a host; errors and requests to other hosts fail the test."""
    wrong, pages = [], []

    def opened(name: str, host: str = "", viewport: dict = DESK):
        pages.append(page := new_tab(chromium, wrong, own=host or "file:", color_scheme="light", **viewport))
        page.on("requestfailed", lambda request: None if "ERR_ABORTED" in request.failure else wrong.append(request.url))
        page.goto(f"{host}/{name}.html" if host else (site / f"{name}.html").as_uri())
        return page

    yield opened
    for page in pages:
        page.context.close()
    assert wrong == []


def test_every_page_is_built_and_no_file_names_another_host(site):
    pages = {page for page in PAGES.rglob("*") if page.suffix in (".md", ".ipynb")}
    assert len(pages) > 50 and pages <= {page for pattern in PARTS.values() for page in PAGES.glob(pattern)}
    assert all((site / page.relative_to(PAGES)).with_suffix(".html").exists() for page in pages)
    loads = re.compile(r"""(?:<(?:script|img|iframe|link)[^>]*(?:src|href)=["']?|url\(["']?)(?:https?:)?//[^"'>)]*""")
    for file in [*site.rglob("*.html"), *site.rglob("*.css")]:
        if file.name != "lab.html":  # tested separately
            assert loads.findall(file.read_text(encoding="utf-8")) == [], file


def test_every_public_name_has_an_entry_and_is_in_the_search_index(site):
    absent = []
    for room in _ROOMS:
        text = (site / f"reference/api/{room}.html").read_text(encoding="utf-8")
        names = importlib.import_module(f"sampler.{room}").__all__
        absent += [name for name in names if not re.search(rf'id="sampler\.{room}\.([a-z_]+\.)?{name}"', text)]
    assert absent == []
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"] for entry in index["docs"]}
    assert "reference/api/metrics.html#sampler.metrics.marginal_accuracy" in places and len(places) > 500


def no_wider_than_its_window(page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.in_turn
@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.slow) if part in LONG else part for part in PARTS])
def test_every_page_is_complete_and_accessible_in_both_themes(open_page, site, part):
    """In the dark theme only colours differ; the chosen theme persists from page to page.

    Pages of the API are checked in alternating themes.
    """
    page = open_page("index")
    for name in sorted(file.relative_to(PAGES).with_suffix(".html") for file in PAGES.glob(PARTS[part])):
        page.goto((site / name).as_uri())
        page.wait_for_function("[...document.querySelectorAll('.arithmatex')].every(one => one.querySelector('.katex'))")
        assert page.evaluate("document.querySelectorAll('.katex-error').length") == 0, name
        first = page.evaluate("document.body.dataset.mdColorScheme")
        violations = findings(page, {"rules": RULES} | NO_FETCH)
        page.locator("form[data-md-component=palette] label:visible").click()
        page.wait_for_function("first => document.body.dataset.mdColorScheme !== first", arg=first)
        if part != "api":
            violations += findings(page, {"runOnly": ["color-contrast"]} | NO_FETCH)
        assert violations == [], name
        assert no_wider_than_its_window(page), name
        page.set_viewport_size(PHONE)
        assert no_wider_than_its_window(page), name
        page.set_viewport_size(DESK)


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_the_first_page_is_light_on_a_static_host(open_page, host, viewport):
    page = open_page("index", host, viewport)
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    paint, size = page.evaluate("""[performance.getEntriesByName('first-contentful-paint')[0].startTime,
      performance.getEntries().reduce((sum, one) => sum + (one.encodedBodySize ?? 0), 0)]""")
    print(f"\nthe first page, {viewport['width']} pixels wide: {size / 1e3:.0f} kB, first paint after {paint:.0f} ms")
    assert 0 < size <= MOST_BYTES and no_wider_than_its_window(page)


QUERIES = {"page for": "what-is-this-page-for", "chain leaves ball": "my-chain-leaves-the-ball-which-knob-do-i-turn",
         "safe": "what-does-safe-mean", "need a sampler": "when-do-i-not-need-a-sampler", "why square": "why-the-square",
         "what is b": "what-is-b", "nginx": "how-do-i-deploy-it-behind-nginx",
         "resume kill": "how-do-i-resume-a-run-after-kill-9-ctrl-c-or-a-loss-of-power",
         "predict new rows": "how-do-i-predict-new-rows", "my data": "where-does-my-data-go",
         "promised version": "what-is-promised-from-one-version-to-the-next", "add a sampler": "how-do-i-add-a-sampler",
         "upgrade": "how-do-i-upgrade", "C'": "what-is-c", "C′": "what-is-c"}
"""Search query of a newcomer -> anchor of the question."""


@pytest.mark.in_turn
def test_the_search_finds_a_newcomers_question_from_the_disk(open_page):
    page = open_page("index")
    box = page.locator(".md-search__input")
    box.click()
    for words, question in QUERIES.items():
        box.fill("")
        box.press_sequentially(words)
        page.wait_for_function("""question => [...document.querySelectorAll('.md-search-result__link')].slice(0, 6).some(
          link => link.href.startsWith('file:') && link.href.includes('/questions.html') && link.hash === `#${question}`)""",
                               arg=question)


@pytest.mark.in_turn
def test_the_embedded_lab_plays_and_follows_the_links_of_its_page(open_page):
    page = open_page("tutorials/see-it")
    lab, links = page.frame_locator("iframe.lab"), page.locator("a[target=lab]")
    assert links.count() == 4
    for wanted in ("1", "5"):  # when it opens, and after the first link
        expect(lab.locator("[data-ro=t]")).to_have_text(re.compile(r"[2-9]\d|\d{3}"))
        expect(lab.locator(".knob-eta0 .box")).to_have_value(wanted)
        links.first.click()


def test_an_animated_figure_plays_when_visible_and_again_on_request(open_page):
    page = open_page("explanation/exit-time")
    figure = page.locator("figure.moving").first
    figure.scroll_into_view_if_needed()
    page.wait_for_selector("figure.moving.drawn")
    running = "document.querySelector('figure.moving').getAnimations({subtree: true}).length"
    page.evaluate("document.getAnimations().forEach(one => one.finish())")
    assert page.evaluate(running) == 0
    figure.locator(".again").click()
    assert page.evaluate(running) == 1
