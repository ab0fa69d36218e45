"""Plain code instead of compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import pytest

from parsers.kernels import library
from parsers.kernels.compiled import compiled


@contextmanager
def without_kernels() -> Iterator[None]:
    """Runs what is compiled as on a machine without kernels; modules of kernels that are imported keep theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "engine_of", lambda group: "plain")
        compiled.cache_clear()
        try:
            yield
        finally:
            compiled.cache_clear()


def engine(has_kernels: bool) -> AbstractContextManager[None]:
    """Runs what is compiled with or without kernels."""
    return nullcontext() if has_kernels else without_kernels()
