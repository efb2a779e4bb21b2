"""Where the app keeps what it has to remember: the storage account, or a folder where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from clients.storage import Storage
from settings import StorageSettings

DEFAULT_FOLDER: Final = ".local/storage"


def folder_of(settings: StorageSettings) -> Path:
    return Path(settings.folder or DEFAULT_FOLDER)


def storage_for(purpose: str, settings: StorageSettings) -> Storage:
    """The table and the container that are called after their purpose, or a folder of that name."""
    if settings.folder or not (settings.connection or settings.account):
        from clients.folder_storage import FolderStorage

        return FolderStorage(folder_of(settings) / purpose)
    from clients.azure_storage import AzureStorage

    # The platform may add a connection string by itself, which opens nothing where keys are off.
    if not settings.account:
        return AzureStorage.from_connection_string(settings.connection, purpose)
    from azure.identity.aio import ManagedIdentityCredential

    account = f"https://{settings.account}"
    credential = ManagedIdentityCredential(client_id=settings.client_id or None)
    return AzureStorage.from_accounts(
        f"{account}.table.core.windows.net", f"{account}.blob.core.windows.net", credential, purpose
    )
