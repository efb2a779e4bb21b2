"""Uploads, deletes and restores blobs, and changes their tier.

Etags ensure that a change applies only to the version of the blob that the preview showed.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, Literal

from changes.preview import Edit, Preview
from changes.undo import Undo, by_call
from clients.azure.client import Azure
from clients.azure.messages import AzureAnswer
from clients.azure.storage import blob_requests, blobs
from clients.azure.storage.blob_requests import Upload, header
from clients.azure.storage.blobs import BlobAddress
from clients.azure.storage.data import Data
from clients.azure.storage.policies import RetentionPolicy
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.shared.applying import SECONDS, AppliedChange
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange
from tools.azure.storage.blob_states import (
    LOST,
    blob_change,
    holds,
    is_gone,
    is_in,
    is_there,
    kept_by,
    known_of,
    meaning,
    refuse_unkept,
    undone,
    what_is_kept,
)
from tools.azure.storage.storage_parameters import OF_BLOB, AccountName, BlobName, ContainerName, data_of

part = Part()

_LARGEST: Final = 1024 * 1024

Text = Annotated[str | None, Field(max_length=_LARGEST, description="Text of the blob; or use `base64`")]
Base64 = Annotated[str | None, Field(max_length=_LARGEST * 4 // 3 + 4, description="Its bytes")]
ContentType = Annotated[
    str | None,
    Field(pattern=r"^[\w.+-]+/[\w.+-]+(; ?[\w-]+=[\w.-]+)*$", max_length=200, description="Example: text/csv"),
]
Overwrite = Annotated[bool, Field(description="Replace an existing blob")]
Etag = Annotated[str | None, Field(max_length=100, pattern=r'^"?[\w:.+/=-]+"?$', description="Expected etag")]
WithSnapshots = Annotated[bool, Field(description="Include snapshots")]
Tier = Annotated[Literal["Hot", "Cool", "Cold", "Archive"], Field(description="Blobs in Archive are not readable")]
Priority = Annotated[Literal["Standard", "High"], Field(description="How fast the blob leaves Archive")]


def _overwrites(meant: Mapping[str, Any]) -> bool:
    return bool(meant.get("overwrite"))


@part.change(
    Access.WRITE,
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
) -> ResourceChange:
    """Upload a blob from text or base64, up to 1 MB. Does not overwrite by default."""
    content = _upload(text, base64, content_type)
    data, place = await data_of(azure, account, subscription, "blob", anew=True), BlobAddress(container, blob)
    before = await blob_requests.found(data, place)
    if before is not None and not overwrite:
        raise Refusal(f"Blob {blob!r} already exists. Pass `overwrite` to preview replacing the blob.")
    upload = replace(content, etag=(etag or header(before, "ETag")) if before else None)
    edits = _edits_of(before, upload)
    answers = {"blob": blob, "container": container, "account": data.account.name, "size": len(upload.content)}
    return blob_change(
        azure,
        data,
        place,
        blob_requests.writing(data, place, upload),
        before,
        holds(upload, before),
        partial(_preview_of_upload, azure, data, place, before, edits),
        {**answers, "replaced": bool(before) or None},
        looks_again=False,
        is_no_op=before is not None and all(edit.before == edit.after for edit in edits),
    )


def _edits_of(before: AzureAnswer | None, upload: Upload) -> list[Edit]:
    return [
        Edit("size", blobs.size_of(before) if before else None, len(upload.content)),
        Edit("content type", header(before, "Content-Type") or None, upload.content_type),
        Edit("checksum", header(before, "Content-MD5") or None, blob_requests.digest(upload.content)),
    ]


async def _preview_of_upload(
    azure: Azure, data: Data, place: BlobAddress, before: AzureAnswer | None, edits: list[Edit]
) -> Preview:
    keeps, unknown = await kept_by(azure, data) if before else (None, [])
    where = f"{place.blob} in {place.container} of {data.account.name}"
    return Preview(
        what=f"The blob {where}: {'replace it' if before else 'a new one'}",
        sentence=f"{'Replace' if before else 'Write'} the blob {where}",
        facts={**known_of(before), "kept afterwards": what_is_kept(keeps)},
        edits=edits,
        grave=LOST if keeps and not keeps.keeps_blobs else "",
        undo=undone(keeps) if before else _deletion(data, place),
        destroys=before is not None,
        missing=unknown,
    )


@part.change(Access.DESTROY, harmless=(*OF_BLOB, "with_snapshots", "etag"), seconds=SECONDS)
async def delete_blob(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    with_snapshots: WithSnapshots = False,
    etag: Etag = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Delete a blob."""
    data, place = await data_of(azure, account, subscription, "blob", anew=True), BlobAddress(container, blob)
    before = await blobs.properties(data, place)
    request = blob_requests.deleting(data, place, etag or header(before, "ETag"), with_snapshots=with_snapshots)

    async def shown() -> Preview:
        keeps, unknown = await kept_by(azure, data)
        more = " with its snapshots" if with_snapshots else ""
        return Preview(
            what=f"The blob {blob} in {container} of {data.account.name}{',' if more else ''}{more}",
            sentence=f"Delete the blob {blob} in {container} of {data.account.name}{more}",
            facts={**known_of(before), "kept afterwards": what_is_kept(keeps)},
            grave=LOST if keeps and not keeps.keeps_blobs else "",
            undo=_undeletion(data, place, keeps),
            missing=unknown,
        )

    answers = {"deleted": blob, "container": container, "account": data.account.name}
    return blob_change(azure, data, place, request, before, is_gone, shown, answers, looks_again=False)


