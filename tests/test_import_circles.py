"""The modules of the program import each other in one direction only."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import grimp

HOME = Path(__file__).parents[1]

CIRCLES_OF_TYPES = [
    {
        "parsers.formats.hprof.dump.graph.bulk",
        "parsers.formats.hprof.dump.graph.bulk_labels",
        "parsers.formats.hprof.dump.graph.graph",
        "parsers.formats.hprof.dump.graph.steps_in_file",
    },
    {
        "parsers.graph.cuts",
        "parsers.graph.graph_model",
        "parsers.model.capabilities",
        "parsers.model.trees.preorder",
        "parsers.query.selection.texts_met",
        "parsers.reporting.rules.array_rows",
        "parsers.reports.members",
        "parsers.views.collection",
        "parsers.views.list_view",
    },
    {"parsers.runtime.worker.job", "parsers.runtime.worker.worker"},
    {"tui.pictures.picture", "tui.pictures.picture_view"},
]
"""Circles that imports for annotations close, with the reasons in `ARCHITECTURE.md`, contract 1."""


NAMED_ABOVE = {
    ("parsers.index.client", "parsers.runtime.indexer"),
    ("parsers.kernels.groups", "parsers.index.bitpacked.block_loops"),
    ("parsers.kernels.groups", "parsers.index.bitpacked.columns"),
    ("parsers.kernels.groups", "parsers.index.bitpacked.kernel"),
}
"""Modules of higher layers that texts name, but that are not imported: a program to start, and sources of kernels."""
TYPES_ABOVE = {"parsers.model.capabilities", "parsers.views.collection"}
"""Modules with annotations of higher layers, for protocols and what they return."""


def level(module: str) -> tuple[int, str]:
    """Returns the layer of a module, 0 for the highest, and its package there; for a format its family."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text())
    layers = next(each["layers"] for each in project["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    for number, packages in enumerate(layers):
        for package in packages.split(" | "):
            if f"{module}.".startswith(f"{package}."):
                family = re.match(r"parsers\.formats\.\w+(?=\.)", module)
                return number, family[0] if family else package
    return len(layers), module


def is_above(named: str, module: str) -> bool:
    """True if a module is of a higher layer than another one, or of another family of formats or package beside it."""
    (high, other), (low, own) = level(named), level(module)
    return high < low or (high == low and own != other and "parsers.formats" not in (own, other))


def named_modules() -> Iterator[tuple[str, str, str]]:
    """Returns modules, the modules that their texts name, and the name in these, as in `late("module:NAME")`."""
    paths = {".".join(path.relative_to(HOME).with_suffix("").parts): path for path in HOME.glob("parsers/*/**/*.py")}
    for module, path in paths.items():
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named, _, name = node.value.partition(":")
                if named in paths:
                    yield module, named, name


@cache
def imports(excludes_types: bool) -> grimp.ImportGraph:
    """Returns all imports, also those inside functions."""
    return grimp.build_graph("parsers", "tui", exclude_type_checking_imports=excludes_types, cache_dir=None)


def circles(excludes_types: bool) -> list[set[str]]:
    """Returns the sets of modules that all depend on each other, sorted."""
    graph = imports(excludes_types)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    # A module that imports no remaining module is in no circle.
    while free := [module for module, others in imported.items() if not others & imported.keys()]:
        for module in free:
            del imported[module]
    needs = {module: graph.find_upstream_modules(module) for module in imported}
    found = {
        frozenset({module, *others})
        for module in needs
        if (others := [other for other in needs if other in needs[module] and module in needs[other]])
    }
    return sorted(map(set, found), key=min)


def test_no_modules_import_each_other_in_a_circle_not_even_inside_functions() -> None:
    assert circles(excludes_types=True) == []


def test_imports_for_annotations_close_only_the_listed_circles() -> None:
    assert circles(excludes_types=False) == CIRCLES_OF_TYPES


def test_names_of_modules_that_are_imported_late_keep_the_layers() -> None:
    assert {(module, named) for module, named, _ in named_modules() if is_above(named, module)} == NAMED_ABOVE


def test_names_that_are_imported_late_are_defined() -> None:
    missing = {
        f"{named}:{name}" for _, named, name in named_modules() if name and not hasattr(import_module(named), name)
    }
    assert missing == set()


def test_annotations_name_higher_layers_only_for_protocols() -> None:
    graph = imports(excludes_types=False)
    upward = {
        module
        for module in graph.modules - {"parsers"}
        if any(is_above(other, module) for other in graph.find_modules_directly_imported_by(module))
    }
    assert upward == TYPES_ABOVE
