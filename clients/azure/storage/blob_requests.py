"""Builds requests that change blobs, and reads the state of a blob beforehand."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import md5
from typing import Any, Final

from clients.azure.failures import AzureRefusal
from clients.azure.messages import OCTETS, AzureAnswer, AzureRequest
from clients.azure.storage import blobs
from clients.azure.storage.blobs import BlobAddress
from clients.azure.storage.data import XML, Data

_BLOB: Final = "/{container}/{blob}"


@dataclass(frozen=True, slots=True)
class Upload:
    """The content to write to a blob. Without an ETag, writing fails if the blob exists."""

    content: bytes
    content_type: str = OCTETS
    etag: str | None = None


async def found(data: Data, place: BlobAddress) -> AzureAnswer | None:
    """The headers of a blob; None if it does not exist."""
    try:
        return await blobs.properties(data, place)
    except AzureRefusal as refusal:
        if refusal.status != 404:
            raise
        return None


def looking(data: Data, place: BlobAddress) -> AzureRequest:
    return data.addressed(AzureRequest(f"HEAD {_BLOB}", place.values, place.query, accept=XML))


def writing(data: Data, place: BlobAddress, upload: Upload) -> AzureRequest:
    condition = {"If-Match": upload.etag} if upload.etag else {"If-None-Match": "*"}
    headers = {"x-ms-blob-type": "BlockBlob", "Content-MD5": digest(upload.content), **condition}
    return data.addressed(
        AzureRequest(
            f"PUT {_BLOB}",
            place.values,
            body=upload.content,
            content_type=upload.content_type,
            accept=XML,
            headers=headers,
        )
    )


def deleting(data: Data, place: BlobAddress, etag: str, *, with_snapshots: bool) -> AzureRequest:
    headers = {"If-Match": etag, **({"x-ms-delete-snapshots": "include"} if with_snapshots else {})}
    return data.addressed(AzureRequest(f"DELETE {_BLOB}", place.values, accept=XML, headers=headers))


def undeleting(data: Data, place: BlobAddress) -> AzureRequest:
    return data.addressed(AzureRequest(f"PUT {_BLOB}", place.values, {"comp": "undelete"}, accept=XML))


def moving(data: Data, place: BlobAddress, tier: str, priority: str) -> AzureRequest:
    headers = {"x-ms-access-tier": tier, "x-ms-rehydrate-priority": priority}
    return data.addressed(AzureRequest(f"PUT {_BLOB}", place.values, {"comp": "tier"}, accept=XML, headers=headers))


def digest(content: bytes) -> str:
    """The checksum of a blob's content. The checksum detects errors, not attacks."""
    return b64encode(md5(content, usedforsecurity=False).digest()).decode()


def header(answer: AzureAnswer | dict[str, Any] | None, name: str) -> str:
    """The value of a header. Header names are case-insensitive."""
    headers = answer.headers if isinstance(answer, AzureAnswer) else answer or {}
    return next((str(value) for own, value in headers.items() if own.lower() == name.lower()), "")
