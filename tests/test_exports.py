"""Every exported file records the release, and the release number is defined once."""

import ast
import io
import json
import re
import tomllib

import numpy as np
import pytest
from PIL import Image
from pyarrow import parquet

import sampler
from app.__main__ import main as app_command
from app.chrome.header import help_html
from app.csv_text import result_rows
from app.js.bundles import bundle_text
from app.live.charts.stack import to_csv
from app.live.charts.view import empty
from app.plots.shown import html_page
from sampler import GaussianMean, OnlineSagaLD, Settings, Tuned
from sampler import __main__ as sampler_command
from sampler.algorithms.state_archive import read_meta
from sampler.draws import Draws
from sampler.production.summaries import SCHEMA, JsonLines, ParquetParts
from sampler.version import MADE_WITH, VERSION
from tests.sources import ROOT, texts, tree_of

WRITERS = {"atomic_file", "write_text", "write_bytes", "savez", "write_table", "to_netcdf", "to_zarr", "csv_rows",
           "result_rows", "result_columns"}
"""Functions that create a file or its text; code that opens a file for writing must use one of them."""
CHECKED = {
    "app/compare/method_map.py", "app/compare/table_rows.py", "app/coreset/run_words.py", "app/csv_text.py",
    "app/live/charts/stack.py", "app/offline/ladder_words.py", "app/offline/race_words.py", "app/pages/exit_time.py",
    "app/plots/shown.py",
    "app/extras/lab_file/command.py", "app/tune/export.py", "app/widgets/cards.py",
    "sampler/algorithms/state_archive.py",
    "sampler/draws.py", "sampler/production/summaries.py", "sampler/production/tuned.py", "sampler/settings.py",
}
"""Modules that export; a test here or elsewhere checks the release in each export."""
INTERNAL = {"app/tune/advised_job.py", "app/tune/sweep_defaults.py", "sampler/tuning/sweep_reference.py",
          "sampler/wasm/__main__.py", "sampler/wasm/linking.py", "app/js/translate/__main__.py"}
"""Modules that write internal files: shipped results and kernels, the database of a sweep."""


def calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def opens_to_write(tree):
    return any(isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open"
               and any(isinstance(arg, ast.Constant) and re.fullmatch("[wax]b?[+]?b?", str(arg.value))
                       for arg in [*node.args[1:], *(word.value for word in node.keywords)]) for node in ast.walk(tree))


def test_every_file_that_writes_is_listed():
    """A new export fails here until it records the release and a test checks it."""
    trees = {path: tree_of(path) for path in texts("app", "sampler")}
    assert {name for name, tree in trees.items() if WRITERS & set(calls(tree))} == CHECKED | INTERNAL
    assert {name for name, tree in trees.items() if opens_to_write(tree)} <= {
        "app/tune/kept_files.py", "app/own_data/file_picker.py",  # uploads
        "sampler/production/summaries.py",  # below
        "sampler/streams/row_cleaning.py",  # a user's rows
        "sampler/production/checkpoint_file.py",  # a count of eight bytes
        "sampler/atomic_file.py"}  # all others


def test_tables_of_results_have_the_release_and_tables_of_data_do_not():
    functions = [node for node in tree_of("app/tune/export.py").body if isinstance(node, ast.FunctionDef)]
    plain = [node.name for node in functions if "csv_rows" in set(calls(node))]
    assert plain == ["stream_csv"]
    assert result_rows(["x"], [[1], [2]]) == f"x,made_with\n1,{MADE_WITH}\n2,{MADE_WITH}\n"
    one = {name: np.ones(1) for name in empty()}
    assert to_csv(one, "saga-ld").splitlines()[1].endswith(f",saga-ld,{MADE_WITH}")


def test_the_browser_saves_files_in_one_module_and_pictures_with_the_release():
    savers = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in (ROOT / "app").rglob("*.js")
             if not {"dist", "node_modules"} & set(file.parts)}
    savers = {name: text for name, text in savers.items()
             if ".download = " in text or "toBlob(" in text and "saveFile" not in text}
    assert set(savers) == {"app/js/common/pictures.js"}
    for text in savers.values():
        assert len(re.findall(r"stamped\(", text)) >= len(re.findall(r"\.download = |toBlob\(done", text))
    chunk = bytes(json.loads(re.search(r"\[[\d,]{40,}\]", bundle_text("lab"))[0]))
    picture = next((ROOT / "assets").glob("*.png")).read_bytes()
    head = 33  # bytes of a PNG's signature and header (ISO/IEC 15948, 5.2 and 11.2.2)
    assert Image.open(io.BytesIO(picture[:head] + chunk + picture[head:])).text["Software"] == MADE_WITH


