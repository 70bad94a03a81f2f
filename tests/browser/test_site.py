"""The site as it is read: built strictly, opened from the disk, no other host asked. Needs the extra ``docs``."""

import functools
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from sampler import _ROOMS
from tests.browser.accessible import findings

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "assets" / "docs" / "mkdocs.yml"
WINDOWS = {"desk": (1440, 900), "phone": (390, 844)}
LOOKED_AT = ("index", "tutorials/see-it", "explanation/exit-time", "reference/commands", "reference/api/theory",
             "how-to/serve", "notebooks/02_exit_time")
pytestmark = [pytest.mark.journey, pytest.mark.browser]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    needed = ("mkdocs", "material", "mkdocstrings", "mkdocs_jupyter")
    missing = [name for name in needed if not importlib.util.find_spec(name)]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install -e '.[docs]'")
    folder, began = tmp_path_factory.mktemp("site"), time.monotonic()
    built = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", CONFIG, "-d", folder], cwd=ROOT,
                           capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    assert built.returncode == 0, built.stderr[-3000:]
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"\nthe site: built in {time.monotonic() - began:.0f} s, {size / 1e6:.1f} MB")
    return folder


@pytest.fixture(scope="module")
def host(site):
    """Address of a static host that has the site."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        """Write no line for each request."""


@pytest.fixture
def open_page(site, chromium):
    """A function that opens a page, from the disk or of a host; what it asks of another, or finds wrong, fails the test."""
    asked, wrong, contexts = [], [], []

    def opened(name: str, window: str = "desk", theme: str = "light", host: str = ""):
        contexts.append(chromium.new_context(viewport=dict(zip(("width", "height"), WINDOWS[window], strict=True)),
                                             color_scheme=theme))
        page = contexts[-1].new_page()
        here = ("data:", "blob:", "about:", host or "file:")
        page.on("request", lambda request: None if request.url.startswith(here) else asked.append(request.url))
        page.on("requestfailed", lambda request: wrong.append(request.url))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{host}/{name}.html" if host else (site / f"{name}.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert (asked, wrong) == ([], [])


def test_every_page_is_built_and_no_file_names_another_host(site):
    pages = [page for page in (ROOT / "assets/docs/pages").rglob("*") if page.suffix in (".md", ".ipynb")]
    assert len(pages) > 50
    assert all((site / page.relative_to(ROOT / "assets/docs/pages")).with_suffix(".html").exists() for page in pages)
    loads = re.compile(r"""(?:<(?:script|img|iframe|link)[^>]*(?:src|href)=["']?|url\(["']?)(?:https?:)?//[^"'>)]*""")
    for file in [*site.rglob("*.html"), *site.rglob("*.css")]:
        if file.name != "lab.html":  # which has tests of its own
            assert loads.findall(file.read_text(encoding="utf-8")) == [], file


def test_every_public_name_has_its_entry(site):
    lacking = []
    for room in _ROOMS:
        text = (site / f"reference/api/{room}.html").read_text(encoding="utf-8")
        names = importlib.import_module(f"sampler.{room}").__all__
        lacking += [name for name in names if not re.search(rf'id="sampler\.{room}\.([a-z_]+\.)?{name}"', text)]
    assert lacking == []


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_is_whole_and_accessible(open_page, host, name, window):
    for theme in ("light", "dark"):
        page = open_page(name, window, theme, host)
        page.wait_for_function("[...document.querySelectorAll('.arithmatex')].every(one => one.querySelector('.katex'))")
        assert page.evaluate("document.querySelectorAll('.katex-error').length") == 0
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        print(f"\n{name}, {window}, {theme}: first paint after {paint:.0f} ms")
        assert findings(page) == []


def test_search_works_from_the_disk(open_page):
    page = open_page("index")
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("acceptance")
    page.wait_for_selector(".md-search-result__link")
    assert page.locator(".md-search-result__link").first.get_attribute("href").startswith("file:")


def test_the_lab_is_alive_in_its_page_and_takes_what_a_reader_tries(open_page):
    page = open_page("tutorials/see-it")
    lab, links = page.frame_locator("iframe.lab"), page.locator("a[target=lab]")
    assert links.count() == 4
    for wanted in ("1", "5"):  # as it opens, and as the first link has it
        expect(lab.locator("[data-ro=t]")).to_have_text(re.compile(r"[2-9]\d|\d{3}"))
        expect(lab.locator(".knob-eta0 .box")).to_have_value(wanted)
        links.first.click()


def test_a_moving_figure_is_drawn_when_it_is_seen_and_again(open_page):
    page = open_page("explanation/exit-time")
    figure = page.locator("figure.moving").first
    figure.scroll_into_view_if_needed()
    page.wait_for_selector("figure.moving.drawn")
    running = "document.querySelector('figure.moving').getAnimations({subtree: true}).length"
    page.evaluate("document.getAnimations().forEach(one => one.finish())")
    assert page.evaluate(running) == 0
    figure.locator(".again").click()
    assert page.evaluate(running) == 1


def test_the_index_of_the_search_holds_the_reference(site):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"] for entry in index["docs"]}
    assert "reference/api/metrics.html#sampler.metrics.marginal_accuracy" in places and len(places) > 500
