"""The kernels of the samplers as one WebAssembly module, for pages that compute in the browser.

``lab.wasm`` is compiled from the very functions of `sampler.kernels` that Python runs, and ``manifest.json`` says how its
entries are called. Both are shipped. ``python -m sampler.wasm`` makes them anew after a change of a kernel
(``pip install -e ".[wasm]"``), ``python -m sampler.wasm --check`` compares.
"""

from sampler.wasm.files import MANIFEST, MODULE, read_manifest
from sampler.wasm.handover import from_browser, to_browser
from sampler.wasm.problems import problem_record

__all__ = ["MANIFEST", "MODULE", "from_browser", "problem_record", "read_manifest", "to_browser"]
