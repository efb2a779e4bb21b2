"""How people ask for translations."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "translate": (
        "translate this text to french, translate the readme into german, what does this mean in english, put this into"
        " french, how do you say this in spanish, translate markdown and keep the code, traduis ce texte en anglais, "
        "traduire en francais, uebersetze das ins englische, translate the release notes, translate this contract "
        "into polish, translate this letter into italian"
    ),
}
