"""Operations on 8 and 64 bytes: processor features that kernels use besides plain arithmetic.

All of these read up to 64 bytes after the given position; buffers have that much slack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.kernels.decorators import IS_CHECKED, core, intrinsic, ir, part, types, uint64

if TYPE_CHECKING:
    from parsers.model.arrays import U8Array

VECTOR = 64
"""Bytes compared at once."""
SLACK = 128
"""Bytes that must be readable after the last one examined."""


def byte_vector() -> Any:
    """The machine's type of `VECTOR` bytes."""
    return ir.VectorType(ir.IntType(8), VECTOR)


def address_of(context: Any, builder: Any, kind: Any, array: Any, index: Any, items: int = 0) -> Any:
    """Code for the address of an item of an array, of which `items` are then read or written."""
    struct = core.cgutils.create_struct_proxy(kind)(context, builder, value=array)
    if IS_CHECKED and items:
        from parsers.kernels.bounds import check

        check(context, builder, index, struct.nitems)
        check(context, builder, builder.add(index, ir.Constant(ir.IntType(64), items - 1)), struct.nitems)
    return builder.gep(struct.data, [index])


def load_vector(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Code that loads the `VECTOR` bytes of an array at an index."""
    return _load(builder, address_of(context, builder, kind, array, index, VECTOR), byte_vector())


def _load(builder: Any, address: Any, kind: Any) -> Any:
    loaded = builder.load(builder.bitcast(address, kind.as_pointer()))
    loaded.align = 1
    return loaded


@intrinsic
def load64(typing_context: Any, data: Any, index: Any) -> Any:
    """Eight bytes at a position as a number, little-endian. data uint8[n]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index = arguments
        return _load(builder, address_of(context, builder, signature.args[0], array, index, 8), ir.IntType(64))

    return types.uint64(data, types.int64), generate


@intrinsic
def equal64(typing_context: Any, data: Any, index: Any, value: Any) -> Any:
    """Mask of the 64 bytes at a position that equal a value; the first byte is the lowest bit."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, value = arguments
        kind = byte_vector()
        loaded = load_vector(context, builder, signature.args[0], array, index)
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), VECTOR), [0] * VECTOR)
        wanted = builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), mask)
        return builder.bitcast(builder.icmp_unsigned("==", loaded, wanted), ir.IntType(64))

    return types.uint64(data, types.int64, types.uint8), generate


@intrinsic
def differ64(typing_context: Any, first: Any, index: Any, second: Any, other: Any) -> Any:
    """Mask of the positions at which 64 bytes of two arrays differ; the first byte is the lowest bit."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left = load_vector(context, builder, signature.args[0], *arguments[:2])
        right = load_vector(context, builder, signature.args[2], *arguments[2:])
        return builder.bitcast(builder.icmp_unsigned("!=", left, right), ir.IntType(64))

    return types.uint64(first, types.int64, second, types.int64), generate


@intrinsic
def copy64(typing_context: Any, target: Any, place: Any, data: Any, index: Any) -> Any:
    """Copies 64 bytes from a position of `data` to a position of `target`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = byte_vector()
        target, place, data, index = arguments
        loaded = load_vector(context, builder, signature.args[2], data, index)
        address = address_of(context, builder, signature.args[0], target, place, VECTOR)
        builder.store(loaded, builder.bitcast(address, kind.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(target, types.int64, data, types.int64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """Index of the lowest set bit of a word; 64 if none is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def strange64(typing_context: Any, data: Any, index: Any) -> Any:
    """Mask of the 64 bytes at a position that are 0 or above 127; the first byte is the lowest bit."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = byte_vector()
        loaded = load_vector(context, builder, signature.args[0], *arguments)
        return builder.bitcast(builder.icmp_signed("<=", loaded, ir.Constant(kind, [0] * VECTOR)), ir.IntType(64))

    return types.uint64(data, types.int64), generate


@intrinsic
def bits_of(typing_context: Any, word: Any) -> Any:
    """Number of set bits of a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def high_zeros(typing_context: Any, word: Any) -> Any:
    """Number of leading zero bits of a word; 64 for 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typing_context: Any, data: Any, index: Any) -> Any:
    """Prefetches the memory at a position of any array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = address_of(context, builder, signature.args[0], *arguments)
        byte_pointer = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        function = core.cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        constants = [ir.Constant(number, value) for value in (0, 3, 1)]
        builder.call(function, [builder.bitcast(address, byte_pointer), *constants])
        return context.get_dummy_value()

    return types.void(data, types.int64), generate


@part
def find(data: U8Array, start: int, stop: int, value: int) -> int:
    """The first position of a byte in data[start:stop]; -1 if there is none."""
    while start < stop:
        mask = equal64(data, start, value)
        if mask:
            at = start + lowest_bit(mask)
            return at if at < stop else -1
        start += 64
    return -1


@part
def is_equal(first: U8Array, start: int, second: U8Array, other: int, length: int) -> bool:
    """True if `length` bytes of two arrays are the same."""
    done = 0
    while done < length:
        mask = differ64(first, start + done, second, other + done)
        if mask:
            return done + lowest_bit(mask) >= length
        done += 64
    return True


@part
def hash64(data: U8Array, start: int, length: int) -> int:
    """A 64-bit hash of a text, never 0. Twin: `text_hash.hash_of`."""
    value = (uint64(length) ^ uint64(0x9E3779B97F4A7C15)) * uint64(0xFF51AFD7ED558CCD)
    at = start
    stop = start + length
    while at < stop:
        word = load64(data, at)
        if at + 8 > stop:
            word &= (uint64(1) << uint64(8 * (stop - at))) - uint64(1)
        value = (value ^ word) * uint64(0xFF51AFD7ED558CCD)
        value ^= value >> uint64(32)
        at += 8
    return value | uint64(1) << uint64(63)
