"""Gathered dot products and weighted sums of rows, in vectors of float64 lanes.

A vector has `LANES` lanes: eight, or two in WebAssembly, with vectors of 128 bits. Rows are padded to
whole vectors. ``lanes`` is a dummy tuple of length width/LANES: its LENGTH is part of its type, so the
width is a compile-time constant and a whole row fits in registers, while kernels stay module-level functions
that the disk cache supports. As plain loops the same code runs six times slower: LLVM does not keep the
accumulators of an inner loop with unknown aliasing in registers, so these two bodies are built directly.
"""

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import DTypeLike

from sampler.kernels.compile import kernel

LINE = 8  # float64 values per cache line
LANES = int(os.environ.get("EXIT_TIME_LAB_LANES", LINE))
"""Lanes per vector. Only the compilation of `sampler.wasm` sets it: saved states have rows padded to eight."""
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_FAST = ("reassoc", "contract", "nsz", "arcp")  # not nnan/ninf: non-finite values mark diverged chains


def padded(dim: int) -> int:
    """Return the number of columns of a row padded to whole lanes."""
    return -(-dim // LANES) * LANES


def lanes_for(dim: int) -> tuple[int, ...]:
    """Return a dummy tuple whose length encodes the padded width of ``dim`` columns."""
    return (0,) * (padded(dim) // LANES)


def aligned_zeros(shape: tuple[int, ...], dtype: DTypeLike = np.float64) -> np.ndarray:
    """Return zeros aligned to a cache line, so that no padded row touches more lines than necessary."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype).reshape(shape)


@kernel()
def aligned_empty(size):
    """Return float64 scratch for a kernel, aligned to a cache line, so that no vector straddles two."""
    raw = np.empty(size + LINE)
    start = -(raw.ctypes.data // 8) % LINE
    return raw[start:start + size]


@kernel(inner=True)
def set_vector(vector, source):
    """Copy ``source`` into ``vector``; a plain loop compiles in a tenth of the time of an array assignment."""
    for q in range(vector.size):
        vector[q] = source[q]


def _pointer(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    return context.make_array(array_type)(context, builder, array).data


def _row(context: Any, builder: Any, array_type: Any, array: Any, k: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, view, [k, ir.Constant(_INT64, 0)], wraparound=False)


def _lane_pointer(builder: Any, base: Any, lane: int) -> Any:
    return builder.bitcast(builder.gep(base, [ir.Constant(_INT64, LANES * lane)]), _VECTOR.as_pointer())


def _load(builder: Any, base: Any, lane: int) -> Any:
    value = builder.load(_lane_pointer(builder, base, lane))
    value.align = 8
    return value


def _store(builder: Any, value: Any, base: Any, lane: int) -> None:
    builder.store(value, _lane_pointer(builder, base, lane)).align = 8


@intrinsic
def gathered_dots(typing_context, lanes, rows, indices, n, x, out):
    """Set out[j] = rows[indices[j]] . x for j < n."""
    signature = types.void(lanes, rows, indices, types.int64, x, out)
    blocks = lanes.count

    def build(context, builder, signature, args):
        types_ = signature.args
        x_at = _pointer(context, builder, types_[4], args[4])
        index_at = _pointer(context, builder, types_[2], args[2])
        out_at = _pointer(context, builder, types_[5], args[5])
        held = [_load(builder, x_at, i) for i in range(blocks)] if blocks <= 16 else None
        add_up = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), _VECTOR]),
            f"llvm.vector.reduce.fadd.v{LANES}f64")
        with cgutils.for_range(builder, args[3]) as loop:
            k = builder.load(builder.gep(index_at, [loop.index]))
            row = _row(context, builder, types_[1], args[1], k)
            total = None
            for i in range(blocks):
                x_lanes = held[i] if held else _load(builder, x_at, i)
                product = builder.fmul(_load(builder, row, i), x_lanes, flags=_FAST)
                total = product if total is None else builder.fadd(total, product, flags=_FAST)
            score = builder.call(add_up, [ir.Constant(ir.DoubleType(), 0.0), total], fastmath=_FAST)
            builder.store(score, builder.gep(out_at, [loop.index]))
        return context.get_dummy_value()

    return signature, build


_AT_ONCE = 8 if LANES == 8 else 4  # vectors of a sum kept in registers together: WebAssembly engines have 16 registers


def _weighted_sums(context: Any, builder: Any, types_: Any, args: Any, blocks: Any, pairs: Any) -> Any:
    """Build out = sum of weights[j] * rows[indices[j]] for each (weights, out) of ``pairs``, positions in ``args``."""
    index_at = _pointer(context, builder, types_[2], args[2])
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    for first in range(0, blocks, _AT_ONCE):
        some = range(first, min(first + _AT_ONCE, blocks))
        totals = [[cgutils.alloca_once(builder, _VECTOR) for _ in some] for _ in pairs]
        for total in sum(totals, []):
            builder.store(ir.Constant(_VECTOR, [0.0] * LANES), total)
        with cgutils.for_range(builder, args[3]) as loop:
            row = _row(context, builder, types_[1], args[1], builder.load(builder.gep(index_at, [loop.index])))
            for (weights, _), own in zip(pairs, totals, strict=True):
                weight_at = _pointer(context, builder, types_[weights], args[weights])
                weight = builder.insert_element(
                    undefined, builder.load(builder.gep(weight_at, [loop.index])), ir.Constant(_INT32, 0))
                weight = builder.shuffle_vector(
                    weight, undefined, ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES))
                for i, total in zip(some, own, strict=True):
                    product = builder.fmul(_load(builder, row, i), weight, flags=_FAST)
                    builder.store(builder.fadd(builder.load(total), product, flags=_FAST), total)
        for (_, out), own in zip(pairs, totals, strict=True):
            out_at = _pointer(context, builder, types_[out], args[out])
            for i, total in zip(some, own, strict=True):
                _store(builder, builder.load(total), out_at, i)
    return context.get_dummy_value()


@intrinsic
def gathered_sum(typing_context, lanes, rows, indices, n, weights, out):
    """Write the sum over j < n of weights[j] * rows[indices[j]] into ``out``."""
    def build(context, builder, signature, args):
        return _weighted_sums(context, builder, signature.args, args, lanes.count, [(4, 5)])
    return types.void(lanes, rows, indices, types.int64, weights, out), build


@intrinsic
def gathered_sums(typing_context, lanes, rows, indices, n, weights, out, weights_2, out_2):
    """Compute ``gathered_sum`` for two sets of weights, reading each row once."""
    def build(context, builder, signature, args):
        return _weighted_sums(context, builder, signature.args, args, lanes.count, [(4, 5), (6, 7)])
    return types.void(lanes, rows, indices, types.int64, weights, out, weights_2, out_2), build


# Three times as many rows per second as prefetching to the first-level cache, which has few requests in flight.
_TO_SECOND_LEVEL = _INT32(2)


def _build_prefetch(context: Any, builder: Any, array_type: Any, array: Any, where: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    address = cgutils.get_item_pointer(context, builder, array_type, view, where, wraparound=False)
    byte_pointer = ir.IntType(8).as_pointer()
    call = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.VoidType(), [byte_pointer, _INT32, _INT32, _INT32]), "llvm.prefetch.p0")
    builder.call(call, [builder.bitcast(address, byte_pointer), _INT32(0), _TO_SECOND_LEVEL, _INT32(1)])
    return context.get_dummy_value()


@intrinsic
def prefetch(typing_context, array, i, j):
    """Prefetch the cache line of array[i, j]."""
    def build(context, builder, signature, args):
        return _build_prefetch(context, builder, signature.args[0], args[0], args[1:])
    return types.void(array, types.int64, types.int64), build


@intrinsic
def prefetch_record(typing_context, array, i):
    """Prefetch the record array[i]."""
    def build(context, builder, signature, args):
        return _build_prefetch(context, builder, signature.args[0], args[0], args[1:])
    return types.void(array, types.int64), build
