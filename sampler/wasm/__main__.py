"""``python -m sampler.wasm``: compile the kernels to WebAssembly; ``--check``: compare with the existing files."""

import argparse
import json
import os
import subprocess
import sys
import tempfile

from sampler.wasm.entries import ENTRIES
from sampler.wasm.files import MANIFEST, MODULE
from sampler.wasm.linking import link, linker
from sampler.wasm.lowering import ENVIRONMENT, lower
from sampler.wasm.manifest import manifest


def build() -> tuple[bytes, str]:
    """Return the module's bytes and its manifest as JSON."""
    module = link({name: lower(entry) for name, entry in ENTRIES.items()})
    return module, json.dumps(manifest(module), separators=(",", ":")) + "\n"


def main() -> int:
    """Write the two files, or with ``--check`` report whether they match the sources; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sampler.wasm", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the files do not match the sources")
    check = parser.parse_args().check
    linker()  # raises before a minute of work
    if ENVIRONMENT.items() - os.environ.items():  # numba has read its environment at import: run a new process
        with tempfile.TemporaryDirectory() as folder:  # these compiled kernels must not enter the usual cache
            environment = {**os.environ, **ENVIRONMENT, "NUMBA_CACHE_DIR": folder, "PYTHONHASHSEED": "0",
                           "PYTHONWARNINGS": "ignore"}
            command = [sys.executable, "-m", "sampler.wasm", *sys.argv[1:]]
            return subprocess.run(command, env=environment, check=False).returncode
    module, text = build()
    if not check:
        MODULE.write_bytes(module)
        MANIFEST.write_text(text, encoding="utf-8")
        print(f"{MODULE.name}: {len(module):,} bytes, {len(ENTRIES)} entries")
        return 0
    same = MODULE.read_bytes() == module and MANIFEST.read_text(encoding="utf-8") == text
    kept, made = (json.loads(words)["made_with"] for words in (MANIFEST.read_text(encoding="utf-8"), text))
    print("the module matches the sources" if same else
          f"the module does not match the sources: built with {kept}, here with {made}; run python -m sampler.wasm")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
