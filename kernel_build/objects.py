"""Compiles the kernels of a group into an object file, for a processor that may differ from this machine's.

    python -m kernel_build.objects GROUP PROCESSOR FOLDER [TRIPLE]

Nothing is executed: the types of arguments come from `signatures.json`. Each signature gets an entry point
`int32 name(int64 *slots)`: slots for results, then the arguments with tuples laid flat; an array takes its address and
its shape. `call.c` fills the slots.

Relies on internals of the numba version that `pyproject.toml` pins for the build: the code generator of a context, the
functions that know compiled ones, its optimization of a module, and the struct of arrays.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import _dynfunc, types
from numba.core import cgutils, codegen
from numba.core.base import BaseContext
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target

from parsers.kernels import jit
from parsers.kernels.compiled import with_fixed_width
from parsers.kernels.groups import KernelGroup, group_of
from parsers.kernels.signatures import listed, record_of, type_of
from parsers.model.late import named
from parsers.runtime.compile import group_named

WORD = ir.IntType(64)
STATUS = ir.IntType(32)
RESULTS = 4
"""Slots of results."""
FORMS = {"int8": "c", "uint8": "C", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "l",
         "uint64": "L", "bool": "?", "float64": "d"}  # fmt: skip
"""Letters of numbers in forms."""


def dispatcher_of(name: str) -> Any:
    """Numba's object for a kernel, or for a plain function that is compiled as it is, without wrappers for Python."""
    found = named(name)
    function = found.function if isinstance(found, jit.JitKernel) else with_fixed_width(found)
    return numba.njit(**jit.INSIDE)(jit.with_compiled_names(function))


class OtherMachine(codegen.AOTCPUCodegen):
    """Numba's code generator with machine code of another system."""

    triple = ""

    def _init(self, module: Any) -> None:
        options: dict[str, Any] = {"opt": 3}
        self._tm_features = ""
        self._customize_tm_options(options)
        self._tm = llvm.Target.from_triple(self.triple).create_target_machine(**options)
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0


class UnoptimizedLibrary(codegen.AOTCodeLibrary):
    """The code of one function and of all that it calls, not optimized: the module of a group is, as a whole.

    Functions that several kernels call would else be optimized with each of them.
    """

    def _optimize_final_module(self) -> None: ...


def use_processor(processor: str, triple: str | None) -> Any:
    """Makes numba compile for a processor, into code that is never loaded; returns its context."""
    if triple is not None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        cpu_target.target_context.refresh()  # Numba's own functions are compiled for this machine before.
        OtherMachine.triple = triple
        llvm.get_process_triple = lambda: triple
    context = cpu_target.target_context
    generator = codegen.AOTCPUCodegen if triple is None else OtherMachine
    generator._library_class = UnoptimizedLibrary
    context._internal_codegen = generator("coffeetree", processor)
    context.aot_mode = True
    CPUContext.get_executable = _function_never_called
    CPUContext.make_constant_array = _constant_array
    return context


def _function_never_called(context: Any, library: Any, descriptor: Any, environment: Any) -> Any:
    """Replaces numba's: an object that identifies a compiled function. Each needs its own."""
    return _dynfunc.make_function(descriptor.lookup_module(), descriptor.qualname, "", 0, environment, (library,))


def _constant_array(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Replaces numba's, whose copy of records has random bytes between fields: no two builds would be the same."""
    copied = SimpleNamespace(
        flatten=lambda order: np.frombuffer(array.tobytes(order), np.uint8),
        shape=array.shape, strides=array.strides, dtype=array.dtype, nbytes=array.nbytes,
    )  # fmt: skip
    return BaseContext.make_constant_array(context, builder, kind, copied)


class SlotReader:
    """Reads arguments from slots, in the code of an entry point."""

    def __init__(self, context: Any, builder: Any, slots: Any) -> None:
        self._context = context
        self._builder = builder
        self._slots = slots
        self._next = RESULTS

    def _word(self) -> Any:
        place = self._builder.gep(self._slots, [ir.Constant(STATUS, self._next)])
        self._next += 1
        return self._builder.load(place)

    def read(self, kind: Any) -> Any:
        """The value of the next argument, in the form of numba's code."""
        context, builder = self._context, self._builder
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [self.read(each) for each in kind.types])
        if isinstance(kind, types.Array):
            return self._array(kind)
        if isinstance(kind, types.Boolean):
            return builder.icmp_signed("!=", self._word(), ir.Constant(WORD, 0))
        if isinstance(kind, types.Integer):
            word = self._word()
            return word if kind.bitwidth == 64 else builder.trunc(word, ir.IntType(kind.bitwidth))
        if kind == types.float64:
            return builder.bitcast(self._word(), ir.DoubleType())
        raise TypeError(str(kind))

    def _array(self, kind: Any) -> Any:
        context, builder = self._context, self._builder
        array = cgutils.create_struct_proxy(kind)(context, builder)
        is_record = isinstance(kind.dtype, types.Record)
        size = kind.dtype.size if is_record else context.get_abi_sizeof(context.get_data_type(kind.dtype))
        array.data = builder.inttoptr(self._word(), array.data.type)
        shape = [self._word() for _ in range(kind.ndim)]
        strides: list[Any] = []
        count: Any = ir.Constant(WORD, 1)
        for length in reversed(shape):
            strides.insert(0, builder.mul(count, ir.Constant(WORD, size)))
            count = builder.mul(count, length)
        array.nitems, array.itemsize = count, ir.Constant(WORD, size)
        array.shape, array.strides = cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()


