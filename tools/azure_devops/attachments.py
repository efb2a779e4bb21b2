"""Reads, adds and removes attachments of work items. Files are sent as base64, because the server cannot read the
caller's disk.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from typing import Annotated, Any, Final

from pydantic_core import to_json

from changes.preview import Preview
from changes.undo import by_hand
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import OCTETS, DevOpsRequest
from mcp_server.declarations.change import Change, PlannedChange, StatedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from mcp_server.protocol.results import CallResult, image, text
from refusal import Refusal
from tools.azure_devops.access import DevOps, Fetching
from tools.azure_devops.previews.work_items import relation_removed
from tools.azure_devops.shared.answers import Json, answer, every
from tools.azure_devops.shared.file_contents import excerpt, file_text
from tools.azure_devops.shared.parameters import Comment, WorkItemId
from tools.azure_devops.shared.work_item_answers import ATTACHMENT, attachments_of, shown_attachment
from tools.azure_devops.shared.work_item_changes import add_relation, change, only_at, remove_relation
from tools.azure_devops.shared.work_item_reading import item_with_relations

part = Part()

# The maximum file size. A file of this size, encoded as base64 in JSON, fits in a request or a response.
LARGEST: Final = 2 * 1024 * 1024
_MOST_LINES: Final = 2000
# Image types that clients show and that cannot run code. Types are detected from the content, because file names may be
# wrong.
_IMAGES: Final = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}

FileName = Annotated[str, Field(min_length=1, max_length=255, description="File name")]
AttachmentId = Annotated[str, Field(description="Attachment id")]


_TAKEN_OFF: Final = by_hand("to remove the file, call remove_work_item_attachment with the returned id")


@part.change(Access.WRITE, harmless=("id", "fileName"), undo=_TAKEN_OFF)
async def add_work_item_attachment(
    devops: DevOps,
    id: WorkItemId,
    content: Annotated[str, Field(description="The file as base64, up to 2 MB")],
    fileName: FileName,
    comment: Comment = None,
) -> StatedChange[Json]:
    """Attach a file to a work item."""

    async def apply() -> Json:
        return await _attached(devops, id, _bytes(content), fileName, comment)

    return StatedChange(apply)


@part.change(Access.WRITE, harmless=("id", "fileName"), undo=_TAKEN_OFF)
async def add_work_item_attachment_from_url(
    devops: DevOps,
    fetch: Fetching,
    id: WorkItemId,
    url: Annotated[str, Field(description="https, on an allowed host")],
    fileName: FileName,
    comment: Comment = None,
) -> StatedChange[Json]:
    """Attach a file from the web to a work item."""

    async def apply() -> Json:
        return await _attached(devops, id, await fetch(url), fileName, comment)

    return StatedChange(apply)


@part.tool(Access.READ, harmless=("id",))
async def list_work_item_attachments(devops: DevOps, id: WorkItemId) -> Json:
    """List the files attached to a work item."""
    return every(attachments_of(await item_with_relations(devops, id)), dict)


@part.tool(Access.READ, harmless=("attachmentId", "workItemId"))
async def get_work_item_attachment(
    devops: DevOps,
    attachmentId: AttachmentId,
    workItemId: Annotated[int | None, Field(ge=1, description="Its work item")] = None,
) -> CallResult:
    """Get a file attached to a work item: images and texts directly, others as a link."""
    if workItemId is not None:
        _refuse_other_file(await item_with_relations(devops, workItemId), attachmentId)
    request = DevOpsRequest("GET /_apis/wit/attachments/{id}", {"id": attachmentId}, {"download": True}, accept=OCTETS)
    found = await devops.send(request, LARGEST)
    link = devops.organization.link("_apis", "wit", "attachments", attachmentId)
    if found.is_cut:
        return _result(answer(id=attachmentId, larger=f"than {LARGEST} bytes", link=link))
    shown = {"id": attachmentId, "size": len(found.content)}
    kind = next((kind for kind, beginning in _IMAGES.items() if beginning.match(found.content)), None)
    if kind:
        return _result(answer(**shown, type=kind), image(b64encode(found.content).decode(), kind))
    lines = file_text(found.content)
    return _result(answer(**shown, **(excerpt(lines.text, 1, _MOST_LINES) if lines else {"link": link})))


def _result(about: Json, *more: Json) -> CallResult:
    return CallResult([text(to_json(about).decode()), *more], about)


@part.change(Access.DESTROY, harmless=("id", "attachmentId"))
async def remove_work_item_attachment(devops: DevOps, id: WorkItemId, attachmentId: AttachmentId) -> Change[Json]:
    """Remove an attached file from a work item."""
    item = await item_with_relations(devops, id)
    index, relation = _attachment(item, attachmentId)
    file = shown_attachment(relation)

    async def preview() -> Preview:
        return relation_removed(item, file, undo=by_hand("the work item's history on the web keeps the file"))

    async def apply() -> Json:
        changed = await change(devops, id, [*only_at(item["rev"]), remove_relation(index)])
        return answer(id=id, rev=changed["rev"], removed=file)

    return PlannedChange(preview, apply)


def _attachment(item: Json, key: str) -> tuple[int, Json]:
    """Return the relation that attaches a file to a work item, and the index of the relation."""
    for index, relation in enumerate(item.get("relations") or ()):
        if relation["rel"] == ATTACHMENT and shown_attachment(relation)["id"] == key.lower():
            return index, relation
    raise _no_such_file(item["id"])


def _refuse_other_file(item: Json, key: str) -> None:
    if key.lower() not in {str(file["id"]).lower() for file in attachments_of(item)}:
        raise _no_such_file(item["id"])


def _no_such_file(id: int) -> Refusal:
    return Refusal(f"Attachment not found on work item {id}. list_work_item_attachments lists its attachments.")


async def _attached(devops: AzureDevOps, id: int, content: bytes, name: str, comment: str | None) -> Json:
    query = {"fileName": name, "uploadType": "Simple"}
    upload = DevOpsRequest("POST /_apis/wit/attachments", query=query, body=content, content_type=OCTETS)
    uploaded: dict[str, Any] = await devops.json(upload)
    relation = add_relation(ATTACHMENT, uploaded["url"], name=name, comment=comment)
    item = await change(devops, id, [relation])
    return answer(id=id, rev=item["rev"], attached={"id": uploaded["id"], "name": name, "size": len(content)})


def _bytes(content: str) -> bytes:
    try:
        found = b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise Refusal("`content` must be the bytes of the file, encoded as base64.") from None
    if len(found) > LARGEST:
        raise Refusal(f"The file is {len(found)} bytes long; the limit is {LARGEST}.")
    return found
