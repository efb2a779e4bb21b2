"""Reads the text in blobs."""

from __future__ import annotations

from typing import Annotated, Final

from clients.azure.storage import blob_content
from clients.azure.storage.blob_content import BlobContent
from clients.azure.storage.blobs import BlobAddress
from clients.azure.withholding import withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.shared.answers import Json, answer
from tools.azure.shared.parameters import Subscription
from tools.azure.storage.storage_parameters import (
    OF_BLOB,
    AccountName,
    BlobName,
    ContainerName,
    Snapshot,
    Version,
    data_of,
)

part = Part()

_NO_TEXT: Final = "The blob is not text and cannot be shown. create_blob_link creates a download link for people."


@part.tool(Access.READ, harmless=(*OF_BLOB, "snapshot", "version", "start", "length", "last_lines"))
async def download_blob(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    start: Annotated[int, Field(ge=0, le=2**53, description="First byte")] = 0,
    length: Annotated[int, Field(ge=16, le=blob_content.LONGEST, description="Maximum bytes")] = 8192,
    last_lines: Annotated[
        int | None, Field(ge=1, le=5000, description="Read this many last lines, up to `length` bytes")
    ] = None,
    snapshot: Snapshot = None,
    version: Version = None,
    subscription: Subscription = None,
) -> Json:
    """Read the text of a blob in parts, or only its last lines. For binary blobs, returns only type and size."""
    data = await data_of(azure, account, subscription, "blob")
    place = BlobAddress(container, blob, snapshot, version)
    if last_lines:
        return _answer(await blob_content.last_lines(data, place, last_lines, length))
    return _answer(await blob_content.read(data, place, start, length))


def _answer(found: BlobContent) -> Json:
    known = {"size": found.size, "content_type": found.content_type, "content_encoding": found.encoding}
    if found.text is None:
        return answer(**known, binary=True, note=_NO_TEXT)
    charset = found.charset if found.charset != "utf-8" else None
    shown = answer(**known, charset=charset, start=found.start or None, next_start=found.following)
    return {**shown, "text": withheld(found.text)}
