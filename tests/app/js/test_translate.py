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


def test_the_translated_modules_are_those_of_the_sources():
    present = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    assert present == files(), "run python -m app.js.translate"


@pytest.mark.parametrize("text", ["[1] + a", "a[::2]", "a | b", "f'{a!r}'", "f(b=1)", "a @ b", "2**60 + 9007199254740993"])
def test_an_expression_without_exact_translation_is_refused_with_its_place(text):
    with pytest.raises(ValueError, match="here.py:1: must be plain Python"):
        Writer(NoNames(), "here.py").expr(ast.parse(text, mode="eval").body)


def test_a_name_of_another_package_is_refused():
    with pytest.raises(ValueError, match="numpy.* write it without, or apart"):
        files({"sampler.tuning.settings_grid": ("spaced",)})


def test_a_name_is_traced_through_every_import():
    assert home("PLAIN", "app.live.page_words") == ("sampler.algorithms.algorithm_names", "PLAIN")
