"""The compiled loops of `text_lines`. Importing this module imports numba."""

from __future__ import annotations

from parsers.kernels.decorators import kernel
from parsers.query.search import text_lines

write_texts = kernel(text_lines.write_texts)
write_ids = kernel(text_lines.write_ids)
