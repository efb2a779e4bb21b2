"""Access keys for the extension tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from extensions.extensions import Extensions

EXTENSIONS: Final[Key[Extensions]] = Key("extensions")
