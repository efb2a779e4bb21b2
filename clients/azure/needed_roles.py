"""For an action that Azure denied, finds a common built-in role that permits the action and little else."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final

_BLOBS: Final = "microsoft.storage/storageaccounts/blobservices/containers/blobs/"
_QUEUES: Final = "microsoft.storage/storageaccounts/queueservices/queues/messages/"
_TABLES: Final = "microsoft.storage/storageaccounts/tableservices/tables/entities/"
# Maps patterns of lowercase actions to roles. A star matches any characters, and the first match counts.
_ROLES: Final = (
    ("microsoft.keyvault/vaults/secrets/getsecret/action", "Key Vault Secrets User"),
    ("microsoft.keyvault/vaults/*/read*", "Key Vault Reader"),
    ("microsoft.keyvault/vaults/secrets/*", "Key Vault Secrets Officer"),
    ("microsoft.keyvault/vaults/keys/*", "Key Vault Crypto Officer"),
    ("microsoft.keyvault/vaults/certificates/*", "Key Vault Certificates Officer"),
    ("microsoft.keyvault/vaults/certificatecas/*", "Key Vault Certificates Officer"),
    (f"{_BLOBS}read", "Storage Blob Data Reader"),
    ("microsoft.storage/storageaccounts/blobservices/generateuserdelegationkey/action", "Storage Blob Delegator"),
    (f"{_BLOBS}*", "Storage Blob Data Contributor"),
    (f"{_QUEUES}read", "Storage Queue Data Reader"),
    (f"{_QUEUES}*", "Storage Queue Data Contributor"),
    (f"{_TABLES}read", "Storage Table Data Reader"),
    (f"{_TABLES}*", "Storage Table Data Contributor"),
    ("microsoft.storage/storageaccounts/listkeys/action", "Storage Account Key Operator Service Role"),
    ("microsoft.operationalinsights/workspaces/*query*/read", "Log Analytics Reader"),
    ("microsoft.costmanagement/*/read", "Cost Management Reader"),
    ("microsoft.costmanagement/query/action", "Cost Management Reader"),
    ("microsoft.consumption/*/read", "Cost Management Reader"),
    ("microsoft.costmanagement/*", "Cost Management Contributor"),
    ("microsoft.insights/*/read", "Monitoring Reader"),
    ("microsoft.web/sites/config/list/action", "Website Contributor"),
    ("microsoft.servicebus/namespaces/messages/receive/action", "Azure Service Bus Data Receiver"),
    ("*/read", "Reader"),
    ("microsoft.insights/*", "Monitoring Contributor"),
    ("microsoft.authorization/roleassignments/*", "Role Based Access Control Administrator"),
    ("microsoft.authorization/locks/*", "User Access Administrator"),
    ("microsoft.authorization/policy*", "Resource Policy Contributor"),
    ("microsoft.resources/tags/write", "Tag Contributor"),
    ("microsoft.web/sites/*", "Website Contributor"),
    ("microsoft.web/serverfarms/*", "Web Plan Contributor"),
    ("microsoft.compute/virtualmachines/*", "Virtual Machine Contributor"),
    ("microsoft.network/*", "Network Contributor"),
    ("join/action", "Network Contributor"),
    ("microsoft.storage/storageaccounts/*", "Storage Account Contributor"),
    ("microsoft.documentdb/databaseaccounts/*", "DocumentDB Account Contributor"),
)
_OF_DATA: Final = {"blob": "Blob", "dfs": "Blob", "queue": "Queue", "table": "Table"}


def role_for(action: str) -> str:
    """A phrase that names the role that permits an action."""
    found = next((role for pattern, role in _ROLES if fnmatchcase(action.lower(), pattern)), "")
    return f"the role {found!r}" if found else f"a role with the action {action!r}"


def role_for_data(host: str, *, reads: bool) -> str:
    """A phrase that names the role for reading or changing the data of a storage account at this host."""
    kind = next((_OF_DATA[part] for part in host.lower().split(".") if part in _OF_DATA), "Blob")
    return f"the role 'Storage {kind} Data {'Reader' if reads else 'Contributor'}'"
