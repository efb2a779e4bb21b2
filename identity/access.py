"""The access levels of a caller, from reading to destroying."""

from __future__ import annotations

from enum import IntEnum


class Access(IntEnum):
    """The access level of a caller. Each level includes the levels below it."""

    READ = 1
    WRITE = 2
    DESTROY = 3

    @property
    def label(self) -> str:
        return self.name.lower()
