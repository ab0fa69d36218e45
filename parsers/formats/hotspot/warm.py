"""Compiles or loads the kernels of compilation logs by reading a tiny log."""

from __future__ import annotations

import os
import tempfile

LOG = """\
<tty>
<writer thread='7'/>
<nmethod compile_id='1' compiler='c1' level='3' size='8' method='a.B m ()V' stamp='0.001'/>
</tty>
<compilation_log thread='7'>
<start_compile_thread name='C1 CompilerThread0' thread='7' process='1' stamp='0.000'/>
<task compile_id='1' method='a.B m ()V' level='3' stamp='0.001'>
<task_done success='1' nmsize='8' stamp='0.002'/>
</task>
</compilation_log>
"""


def warm() -> None:
    """Calls each kernel of compilation logs."""
    from parsers.formats.hotspot.decisions.tables_thread import warm as warm_statistics
    from parsers.formats.hotspot.log.read.kernel_log import KernelLog
    from parsers.formats.hotspot.log.read.strict_xml import warm as warm_strict
    from parsers.index.writer import Writer
    from parsers.io.source import Identity

    with tempfile.TemporaryDirectory(prefix="coffeetree-") as folder:
        path = os.path.join(folder, "log")
        with open(path, "w") as file:
            file.write(LOG)
        descriptor = os.open(path, os.O_RDONLY)
        writer = Writer(folder, "log", Identity(0, 0, 0, 0, ""))
        log = KernelLog(writer, [descriptor], [len(LOG)])
        log.read()
        log.larger_tables()
        writer.abandon()
        os.close(descriptor)
    warm_statistics()
    warm_strict()
