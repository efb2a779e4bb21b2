"""Reads storage accounts from Resource Manager: the URLs of their data, and their network restrictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from clients.azure.client import Azure
from clients.azure.cloud import Cloud, Service
from clients.azure.data_holder import DataHolder
from clients.azure.messages import FOUND
from clients.azure.named import Sort, one_called
from refusal import Refusal

Kind = Literal["blob", "table", "queue"]

ACCOUNT: Final = Sort("Microsoft.Storage/storageAccounts", FOUND, "storage account")


@dataclass(frozen=True, slots=True)
class StorageAccount(DataHolder):
    def service(self, cloud: Cloud, kind: Kind) -> Service:
        """The service for the blobs, tables or queues of the account.

        Raises:
            Refusal: The account does not support this kind of data, or its URL is outside this cloud.
        """
        address = (self.properties.get("primaryEndpoints") or {}).get(kind)
        if not address:
            what = f"{self.record.get('kind', '')} {(self.record.get('sku') or {}).get('name', '')}".strip()
            raise Refusal(f"The storage account {self.name} has no {kind}s: {what} accounts do not support them.")
        return cloud.stored(address, self.id)


async def account_called(azure: Azure, named: str, subscription: str | None, *, anew: bool = True) -> StorageAccount:
    """Find a storage account by ID or name.

    Raises:
        Refusal: Several accounts match, or no account does. The error message lists the choices.
    """
    return StorageAccount.of(await one_called(azure, ACCOUNT, named, subscription, anew=anew))
