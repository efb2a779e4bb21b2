"""Key Vault: vaults, and what is in them. Values of secrets are given by one tool, and changed by none."""

from __future__ import annotations

from typing import Final

from tools.azure.keyvault import contents, expiry, values, vaults

parts: Final = (vaults.part, contents.part, expiry.part, values.part)
