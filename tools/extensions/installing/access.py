"""The key with which the installation tools request the installer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from extensions.installer import Installer

INSTALLER: Final[Key[Installer]] = Key("extension-sources")
