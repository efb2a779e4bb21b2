"""Returns unused memory from the C library to the system; building an index leaves some 70 MB."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Final

_MMAP_THRESHOLD: Final = -3  # the parameter's number in glibc's malloc.h
_LARGE: Final = 128 * 1024


def map_large_blocks() -> None:
    """From now on, return each large block to the system when it is freed.

    By default, glibc keeps growing blocks in its heap, where small long-lived ones pin them.
    """
    if set_option := _of_glibc("mallopt"):
        set_option(_MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """Return memory that is already free. Takes milliseconds and does not block other threads."""
    if trim := _of_glibc("malloc_trim"):
        trim(0)


@cache
def _of_glibc(name: str) -> Callable[..., int] | None:
    """A glibc function. None with another C library."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - most tests and scripts never need it

    return getattr(ctypes.CDLL(None), name, None)
