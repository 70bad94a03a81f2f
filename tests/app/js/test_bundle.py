"""The bundle in the repository is built from the current sources and release, with every component of the pages.

Modules translated from Python are up to date, and code without an exact translation is refused.
"""

import ast
import hashlib
import importlib
import pkgutil
import re
import shutil
import subprocess
from unittest.mock import Mock

import pytest

import app
from app.js.bundles import FOLDER, bundle, bundle_text
from app.js.component import LabComponent
from app.js.translate.modules import FOLDER as TRANSLATED
from app.js.translate.modules import files, home
from app.js.translate.statements import Writer
from sampler.version import VERSION

ENTRIES = ("lab", "lab_file", "lab_start", "lab_theme", "lab_worker", "loading")


def sources():
    names = (path.relative_to(FOLDER) for suffix in ("js", "mjs", "json") for path in FOLDER.rglob(f"*.{suffix}"))
    return sorted(name.as_posix() for name in names if name.parts[0] not in ("dist", "node_modules")
                  or name.parts[:2] == ("dist", "translated"))


def every_component(base=LabComponent):
    for one in base.__subclasses__():
        yield one
        yield from every_component(one)


def test_no_source_has_changed_since_the_bundle_was_made():
    digest = hashlib.sha256(VERSION.encode())
    for name in sources():
        digest.update(name.encode())
        digest.update((FOLDER / name).read_bytes())
    made_of = (FOLDER / "dist" / "sources.sha256").read_text().strip()
    assert made_of == digest.hexdigest(), f"run `npm ci && npm run build` in {FOLDER}"


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_name_of_a_bundle_holds_the_digest_of_its_text(entry):
    assert bundle(entry).stem == f"{entry}-{hashlib.sha256(bundle(entry).read_bytes()).hexdigest()[:12]}"
    assert "</script" not in bundle_text(entry)


def test_the_bundle_exports_every_component_of_the_pages():
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if module.name not in ("app.__main__", "app.main", "app.app_hooks"):  # these run
            importlib.import_module(module.name)
    wanted = {one.__name__ for one in every_component() if one.__module__.startswith("app.") and not one.abstract}
    bundled = re.findall(r'from "\./(.*)"', (FOLDER / "lab.js").read_text())
    texts = [(FOLDER / path).read_text() for path in bundled]
    exported = {name for text in texts for name in re.findall(r"^export const ([A-Z]\w*[a-z]) = \{", text, re.MULTILINE)}
    assert wanted == exported


def test_an_entry_without_a_bundle_is_an_error_with_the_next_action():
    with pytest.raises(FileNotFoundError, match="npm ci && npm run build"):
        bundle("nothing")


@pytest.mark.journey
def test_the_sources_build_to_the_bundle_in_the_repository(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("not run: no npm on this machine")
    package = tmp_path / "app" / "js"
    shutil.copytree(FOLDER, package, ignore=shutil.ignore_patterns("node_modules", "__pycache__", "*-????????????.js"))
    (tmp_path / "sampler").mkdir()
    shutil.copy(FOLDER.parents[1] / "sampler" / "version.py", tmp_path / "sampler")
    for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        done = subprocess.run(command, cwd=package, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
    built, here = ({path.relative_to(one): path.read_bytes() for folder in ("dist", "dist/libraries")
                    for path in (one / folder).iterdir() if path.is_file()} for one in (package, FOLDER))
    assert built == here


def test_the_translated_modules_are_those_of_the_sources():
    present = {path.name: path.read_text(encoding="utf-8") for path in TRANSLATED.glob("*.js")}
    assert present == files(), "run python -m app.js.translate"


@pytest.mark.parametrize("text", ["[1] + a", "a[::2]", "a | b", "f'{a!r}'", "f(b=1)", "a @ b", "2**60 + 9007199254740993"])
def test_an_expression_without_exact_translation_is_refused_with_its_place(text):
    names = Mock()
    names.definition.return_value, names.method.return_value = ast.parse("a = 1").body[0], None
    with pytest.raises(ValueError, match="here.py:1: must be plain Python"):
        Writer(names, "here.py").expr(ast.parse(text, mode="eval").body)


def test_a_name_of_another_package_is_refused():
    with pytest.raises(ValueError, match="logging.* avoid it, or move it to another module"):
        files({"app.error_words": ("error_words",)})


def test_the_numpy_functions_of_translated_modules_are_exported():
    exported = "\n".join(re.findall("^export .*", (FOLDER / "lab" / "numpy.js").read_text(encoding="utf-8"), re.MULTILINE))
    called = {name for text in files().values() for name in re.findall(r"\bnp\.(\w+)", text)}
    assert len(called) > 50
    assert [name for name in called if not re.search(rf"\b{name}\b", exported)] == []


def test_a_name_is_traced_through_every_import():
    assert home("PLAIN", "app.live.page_words") == ("sampler.algorithms.algorithm_names", "PLAIN")
