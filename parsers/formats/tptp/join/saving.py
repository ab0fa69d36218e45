"""Arrays of an index besides its tables; bitpacked where the schema demands it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers.formats.tptp.kernels import KERNELS
from parsers.formats.tptp.schema.columns import PACKED
from parsers.index.bitpacked import writing as packing
from parsers.kernels.library import has_kernels

if TYPE_CHECKING:
    from parsers.index.writer import Writer
    from parsers.model.arrays import AnyArray

MANY = 300_000
"""Number of entries from which writing an array in parts is worth it."""


def save_array(writer: Writer, name: str, values: AnyArray) -> None:
    """Writes one array."""
    is_small = len(values) < MANY
    if name not in PACKED:
        if is_small:
            writer.save(name, values)
        else:
            writer.save_as(name, values.dtype.str[1:], values)
    elif is_small or not has_kernels(KERNELS):
        packing.save_packed(writer, name, PACKED[name], values)
    else:
        from parsers.index.bitpacked.parallel import pack_parallel

        pack_parallel(writer, name, PACKED[name], values)
