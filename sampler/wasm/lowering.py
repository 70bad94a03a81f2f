"""Lower an entry to LLVM IR: a C function around the kernel, compiled by numba for a generic processor.

`ENVIRONMENT` must be set before the process imports numba.
"""

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from numba import carray, cfunc, types

from sampler.wasm.entries import LANES
from sampler.wasm.entry import Array, Entry, Group, Inside, Named

ENVIRONMENT = {"NUMBA_OPT": "0", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0", "NUMBA_CPU_NAME": "generic",
               "NUMBA_CPU_FEATURES": "", "EXIT_TIME_LAB_LANES": str(LANES)}
"""Environment variables that leave optimisation to LLVM's passes for WebAssembly and set vectors of 128 bits."""
NUMBERS = {"int64": types.int64, "float64": types.float64, "bool": types.boolean}


def parameters(entry: Entry) -> dict[str, str | Array]:
    """Return the caller's parameters in order: the arguments, with tuples flattened, then the sizes that are not fixed."""
    passed = dict(_leaves(entry.arguments))
    symbols = [size for value in passed.values() if isinstance(value, Array) for size in value.shape
               if isinstance(size, str) and size not in entry.sizes]
    return passed | dict.fromkeys(symbols, "int64")


def _leaves(arguments: dict[str, Any]) -> Iterator[tuple[str, str | Array]]:
    for name, value in arguments.items():
        if isinstance(value, Group):
            yield from _leaves(value.fields)
        elif isinstance(value, Named):
            yield value
        elif not isinstance(value, Inside):
            yield name, value


def source(entry: Entry) -> str:
    """Return the Python source of the C function, which builds arrays from addresses and tuples, and calls the kernel."""
    def built(name: str, value: Any) -> str:
        if isinstance(value, Inside):
            return value.code
        if isinstance(value, Named):
            return built(*value)
        if isinstance(value, Array):
            shape = "".join(f"{entry.sizes.get(str(size), size)}, " for size in value.shape)
            return f"carray({name}, ({shape}))"
        if isinstance(value, Group):
            fields = "".join(f"{built(inner, one)}, " for inner, one in value.fields.items())
            return f"{value.of.__name__ if value.of else ''}({fields})"
        return name

    call = ", ".join(built(name, value) for name, value in entry.arguments.items())
    return f"def call({', '.join(parameters(entry))}):\n    {'return ' if entry.returns == 'bool' else ''}kernel({call})\n"


def _type(value: str | Array) -> Any:
    if isinstance(value, Array):
        dtype = np.dtype(value.dtype)
        return types.CPointer(numba.from_dtype(dtype))
    return NUMBERS[value]


def lower(entry: Entry) -> tuple[str, str]:
    """Return an entry's name in LLVM IR, and the IR with all its callees."""
    tuples = {value.of.__name__: value.of for value in entry.arguments.values() if isinstance(value, Group) and value.of}
    names: dict[str, Any] = {"kernel": entry.kernel, "carray": carray, "np": np, **tuples}
    exec(source(entry), names)
    result = types.boolean if entry.returns == "bool" else types.void
    compiled = cfunc(result(*map(_type, parameters(entry).values())), error_model="numpy", nogil=True)(names["call"])
    return compiled.native_name, compiled.inspect_llvm()
