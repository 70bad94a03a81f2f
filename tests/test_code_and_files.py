"""Nothing runs code, unpickles or opens files but the places named here, each with a reason: none takes a browser's word."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
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
    "app/pages/__init__.py": "the classes of the pages, by the names in that file's own list",
    "app/process_memory.py": "one function of the C library by its name, malloc_trim, that gives memory back",
    "app/server_arguments.py": "--problem module:name of the command line, read once before the first visitor",
}
MAY_UNPICKLE = {
    "sampler/racing/nuts_process.py": "the pipe between this process and a child it started itself",
    "sampler/tuning/job_transport.py": "a sweep's job, to own worker processes or to a Dask cluster over TLS or loopback",
}
BESIDE_THE_CODE = """canvas/javascript_modules chrome/help_dialog chrome/page_template compare/shipped_results
    glossary/term lessons/reader notebook/display notebook/widget offline/shipped_results plots/drawing plots/line_labels
    plots/style recording/page release tune/shipped_sweeps visits/failed_page
    visits/own_name widgets/component widgets/controls""".split()
MAY_OPEN_FILES = {
    **{f"app/{name}.py": "files of this package beside its modules, by names the code has" for name in BESIDE_THE_CODE},
    "app/glossary/browser.py": "KaTeX of the installed Panel",
    "app/process_memory.py": "how much memory this process has, as Linux tells it",
    "app/plots/html_page.py": "a notebook's save_page(path); no page calls it",
    "app/recording/file.py": "the record command's own path; no page calls it",
    "app/tune/export.py": "a temporary folder of its own, for the text of a tuned.toml",
    "app/tune/kept_files.py": "the cache folder; a name from a link must fit one pattern and stay in its folder",
    "app/tune/sweep_job.py": "the lock beside a sweep, named by a checksum",
    "app/widgets/file_picker.py": "a temporary folder of its own for an upload",
    "app/widgets/unknown_rows.py": "an upload, at the path the picker gave it, and its copy in a folder beside it",
    "app/widgets/upload.py": "an upload, under a name of its own; the browser's name loses its folders",
    "app/coreset/components/file_choice.py": "an upload, at the path the picker gave it",
}


def sources(folder):
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text()


def called(tree):
    """Name, whole expression and node of each call whose name may matter."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SUSPECT or node.keywords:
                yield name, ast.unparse(node.func) if name in SUSPECT else name, node


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (alias.name for alias in node.names)


def uses(source: str) -> set[str]:
    """What a module of the dashboard does that must be named: "code", "unpickling", "files"."""
    found = set()
    if not any(word in source for word in (*SUSPECT, "allow_pickle", "subprocess", "runpy", "ctypes")):
        return found
    tree = ast.parse(source)
    for name, whole, node in called(tree):
        if name in CODE and whole != "re.compile":
            found.add("code")
        if (name in FILES and not whole.startswith(("self._story_pages", "self.open"))) or whole in OF_MODULES:
            found.add("files")
        if any(word.arg == "allow_pickle" and getattr(word.value, "value", True) for word in node.keywords):
            found.add("unpickling")
    words = {part for name in imported(tree) for part in name.split(".")}
    found |= {"unpickling"} if words & UNPICKLING else set()
    found |= {"code"} if words & {"subprocess", "runpy", "ctypes"} else set()
    return found


@pytest.mark.parametrize(("source", "kind"), [
    ("eval(text)", "code"), ("import pickle", "unpickling"), ("from pickle import loads", "unpickling"),
    ("np.load(path, allow_pickle=True)", "unpickling"), ("np.load(path, allow_pickle=kept)", "unpickling"),
    ("open(name)", "files"), ("Path(name).read_text()", "files"), ("os.remove(name)", "files"), ("os.system(text)", "code"),
    ("import subprocess", "code"), ("importlib.import_module(name)", "code"),
    ("from numba import cloudpickle", "unpickling"),
    ("load_problem(name)", "code")])
def test_this_test_sees_what_it_must(source, kind):
    assert kind in uses(source) and not uses("re.compile(text); text.replace('a', 'b'); dialog.show()")


def test_the_dashboard_runs_no_code_and_opens_no_file_but_where_it_is_said():
    found = defaultdict(set)
    for path, source in sources("app"):
        for kind in uses(source):
            found[kind].add(path)
    assert found["code"] == set(MAY_RUN_CODE), "code that runs code: name its reason, or take it out"
    assert found["unpickling"] == set(), "the dashboard never unpickles: a browser's bytes could be a program"
    assert found["files"] == set(MAY_OPEN_FILES), "code that opens files: name its reason, or take it out"


def test_the_library_unpickles_nothing_that_lies_on_a_disk():
    found = set()
    for path, source in sources("sampler"):
        if not any(word in source for word in (*UNPICKLING, "load(", "eval(", "exec(", "system(", "popen(")):
            continue
        tree = ast.parse(source)
        assert not {name for name, _, _ in called(tree)} & {"eval", "exec", "system", "popen"}, path
        for name, whole, node in called(tree):
            allowed = [word.value for word in node.keywords if word.arg == "allow_pickle"]
            if whole in ("np.load", "numpy.load"):
                assert allowed and ast.unparse(allowed[0]) == "False", f"{path}: np.load must say allow_pickle=False"
            assert name != "read_pickle" and all(ast.unparse(value) == "False" for value in allowed), path
        if {part for name in imported(tree) for part in name.split(".")} & UNPICKLING:
            found.add(path)
    assert found == set(MAY_UNPICKLE)


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