def test_files_of_the_library_have_the_release(tmp_path):
    Settings().save(tmp_path / "settings.toml")
    Tuned(Settings(), {"kind": "logistic"}).save(tmp_path / "tuned.toml")
    for name in ("settings", "tuned"):
        assert tomllib.loads((tmp_path / f"{name}.toml").read_text())["versions"]["exit-time-lab"] == VERSION
    assert Tuned(Settings(), {"kind": "logistic"}).snippet().startswith(f"# {MADE_WITH}\n")
    OnlineSagaLD(GaussianMean(2), Settings(), chains=2).save(tmp_path / "state.npz")
    assert read_meta(tmp_path / "state.npz")["release"] == VERSION
    draws = Draws(np.zeros((2, 3, 1)), np.arange(3))
    draws.save(tmp_path / "draws.parquet")
    assert parquet.read_schema(tmp_path / "draws.parquet").metadata[b"made_with"] == MADE_WITH.encode()
    assert draws.to_datatree()["posterior"].attrs["inference_library_version"] == VERSION


@pytest.mark.parametrize("kind", [JsonLines, ParquetParts])
def test_summaries_have_the_release(kind, tmp_path):
    output = kind(str(tmp_path / "out"))
    output.resume(0)
    output.write({"t": 1})
    output.mark()
    output.close()
    if kind is JsonLines:
        assert json.loads((tmp_path / "out").read_text()) == {"t": 1, "release": VERSION, "schema": SCHEMA}
    else:
        assert parquet.read_schema(next((tmp_path / "out").iterdir())).metadata[b"made_with"] == MADE_WITH.encode()


def test_pages_the_help_and_the_commands_have_the_release(capsys):
    from bokeh.plotting import figure

    assert f'content="{MADE_WITH}"' in html_page([figure()], "x")
    assert MADE_WITH in help_html()
    for main in (sampler_command.main, app_command):
        with pytest.raises(SystemExit) as end:
            main(["--version"])
        assert end.value.code == 0 and capsys.readouterr().out.strip() == MADE_WITH


def test_notebooks_have_the_release_of_their_outputs():
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert re.fullmatch(r"Exit-Time Lab \d+\.\d+\.\d+", json.loads(path.read_text())["metadata"]["made_with"]), path.name


def test_the_release_number_is_defined_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "sampler.version.VERSION"}
    assert sampler.__version__ == VERSION
    assert [path for path, text in texts("app", "sampler").items() if VERSION in text] == ["sampler/version.py"]


@pytest.mark.parametrize("name", ["<img src=x onerror=hit()>", "a\"b'c", "two\nlines", "\u202ebackwards", "back\\slash",
                                  "\x00", '"""', "'''", "$(touch hit)`touch hit`", "{0.__class__}", "long" * 500])
def test_code_in_a_name_is_not_executed(name, tmp_path):
    """Names of files, columns and levels survive a tuned.toml round trip and do not change the generated Python."""
    def tuned(name):
        reading = {"response": name, "features": [f"{name} 2"], "categories": {f"{name} 3": [name, "b"]}}
        return Tuned(Settings(), {"kind": "logistic"}, 4, 0, reading, {"name": name, "fingerprint": "0123456789abcdef"})

    def shape(code):
        return [type(node).__name__ for node in ast.walk(ast.parse(code))]

    tuned(name).save(tmp_path / "tuned.toml")
    back = Tuned.load(tmp_path / "tuned.toml")
    assert (back.reading, back.data) == (tuned(name).reading, tuned(name).data)
    assert shape(back.snippet()) == shape(tuned("plain").snippet())


def test_a_page_with_figures_escapes_its_names():
    from bokeh.plotting import figure

    program = "</script><script>hit()</script><img src=x onerror=hit()>"
    figure_ = figure(title=program, x_range=[program])
    figure_.scatter([program], [1.0], legend_label=program)
    page = html_page([figure_], program)
    assert program not in page and "<script>hit" not in page and "<img" not in page
