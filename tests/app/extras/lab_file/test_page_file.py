"""The lab file: content, size and policy; the command that writes it; the folder for a static host.

Also *Save as a page*, in the menu next to Share of the served lab, and the removed command `record`.
"""

import base64
import json
import re
import zlib
from pathlib import Path
from unittest.mock import Mock

import pytest

from app.__main__ import main
from app.chrome.header import help_html
from app.extras.lab_file import page_file
from app.extras.lab_file.command import opening_link, parse_content
from app.extras.lab_file.content import lab_content
from app.extras.lab_file.extra import FILE_NAME, SavePage
from app.extras.lab_file.page_file import POLICY, index_of
from app.live.moment_link import Moment
from app.pages.exit_time import ExitTimePage
from app.state.live import LiveState, default_config
from sampler.version import VERSION
from tests.app.extras.lab_file.pages import page_with_worker
from tests.waiting import wait_for

ROOT = Path(__file__).parents[4]


def unpacked(html, name):
    """Return the bytes of one packed element of the file."""
    return zlib.decompress(base64.b64decode(re.search(rf'<script type="text/plain" id="{name}">(.*?)</script>', html)[1]))


@pytest.fixture(scope="module")
def html():
    return page_with_worker("", "eta0=5&seed=1")


def test_the_file_is_complete_and_its_policy_allows_no_requests(html):
    assert len(html.encode()) < 2e6
    assert f'content="Exit-Time Lab {VERSION}"' in html
    assert "connect-src &#x27;none&#x27;" in html
    assert "default-src 'none'" in POLICY and "unsafe-eval" not in POLICY.replace("wasm-unsafe-eval", "")
    markup = re.sub(r"<script.*?</script>|<!--.*?-->", "", html, flags=re.S)
    assert not re.search(r'(?:src|href)="(?!data:)', markup)
    assert json.loads(unpacked(html, "content")).keys() == (lab_content() | {"served": ""}).keys()
    assert '<script type="text/plain" id="link">eta0=5&seed=1</script>' in html
    assert html.index('id="manifest"') < html.index("labParts=") < html.index('id="bokeh"')  # the worker starts early


def test_the_help_has_only_sections_that_apply_to_the_file(html):
    text = json.loads(unpacked(html, "content"))["help"]
    assert all(words in help_html() and words not in text for words in ("The pages", "Save as a page", "panel serve"))
    assert "Live: the picture" in text and "Keys" in text


def test_the_file_that_the_readme_links_is_of_this_release():
    """When this fails: python -m app export assets/lab.html."""
    html = (ROOT / "assets" / "lab.html").read_text(encoding="utf-8")
    assert f'content="Exit-Time Lab {VERSION}"' in html and html.startswith("<!doctype html>")
    assert json.loads(unpacked(html, "content")).keys() == (lab_content() | {"served": ""}).keys()


def test_no_row_of_a_data_set_is_in_the_file(html):
    assert b"pregnancies" not in unpacked(html, "content").lower() and b"pima" not in unpacked(html, "content").lower()


def test_a_file_holds_the_chosen_lessons_only():
    html = page_with_worker("", "lesson=too_hot", ("too_hot", "resets"))
    lessons = json.loads(unpacked(html, "content"))["lessons"]
    assert [one["key"] for one in lessons["list"]] == ["too_hot", "resets"] and lessons["opening"] == []


@pytest.mark.parametrize(("contents", "words"), [
    (["lesson-99"], "from 0 to"), (["hello"], "from 0 to"), ([""], "Press Share"), (["http://lab/app"], "whole link"),
    (["?problem=given&eta0=1"], "own data"), (["?problem=linear2&eta0"], "truncated at 'eta0'"),
    (["?problem=linear2&C=2%"], "truncated"), (["?page=tune&seed=1"], "'tune'"), (["?lesson=two&t=3"], "'two'"),
    (["too_hot", "?eta0=1"], "one link, or lessons"),
])
def test_invalid_links_and_lessons_are_refused_with_a_message(contents, words):
    with pytest.raises(ValueError, match=words):
        parse_content(contents)


