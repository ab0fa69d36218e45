"""Signatures of kernels: numba's types of arguments as JSON, and back. Not imported where kernels are only called."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.np import numpy_support

from parsers.model.late import named

SCALARS = {str(kind): kind for kind in (types.boolean, *types.number_domain)}
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "signatures.json")


@cache
def listed() -> dict[str, list[list[Any]]]:
    """The signatures of each kernel that are compiled ahead, by `module:name`."""
    with open(PATH) as file:
        known: dict[str, list[list[Any]]] = json.load(file)
    return known


def described(kind: Any) -> Any:
    """A type as JSON. Raises `TypeError` for one that kernels don't take."""
    if isinstance(kind, (types.Integer, types.Float, types.Boolean)) and str(kind) in SCALARS:
        return str(kind)
    if isinstance(kind, types.Array) and kind.layout == "C":
        return {"array": _described_item(kind.dtype), "ndim": kind.ndim, "writes": kind.mutable}
    if isinstance(kind, types.BaseNamedTuple):
        owner = kind.instance_class
        return {"class": f"{owner.__module__}:{owner.__qualname__}", "of": [described(each) for each in kind.types]}
    if isinstance(kind, types.BaseTuple):
        return {"of": [described(each) for each in kind.types]}
    if isinstance(kind, types.NoneType):
        return "none"
    raise TypeError(f"{kind!r} ({type(kind).__name__})")


def merged(known: Any, other: Any) -> Any:
    """The description of arguments that both may be passed for; None if they differ in more than written arrays.

    A kernel that takes a read-only array doesn't write to it, so it takes others too.
    """
    if isinstance(known, list) and isinstance(other, list):
        parts = [merged(*each) for each in zip(known, other, strict=False)]
        return parts if len(known) == len(other) and None not in parts else None
    if isinstance(known, dict) and isinstance(other, dict):
        if "of" in known and known.get("class") == other.get("class"):
            of = merged(known["of"], other.get("of"))
            return None if of is None else {**known, "of": of}
        if "array" in known and {**known, "writes": other.get("writes")} == other:
            return {**known, "writes": known["writes"] and other["writes"]}
        return None
    return known if known == other else None


def _described_item(kind: Any) -> Any:
    return _described_dtype(numpy_support.as_dtype(kind)) if isinstance(kind, types.Record) else str(kind)


def _described_dtype(dtype: Any) -> Any:
    if dtype.names is not None:
        fields = [[name, _described_dtype(dtype.fields[name][0]), dtype.fields[name][1]] for name in dtype.names]
        return {"fields": fields, "size": dtype.itemsize}
    if dtype.subdtype is not None:
        return {"item": _described_dtype(dtype.subdtype[0]), "shape": list(dtype.subdtype[1])}
    return dtype.str


def type_of(description: Any) -> Any:
    """The type that was described."""
    if description == "none":
        return types.none
    if isinstance(description, str):
        return SCALARS[description]
    if "array" in description:
        item = description["array"]
        element = SCALARS[item] if isinstance(item, str) else numpy_support.from_dtype(record_of(item))
        return types.Array(element, description["ndim"], "C", readonly=not description["writes"])
    kinds = [type_of(each) for each in description["of"]]
    return types.BaseTuple.from_types(kinds, named(description["class"]) if "class" in description else None)


def record_of(description: Any) -> Any:
    """numpy's type of an array's records."""
    if isinstance(description, str):
        return np.dtype(description)
    if "item" in description:
        return np.dtype((record_of(description["item"]), tuple(description["shape"])))
    names, formats, offsets = zip(*description["fields"], strict=True)
    fields = {"names": names, "formats": [*map(record_of, formats)], "offsets": offsets}
    dtype: Any = {**fields, "itemsize": description["size"]}
    return np.dtype(dtype, align=True)
