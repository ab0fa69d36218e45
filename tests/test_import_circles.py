"""The modules of the program import each other in one direction only."""

from __future__ import annotations

import grimp


def test_no_modules_import_each_other_in_a_circle_not_even_inside_functions() -> None:
    graph = grimp.build_graph("parsers", "tui", exclude_type_checking_imports=True, cache_dir=None)
    imported = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    # A module that imports no remaining module is in no circle.
    while free := [module for module, others in imported.items() if not others & imported.keys()]:
        for module in free:
            del imported[module]
    assert sorted(imported) == []
