"""What an entry of the WebAssembly module is made of: a kernel, and how each of its arguments is passed."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike


class Array(NamedTuple):
    """An array that the caller owns: type of its elements, and its shape in numbers and symbols."""

    dtype: DTypeLike
    shape: tuple[int | str, ...]


class Named(NamedTuple):
    """An array that other entries call by another name than this kernel does."""

    name: str
    array: Array


class Inside(NamedTuple):
    """Python code that makes an argument inside the module."""

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
        Its arguments in order: "int64", "float64" or "bool" for a number, an Array, Named, Group or Inside.
    sizes : dict of str to int
        Symbols that are fixed.
    returns : str
        "bool" where the kernel says whether all is done, else "void".
    """

    kernel: Any
    arguments: dict[str, Any]
    sizes: dict[str, int] = field(default_factory=dict)
    returns: str = "void"


def floats(*shape: int | str) -> Array:
    """Array of float64."""
    return Array(np.float64, shape)


def integers(*shape: int | str) -> Array:
    """Array of int64."""
    return Array(np.int64, shape)
