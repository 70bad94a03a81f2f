"""Every test run compiles its kernels afresh: numba's disk cache does not see an edit in another file."""

import atexit
import os
import shutil
import tempfile

if "NUMBA_CACHE_DIR" not in os.environ:
    folder = tempfile.mkdtemp(prefix="exit-time-lab-kernels-")
    os.environ["NUMBA_CACHE_DIR"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