def entry_point(context: Any, compiled: Any, symbol: str) -> tuple[str, int]:
    """Returns the code of an entry point, and its number of results: -1 for none, 0 for one that is no tuple."""
    module = ir.Module(symbol)
    module.triple, module.data_layout = llvm.get_process_triple(), str(context.target_data)
    descriptor, signature = compiled.fndesc, compiled.signature
    function = ir.Function(module, ir.FunctionType(STATUS, [WORD.as_pointer()]), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    slots = SlotReader(context, builder, function.args[0])
    arguments = [slots.read(each) for each in signature.args]
    kind = context.call_conv.get_function_type(descriptor.restype, descriptor.argtypes)
    callee = ir.Function(module, kind, descriptor.llvm_func_name)
    status, value = context.call_conv.call_function(builder, callee, descriptor.restype, descriptor.argtypes, arguments)
    results = list(_results(builder, signature.return_type, value))
    if len(results) > RESULTS:
        raise TypeError(f"{symbol} returns {signature.return_type}")
    for place, (kind, each) in enumerate(results):
        builder.store(_as_word(builder, kind, each), builder.gep(function.args[0], [ir.Constant(STATUS, place)]))
    builder.ret(status.code)
    is_tuple = isinstance(signature.return_type, types.BaseTuple)
    return str(module), len(results) if is_tuple else 0 if results else -1


def _results(builder: Any, returned: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(returned, types.BaseTuple):
        yield from zip(returned.types, cgutils.unpack_tuple(builder, value), strict=True)
    elif returned != types.none:
        yield returned, value


def _as_word(builder: Any, kind: Any, value: Any) -> Any:
    """A number as a signed word. Unsigned ones of 64 bits have no place there."""
    if isinstance(kind, types.Boolean):
        return builder.zext(value, WORD)
    if not isinstance(kind, types.Integer) or kind == types.uint64:
        raise TypeError(f"a kernel returns {kind}")
    if kind.bitwidth == 64:
        return value
    return builder.sext(value, WORD) if kind.signed else builder.zext(value, WORD)


def form_of(description: Any) -> str:
    """An argument's form as `call.c` reads it: a letter; or an array with its item; or a tuple with its length."""
    if isinstance(description, str):
        return FORMS[description]
    if "of" in description:
        return f"({chr(len(description['of']))}" + "".join(map(form_of, description["of"]))
    access = "w" if description["writes"] else "r"
    item = description["array"]
    if isinstance(item, str):
        return f"{access}{description['ndim']}{FORMS[item]}"
    record = record_of(item)
    return f"{access}{description['ndim']}T{record.alignment}{memoryview(np.empty(0, record).data).format}\0"


def emit(context: Any, module: Any, symbols: list[str], path: str) -> None:
    """Optimizes a module and writes an object file that exports only the entry points."""
    exported = set(symbols)
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.name not in exported:
            each.linkage = "internal"
    machine = context.codegen()._tm
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0)))
    # Numba's own two steps: inlining and rotated loops first, then everything.
    generator = context.codegen()
    for options in ({"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}, {}):
        manager, builder = generator._module_pass_manager(**options)
        manager.run(module, builder)
    module.verify()
    with open(path, "wb") as file:
        file.write(machine.emit_object(module))


@global_compiler_lock
def compile_group(group: KernelGroup, processor: str, folder: str, triple: str | None = None) -> None:
    """Writes the object file of a group, and a table of its entry points, into a folder."""
    context = use_processor(processor, triple)
    module = llvm.parse_assembly(str(context.codegen()._create_empty_module(group.name)))
    table: list[dict[str, Any]] = []
    for name, signatures in sorted(listed().items()):
        if group_of(name.partition(":")[0]) != group:
            continue
        dispatcher = dispatcher_of(name)
        for number, signature in enumerate(signatures):
            kinds = tuple(map(type_of, signature))
            dispatcher.compile(kinds)
            compiled = dispatcher.overloads[kinds]
            symbol = f"{name}.{number}".replace(".", "_").replace(":", "_")
            code, returned = entry_point(context, compiled, symbol)
            # Functions that may be left out are linked only if something calls them, so the entry point comes first.
            module.link_in(llvm.parse_assembly(code))
            module.link_in(compiled.library._get_module_for_linking(), preserve=True)
            form = f"({chr(len(signature))}" + "".join(map(form_of, signature))
            table.append({"name": name, "symbol": symbol, "form": form, "returned": returned})
    path = os.path.join(folder, group.name)
    emit(context, module, [row["symbol"] for row in table], f"{path}.o")
    with open(f"{path}.json", "w") as file:
        json.dump(table, file)


if __name__ == "__main__":
    # Nearly all that the compiler makes lives to the end of this process.
    gc.disable()
    name, processor, folder, *triple = sys.argv[1:]
    compile_group(group_named(name), processor, folder, *triple)
