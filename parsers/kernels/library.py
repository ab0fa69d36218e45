"""The library of compiled kernels: an extension module that needs no compiler where it runs.

It is used where its sources are the present ones, group by group; else kernels are compiled now, if numba is installed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import find_spec, module_from_spec
from typing import Any

from parsers.kernels.groups import CHECKS, KernelGroup, digest_of, group_of
from parsers.model.late import named

NAME = "_library.abi3.so"
"""File of the extension module, beside this one. It ends with the digest of all before: a damaged one is not mapped."""
SEAL = 32
"""Bytes of the digest."""
FOLDER = os.path.dirname(os.path.abspath(__file__))
ENGINE = "COFFEETREE_ENGINE"
"""Environment variable with the only engine that may be used: library, jit or plain. For tests and benches."""


def find(function: Callable[..., Any]) -> Any:
    """The compiled kernel of a function; None where the library has none from the present sources.

    Raises `ImportError` if the plain code is to be used.
    """
    group = group_of(function.__module__)
    asked = engine_of(group)
    if asked == "plain":
        raise ImportError("kernels are not compiled: neither the library nor numba is installed")
    if asked == "jit":
        return None
    return load().find(f"{function.__module__}:{function.__qualname__}", partial(_unlisted, function))


@cache
def engine_of(group: KernelGroup) -> str:
    """The engine of a group's kernels: library, jit (numba compiles them now) or plain (twins without kernels)."""
    asked = "jit" if CHECKS in os.environ else os.environ.get(ENGINE)
    if asked in (None, "library") and load() is not None and load().digest(group.name) == digest_of(group):
        return "library"
    if asked in (None, "jit") and has_compiler():
        return "jit"
    if asked is None and load() is not None:
        _refuse("they were built from other sources")
    return "plain"


def has_kernels(*groups: KernelGroup) -> bool:
    """True if all kernels of some groups can be called."""
    return all(engine_of(group) != "plain" for group in groups)


@cache
def loaded(name: str) -> Any:
    """A kernel, as `module:name`; None without kernels."""
    try:
        return named(name)
    except ImportError:
        return None


@cache
def has_compiler() -> bool:
    """True if numba is installed."""
    return find_spec("numba") is not None


@cache
def load() -> Any:
    """The extension module; None with a line on stderr if it can't be used, without one if it was not built."""
    path = os.path.join(FOLDER, NAME)
    try:
        with open(path, "rb") as file:
            content = file.read()
        if sealed(content[:-SEAL]) != content:
            raise ImportError("their file is damaged")
        loader = ExtensionFileLoader("parsers.kernels._library", path)
        module = module_from_spec(ModuleSpec(loader.name, loader, origin=path))
        loader.exec_module(module)
        return module
    except FileNotFoundError:
        return None
    except (ImportError, OSError) as error:
        _refuse(str(error))
        return None


@cache
def _refuse(reason: str) -> None:
    print(f"coffeetree: compiled kernels are not used: {reason}", file=sys.stderr)


def sealed(content: bytes) -> bytes:
    """The content of an extension module with its digest."""
    return content + hashlib.blake2b(content, digest_size=SEAL).digest()


def _unlisted(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a kernel with arguments that the library was not compiled for. Raises `TypeError` without a compiler."""
    if not has_compiler():
        raise TypeError(f"{function.__module__}.{function.__qualname__} is not compiled for these arguments")
    return _compiler_of(function)(*arguments)


@cache
def _compiler_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a function that is compiled for the arguments of each call, once for each of their types."""
    from parsers.kernels.jit import JitKernel

    return JitKernel(function)
