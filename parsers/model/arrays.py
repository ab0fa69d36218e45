"""Names of array types for annotations.

Import them only for annotations (`if TYPE_CHECKING`): this module imports numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = list[int] | NDArray[Any]
"""A list, or an array: of functions that run as they are and compiled."""
AnyArray = NDArray[Any]
"""An array of more than one possible dtype."""
RecordArray = NDArray[np.void]
"""An array of records with named fields; kernels read them as `rows[row].field`."""
BoolArray = NDArray[np.bool_]
U8Array = NDArray[np.uint8]
U16Array = NDArray[np.uint16]
U32Array = NDArray[np.uint32]
U64Array = NDArray[np.uint64]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]
F64Array = NDArray[np.float64]
