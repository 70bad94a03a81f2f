"""The JavaScript modules in the repository are what the Python says today, and what has no exact translation is refused."""

import ast

import pytest

from app.js.translate.calls import Names
from app.js.translate.modules import FOLDER, files, home
from app.js.translate.statements import Writer


class NoNames(Names):
    def definition(self, name):
        return ast.parse(f"{name} = 1").body[0]

    def method(self, name):
        return None

    def use(self, name):
        pass


def javascript(text):
    return Writer(NoNames(), "here.py").expr(ast.parse(text, mode="eval").body)


def test_the_translated_modules_are_those_of_the_sources():
    present = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    assert present == files(), "run python -m app.js.translate"


@pytest.mark.parametrize("python, wanted", [
    ("a < b <= c", "(a < b) && (b <= c)"),
    ("a or b", "py.or(a, () => b)"),
    ("not a", "!py.truthy(a)"),
    ("a is None", "a == null"),
    ("a == b", "py.eq(a, b)"),
    ("f'{a:,.0f} {b}`'", '`${py.format(a, ",.0f")} ${py.str(b)}\\``'),
    ("[x for x in a if x]", "py.iter(a).filter((x) => py.truthy(x))"),
    ("{k: v + 1 for k, v in a.items()}", "Object.fromEntries(py.items(a).map(([k, v]) => [k, v + 1]))"),
    ("(*a, new)", "[...py.iter(a), new_]"),
    ("a[-1] // a[1:]", "Math.floor(a.at(-1) / a.slice(1))"),
    ("max(a, b, key=lambda x: -x)", "py.max([a, b], {key: (x) => (-x)})"),
    ("a.replace(b=1)", "py.replace(a, {b: 1})"),
    ("'a'.replace('b', 'c')", '"a".replaceAll("b", "c")'),
])
def test_an_expression_keeps_pythons_meaning(python, wanted):
    assert javascript(python) == wanted


@pytest.mark.parametrize("text", ["[1] + a", "a[::2]", "a | b", "f'{a!r}'", "f(b=1)", "a @ b", "2**60 + 9007199254740993"])
def test_an_expression_without_exact_translation_is_refused_with_its_place(text):
    with pytest.raises(ValueError, match="here.py:1: must be plain Python"):
        javascript(text)


def test_a_name_of_another_package_is_refused():
    with pytest.raises(ValueError, match="numpy.* write it without, or apart"):
        files({"sampler.tuning.settings_grid": ("spaced",)})


def test_a_name_is_traced_through_every_import():
    assert home("PLAIN", "app.live.page_words") == ("sampler.algorithms.algorithm_names", "PLAIN")
