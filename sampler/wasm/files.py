"""Paths of the shipped module and its manifest."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
MODULE = FOLDER / "lab.wasm"
"""The kernels, compiled to WebAssembly."""
MANIFEST = FOLDER / "manifest.json"
"""Declarations of the module's entries, and the digest of its sources."""


@cache
def read_manifest() -> dict[str, Any]:
    """Return the manifest; ``sampler.wasm.manifest`` describes its contents."""
    manifest: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return manifest
