"""Key Vault: vaults, and what is in them. Values of secrets are given by one tool, and set by another."""

from __future__ import annotations

from typing import Final

from tools.azure.keyvault import contents, expiry, items, making, setting, values, vaults

parts: Final = (vaults.part, contents.part, expiry.part, values.part, making.part, setting.part, items.part)
