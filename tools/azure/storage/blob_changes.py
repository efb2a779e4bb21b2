"""Blobs: uploaded, deleted, undeleted, moved to other tiers. What goes is what was seen, by its etag."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from changes.preview import Edit, Preview
from clients.azure.storage import blobs, changes
from clients.azure.storage.blobs import Place
from clients.azure.storage.changes import Upload, header
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json
from tools.azure.shared.doing import SECONDS
from tools.azure.shared.parameters import Subscription
from tools.azure.storage.blob_states import (
    LOST,
    holds,
    is_gone,
    is_in,
    is_there,
    kept_by,
    known_of,
    meaning,
    preview,
    refuse_unkept,
    sent,
    what_is_kept,
)
from tools.azure.storage.shared import OF_BLOB, AccountName, BlobName, ContainerName, data_of

part = Part()

_LARGEST: Final = 1024 * 1024

Text = Annotated[str | None, Field(max_length=_LARGEST, description="What it says; or `base64`")]
Base64 = Annotated[str | None, Field(max_length=_LARGEST * 4 // 3 + 4, description="Its bytes")]
ContentType = Annotated[
    str | None,
    Field(pattern=r"^[\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.-]+)*$", max_length=200, description="Such as text/csv"),
]
Overwrite = Annotated[bool, Field(description="Replace what is there")]
Etag = Annotated[
    str | None, Field(max_length=100, pattern=r'^"?[\w:.+/=-]+"?$', description="Only if it is still this")
]
WithSnapshots = Annotated[bool, Field(description="Its snapshots, too")]
Tier = Annotated[Literal["Hot", "Cool", "Cold", "Archive"], Field(description="Archive cannot be read")]
Priority = Annotated[Literal["Standard", "High"], Field(description="How fast it leaves Archive")]


async def _uploaded(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    text: Text = None,
    base64: Base64 = None,
    content_type: ContentType = None,
    overwrite: Overwrite = False,
    subscription: Subscription = None,
) -> Preview:
    """What is written, and what it replaces."""
    upload = _upload(text, base64, content_type)
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    before = await changes.found(data, place)
    if before is not None and not overwrite:
        raise Refusal(f"There is a blob {blob!r} already. With `overwrite`, it is shown what would be replaced.")
    keeps, unknown = await kept_by(azure, data) if before else (None, [])
    return await preview(
        azure,
        data,
        unknown,
        what=f"The blob {blob} in {container} of {data.account.name}: {'replace it' if before else 'a new one'}",
        facts={**known_of(before), "kept of it": what_is_kept(keeps)},
        edits=[
            Edit("size", blobs.size_of(before) if before else None, len(upload.content)),
            Edit("content type", header(before, "Content-Type") or None, upload.content_type),
            Edit("checksum", header(before, "Content-MD5") or None, changes.digest(upload.content)),
        ],
        grave=LOST if keeps and not keeps.keeps_blobs else "",
        destroys=before is not None,
        pins={"etag": header(before, "ETag")} if before else {},
    )


def _overwrites(meant: Mapping[str, Any]) -> bool:
    return bool(meant.get("overwrite"))


@part.tool(
    Access.WRITE,
    previewed=_uploaded,
    destroys=_overwrites,
    harmless=(*OF_BLOB, "content_type", "overwrite", "etag"),
    seconds=SECONDS,
)
async def upload_blob(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    text: Text = None,
    base64: Base64 = None,
    content_type: ContentType = None,
    overwrite: Overwrite = False,
    etag: Etag = None,
    subscription: Subscription = None,
) -> Json:
    """Write a blob from a text or from base64, up to 1 MB. Nothing is overwritten unless asked for."""
    upload = _upload(text, base64, content_type)
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    before = await changes.found(data, place) if overwrite else None
    upload = Upload(upload.content, upload.content_type, (etag or header(before, "ETag")) if before else None)
    done = await sent(azure, data, place, changes.writing(data, place, upload), holds(upload, before))
    return done.told(
        blob=blob,
        container=container,
        account=data.account.name,
        size=len(upload.content),
        replaced=bool(before) or None,
    )


async def _deleted(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    with_snapshots: WithSnapshots = False,
    subscription: Subscription = None,
) -> Preview:
    """What goes, and for how long it can be restored."""
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    before = await blobs.properties(data, place)
    keeps, unknown = await kept_by(azure, data)
    return await preview(
        azure,
        data,
        unknown,
        what=f"The blob {blob} in {container} of {data.account.name}{', with its snapshots' if with_snapshots else ''}",
        facts={**known_of(before), "kept of it": what_is_kept(keeps)},
        grave=LOST if keeps and not keeps.keeps_blobs else "",
        pins={"etag": header(before, "ETag")},
    )


@part.tool(Access.DESTROY, previewed=_deleted, harmless=(*OF_BLOB, "with_snapshots", "etag"), seconds=SECONDS)
async def delete_blob(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    with_snapshots: WithSnapshots = False,
    etag: Etag = None,
    subscription: Subscription = None,
) -> Json:
    """Delete a blob."""
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    seen = etag or header(await blobs.properties(data, place), "ETag")
    request = changes.deleting(data, place, seen, with_snapshots=with_snapshots)
    done = await sent(azure, data, place, request, is_gone)
    return done.told(deleted=blob, container=container, account=data.account.name)


async def _undeleted(
    azure: Arm, account: AccountName, container: ContainerName, blob: BlobName, subscription: Subscription = None
) -> Preview:
    """What comes back."""
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    before = await changes.found(data, place)
    keeps, unknown = await kept_by(azure, data)
    refuse_unkept(data, keeps)
    notes = ["With versions kept, the newest becomes the blob again only by copying it."]
    return await preview(
        azure,
        data,
        unknown,
        what=f"The blob {blob} in {container} of {data.account.name}: undelete it",
        facts={
            "there is": "one of that name: only its snapshots come back" if before else "none now",
            "kept of it": what_is_kept(keeps),
        },
        notes=notes if keeps and keeps.has_versions else [],
    )


@part.tool(Access.WRITE, previewed=_undeleted, harmless=OF_BLOB, seconds=SECONDS)
async def undelete_blob(
    azure: Arm, account: AccountName, container: ContainerName, blob: BlobName, subscription: Subscription = None
) -> Json:
    """Restore a deleted blob, with its snapshots, where the account keeps what is deleted."""
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    done = await sent(azure, data, place, changes.undeleting(data, place), is_there)
    there = await changes.found(data, place)
    if there is None:
        raise Refusal(
            "Nothing came back: no deleted blob of that name is kept, or only as a version. list_blobs with"
            " include=deleted,versions tells which."
        )
    return done.told(undeleted=blob, container=container, account=data.account.name, size=blobs.size_of(there))


async def _moved(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    tier: Tier,
    priority: Priority = "Standard",
    subscription: Subscription = None,
) -> Preview:
    """From which tier to which, and what that means for who reads it."""
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    before = await blobs.properties(data, place)
    now = header(before, "x-ms-access-tier")
    return await preview(
        azure,
        data,
        [],
        what=f"The blob {blob} in {container} of {data.account.name}: move it to {tier}",
        facts=known_of(before),
        edits=[Edit("tier", now, tier)],
        notes=[meaning(now, tier, priority)],
    )


@part.tool(Access.WRITE, previewed=_moved, harmless=(*OF_BLOB, "tier", "priority"), seconds=SECONDS)
async def set_blob_tier(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    tier: Tier,
    priority: Priority = "Standard",
    subscription: Subscription = None,
) -> Json:
    """Move a blob to another tier. Out of Archive that takes hours, and until then it cannot be read."""
    data, place = await data_of(azure, account, subscription, "blob"), Place(container, blob)
    now = header(await blobs.properties(data, place), "x-ms-access-tier")
    request = changes.moving(data, place, tier, priority)
    done = await sent(azure, data, place, request, is_in(tier))
    return done.told(blob=blob, container=container, tier=tier, before=now, meaning=meaning(now, tier, priority))


def _upload(text: str | None, base64: str | None, content_type: str | None) -> Upload:
    """What is to be written.

    Raises:
        Refusal: Neither or both are given, or it is not base64, or too much.
    """
    if (text is None) == (base64 is None):
        raise Refusal("Pass either `text` or `base64`.")
    if text is not None:
        content, usual = text.encode(), "text/plain; charset=utf-8"
    else:
        content, usual = _decoded(base64 or ""), "application/octet-stream"
    if len(content) > _LARGEST:
        raise Refusal(f"It has {len(content)} bytes, and no more than {_LARGEST} are written here. Use azcopy or az.")
    return Upload(content, content_type or usual)


def _decoded(base64: str) -> bytes:
    try:
        return b64decode(base64, validate=True)
    except (Error, ValueError):
        raise Refusal("`base64` is not in base64: letters, digits, + and /, padded by =, on one line.") from None
