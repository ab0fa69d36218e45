"""BLAKE2b alone: `hashlib` loads OpenSSL with it, which takes longer than everything that is hashed here."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # a Python built otherwise
    from hashlib import blake2b

__all__ = ["blake2b"]
