"""Sampler kernels as one WebAssembly module, for pages that compute in the browser.

``lab.wasm`` is compiled from the functions of `sampler.kernels` that Python runs; ``manifest.json`` declares the arguments
of its entries. Both are shipped. After a change of a kernel ``python -m sampler.wasm`` rebuilds them
(``pip install -e ".[wasm]"``); ``python -m sampler.wasm --check`` verifies that they are up to date.
"""

from sampler.wasm.files import MANIFEST, MODULE, read_manifest
from sampler.wasm.handover import from_browser, to_browser
from sampler.wasm.problems import problem_record

__all__ = ["MANIFEST", "MODULE", "from_browser", "problem_record", "read_manifest", "to_browser"]
