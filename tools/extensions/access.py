"""The keys by which the extension tools get their services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from extensions.extensions import Extensions

EXTENSIONS: Final[Key[Extensions]] = Key("extensions")
