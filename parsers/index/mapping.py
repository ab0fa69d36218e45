"""Files mapped for reading without an open descriptor.

Python's own mmap keeps a descriptor as long as the mapping lives (until `trackfd` of Python 3.13). An index has dozens
of arrays in separate files, and a process may often have only 1,024 descriptors.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref

_system = ctypes.CDLL(None, use_errno=True)
_system.mmap.restype = ctypes.c_void_p
_system.mmap.argtypes = (
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_longlong
)  # fmt: skip
_system.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)

FAILED = ctypes.c_void_p(-1).value
"""MAP_FAILED: the result of a failed mmap(2)."""


def mapped(descriptor: int, size: int) -> memoryview:
    """Maps the first `size` bytes (at least one) of an open file, uint8, for reading; valid after it is closed.

    The file must not get shorter meanwhile. Raises `OSError` if it can't be mapped, and `ValueError` if it is shorter.
    """
    if os.fstat(descriptor).st_size < size:
        raise ValueError("mmap length is greater than file size")
    address = _system.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if address == FAILED:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    buffer = (ctypes.c_ubyte * size).from_address(address)
    weakref.finalize(buffer, _system.munmap, address, size).atexit = False
    return memoryview(buffer).cast("B").toreadonly()
