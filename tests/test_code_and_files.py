"""Nothing runs code, unpickles, opens files or asks a wall clock but the places named here, each with a reason."""

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
    "app/chrome/extras.py": "the extras, by the names in that file's own list",
    "app/js/translate/modules.py": "the project's own modules that are translated, by the names in that file's own table",
    "app/chrome/frame.py": "the classes of the pages, by the names in that file's own list",
    "app/server/arguments.py": "--problem module:name of the command line, read once before the first visitor",
}
MAY_UNPICKLE = {
    "sampler/tuning/sweep_cell.py": "a sweep's job, to own worker processes or to a Dask cluster over TLS or loopback",
}
BESIDE_THE_CODE = """chrome/header compare/method_map compare/race_job
    coreset/paper_figure_plan
    exit_time/result_words extras/lab_file/page_file glossary/term
    js/bundles lessons/page_facts lessons/reader
    notebook/display offline/shipped_results plots/drawing plots/lines plots/style
    server/visits tune/sweep_defaults widgets/page_shell""".split()
MAY_OPEN_FILES = {
    **{f"app/{name}.py": "files of this package beside its modules, by names the code has" for name in BESIDE_THE_CODE},
    "app/extras/lab_file/command.py": "the folder that ``export`` is asked to write into, at a user's command",
    "app/js/translate/__main__.py": "writes the JavaScript modules of the project, at a maintainer's command",
    "app/js/translate/modules.py": "the sources of the project",
    "app/glossary/browser.py": "KaTeX of the installed Panel",
    "app/plots/shown.py": "a notebook's save_page(path); no page calls it",
    "app/tune/advised_job.py": "the runs kept in the cache folder, in a file named by a checksum",
    "app/tune/export.py": "a temporary folder of its own, for the text of a tuned.toml",
    "app/tune/kept_files.py": "the cache folder; a name from a link must fit one pattern and stay in its folder",
    "app/tune/sweep_job.py": "the lock beside a sweep, named by a checksum",
    "app/own_data/file_picker.py": "an upload in a temporary folder of its own; the browser's name loses its folders",
    "app/coreset/sidebar.py": "an upload, at the path the picker gave it",
}


def called(tree):
    """Name, whole expression and node of each call whose name may matter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SUSPECT or node.keywords:
                yield name, ast.unparse(node.func) if name in SUSPECT else name, node


def words_imported(tree):
    return {part for node in ast.walk(tree) for name in names_in(node) for part in name.split(".")}


def uses(tree: ast.Module) -> set[str]:
    """What a module does that must be named: "code", "unpickling", "files"."""
    kinds = set()
    for name, whole, node in called(tree):
        if name in CODE and whole != "re.compile":
            kinds.add("code")
        if (name in FILES and not whole.startswith(("self._story_pages", "self.open"))) or whole in OF_MODULES:
            kinds.add("files")
        if name in UNPICKLING or any(
                word.arg == "allow_pickle" and getattr(word.value, "value", True) for word in node.keywords):
            kinds.add("unpickling")
    words = words_imported(tree)
    kinds |= {"unpickling"} if words & UNPICKLING else set()
    kinds |= {"code"} if words & {"subprocess", "runpy", "ctypes"} else set()
    return kinds


def test_this_test_sees_what_it_must():
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
    assert paths["code"] == set(MAY_RUN_CODE), "code that runs code: name its reason, or take it out"
    pipes = {"app/jobs/worker_processes.py"}  # between the server and processes of its own: no browser writes to them
    assert paths["unpickling"] == pipes, "the dashboard never unpickles: a browser's bytes could be a program"
    assert paths["files"] == set(MAY_OPEN_FILES), "code that opens files: name its reason, or take it out"


def test_the_library_unpickles_nothing_that_lies_on_a_disk():
    trees = {path: tree_of(path) for path in texts("sampler")}
    assert {path for path, tree in trees.items() if "unpickling" in uses(tree)} == set(MAY_UNPICKLE)
    runs = {path for path, tree in trees.items()
            if {name for name, *_ in called(tree)} & {"eval", "exec", "system", "popen"}}
    assert runs == {"sampler/wasm/lowering.py"}, "it runs the text that it makes of its own table, to build the module"


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
MAY = {"app/tune/kept_files.py": "the age of a file, whose date is the wall clock's",
       "sampler/draws.py": "the date of a file of draws"}


def asks_the_date(node):
    """Whether a node names what tells the date, or imports it, or imports what it belongs to under another name."""
    if isinstance(node, ast.Attribute):
        return f"{getattr(node.value, 'attr', getattr(node.value, 'id', ''))}.{node.attr}" in WALL
    return bool(names_in(node) & WALL) or isinstance(node, ast.Import | ast.ImportFrom) and any(
        alias.asname and alias.name in ("time", "datetime", "date") for alias in node.names)


def test_no_duration_is_measured_by_the_wall_clock():
    """So a clock that jumps by hours is not seen."""
    paths = {path for path in texts("app", "sampler") if any(map(asks_the_date, ast.walk(tree_of(path))))}
    assert paths == set(MAY)
    for code in ("time.time()", "datetime.datetime.now()", "from time import time", "import time as t",
                 "from datetime import datetime as day"):
        assert any(map(asks_the_date, ast.walk(ast.parse(code))))


def test_no_script_of_a_page_asks_for_the_time_of_day():
    """Of ours: YALPS asks while it looks for whole numbers, Papa Parse where cells become dates; neither is asked to."""
    sources = {path for path in ROOT.glob("app/**/*.js") if "dist" not in path.parts or "translated" in path.parts}
    assert {path for path in sources if "Date" in path.read_text(encoding="utf-8")} == set()
