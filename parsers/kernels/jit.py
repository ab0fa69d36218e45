"""Kernels that are compiled by numba: for the library, and where its sources differ. Importing this imports numba.

Compiled functions call others by their names in the module. There they are plain functions; compiled copies see the
compiled ones instead.
"""

from __future__ import annotations

import dis
import json
import os
from collections.abc import Callable, Hashable
from functools import cache, cached_property
from types import CodeType, FunctionType
from typing import Any, cast

import numba
from numba.extending import intrinsic

from parsers.kernels.callees import CALLED, IS_CHECKED
from parsers.kernels.groups import UNLISTED, folder_of, group_of, prepare
from parsers.kernels.signatures import described, listed, merged

if IS_CHECKED:
    from parsers.kernels import bounds

    bounds.install()

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": IS_CHECKED}
"""Options of all compiled functions.

Only Python counts references to arrays, so none can be created in a kernel: `_nrt` is numba's switch for that. Counting
them in the loops would cost a third of the speed.
"""
INSIDE: dict[str, Any] = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of functions that Python doesn't call: their wrappers would take a third of the compile time."""


class JitKernel:
    """A kernel that is compiled when it is called, and cached on disk."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's object for all signatures; made late, because the function may name others that come after it."""
        numba.config.CACHE_DIR = folder_of(prepare(), group_of(self.function.__module__))
        made = numba.njit(cache=True, **OPTIONS)(with_compiled_names(self.function))
        if UNLISTED in os.environ:
            compile_signature = made.compile

            def compile_and_note(signature: Any) -> Any:
                note_unlisted(self.function, signature)
                return compile_signature(signature)

            made.compile = compile_and_note
        return made

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)


def with_compiled_names(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a copy of a function that calls the compiled ones of the decorated functions it names."""
    plain = cast(FunctionType, function)
    known = plain.__globals__
    named = {name: known[name] for name in _names(plain.__code__) if name in known}
    compiled = {
        name: compiled_part(value) for name, value in named.items() if isinstance(value, Hashable) and value in CALLED
    }
    if not compiled:
        return function
    copy = FunctionType(plain.__code__, {**known, **compiled}, plain.__name__, plain.__defaults__, plain.__closure__)
    copy.__qualname__, copy.__module__, copy.__doc__ = plain.__qualname__, plain.__module__, plain.__doc__
    return copy


def note_unlisted(function: Callable[..., Any], signature: Any) -> None:
    """Adds a signature that is called for, unless it is known, to the file that the environment names."""
    if not function.__module__.startswith("parsers."):
        return
    kinds = [described(kind) for kind in signature]
    known = listed().get(f"{function.__module__}:{function.__qualname__}", ())
    if not any(merged(each, kinds) == each for each in known):
        row = {"module": function.__module__, "name": function.__qualname__, "arguments": kinds}
        with open(os.environ[UNLISTED], "a") as file:
            file.write(json.dumps(row) + "\n")


def _names(code: CodeType) -> set[str]:
    """Global names that a function uses, with those of functions inside it."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    own = {each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    return own.union(*map(_names, inner))


@cache
def compiled_part(value: Any) -> Any:
    """The compiled form of a decorated function, for callers that are compiled."""
    role, function = CALLED[value]
    if role == "intrinsic":
        return intrinsic(function)
    options = {**INSIDE, "forceinline": True} if role == "part" else INSIDE
    return numba.njit(**options)(with_compiled_names(function))
