"""The command ``export``: parse its links or lessons, and write the lab file atomically."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from app.lessons.reader import gather_lessons
from app.live.moment_link import moment_in
from app.state.exit_time import ExitState
from app.state.live import LiveState
from app.state.user_data import OWN
from sampler.atomic_file import atomic_file, why_not_written

GOOD, BAD_INPUT, STOPPED = 0, 1, 130
_LESSON = re.compile(r"(?:lesson[-_ ]?)?(\w+)")
OTHER_KEYS = {LiveState: ("v", "page", "theme", "lesson", "t", "log"), ExitState: ("page", "theme", ExitState.preset_key)}
"""State -> further parameters of its page's links."""


def add_export(commands: Any) -> None:
    """Add the command ``export`` to ``python -m app``, and the removed ``record``, which refers to it."""
    parser = commands.add_parser(
        "export", help="the lab as one HTML file", description="Write Live and Exit time as one HTML file for any browser"
        " without a server: chains, knobs, charts, verdict and lessons, all interactive. It sends no request to any server.")
    parser.add_argument("out", help="the file to write, such as lab.html; a folder, such as site/, for a static host")
    parser.add_argument("what", nargs="*", help="initial state: a link of one of these pages in quotes (from its ? on is"
                        " enough); or the lessons to include, such as lesson-2 too_hot (default: all)")
    parser.add_argument("--served", default="", metavar="URL", help="address of a served lab, for links that open there")
    parser.set_defaults(run=run)
    old = commands.add_parser("record", add_help=False)
    old.add_argument("what", nargs="*")
    old.add_argument("--epochs")
    old.set_defaults(run=refuse_record)


def refuse_record(options: Any) -> int:
    """Print the replacement of ``record`` and return the exit code."""
    print("error: record was removed: export writes the interactive lab instead of a film. Pass the same link or lesson"
          " after the file, such as exit-time-lab export lab.html too_hot.", file=sys.stderr)
    return BAD_INPUT


def run(options: Any) -> int:
    """Run ``export``: write the requested files and return the exit code."""
    from app.extras.lab_file.page_file import index_of, page_of  # takes a second to import

    try:
        link, lessons, warnings = parse_content(options.what)
        for warning in warnings:
            print(warning, file=sys.stderr)
        path, folder = Path(options.out), options.out.endswith("/") or Path(options.out).is_dir()
        if folder:
            path = path / "lab.html"
            _make(path.parent)
        with file_for(path) as write:
            page = page_of(link, lessons, options.served)
            write(page)
        if folder:
            with file_for(path.with_name("index.html")) as write:
                write(index_of(lessons))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nstopped; the file was not written", file=sys.stderr)
        return STOPPED
    print(f"{path}: {len(page.encode()) / 1e6:.2f} MB" + (f", and {path.with_name('index.html')}" if folder else ""))
    return GOOD


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise ValueError(f"out: the folder {str(folder)!r} could not be created ({why_not_written(wrong)}). Choose"
                         " another one.") from None


@contextmanager
def file_for(path: Path) -> Iterator[Callable[[str], object]]:
    """Open a file before the work starts; yield a function that writes its text.

    Raises
    ------
    ValueError
        If the file cannot be written or completed; an existing file stays unchanged.
    """
    try:
        with atomic_file(path) as file:
            yield lambda html: file.write(html.encode())
    except OSError as wrong:
        before = "; the existing file is unchanged" if path.exists() else ""
        raise ValueError(f"out: {str(path)!r} could not be written ({why_not_written(wrong)}){before}. Choose a file in"
                         " an existing folder.") from None


def parse_content(what: Sequence[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """Return the initial URL parameters of a file, the keys of its lessons (empty for all), and warnings.

    Raises
    ------
    ValueError
        For an unknown lesson, a link of another page, a truncated link, or one of a user's own data.
    """
    names = [_LESSON.fullmatch(one.strip()) for one in what]
    if all(names):
        lessons = tuple(dict.fromkeys(lesson_key(name[1]) for name in names))
        return urlencode({"lesson": lessons[0]}) if lessons else "", lessons, []
    if len(what) > 1:
        raise ValueError(f"what must be one link, or lessons; got {len(what)} arguments including a link. Pass the link"
                         " alone, in quotes.")
    link, warnings = opening_link(what[0].strip())
    return link, (), warnings


def lesson_key(text: str) -> str:
    """Return the key of a lesson, from its key or its index in the list of lessons."""
    lessons, words = gather_lessons()
    keys = [lesson.key for lesson in lessons]
    at = keys.index(text) if text in keys else int(text[:9]) if text.isdecimal() else -1
    if not 0 <= at < len(lessons):
        raise ValueError(f"lesson must be a number from 0 to {len(keys) - 1} or one of {', '.join(keys)}; got"
                         f" {text[:40]!r}. Choose one, or pass a whole link of the Live page. {' '.join(words)}".rstrip())
    return keys[at]


def opening_link(link: str) -> tuple[str, list[str]]:
    """Return the URL parameters of a link, and warnings."""
    query = _query(link)
    page = query.get("page", "live")
    if page not in ("live", "exit"):
        raise ValueError(f"link must be of the Live or the Exit time page, which need no server; got the page {page!r}. Open"
                         " one of these pages, press Share and copy the link.")
    if query.get("problem") == OWN:
        raise ValueError("link must be of a built-in problem; got one of a user's own data, which links do not contain."
                         " Export the lab without a link, open it and drop the CSV file of the data on it.")
    state = ExitState if page == "exit" and "lesson" not in query else LiveState
    config, words = state.from_query(query)
    keys = (*(knob.key for knob in state.linked().values()), *OTHER_KEYS[state])
    words += [f"The link's {key!r} is unknown and was ignored." for key in query if key not in keys]
    words += moment_in(query, config)[1] if state is LiveState else []
    if "lesson" in query:
        lesson_key(query["lesson"].partition(".")[0])
    return urlencode({key: value for key, value in query.items() if key in keys}), words


def _query(link: str) -> dict[str, str]:
    """Return the parameters of a link; raise ValueError if it is invalid or truncated."""
    text = urlsplit(link).query if "?" in link else link.partition("#")[0]
    if "=" not in text:
        raise ValueError(f"link must be a link of the Live page or a lesson such as lesson-2; got {link[:60]!r}. Press"
                         " Share on Live and copy the whole link.")
    parts = [part for part in text.split("&") if part]
    for part in parts:
        if "=" not in part or part.endswith("=") or part.endswith("%"):
            raise ValueError(f"link seems to be truncated at {part[:40]!r}: a parameter has no value. Copy the whole link.")
    return dict(parse_qsl(text))
