"""Loads or compiles the kernels of CSV call trees by building indexes of tiny sets."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping

from parsers.index.store import BUILDING
from parsers.index.writer import Writer
from parsers.io.identity import Identity

METHODS = """\
Id,Name,Type,Parameters,Return,Display,Flags
0,main,a.B,empty,void,a.B.main,p
123456789012,x,a.C,a.D int,int,a.C.x,p
2,y, z,a.B,a.D,void,a.B.y, z,p
"""
SEVEN = {
    "methods": METHODS,
    "virtual_methods": METHODS.replace("\n0,", "\n7,").replace("\n2,", "\n8,"),
    "entry_points": "Id\n0\n",
    "direct_edges": "StartId,EndId,BytecodeIndexes\n0,2,-1->2\n0,123456789012,1\n0,0,01\n",
    "virtual_edges": "StartId,EndId,BytecodeIndexes\n0,7,1\n0,8,1\n",
    "override_by_edges": "StartId,EndId\n7,0\n7,2\n7,5\n",
    "vm": "Id,Name\n0,VM\n",
}
THREE = {
    "methods": METHODS,
    "invokes": "Id,MethodId,BytecodeIndexes,TargetId,IsDirect\n0,0,1,2,true\n1,0,2,2,false\n",
    "targets": "InvokeId,TargetId\n1,2\n0,2\n1,0\n",
}


def warm(folder: str, sets: tuple[Mapping[str, str], ...] = (SEVEN, THREE)) -> None:
    """Builds an index of each set. folder: for temporary files"""
    from parsers.formats.graalvm.csv.read.index import CsvKernelIndex
    from parsers.formats.graalvm.csv.read.table_rows import TableFile
    from parsers.formats.graalvm.csv.read.tables import CsvKernelTables

    for tables in sets:
        writer = Writer(folder, "csv", Identity(0, 0, 0, 0, ""), f"{BUILDING}-first")
        files = []
        try:
            for table, text in tables.items():
                data = text.encode()
                descriptor = os.open(os.path.join(writer.path, table), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                files.append(TableFile(table, descriptor, len(data), data.partition(b"\n")[0]))
                os.write(descriptor, data)
            read = CsvKernelTables(writer, files, more=1)
            read.read()
            CsvKernelIndex(writer, read, is_whole=True).run()
        finally:
            for file in files:
                os.close(file.descriptor)
            writer.abandon()


def warm_in_folder() -> None:
    """Calls `warm` in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        warm(folder)
