"""The module and its manifest, as they are shipped."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
MODULE = FOLDER / "lab.wasm"
"""The kernels, compiled to WebAssembly."""
MANIFEST = FOLDER / "manifest.json"
"""What the module exports, and of which sources it was made."""


@cache
def read_manifest() -> dict[str, Any]:
    """Return the manifest: see ``sampler.wasm.manifest`` for what it holds."""
    manifest: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return manifest
