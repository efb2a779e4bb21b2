"""Sends requests for the data of a storage account, and explains errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final

from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.storage.accounts import Kind, StorageAccount
from clients.azure.storage.xml import Element, parsed

XML: Final = "application/xml"
# All clouds support this version.
VERSION: Final = "2024-11-04"
_READERS: Final[Mapping[Kind, str]] = {
    "blob": "Storage Blob Data Reader",
    "table": "Storage Table Data Reader",
    "queue": "Storage Queue Data Reader",
}
_NO_ROLE: Final = frozenset(
    ("AuthorizationPermissionMismatch", "InsufficientAccountPermissions", "AuthorizationPermissionDenied")
)
_ADVICE: Final[Mapping[str, str]] = {
    "ContainerNotFound": "Use list_containers to find containers.",
    "BlobAlreadyExists": "The blob already exists, and nothing was overwritten. To overwrite the blob, pass"
    " `overwrite`; you first get a preview.",
    "SnapshotsPresent": "The blob has snapshots. Pass `with_snapshots` to also delete the snapshots.",
    "LeaseIdMissing": "The blob or container has a lease, which prevents changes until the lease ends.",
    "LeaseAlreadyPresent": "The blob or container has a lease, which prevents changes until the lease ends.",
    "BlobImmutableDueToPolicy": "A retention policy or a legal hold prevents changing and deleting the blob.",
    "BlobNotFound": "Names are case-sensitive. Use list_blobs to find blobs. Pass include=deleted to also list blobs "
    "that can be restored.",
    "BlobArchived": "The blob is in the archive tier. To read the blob, someone must move it to another tier, which"
    " takes hours.",
    "BlobBeingRehydrated": "The blob is being moved out of the archive tier, which takes hours.",
    "ContainerBeingDeleted": "The container is being deleted.",
    "InvalidRange": "The blob ends before the requested range.",
    "TableNotFound": "Use list_storage_tables to find tables.",
    "QueueNotFound": "Use list_storage_queues to find queues.",
    "InvalidInput": "A filter looks like: PartitionKey eq 'a' and Timestamp ge datetime'2026-01-31T00:00:00Z'.",
    "FeatureNotYetSupportedForHierarchicalNamespaceAccounts": "The account has a hierarchical namespace, which does"
    " not support this request.",
}


class Data:
    """Accesses the blobs, tables or queues of a storage account. `azure` is the client of the caller."""

    def __init__(self, azure: Azure, account: StorageAccount, kind: Kind) -> None:
        self.account = account
        self.service = account.service(azure.cloud, kind)
        self._azure, self._kind = azure, kind

    async def send(self, request: AzureRequest, largest: int | None = None) -> AzureAnswer:
        """Send a request to the storage account.

        Raises:
            ServiceRefusal: The request failed. The error message says what to do.
        """
        try:
            return await self._azure.send(self.addressed(request), largest)
        except AzureRefusal as refusal:
            raise self.with_advice(refusal, request) from refusal

    def addressed(self, request: AzureRequest) -> AzureRequest:
        """The request with the headers that Azure Storage requires."""
        headers = {"x-ms-version": VERSION, "x-ms-date": format_datetime(datetime.now(UTC), usegmt=True)}
        is_read = request.is_repeatable or request.method == "HEAD"
        return replace(
            request,
            headers={**headers, **request.headers},
            is_read=is_read,
            version=None,
            service=self.service,
        )

    def with_advice(self, refusal: AzureRefusal, request: AzureRequest) -> AzureRefusal:
        """Add advice to an error."""
        advice = self._advice(refusal, self.addressed(request))
        return AzureRefusal(f"{refusal} {advice}".strip(), refusal.status, refusal.code)

    async def element(self, request: AzureRequest) -> Element:
        """Send a request whose response must be XML."""
        return parsed((await self.send(replace(request, accept=XML))).content)

    def _advice(self, refusal: AzureRefusal, request: AzureRequest) -> str:
        role = _READERS[self._kind]
        if not request.is_repeatable:
            role = role.replace("Reader", "Contributor")
        if refusal.code in _NO_ROLE:
            where = self.account.name
            return f"Owner and Contributor grant no access to data. The request requires the role {role} on {where}."
        if refusal.code == "AuthorizationFailure" or (refusal.status == 403 and not refusal.code):
            return self.account.lets_in or f"You may be missing the role {role} on {self.account.name}."
        return _ADVICE.get(refusal.code, "")
