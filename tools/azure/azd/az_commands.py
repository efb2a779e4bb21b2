"""Changes that this server does not make itself, as commands of az, by the names that the public extensions have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.azure.azd.az_forms import (
    ACCOUNT,
    AZ,
    CONTAINER,
    GONE,
    IN_GROUP,
    LOCATION,
    NAME,
    RESOURCE_GROUP,
    SUBSCRIPTION,
    must,
)
from tools.azure.azd.az_of_services import COSMOS, SERVICE_BUS
from tools.azure.azd.command_lines import Known, Option, any_text

_DATA: Final = f"{AZ}; Storage Blob Data Contributor on the account"
_OFFICER: Final = f"{AZ}; Key Vault Secrets Officer on the vault"
_WITH_LOGIN: Final = ("--auth-mode", "login")

_WHICH: Final = {"subscription_id": Option("--subscription", SUBSCRIPTION)}
_OF_ACCOUNT: Final = {"storage_account_name": must("--account-name", ACCOUNT)}
_CONTAINER: Final = {**_OF_ACCOUNT, "container_name": must("--name", CONTAINER), **_WHICH}
_BLOB: Final = {
    **_OF_ACCOUNT,
    "container_name": must("--container-name", CONTAINER),
    "blob_name": must("--name", any_text),
}
_FILE: Final = {"file_path": must("--file", any_text)}
_OF_VAULT: Final = {"name": must("--name", NAME), "resource_group_name": RESOURCE_GROUP}
_SECRET: Final = {"vault_name": must("--vault-name", NAME), "secret_name": must("--name", NAME)}

_STORAGE: Final = {
    "create-storage-account": Known(
        "az storage account create",
        "Makes a storage account, redundant within its region, whose blobs nobody reads without a sign-in.",
        IN_GROUP,
        "show_storage_account",
        {
            "storage_account_name": must("--name", ACCOUNT),
            "resource_group_name": RESOURCE_GROUP,
            "location": must("--location", LOCATION),
            **_WHICH,
        },
        ("--sku", "Standard_LRS", "--allow-blob-public-access", "false", "--min-tls-version", "TLS1_2"),
    ),
    "delete-storage-account": Known(
        "az storage account delete",
        f"Deletes a storage account. {GONE} It asks before.",
        IN_GROUP,
        "list_storage_accounts does not name it any more",
        {"storage_account_name": must("--name", ACCOUNT), "resource_group_name": RESOURCE_GROUP, **_WHICH},
    ),
    "create-container": Known(
        "az storage container create",
        "Makes a container for blobs.",
        _DATA,
        "list_containers",
        _CONTAINER,
        _WITH_LOGIN,
    ),
    "delete-container": Known(
        "az storage container delete",
        "Deletes a container with all its blobs; where soft delete is on, it can be restored for some days.",
        _DATA,
        "list_containers",
        _CONTAINER,
        _WITH_LOGIN,
    ),
    "upload-blob": Known(
        "az storage blob upload",
        "Uploads a file. It fails if a blob of this name is there.",
        _DATA,
        "show_blob",
        {**_BLOB, **_FILE, **_WHICH},
        _WITH_LOGIN,
    ),
    "download-blob": Known(
        "az storage blob download",
        "Writes a blob to a file.",
        f"{AZ}; Storage Blob Data Reader on the account",
        "the file",
        {**_BLOB, **_FILE, **_WHICH},
        _WITH_LOGIN,
    ),
    "delete-blob": Known(
        "az storage blob delete",
        "Deletes a blob; where soft delete is on, it can be restored for some days.",
        _DATA,
        "list_blobs, with include=deleted",
        {**_BLOB, **_WHICH},
        _WITH_LOGIN,
    ),
}
_VAULTS: Final = {
    "create-keyvault": Known(
        "az keyvault create",
        "Makes a vault that goes by roles.",
        IN_GROUP,
        "show_keyvault",
        {**_OF_VAULT, "location": must("--location", LOCATION)},
        ("--enable-rbac-authorization", "true"),
    ),
    "delete-keyvault": Known(
        "az keyvault delete",
        "Deletes a vault. It can be recovered for some days, and its name is taken until then.",
        IN_GROUP,
        "list_keyvaults does not name it any more",
        _OF_VAULT,
    ),
    "set-keyvault-secret": Known(
        "az keyvault secret set",
        "Sets a secret to what is in a file. Delete the file afterwards.",
        _OFFICER,
        "list_secrets: a new version",
        {**_SECRET, "file_path": must("--file", any_text)},
        refused={
            "value": "The value of a secret is not passed here, nor on a command line, where others see it: put it into"
            " a file on your machine, and pass its path as file_path."
        },
    ),
    "delete-keyvault-secret": Known(
        "az keyvault secret delete",
        "Deletes a secret. It can be recovered for some days.",
        _OFFICER,
        "list_secrets, with deleted",
        _SECRET,
    ),
}
_GROUPS: Final = {
    "create-resource-group": Known(
        "az group create",
        "Makes a resource group.",
        f"{AZ}; Contributor on the subscription",
        "show_resource_group",
        {"resource_group_name": must("--name", NAME), "location": must("--location", LOCATION), **_WHICH},
    ),
    "delete-resource-group": Known(
        "az group delete",
        "Deletes a resource group with everything in it. list_resources shows what that is. It asks before.",
        f"{AZ}; Contributor on the subscription; no lock in it",
        "exists_resource_group",
        {"resource_group_name": must("--name", NAME), **_WHICH},
    ),
}
_ACCOUNT: Final = {
    "set-default-subscription": Known(
        "az account set",
        "Lets `az` on this machine mean another subscription. Here each call says it, as `subscription`.",
        AZ,
        "`az account show`",
        {"subscription_id": must("--name", SUBSCRIPTION)},
    ),
}

AZ_CHANGES: Final[Mapping[str, Known]] = {
    **_STORAGE,
    **_VAULTS,
    **_GROUPS,
    **_ACCOUNT,
    **COSMOS,
    **SERVICE_BUS,
}
