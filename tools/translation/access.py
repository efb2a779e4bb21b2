"""The key by which the translation tools get the Translator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from tools.translation.opening import Translation

TRANSLATION: Final[Key[Translation]] = Key("translation")
