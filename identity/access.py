"""The access levels of a caller, from reading to destroying."""

from __future__ import annotations

from enum import IntEnum


class Access(IntEnum):
    """What a caller may do. Each level includes those below it."""

    READ = 1
    WRITE = 2
    DESTROY = 3

    @property
    def label(self) -> str:
        return self.name.lower()
