"""Shows the value of a secret. No other tool shows values of secrets."""

from __future__ import annotations

from clients.azure.vaults import VaultEntry
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.keyvault.vault_parameters import ItemName, VaultName, Version, contents_of, shown
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.parameters import Subscription

part = Part()


@part.tool(Access.READ, gives_secret=True, harmless=("vault", "name", "version", "subscription"))
async def show_keyvault_secret(
    azure: Arm, vault: VaultName, name: ItemName, version: Version = None, subscription: Subscription = None
) -> Json:
    """Show the VALUE of a secret. Use only if the user asks for the value itself; otherwise, use list_secrets.

    Repeat the value only to the user.
    """
    contents = await contents_of(azure, vault, subscription)
    record = await contents.one("secrets", name, version, gives_secrets=True)
    return answer(**shown(VaultEntry("secrets", record)), value=record.get("value"))
