"""The modules of the program import each other in one direction only."""

from __future__ import annotations

import grimp

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
        "parsers.reports.members",
        "parsers.views.collection",
        "parsers.views.list_view",
    },
    {"parsers.runtime.worker.job", "parsers.runtime.worker.worker"},
    {"tui.pictures.picture", "tui.pictures.picture_view"},
]
"""Circles that imports for annotations close, with the reasons in `ARCHITECTURE.md`, contract 1."""


def circles(excludes_types: bool) -> list[set[str]]:
    """Returns the sets of modules that all depend on each other, sorted."""
    graph = grimp.build_graph("parsers", "tui", exclude_type_checking_imports=excludes_types, cache_dir=None)
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
