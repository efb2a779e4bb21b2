"""Code that blob changes share: builds the facts for previews, and checks the result of a change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from changes.preview import Fact, Preview
from changes.undo import Undo, by_hand, never, unknown
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.storage import blob_requests, blobs
from clients.azure.storage.blob_requests import Upload, header
from clients.azure.storage.blobs import BlobAddress
from clients.azure.storage.data import Data
from clients.azure.storage.policies import RetentionPolicy, keeping
from refusal import Refusal
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import AppliedChange, Judge, OutcomeCheck, SeenOutcome, change
from tools.azure.shared.inspecting import NOT_YET, Inspected
from tools.azure.shared.resource_change import Answers, ResourceChange
from tools.azure.storage.storage_parameters import moment

LOST: Final = "The account does not keep deleted or overwritten blobs, so the change cannot be undone."
_ARCHIVED: Final = "Archive"
_CONTAINERS: Final = ("blobServices", "default", "containers")
_BLOBS: Final = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs"


def blob_change(
    azure: Azure,
    data: Data,
    place: BlobAddress,
    request: AzureRequest,
    before: AzureAnswer | None,
    judge: Judge,
    shows: Callable[[], Awaitable[Preview]],
    answers: Answers,
    proves: Callable[[AppliedChange], Awaitable[AppliedChange]] | None = None,
    **more: Any,
) -> ResourceChange:
    """Build a change to a blob. The headers of the blob are read to check the result."""

    async def shown(_known: Inspected) -> Preview:
        return _with_account(await shows(), data)

    async def sent(look: OutcomeCheck) -> AppliedChange:
        try:
            done = await change(azure, request, look)
        except AzureRefusal as refusal:
            raise data.with_advice(refusal, request) from None
        return await proves(done) if proves else done

    return ResourceChange(
        azure,
        request,
        on=data.account.id,
        before=None if before is None else dict(before.headers),
        looking=blob_requests.looking(data, place),
        judge=judge,
        call=f"show_blob(account={data.account.id.text!r}, container={place.container!r}, blob={place.blob!r})",
        shows=shown,
        answers=answers,
        sends=sent,
        is_of_data=True,
        permitted_at=ResourceId((*data.account.id.segments, *_CONTAINERS, place.container)),
        action=f"{_BLOBS}/{'delete' if request.method == 'DELETE' else 'write'}",
        **more,
    )


def _with_account(preview: Preview, data: Data) -> Preview:
    facts = {"account": data.account.name, **preview.facts}
    return replace(preview, facts={name: value for name, value in facts.items() if value not in (None, "", [])})


async def kept_by(azure: Azure, data: Data) -> tuple[RetentionPolicy | None, list[str]]:
    try:
        return await keeping(azure, data.account), []
    except Refusal as refusal:
        return None, [f"how long the account keeps deleted blobs: {refusal}"]


def what_is_kept(keeps: RetentionPolicy | None) -> str | None:
    """Describe how long a deleted or overwritten blob can be restored."""
    if keeps is None:
        return None
    days = f"for {keeps.blob_days} days" if keeps.blob_days else ""
    versions = "as a version" if keeps.has_versions else ""
    return " and ".join(filter(None, (days, versions))) or "nothing"


def undone(keeps: RetentionPolicy | None) -> Undo:
    """Describe how to restore a deleted or overwritten blob."""
    if keeps is None:
        return unknown("the account's settings for deleted blobs could not be read")
    if not keeps.keeps_blobs:
        return never("the account does not keep deleted or overwritten blobs")
    return by_hand(
        f"the current blob is kept {what_is_kept(keeps)}: find it with list_blobs and include=deleted,versions"
    )


def refuse_unkept(data: Data, keeps: RetentionPolicy | None) -> None:
    if keeps and not keeps.blob_days:
        raise Refusal(
            f"{data.account.name} does not keep deleted blobs (soft delete is off), so there is nothing to restore."
        )


def known_of(found: AzureAnswer | None) -> dict[str, Fact]:
    """Return facts about a blob."""
    if found is None:
        return dict(NOT_YET)
    return {
        "bytes": blobs.size_of(found),
        "type": header(found, "Content-Type"),
        "modified": moment(header(found, "Last-Modified")),
        "etag": header(found, "ETag"),
        "tier": header(found, "x-ms-access-tier"),
        "leased": header(found, "x-ms-lease-state") == "leased" or None,
        "legal hold": header(found, "x-ms-legal-hold") == "true" or None,
        "immutable until": header(found, "x-ms-immutability-policy-until-date"),
    }


def meaning(now: str, tier: str, priority: str) -> str:
    if tier == _ARCHIVED:
        return (
            "A blob is not readable in Archive; moving it out takes up to 15 hours. Leaving Archive early costs extra."
        )
    if now == _ARCHIVED:
        hours = "less than an hour if the blob is small" if priority == "High" else "up to 15 hours"
        return f"Leaving Archive takes {hours}; until then, the blob cannot be read. show_blob shows the progress."
    return "The blob stays readable. Leaving the Cool or Cold tier early costs extra."


def holds(upload: Upload, before: AzureAnswer | None) -> Judge:
    """Return a check that compares the checksum of a blob with the checksum of the sent content."""

    def judge(found: Json | None) -> SeenOutcome:
        if found is None or (before is not None and header(found, "ETag") == header(before, "ETag")):
            return SeenOutcome.NOT_DONE
        is_it = header(found, "Content-MD5") == blob_requests.digest(upload.content)
        return SeenOutcome.DONE if is_it else SeenOutcome.UNCLEAR

    return judge


def is_gone(found: Json | None) -> SeenOutcome:
    return SeenOutcome.DONE if found is None else SeenOutcome.NOT_DONE


def is_there(found: Json | None) -> SeenOutcome:
    return SeenOutcome.NOT_DONE if found is None else SeenOutcome.DONE


def is_in(tier: str) -> Judge:
    def judge(found: Json | None) -> SeenOutcome:
        if found is None:
            return SeenOutcome.UNCLEAR
        if header(found, "x-ms-archive-status"):
            return SeenOutcome.UNDER_WAY
        return SeenOutcome.DONE if header(found, "x-ms-access-tier") == tier else SeenOutcome.NOT_DONE

    return judge
