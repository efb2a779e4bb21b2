"""Lists containers and blobs, and shows their properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal
from urllib.parse import unquote

from clients.azure.messages import AzureAnswer
from clients.azure.storage import blobs
from clients.azure.storage.blobs import BlobAddress, BlobFilter
from clients.azure.storage.xml import Element
from clients.azure.withholding import withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer, present
from tools.azure.shared.parameters import Subscription
from tools.azure.storage.storage_parameters import (
    OF_ACCOUNT,
    OF_BLOB,
    AccountName,
    BlobName,
    ContainerName,
    MostListed,
    Next,
    Prefix,
    Snapshot,
    Version,
    data_of,
    metadata,
    moment,
    some,
    texts,
)

part = Part()

Include = Literal["metadata", "snapshots", "versions", "deleted", "tags"]
# The usual values of some properties. Answers omit properties that have their usual value.
_USUAL: Final = {"type": "BlockBlob", "lease": "available", "copy_status": "success"}
_CONTAINER: Final = {
    "public_access": "Properties/PublicAccess",
    "lease": "Properties/LeaseState",
    "deleted": "Deleted",
}
_BLOB: Final = {
    "type": "Properties/BlobType",
    "lease": "Properties/LeaseState",
    "archive_status": "Properties/ArchiveStatus",
    "deleted": "Deleted",
    "snapshot": "Snapshot",
    "version": "VersionId",
    "current": "IsCurrentVersion",
}
_HEADERS: Final = {
    "content_type": "Content-Type",
    "content_encoding": "Content-Encoding",
    "etag": "ETag",
    "type": "x-ms-blob-type",
    "tier": "x-ms-access-tier",
    "archive_status": "x-ms-archive-status",
    "lease": "x-ms-lease-state",
    "version": "x-ms-version-id",
    "copy_status": "x-ms-copy-status",
    "tags": "x-ms-tag-count",
    "legal_hold": "x-ms-legal-hold",
    "immutable_until": "x-ms-immutability-policy-until-date",
}
_METADATA: Final = "x-ms-meta-"


@part.tool(Access.READ, harmless=OF_ACCOUNT)
async def list_containers(
    azure: Arm,
    account: AccountName,
    prefix: Prefix = None,
    subscription: Subscription = None,
    max_results: MostListed = 100,
    next: Next = None,
) -> Json:
    """List the blob containers of a storage account."""
    data = await data_of(azure, account, subscription, "blob")
    found = await blobs.containers(data, prefix, max_results, next)
    return some([_container(entry) for entry in found.entries], found.following)


@part.tool(Access.READ, harmless=(*OF_ACCOUNT, "container", "recursive"))
async def list_blobs(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    prefix: Annotated[str | None, Field(max_length=1024, description="Name prefix; a folder ends with /")] = None,
    recursive: Annotated[bool, Field(description="Include folders' contents")] = False,
    include: Annotated[Sequence[Include], Field(max_length=5, description="Also include")] = (),
    subscription: Subscription = None,
    max_results: MostListed = 50,
    next: Next = None,
) -> Json:
    """List folders and blobs of a container, by name."""
    data = await data_of(azure, account, subscription, "blob")
    found = await blobs.blobs(data, BlobFilter(container, prefix, recursive, include), max_results, next)
    folders = [_name(entry) for entry in found.entries if entry.tag == "BlobPrefix"]
    items = [_blob(entry) for entry in found.entries if entry.tag == "Blob"]
    return some(items, found.following, folders=folders)


@part.tool(Access.READ, harmless=(*OF_BLOB, "snapshot", "version"))
async def show_blob(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    snapshot: Snapshot = None,
    version: Version = None,
    subscription: Subscription = None,
) -> Json:
    """Show properties of a blob: size, type, tier, lease, times, metadata."""
    data = await data_of(azure, account, subscription, "blob")
    return answer(
        name=blob, **_properties(await blobs.properties(data, BlobAddress(container, blob, snapshot, version)))
    )


def _container(entry: Element) -> Json:
    modified = moment(entry.findtext("Properties/Last-Modified"))
    return _unusual({"name": _name(entry), "modified": modified, **texts(entry, _CONTAINER)})


def _blob(entry: Element) -> Json:
    size = entry.findtext("Properties/Content-Length") or ""
    is_own_tier = entry.findtext("Properties/AccessTierInferred") != "true"
    more = {
        "size": int(size) if size.isdecimal() else None,
        "modified": moment(entry.findtext("Properties/Last-Modified")),
        "tier": entry.findtext("Properties/AccessTier") if is_own_tier else None,
        "metadata": metadata(entry),
        "tags": {tag.findtext("Key"): tag.findtext("Value") for tag in entry.iterfind("Tags/TagSet/Tag")},
    }
    return _unusual({"name": _name(entry), **more, **texts(entry, _BLOB)})


def _name(entry: Element) -> str:
    """Return the name of a container, folder or blob. Azure encodes names that XML cannot represent."""
    found = entry.find("Name")
    text = "" if found is None else found.text or ""
    return unquote(text) if found is not None and found.get("Encoded") == "true" else text


def _properties(found: AzureAnswer) -> Json:
    headers = found.headers
    times = {"modified": moment(headers.get("Last-Modified")), "created": moment(headers.get("x-ms-creation-time"))}
    own = {name[len(_METADATA) :]: value for name, value in headers.items() if name.lower().startswith(_METADATA)}
    known = {name: headers.get(header) for name, header in _HEADERS.items()}
    return _unusual({"size": blobs.size_of(found), **times, **known, "metadata": withheld(own)})


def _unusual(record: Json) -> Json:
    return present({name: value for name, value in record.items() if _USUAL.get(name) != value})
