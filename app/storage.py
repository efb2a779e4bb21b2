"""Opens the app's storage: a storage account, or a folder if no account is configured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.azure.cloud import CLOUDS, Cloud
from clients.files import Files
from clients.queues import Queue
from clients.storage import Storage
from settings import StorageSettings

if TYPE_CHECKING:
    from azure.identity.aio import ManagedIdentityCredential

DEFAULT_FOLDER: Final = ".local/storage"


def folder_of(settings: StorageSettings) -> Path:
    return Path(settings.folder or DEFAULT_FOLDER)


def storage_for(purpose: str, settings: StorageSettings, cloud: Cloud = CLOUDS["public"]) -> Storage:
    """Open the table and blob container with this name. If there is no storage account, open the folder."""
    if settings.folder or not (settings.connection or settings.account):
        from clients.folder_storage import FolderStorage

        return FolderStorage(folder_of(settings) / purpose)
    from clients.azure_storage import AzureStorage

    # The platform may set its own connection string, which does not work if account keys are disabled.
    if not settings.account:
        return AzureStorage.from_connection_string(settings.connection, purpose)
    tables, blobs = (address_of(settings.account, part, cloud) for part in ("table", "blob"))
    return AzureStorage.from_accounts(tables, blobs, _identity(settings), purpose)


def queue_for(name: str, settings: StorageSettings, cloud: Cloud = CLOUDS["public"]) -> Queue | None:
    """Open the queue with this name in the storage account. Return None if the app uses a folder as its storage."""
    if settings.folder or not (settings.connection or settings.account):
        return None
    from clients.azure_queue import AzureQueue

    if not settings.account:
        return AzureQueue.from_connection_string(settings.connection, name)
    return AzureQueue.from_account(address_of(settings.account, "queue", cloud), _identity(settings), name)


def files_for(container: str, settings: StorageSettings, cloud: Cloud = CLOUDS["public"]) -> Files:
    """Open a blob container of the storage account to store files in it."""
    from clients.container_files import ContainerFiles

    if not settings.account:
        return ContainerFiles.from_connection_string(settings.connection, container)
    return ContainerFiles.from_account(address_of(settings.account, "blob", cloud), _identity(settings), container)


def _identity(settings: StorageSettings) -> ManagedIdentityCredential:
    from azure.identity.aio import ManagedIdentityCredential

    return ManagedIdentityCredential(client_id=settings.client_id or None)


def address_of(account: str, part: str, cloud: Cloud) -> str:
    """The URL of a service (table, blob or queue) of the app's storage account, in the cloud where the app runs."""
    return f"https://{account}.{part}.{cloud.storage}"
