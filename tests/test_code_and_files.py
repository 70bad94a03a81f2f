"""Only the modules listed here, with reasons, run code, unpickle, open files or read the wall clock."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.sources import ROOT, names_in, texts, tree_of

CODE = {"eval", "exec", "compile", "__import__", "import_module", "run_module", "run_path", "spec_from_file_location",
        "resolve_name", "load_problem", "system", "popen", "Popen", "check_output", "getstatusoutput"}
UNPICKLING = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "read_pickle"}
FILES = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "rmtree", "rename", "copyfile",
         "copytree", "symlink_to", "hardlink_to", "mkdir", "rmdir", "mkdtemp", "mkstemp", "TemporaryDirectory",
         "NamedTemporaryFile", "fdopen", "iterdir", "glob", "rglob", "memmap", "fromfile", "tofile", "touch", "chmod"}
OF_MODULES = {"os.replace", "os.remove", "os.rename", "os.link", "os.unlink", "os.listdir", "os.walk", "os.open", "np.load",
              "shutil.move", "np.save", "np.savez", "numpy.load"}
SUSPECT = CODE | UNPICKLING | FILES | {whole.partition(".")[2] for whole in OF_MODULES}

MAY_RUN_CODE = {
    "app/chrome/extras.py": "the extras listed in that file",
    "app/js/translate/modules.py": "the translated modules of the project listed in that file",
    "app/chrome/frame.py": "the page classes listed in that file",
    "app/server/arguments.py": "--problem module:name of the command line, imported once before the first visit",
}
MAY_UNPICKLE = {
    "sampler/tuning/sweep_cell.py": "a sweep's job, sent to own worker processes or to a Dask cluster over TLS or loopback",
}
PACKAGE_DATA = """chrome/header compare/method_map compare/race_job
    coreset/paper_figure_plan
    exit_time/result_words extras/lab_file/page_file glossary/term
    js/bundles lessons/page_facts lessons/reader
    notebook/display offline/shipped_results plots/drawing plots/lines plots/style
    server/visits tune/sweep_defaults widgets/page_shell""".split()
MAY_OPEN_FILES = {
    **{f"app/{name}.py": "package data next to the modules, by names in the code" for name in PACKAGE_DATA},
    "app/extras/lab_file/command.py": "the output folder of the ``export`` command",
    "app/js/translate/__main__.py": "writes the JavaScript modules of the project; a maintainer's command",
    "app/js/translate/modules.py": "the sources of the project",
    "app/glossary/browser.py": "KaTeX of the installed Panel",
    "app/plots/shown.py": "a notebook's save_page(path); no page calls it",
    "app/tune/advised_job.py": "runs in the cache folder, in a file named by a checksum",
    "app/tune/export.py": "a temporary folder for the text of a tuned.toml",
    "app/tune/kept_files.py": "the cache folder; a name from a link must match a pattern and stay in its folder",
    "app/tune/sweep_job.py": "the lock file of a sweep, named by a checksum",
    "app/own_data/file_picker.py": "an upload in a temporary folder; directories of the browser's file name are dropped",
    "app/coreset/sidebar.py": "an upload, at the path from the picker",
}


def suspect_calls(tree):
    """Yield name, expression and node of each call that may need a listing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SUSPECT or node.keywords:
                yield name, ast.unparse(node.func) if name in SUSPECT else name, node


def imported_parts(tree):
    return {part for node in ast.walk(tree) for name in names_in(node) for part in name.split(".")}


def uses(tree: ast.Module) -> set[str]:
    """Return the kinds of listed operations in a module: "code", "unpickling", "files"."""
    kinds = set()
    for name, whole, node in suspect_calls(tree):
        if name in CODE and whole != "re.compile":
            kinds.add("code")
        if (name in FILES and not whole.startswith(("self._story_pages", "self.open"))) or whole in OF_MODULES:
            kinds.add("files")
        if name in UNPICKLING or any(
                word.arg == "allow_pickle" and getattr(word.value, "value", True) for word in node.keywords):
            kinds.add("unpickling")
    words = imported_parts(tree)
    kinds |= {"unpickling"} if words & UNPICKLING else set()
    kinds |= {"code"} if words & {"subprocess", "runpy", "ctypes"} else set()
    return kinds