@part.change(Access.WRITE, harmless=OF_BLOB, seconds=SECONDS)
async def undelete_blob(
    azure: Arm, account: AccountName, container: ContainerName, blob: BlobName, subscription: Subscription = None
) -> ResourceChange:
    """Restore a deleted blob with its snapshots, if the account keeps deleted blobs."""
    data, place = await data_of(azure, account, subscription, "blob", anew=True), BlobAddress(container, blob)
    before = await blob_requests.found(data, place)

    async def shown() -> Preview:
        keeps, unknown = await kept_by(azure, data)
        refuse_unkept(data, keeps)
        notes = ["If the account keeps versions, copy the newest version instead."]
        return Preview(
            what=f"The blob {blob} in {container} of {data.account.name}: undelete it",
            sentence=f"Restore the deleted blob {blob} in {container} of {data.account.name}",
            facts={
                "there is": "a blob with this name: only its snapshots are restored" if before else "none now",
                "kept afterwards": what_is_kept(keeps),
            },
            undo=_deletion(data, place),
            missing=unknown,
            notes=notes if keeps and keeps.has_versions else [],
        )

    def answers(done: AppliedChange) -> Mapping[str, Any]:
        size = int(header(done.document, "Content-Length") or 0)
        return {"undeleted": blob, "container": container, "account": data.account.name, "size": size}

    async def proved(done: AppliedChange) -> AppliedChange:
        there = await blob_requests.found(data, place)
        if there is None:
            raise Refusal(
                "Nothing was restored: either Azure has no deleted blob with this name, or it has kept only versions of"
                " the blob. Check with list_blobs and include=deleted,versions."
            )
        return replace(done, document=dict(there.headers))

    request = blob_requests.undeleting(data, place)
    return blob_change(azure, data, place, request, before, is_there, shown, answers, proves=proved)


@part.change(Access.WRITE, interrupts=True, harmless=(*OF_BLOB, "tier", "priority"), seconds=SECONDS)
async def set_blob_tier(
    azure: Arm,
    account: AccountName,
    container: ContainerName,
    blob: BlobName,
    tier: Tier,
    priority: Priority = "Standard",
    subscription: Subscription = None,
) -> ResourceChange:
    """Move a blob to another tier. Leaving Archive takes hours; until then, reads fail."""
    data, place = await data_of(azure, account, subscription, "blob", anew=True), BlobAddress(container, blob)
    before = await blobs.properties(data, place)
    now = header(before, "x-ms-access-tier")

    async def shown() -> Preview:
        return Preview(
            what=f"The blob {blob} in {container} of {data.account.name}: move it to {tier}",
            sentence=f"Move the blob {blob} in {container} of {data.account.name} from {now} to {tier}",
            facts=known_of(before),
            edits=[Edit("tier", now, tier)],
            effects=[meaning(now, tier, priority)],
            undo=by_call("set_blob_tier", **_blob_arguments(data, place), tier=now),
        )

    request = blob_requests.moving(data, place, tier, priority)
    answers = {"blob": blob, "container": container, "tier": tier, "before": now}
    answers["meaning"] = meaning(now, tier, priority)
    is_no_op = now == tier and not header(before, "x-ms-archive-status")
    return blob_change(azure, data, place, request, before, is_in(tier), shown, answers, is_no_op=is_no_op)


def _blob_arguments(data: Data, place: BlobAddress) -> dict[str, str]:
    return {"account": data.account.id.text, "container": place.container, "blob": place.blob}


def _deletion(data: Data, place: BlobAddress) -> Undo:
    return by_call("delete_blob", **_blob_arguments(data, place))


def _undeletion(data: Data, place: BlobAddress, keeps: RetentionPolicy | None) -> Undo:
    """Return how to undo a deletion.

    With versioning, a deleted blob can be restored only by copying its newest version.
    """
    is_whole = keeps is not None and keeps.blob_days and not keeps.has_versions
    return by_call("undelete_blob", **_blob_arguments(data, place)) if is_whole else undone(keeps)


def _upload(text: str | None, base64: str | None, content_type: str | None) -> Upload:
    """Return the content to write, which is passed either as text or as base64."""
    if (text is None) == (base64 is None):
        raise Refusal("Pass either `text` or `base64`.")
    if text is not None:
        content, usual = text.encode(), "text/plain; charset=utf-8"
    else:
        content, usual = _decoded(base64 or ""), "application/octet-stream"
    if len(content) > _LARGEST:
        raise Refusal(
            f"The content is too large: {len(content)} bytes, at most {_LARGEST} are allowed. Use azcopy or az."
        )
    return Upload(content, content_type or usual)


def _decoded(base64: str) -> bytes:
    try:
        return b64decode(base64, validate=True)
    except (Error, ValueError):
        raise Refusal("`base64` must be valid base64 on one line: letters, digits, + and /, padded with =.") from None
