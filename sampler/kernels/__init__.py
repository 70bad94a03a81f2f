"""Compiled inner loops and random numbers. Nothing outside this folder is hot.

Two facts about every kernel here:

* ``error_model="numpy"``: the default division check keeps LLVM from vectorising.
* ``nogil=True, cache=True``: a sampler thread never stalls a server's event loop, and a second
  process starts from the disk. Numba's cache does not see an edit in *another* file: clear
  ``NUMBA_CACHE_DIR`` after changing a kernel.
"""
