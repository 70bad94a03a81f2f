"""Nothing runs code, unpickles, opens files or asks a wall clock but the places named here, each with a reason."""

import ast
import time
from collections import defaultdict
from pathlib import Path

import pytest

from app.jobs.background_job import BackgroundJob
from sampler import LogisticRegression, Replay, Settings
from tests.app.jobs.waiting import wait
from tests.sources import ROOT, names_in, texts, tree_of

CODE = {"eval", "exec", "compile", "__import__", "import_module", "run_module", "run_path", "spec_from_file_location",
        "resolve_name", "load_problem", "system", "popen", "Popen", "check_output", "getstatusoutput"}
UNPICKLING = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
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
    """What a module of the dashboard does that must be named: "code", "unpickling", "files"."""
    kinds = set()
    for name, whole, node in called(tree):
        if name in CODE and whole != "re.compile":
            kinds.add("code")
        if (name in FILES and not whole.startswith(("self._story_pages", "self.open"))) or whole in OF_MODULES:
            kinds.add("files")
        if any(word.arg == "allow_pickle" and getattr(word.value, "value", True) for word in node.keywords):
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
                           "np.load(path, allow_pickle=kept)", "from numba import cloudpickle"),
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
    paths, runs = set(), set()
    for path in texts("sampler"):
        tree = tree_of(path)
        if {name for name, _, _ in called(tree)} & {"eval", "exec", "system", "popen"}:
            runs.add(path)
        for name, whole, node in called(tree):
            allowed = [word.value for word in node.keywords if word.arg == "allow_pickle"]
            if whole in ("np.load", "numpy.load"):
                assert allowed and ast.unparse(allowed[0]) == "False", f"{path}: np.load must say allow_pickle=False"
            assert name != "read_pickle" and all(ast.unparse(value) == "False" for value in allowed), path
        if words_imported(tree) & UNPICKLING:
            paths.add(path)
    assert paths == set(MAY_UNPICKLE)
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


WALL = {("time", "time"), ("time", "time_ns"), ("time", "localtime"), ("time", "ctime"), ("datetime", "now"),
        ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
MAY = {"app/tune/kept_files.py": "the age of a file, whose date is the wall clock's",
       "sampler/draws.py": "the date of a file of draws"}


def test_no_duration_is_measured_by_the_wall_clock():
    paths = set()
    for path in texts("app", "sampler"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in WALL:
                paths.add(path)
            if isinstance(node, ast.ImportFrom) and "time.time" in names_in(node):
                paths.add(path)
    assert paths == set(MAY)


def test_a_clock_that_jumps_by_hours_is_not_seen(monkeypatch):
    jumps = iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: 1.8e9 + 20_000.0 * (-1) ** next(jumps) * next(jumps))

    def work(handle):
        for part in range(1, 4):
            handle.publish(part, part / 4)

    background = BackgroundJob()
    background.start(work)
    update = wait(background)
    assert update.done and 0 <= update.seconds < 300
    background.close()
    replay = Replay(LogisticRegression(3), Settings(eta0=0.5, batch_size=5, i_max=8), [([[1.0, 2.0, 1.0]] * 20, [1.0] * 20)],
                    6, 3, 10)
    replay.resume()
    assert 0 <= replay.run().watch.seconds_per_epoch < 300


def test_no_script_of_a_page_asks_for_the_time_of_day():
    """Of ours: YALPS asks while it looks for whole numbers, Papa Parse where cells become dates; neither is asked to."""
    sources = {path for path in ROOT.glob("app/**/*.js") if "dist" not in path.parts or "translated" in path.parts}
    assert {path for path in sources if "Date" in path.read_text(encoding="utf-8")} == set()
