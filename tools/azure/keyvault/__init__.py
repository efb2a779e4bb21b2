"""The toolset `keyvault`: vaults and their contents. One tool shows values of secrets, and another tool sets values."""

from __future__ import annotations

from typing import Final

from tools.azure.keyvault import contents, expiry, items, new_versions, secret_values, vault_changes, vaults

parts: Final = (
    vaults.part,
    contents.part,
    expiry.part,
    secret_values.part,
    vault_changes.part,
    new_versions.part,
    items.part,
)
