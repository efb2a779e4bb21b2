"""Returns unused memory from the C library to the operating system. Building an index leaves about 70 MB unused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Final

_MMAP_THRESHOLD: Final = -3  # the value of M_MMAP_THRESHOLD in glibc's malloc.h
_LARGE: Final = 128 * 1024


def map_large_blocks() -> None:
    """Make glibc return each large memory block to the operating system when it is freed.

    By default, glibc puts larger and larger blocks on its heap, where long-lived small blocks prevent glibc from
    returning the large blocks.
    """
    if set_option := _of_glibc("mallopt"):
        set_option(_MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """Return free memory to the operating system. The call takes milliseconds and does not block other threads."""
    if trim := _of_glibc("malloc_trim"):
        trim(0)


@cache
def _of_glibc(name: str) -> Callable[..., int] | None:
    """Return a function of glibc, or None if the process uses another C library."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - most tests and scripts never need it

    return getattr(ctypes.CDLL(None), name, None)
