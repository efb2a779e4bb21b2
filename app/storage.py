"""Opens the app's storage: a storage account, or a folder if no account is configured."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clients.azure.cloud import CLOUDS, Cloud
from clients.files import Files
from clients.queues import Queue
from clients.storage import Storage
from settings import StorageSettings

DEFAULT_FOLDER: Final = ".local/storage"


def folder_of(settings: StorageSettings) -> Path:
    return Path(settings.folder or DEFAULT_FOLDER)


def storage_for(purpose: str, settings: StorageSettings, cloud: Cloud = CLOUDS["public"]) -> Storage:
    """Open the table and blob container with this name.

    Without a storage account, open the folder with this name instead.
    """
    if settings.folder or not (settings.connection or settings.account):
        from clients.folder_storage import FolderStorage

        return FolderStorage(folder_of(settings) / purpose)
    from clients.azure_storage import AzureStorage

    # The platform may set its own connection string, which does not work if account keys are disabled.
    if not settings.account:
        return AzureStorage.from_connection_string(settings.connection, purpose)
    from azure.identity.aio import ManagedIdentityCredential

    credential = ManagedIdentityCredential(client_id=settings.client_id or None)
    tables, blobs = (address_of(settings.account, part, cloud) for part in ("table", "blob"))
    return AzureStorage.from_accounts(tables, blobs, credential, purpose)


def queue_for(name: str, settings: StorageSettings, cloud: Cloud = CLOUDS["public"]) -> Queue | None:
    """Open the queue with this name in the storage account. Return None if the app uses a folder as its storage."""
    if settings.folder or not (settings.connection or settings.account):
        return None
    from clients.azure_queue import AzureQueue

    if not settings.account:
        return AzureQueue.from_connection_string(settings.connection, name)
    from azure.identity.aio import ManagedIdentityCredential

    credential = ManagedIdentityCredential(client_id=settings.client_id or None)
    return AzureQueue.from_account(address_of(settings.account, "queue", cloud), credential, name)


def files_for(container: str, settings: StorageSettings, cloud: Cloud = CLOUDS["public"]) -> Files:
    """Open a blob container of the storage account to store files in it."""
    from clients.container_files import ContainerFiles

    if not settings.account:
        return ContainerFiles.from_connection_string(settings.connection, container)
    from azure.identity.aio import ManagedIdentityCredential

    credential = ManagedIdentityCredential(client_id=settings.client_id or None)
    return ContainerFiles.from_account(address_of(settings.account, "blob", cloud), credential, container)


def address_of(account: str, part: str, cloud: Cloud) -> str:
    """The URL of a service (table, blob or queue) of the app's storage account, in the cloud where the app runs."""
    return f"https://{account}.{part}.{cloud.storage}"
