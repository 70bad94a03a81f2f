"""The shipped WebAssembly module matches the sources and its manifest."""

import ast
import hashlib
import json
import subprocess
from pathlib import Path

import numpy as np
import playwright
import pytest

from sampler import LogisticRegression, OnlineSagaLD
from sampler.wasm import MANIFEST, MODULE
from sampler.wasm.entries import CONSTANTS, ENTRIES, HOT, RARE
from sampler.wasm.entry import Group
from sampler.wasm.linking import MATH, MEMORY
from sampler.wasm.lowering import parameters
from sampler.wasm.manifest import digest, manifest
from tests.sources import texts, tree_of

LARGEST = 300_000
NODE = Path(playwright.__file__).with_name("driver") / "node"  # Playwright's: available in every test run
SHOWN = """const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]))
console.log(JSON.stringify([WebAssembly.Module.imports(module), WebAssembly.Module.exports(module)]))"""
TYPES = {"int64": "i64", "float64": "f64", "bool": "i32"}


@pytest.fixture(scope="module")
def declared():
    return json.loads(MANIFEST.read_text(encoding="utf-8"))


def test_the_module_is_up_to_date(declared):
    assert declared["sources"] == digest(), "stale: run python -m sampler.wasm"


def test_the_manifest_is_that_of_the_module(declared):
    module = MODULE.read_bytes()
    assert declared["module"] == hashlib.sha256(module).hexdigest() and declared["bytes"] == len(module) <= LARGEST
    assert declared["entries"] == json.loads(json.dumps(manifest(module)["entries"]))
    assert declared["constants"] == CONSTANTS


def test_imports_and_exports_of_the_module(declared):
    shown = subprocess.check_output([NODE, "--experimental-wasm-type-reflection", "-e", SHOWN, MODULE])
    imports, exports = json.loads(shown)
    assert {(one["module"], one["name"], one["kind"]) for one in imports} <= {("env", name, "function") for name in MATH}
    types = {one["name"]: one["type"] for one in exports}
    assert set(types) == {"memory", *MEMORY, *declared["entries"]}
    for name, entry in declared["entries"].items():
        passed = ["i32" if "shape" in one else TYPES[one["dtype"]] for one in entry["arguments"]]
        assert types[name] == {"parameters": passed, "results": ["i32"]}  # numba returns void as a null address


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_passes_the_fields_of_a_tuple_in_order(name):
    entry = ENTRIES[name]
    groups = [value for value in entry.arguments.values() if isinstance(value, Group) and value.of]
    for group in groups:
        own = [field.replace("precision", "precision_matrix") if "whitener" in group.fields else field
               for field in group.of._fields]
        assert list(group.fields) == own
    assert set(entry.sizes) <= {"D"} and len(parameters(entry)) < 60


def test_the_digest_ignores_comments(monkeypatch, tmp_path):
    from sampler.wasm import manifest as module

    kernel = tmp_path / "kernel.py"
    monkeypatch.setattr(module, "PACKAGE", tmp_path)
    monkeypatch.setattr(module, "sources", lambda: [kernel])

    def digest_of(text):
        kernel.write_text(text)
        return digest()

    first = digest_of('"""Doc."""\n\ndef f(x):\n    """Half."""\n    return x / 2  # half\n')
    assert digest_of("def f(x):\n    return x / 2\n") == first
    assert digest_of("def f(x):\n    return x / 3\n") != first


def test_shapes_are_those_of_a_sampler(declared):
    saga = OnlineSagaLD(LogisticRegression(dim=2), chains=3, seed=0)
    saga.observe(np.ones((5, 2)), np.ones(5))
    arrays = {one["name"]: one for one in declared["entries"]["glm_arrive_8"]["arguments"] if "shape" in one}
    kept = saga.snapshot().arrays
    sizes = {"K": 3, "N": kept["chains_noise"].shape[1], "T": 5}
    for name in (name for name in arrays if f"chains_{name}" in kept):
        array = kept[f"chains_{name}"]
        assert [sizes.get(size, size) for size in arrays[name]["shape"]] == list(array.shape), name
        assert arrays[name]["dtype"] == str(array.dtype), name
    items = kept["memory_items"].dtype
    assert arrays["items"]["dtype"] == {"bytes": items.itemsize,
                                        "fields": {name: [str(of), at] for name, (of, at) in items.fields.items()}}


def test_hot_and_rare_kernels_exist():
    kernels = texts("sampler/kernels")
    functions = {node.name for path in kernels for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)}
    assert set(HOT) <= functions and set(RARE) <= functions | {Path(path).stem for path in kernels}
