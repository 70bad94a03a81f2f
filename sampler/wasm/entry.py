"""Types that declare an entry of the WebAssembly module: a kernel, and how each of its arguments is passed."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike


class Array(NamedTuple):
    """An array owned by the caller: data type, and shape in numbers and symbols."""

    dtype: DTypeLike
    shape: tuple[int | str, ...]


class Named(NamedTuple):
    """An array passed under another name than the kernel's argument."""

    name: str
    array: Array


class Inside(NamedTuple):
    """Python code that creates an argument inside the module."""

    code: str


@dataclass(frozen=True)
class Group:
    """A tuple whose fields are passed one by one; ``of`` is its class, or None for a plain tuple."""

    of: Any
    fields: dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """One exported function.

    Attributes
    ----------
    kernel : Callable
        Compiled function of `sampler.kernels`.
    arguments : dict
        Arguments in order: "int64", "float64" or "bool" for a number, an Array, Named, Group or Inside.
    sizes : dict of str to int
        Values of fixed symbols.
    returns : str
        "bool" for a kernel that returns a bool, else "void".
    """

    kernel: Any
    arguments: dict[str, Any]
    sizes: dict[str, int] = field(default_factory=dict)
    returns: str = "void"


def floats(*shape: int | str) -> Array:
    """Return an Array of float64."""
    return Array(np.float64, shape)


def integers(*shape: int | str) -> Array:
    """Return an Array of int64."""
    return Array(np.int64, shape)
