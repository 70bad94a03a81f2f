"""`index_of`: the first page of a folder for a static host, with a link to the lab and one to each lesson."""

from __future__ import annotations

from html import escape

from app.extras.lab_file.page_file import LOGO
from app.glossary import unmarked
from app.lessons.page_facts import PAGE_FACTS
from app.lessons.reader import gather_lessons
from app.theme import css_variables
from sampler.version import MADE_WITH

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body{font:400 16px/1.5 Roboto,Arial,sans-serif;color:var(--lab-ink);margin:0}
main{max-width:720px;margin:0 auto;padding:48px 20px}
.logo svg{width:44px;height:44px;display:block}
h1{font-size:28px;margin:12px 0 4px}h2{font-size:18px;margin:32px 0 8px}p{margin:0 0 12px;color:var(--lab-ink2)}
a{color:var(--lab-primary)}.open{display:inline-block;background:var(--lab-primary);color:var(--lab-on);font-weight:700;
padding:10px 18px;border-radius:8px;text-decoration:none}
ol{list-style:none;padding:0;margin:0;border-top:1px solid var(--lab-line)}
li{border-bottom:1px solid var(--lab-line)}
li a{display:flex;gap:16px;padding:11px 6px;text-decoration:none;color:inherit}li a:hover{background:var(--lab-chip)}
li i{font-style:normal;width:24px;color:var(--lab-ink2);text-align:right}
li b{flex:1;font-weight:400}li small{color:var(--lab-ink2)}
footer{margin-top:32px;font-size:13px;color:var(--lab-ink2)}
"""


def index_of(lessons: tuple[str, ...] = (), lab: str = "lab.html") -> str:
    """Return the page.

    Parameters
    ----------
    lessons : tuple of str
        Keys of the lessons that the lab tells; by default all that are told on Live.
    lab : str
        Address of the lab beside it.
    """
    all_lessons, _ = gather_lessons(tuple(PAGE_FACTS))
    listed = [one for one in all_lessons if one.page == "live" and (not lessons or one.key in lessons)]
    lines = "".join(f'<li><a href="{lab}?lesson={one.key}"><i>{number}</i><b>{escape(unmarked(one.title))}</b>'
                    f"<small>{one.minutes} min</small></a></li>" for number, one in enumerate(listed))
    dark = css_variables().replace(":root[data-theme=dark]", ":root:root")
    dark = dark[dark.index(":root:root"):dark.index("html,body")]
    return "".join([
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Exit-Time Lab</title>',
        f"<style>{css_variables()}@media (prefers-color-scheme:dark){{{dark}}}{_STYLE}</style></head><body><main>",
        f'<span class="logo">{LOGO.read_text(encoding="utf-8")}</span><h1>Exit-Time Lab</h1>',
        "<p>Watch Online SAGA-LD sample a posterior that grows with the data, and turn every knob of it. It runs in your"
        " browser: nothing is installed, nothing is sent anywhere.</p>",
        f'<p><a class="open" href="{lab}">Open the lab</a></p><h2>Lessons</h2><ol>{lines}</ol>',
        f"<footer>{escape(MADE_WITH)}, MIT licence</footer></main></body></html>\n"])
