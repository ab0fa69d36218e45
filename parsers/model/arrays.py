"""Names of array types for annotations. They show the dtype to readers; a type checker sees arrays of any dtype.

Import them only for annotations (`if TYPE_CHECKING`): this module imports numpy.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

AnyArray = NDArray[Any]
"""An array of more than one possible dtype."""
BoolArray = NDArray[Any]
U8Array = NDArray[Any]
U16Array = NDArray[Any]
U32Array = NDArray[Any]
U64Array = NDArray[Any]
I8Array = NDArray[Any]
I16Array = NDArray[Any]
I32Array = NDArray[Any]
I64Array = NDArray[Any]
F32Array = NDArray[Any]
F64Array = NDArray[Any]