def test_links_and_lessons_are_taken():
    assert parse_content([]) == ("", (), [])
    assert parse_content(["lesson-2", "too_hot"]) == ("lesson=resets", ("resets", "too_hot"), [])
    link, words = opening_link("http://127.0.0.1:5006/app?v=1&problem=linear2&eta0=99&t=40&log=0~~end&me=2")
    assert link == "v=1&problem=linear2&eta0=99&t=40&log=0~~end"
    assert len(words) == 2 and "must be from 0.001 to 30" in words[0] and "'me' is unknown" in words[1]
    link, words = opening_link("?page=exit&preset=quadratic&er=300&me=2")
    assert link == "page=exit&preset=quadratic&er=300"
    assert len(words) == 2 and "must be from 0.01 to 100" in words[0] and "'me' is unknown" in words[1]


def test_the_index_leads_to_each_lesson():
    page = index_of()
    assert 'href="lab.html"' in page and 'href="lab.html?lesson=too_hot"' in page and "why_the_square" not in page
    assert index_of(("resets",)).count("?lesson=") == 1


CONFIG = default_config("gaussian2").replace(chains=8)


class LiveStub:
    """Stub of a Live page with a run."""

    own_data = False

    def run_on_show(self):
        return CONFIG, Moment(12, None, (CONFIG.settings, CONFIG.escape_radius), ())

    def shared(self):
        return LiveState.to_query(CONFIG) | {"t": "12", "log": "0~~end"}, "epoch 12"


@pytest.fixture
def save(monkeypatch):
    contents = []
    monkeypatch.setattr(page_file, "page_of", lambda link, served: contents.append((link, served)) or "<!doctype html>")
    one = SavePage()
    one._looking, one.contents = Mock(), contents  # without a server, the test calls `look`
    yield one
    one._job.close()


def last_note(save, page, answer=""):
    """Press the button; return its last note once the work has ended."""
    notes = []
    save.press(page, answer, notes.append)
    wait_for(lambda: save._job.settled, look=save.look)
    return notes[-1] if notes else None


def test_the_file_opens_at_the_displayed_picture(save):
    note = last_note(save, LiveStub())
    assert note["file"] == {"name": FILE_NAME, "html": "<!doctype html>"} and "live in any browser" in note["words"]
    [(link, served)] = save.contents
    assert "problem=gaussian2" in link and "t=12" in link and served == ""


def test_own_data_are_not_in_the_file_and_need_a_confirmation(save):
    page = LiveStub()
    page.own_data = True
    assert "drop your CSV file" in last_note(save, page)["words"] and not save.contents
    last_note(save, page, "without")
    assert save.contents == [("", "")]


def test_a_page_without_a_run_offers_nothing(save):
    page = ExitTimePage()
    assert not save.offers(page) and "has no run" in last_note(save, page)["words"]


def test_a_file_that_cannot_be_made_is_reported(save, monkeypatch):
    def fail(link, served):
        raise ValueError("no")

    monkeypatch.setattr(page_file, "page_of", fail)
    assert "could not be saved: no" in last_note(save, LiveStub())["words"]


@pytest.mark.parametrize("arguments", [[], ["too_hot", "out.html"], ["lessons", "slides/", "--epochs", "3"]])
def test_the_removed_command_names_its_replacement(arguments, capsys):
    assert main(["record", *arguments]) == 1
    assert "export lab.html" in capsys.readouterr().err


def test_bad_input_is_an_error_and_writes_nothing(tmp_path, capsys):
    for content in (["lesson-77"], ["?page=tune&x=1"]):
        assert main(["export", str(tmp_path / "lab.html"), *content]) == 1
        assert capsys.readouterr().err.startswith("error: ")
    assert list(tmp_path.iterdir()) == []