def test_uses_detects_every_kind():
    assert uses(ast.parse("re.compile(text); text.replace('a', 'b'); dialog.show()")) == set()
    for kind, codes in {
            "code": ("eval(text)", "os.system(text)", "import subprocess", "importlib.import_module(name)",
                     "load_problem(name)"),
            "unpickling": ("import pickle", "from pickle import loads", "np.load(path, allow_pickle=True)",
                           "np.load(path, allow_pickle=kept)", "from numba import cloudpickle", "pandas.read_pickle(path)"),
            "files": ("open(name)", "Path(name).read_text()", "os.remove(name)")}.items():
        assert not [code for code in codes if kind not in uses(ast.parse(code))]


def test_the_dashboard_runs_code_and_opens_files_only_where_listed():
    paths = defaultdict(set)
    for path in texts("app"):
        for kind in uses(tree_of(path)):
            paths[kind].add(path)
    assert paths["code"] == set(MAY_RUN_CODE), "modules that run code: list with a reason or remove"
    pipes = {"app/jobs/worker_processes.py"}  # between the server and its worker processes: no browser writes to them
    assert paths["unpickling"] == pipes, "the dashboard never unpickles: bytes from a browser could be a program"
    assert paths["files"] == set(MAY_OPEN_FILES), "modules that open files: list with a reason or remove"


def test_the_library_unpickles_nothing_from_disk():
    trees = {path: tree_of(path) for path in texts("sampler")}
    assert {path for path, tree in trees.items() if "unpickling" in uses(tree)} == set(MAY_UNPICKLE)
    runs = {path for path, tree in trees.items()
            if {name for name, *_ in suspect_calls(tree)} & {"eval", "exec", "system", "popen"}}
    assert runs == {"sampler/wasm/lowering.py"}, "it runs text generated from its own table to build the module"


def test_a_checkpoint_that_holds_a_pickle_is_refused_and_runs_nothing(tmp_path):
    import numpy as np

    from sampler import OnlineSagaLD

    class Bomb:
        def __reduce__(self):
            return Path.touch, (tmp_path / "exploded",)

    with open(tmp_path / "state.npz", "wb") as file:
        np.savez(file, meta=np.array([Bomb()], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError):
        OnlineSagaLD.load(tmp_path / "state.npz")
    assert not (tmp_path / "exploded").exists()


WALL = {"time.time", "time.time_ns", "time.localtime", "time.ctime", "datetime.now", "datetime.utcnow", "datetime.today",
        "date.today"}
MAY = {"app/tune/kept_files.py": "the age of a file, from its modification date",
       "sampler/draws.py": "the creation date of a file of draws"}


def reads_the_date(node):
    """Return True if a node uses or imports a wall-clock function, or imports its module under another name."""
    if isinstance(node, ast.Attribute):
        return f"{getattr(node.value, 'attr', getattr(node.value, 'id', ''))}.{node.attr}" in WALL
    return bool(names_in(node) & WALL) or isinstance(node, ast.Import | ast.ImportFrom) and any(
        alias.asname and alias.name in ("time", "datetime", "date") for alias in node.names)


def test_no_duration_is_measured_by_the_wall_clock():
    """A jump of the clock by hours has no effect."""
    paths = {path for path in texts("app", "sampler") if any(map(reads_the_date, ast.walk(tree_of(path))))}
    assert paths == set(MAY)
    for code in ("time.time()", "datetime.datetime.now()", "from time import time", "import time as t",
                 "from datetime import datetime as day"):
        assert any(map(reads_the_date, ast.walk(ast.parse(code))))


def test_no_script_of_a_page_reads_the_date():
    """Except third-party code paths not used here: YALPS with integer variables, Papa Parse with date conversion."""
    sources = {p for p in ROOT.glob("app/**/*.js") if "translated" in p.parts or not {"dist", "node_modules"} & {*p.parts}}
    assert {path for path in sources if "Date" in path.read_text(encoding="utf-8")} == set()
