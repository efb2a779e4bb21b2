"""Any change of Resource Manager by its path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final

from pydantic import Field

from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from mcp_server.current_change import ThisChange
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm, AzureAccess, Opened
from tools.azure.resource.reading.readable import query_of
from tools.azure.resource.reading.versions import version_of
from tools.azure.resource.trimming import trimmed
from tools.azure.resource_any.changeable import Method, changeable, check_body
from tools.azure.resource_any.differences import merged, replaced
from tools.azure.resource_any.planning import CurrentDocument, PathChange, preview_of, standing
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import SECONDS, AppliedChange, Judge, SeenOutcome, gone, holding
from tools.azure.shared.resource_change import ResourceChange

part = Part()

_ETAG: Final = r'^(?:W/)?"?[\x21\x23-\x7e]{1,300}"?$|^\*$'

Path = Annotated[str, Field(min_length=1, max_length=2048, description="/subscriptions/..., of one resource or action")]
Body = Annotated[dict[str, Any] | None, Field(description="JSON; PATCH: only what changes, null removes")]
Query = Annotated[dict[str, str] | None, Field(description="Further parameters")]
Version = Annotated[str | None, Field(max_length=40, description="Found if left out")]
Etag = Annotated[str | None, Field(pattern=_ETAG, description="Only while it has this")]


@part.change(
    Access.DESTROY,
    harmless=("method", "path"),
    secret=("body",),
    looks_long=lambda meant: meant["method"] == "PUT",
    seconds=SECONDS,
)
async def change_azure(
    azure: Arm,
    opened: Opened,
    current: ThisChange,
    method: Annotated[Method, Field(description="PUT replaces, PATCH changes, POST acts, DELETE deletes")],
    path: Path,
    body: Body = None,
    query: Query = None,
    api_version: Version = None,
    etag: Etag = None,
) -> ResourceChange:
    """Change anything in Azure by its management path, where no other tool does; somebody agrees to it first.

    read_azure reads it before. What gives keys is refused. Do not guess names: answers or the user have them.
    """
    meant = await _meant(azure, opened, method, path, body, api_version)
    parameters, place = query_of(query or {}), meant.place
    now = await standing(azure, meant)
    if etag not in {None, "*", now.etag} and now.etag and method != "POST":
        raise Refusal("It has another etag now: it was changed since you read it. Read it again.")
    condition = etag or (now.etag if method != "POST" else "")
    request = of_id(
        method,
        place.sent_to,
        query=parameters,
        body=body,
        version=meant.version,
        headers={"If-Match": condition} if condition else {},
    )
    call = f"read_azure(path={place.id.text!r})"
    return ResourceChange(
        azure,
        request,
        on=place.id,
        before=now.document,
        looking=of_id("GET", place.id, version=meant.version),
        judge=_judge(method, body),
        call=call,
        shows=lambda known: preview_of(azure, opened, meant, now, known, current.trail),
        answers=partial(_answers, meant, call),
        is_no_op=_changes_nothing(meant, now),
        within=[meant.body] if "tags" in meant.body else [],
        looks_again=now.is_readable,
    )


def _changes_nothing(meant: PathChange, now: CurrentDocument) -> bool:
    """Whether all that the body has is so already, and a PUT leaves nothing out."""
    if not now.document or meant.method not in {"PATCH", "PUT"}:
        return False
    if meant.method == "PATCH":
        return not merged(now.document, meant.body)
    edits, left_out = replaced(now.document, meant.body)
    return not edits and not left_out


def _answers(meant: PathChange, call: str, done: AppliedChange) -> Mapping[str, Any]:
    short, left_out = trimmed(done.document)
    more = f"{left_out} long or deep parts are left out: {call} has them." if left_out else None
    return {"method": meant.method, "path": meant.place.sent_to.text, "result": short, "more": more}


def _judge(method: Method, body: dict[str, Any] | None) -> Judge:
    if method == "DELETE":
        return gone
    return holding(body) if method in {"PUT", "PATCH"} else _unclear


def _unclear(_found: Json | None) -> SeenOutcome:
    """What an action has done is not seen at what it was done to."""
    return SeenOutcome.UNCLEAR


async def _meant(
    azure: Azure, opened: AzureAccess, method: Method, path: str, body: dict[str, Any] | None, version: str | None
) -> PathChange:
    place = changeable(method, path)
    check_body(method, body)
    found = await version_of(azure, opened, place.about, version or "") or await _newest(azure, place.id)
    return PathChange(method, place, found, body or {})


async def _newest(azure: Azure, resource: ResourceId) -> str:
    """The version in which all of the call goes, so that what was shown is what is done."""
    types = await azure.types(resource.namespace or "Microsoft.Resources", resource.subscription)
    return types.version_of(resource.type) or ""
