"""Memory that the C library keeps although nobody uses it any more, of which building an index leaves some 70 MB."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Final

_MMAP_THRESHOLD: Final = -3  # the name of a parameter in glibc's malloc.h
_LARGE: Final = 128 * 1024


def map_large_blocks() -> None:
    """From now on, have each large block returned to the system once it is freed.

    By itself, glibc keeps ever larger ones in its heap, where small ones that stay then pin them.
    """
    if set_option := _of_glibc("mallopt"):
        set_option(_MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """Return what is free already. It takes milliseconds, in which other threads go on."""
    if trim := _of_glibc("malloc_trim"):
        trim(0)


@cache
def _of_glibc(name: str) -> Callable[..., int] | None:
    """A function of glibc; none where the C library is another one."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - most processes of a test or a script never need it

    return getattr(ctypes.CDLL(None), name, None)
