"""Folders of compiled kernels: old ones go, others stay; a compiling child doesn't outlive its program."""

from __future__ import annotations

import ast
import os
import re
import time
from collections.abc import Hashable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

import parsers
from parsers.formats.graalvm.kernels import TEXT
from parsers.kernels.callees import CALLED
from parsers.kernels.groups import PREFIX, SHARED, UNUSED, KernelGroup, group_of, name_of, remove_others
from parsers.kernels.signatures import listed
from parsers.model.late import named
from parsers.runtime.compile import all_groups

IMPORTS_DECORATORS = re.compile(r"^from parsers\.kernels\.decorators import", re.MULTILINE)


def folder(parent: Path, name: str, age: float) -> Path:
    """Creates a folder with a file, last changed so many seconds ago."""
    made = parent / name
    made.mkdir(mode=0o700)
    (made / "code").write_bytes(b"code")
    os.utime(made, (time.time() - age,) * 2)
    return made


def test_folders_of_other_states_go_when_they_are_old(tmp_path: Path) -> None:
    mine = folder(tmp_path, name_of(TEXT), 2 * UNUSED)
    old = folder(tmp_path, f"{PREFIX}old", 2 * UNUSED)
    young = folder(tmp_path, f"{PREFIX}young", UNUSED / 2)
    foreign = folder(tmp_path, "kernels-otherpython-1-old", 2 * UNUSED)
    index = folder(tmp_path, "index", 2 * UNUSED)
    remove_others(str(tmp_path), all_groups())
    assert not old.exists()
    assert all(kept.exists() for kept in (mine, young, foreign, index))


def test_a_link_to_elsewhere_is_not_followed(tmp_path: Path) -> None:
    elsewhere = folder(tmp_path, "elsewhere", 2 * UNUSED)
    (tmp_path / "cache").mkdir(mode=0o700)
    (tmp_path / "cache" / f"{PREFIX}link").symlink_to(elsewhere)
    remove_others(str(tmp_path / "cache"), all_groups())
    assert (elsewhere / "code").exists()


def modules_with_kernels() -> list[str]:
    """Modules that import the decorators of kernels."""
    base = Path(parsers.__file__).parent
    found = [path for path in base.rglob("*.py") if IMPORTS_DECORATORS.search(path.read_text("utf-8"))]
    return [".".join(path.relative_to(base.parent).with_suffix("").parts) for path in found]


def test_every_module_with_kernels_is_declared_by_its_group() -> None:
    missing = [module for module in modules_with_kernels() if module not in group_of(module).modules]
    assert not missing


def test_every_declared_module_exists_and_every_group_is_compiled() -> None:
    groups = all_groups()
    assert {group_of(module) for module in modules_with_kernels()} <= {*groups}
    for group in groups:
        assert all(find_spec(module) is not None for module in group.modules)
    assert len({group.name for group in groups}) == len(groups)


def test_a_module_elsewhere_has_the_kernels_that_all_share() -> None:
    assert {group_of("parsers.kernels.vector"), group_of("tests.some"), group_of("some")} == {SHARED}


@cache
def origins(module: str) -> dict[str, str]:
    """The module that each imported name of a module comes from."""
    source = Path(find_spec(module).origin).read_text("utf-8")  # type: ignore[union-attr, arg-type]
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return {name.asname or name.name: node.module or "" for node in imports for name in node.names}


def modules_of(function: Any, known: set[Any]) -> Iterator[str]:
    """The modules of a compiled function, of those that it calls, and of the constants that they use."""
    if function in known:
        return
    known.add(function)
    yield function.__module__
    imported = origins(function.__module__)
    for name in names_of(function.__code__) & function.__globals__.keys():
        value = function.__globals__[name]
        called = CALLED[value][1] if isinstance(value, Hashable) and value in CALLED else value
        if isinstance(called, FunctionType):
            yield from modules_of(called, known)
        elif imported.get(name, "").startswith("parsers."):
            yield value.__name__ if isinstance(value, ModuleType) else imported[name]


def names_of(code: CodeType) -> set[str]:
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*map(names_of, inner))


@pytest.mark.parametrize("group", all_groups(), ids=lambda group: group.name)
def test_a_group_names_every_module_that_decides_its_code(group: KernelGroup) -> None:
    declared, missing = {*SHARED.modules, *group.modules}, set()
    for kernel in (name for name in listed() if group_of(name.partition(":")[0]) == group):
        found = named(kernel)
        function = CALLED[found][1] if found in CALLED else found
        missing |= {(kernel, module) for module in modules_of(function, set()) if module not in declared}
    assert not missing
