"""Every tool there is, with those that are opened by name only."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from identity.access import Access
from identity.grants import UNLIMITED
from tools import TOOLSETS

EVERYTHING: Final = replace(
    UNLIMITED, exceptions=frozenset((one.name, name, Access.DESTROY) for one in TOOLSETS for name in one.by_name_only)
)
