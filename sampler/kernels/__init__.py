"""Compiled inner loops and random numbers: the only performance-critical code of the library.

Every kernel is compiled with these options:

* ``error_model="numpy"``: the default division check keeps LLVM from vectorising.
* ``nogil=True, cache=True``: a sampler thread never blocks a server's event loop, and a second
  process loads the compiled code from disk. Numba's cache does not detect an edit in *another*
  file: clear ``NUMBA_CACHE_DIR`` after changing a kernel.
"""
