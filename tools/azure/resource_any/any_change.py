"""Changes any Resource Manager resource by path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Final

from clients.azure.client import Azure
from clients.azure.confinement.mentions import mentions_only
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.folding import folded
from mcp_server.current_change import ThisChange
from mcp_server.declarations.field import Field
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

# Resources that run other resources.
_HOSTS: Final = frozenset({"microsoft.app/managedenvironments", "microsoft.web/serverfarms"})
_ETAG: Final = r'^(?:W/)?"?[\x21\x23-\x7e]{1,300}"?$|^\*$'

Path = Annotated[str, Field(min_length=1, max_length=2048, description="/subscriptions/...: a resource or action")]
Body = Annotated[
    dict[str, Any] | None, Field(description="JSON; for PATCH, only the changes (null removes a property)")
]
Query = Annotated[dict[str, str] | None, Field(description="Other parameters")]
Version = Annotated[str | None, Field(max_length=40, description="Default: newest")]
Etag = Annotated[str | None, Field(pattern=_ETAG, description="Expected etag")]


@part.change(
    Access.DESTROY,
    harmless=("method", "path"),
    secret=("body",),
    looks_long=lambda arguments: arguments["method"] == "PUT",
    seconds=SECONDS,
)
async def change_azure(
    azure: Arm,
    opened: Opened,
    current: ThisChange,
    method: Annotated[Method, Field(description="PUT replaces, PATCH changes, POST runs an action, DELETE deletes")],
    path: Path,
    body: Body = None,
    query: Query = None,
    api_version: Version = None,
    etag: Etag = None,
) -> ResourceChange:
    """Change any Azure resource by its management path, if no other tool can. A person must approve.

    Use read_azure first. Operations that return keys are refused. Do not guess names: read them, or ask the user.
    """
    path_change = await _change_of(azure, opened, method, path, body, api_version)
    parameters, place = query_of(query or {}), path_change.place
    now = await standing(azure, path_change)
    headers = _condition(method, etag, now.etag)
    request = of_id(method, place.sent_to, query=parameters, body=body, version=path_change.version, headers=headers)
    call = f"read_azure(path={place.id.text!r})"
    return ResourceChange(
        azure,
        request,
        on=place.id,
        before=now.document,
        looking=of_id("GET", place.id, version=path_change.version),
        judge=_judge(method, body),
        call=call,
        shows=lambda known: preview_of(azure, opened, path_change, now, known, current.trail),
        answers=partial(_answers, path_change, call),
        is_no_op=_changes_nothing(path_change, now),
        within=_tagged(path_change.body),
        # Azure does not say what an action changes, so an action may change everything that its body mentions.
        reaches_more=method == "POST" and not (place.id.group and mentions_only(request, place.id)),
        lists_all=_lists_all(path_change, request),
        looks_again=now.is_readable,
    )


def _lists_all(path_change: PathChange, request: AzureRequest) -> bool:
    """Whether the names and tags of all resources that the change affects are known."""
    names_others = path_change.method == "POST" and bool(request.body or request.query)
    runs_others = path_change.method != "DELETE" and path_change.place.id.type.lower() in _HOSTS
    return not (names_others or runs_others)


def _tagged(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tags in a body as documents. The body of the resource type `tags` contains them in `properties`."""
    inner = body.get("properties")
    named = [value for part in (body, inner if isinstance(inner, Mapping) else {}) for value in _of_tags(part)]
    return [{"tags": {name: value for name, value in tags.items() if value is not None}} for tags in named]


def _of_tags(part: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [value for name, value in part.items() if folded(str(name)) == "tags" and isinstance(value, Mapping)]


def _condition(method: Method, etag: str | None, current: str) -> Mapping[str, str]:
    """Return the header that makes Azure reject the change if the resource has changed since it was read.

    Raises:
        Refusal: The etag is outdated.
    """
    if etag not in {None, "*", current} and current and method != "POST":
        raise Refusal("The etag does not match: the resource changed since you read it. Read it again.")
    condition = etag or (current if method != "POST" else "")
    return {"If-Match": condition} if condition else {}


def _changes_nothing(path_change: PathChange, now: CurrentDocument) -> bool:
    """Check whether a change has no effect: the resource already matches the body and, for a PUT, the body omits no
    settings.
    """
    if not now.document or path_change.method not in {"PATCH", "PUT"}:
        return False
    if path_change.method == "PATCH":
        return not merged(now.document, path_change.body)
    edits, left_out = replaced(now.document, path_change.body)
    return not edits and not left_out


def _answers(path_change: PathChange, call: str, done: AppliedChange) -> Mapping[str, Any]:
    short, left_out = trimmed(done.document)
    more = f"{left_out} long or deeply nested parts are omitted: {call} shows them." if left_out else None
    return {"method": path_change.method, "path": path_change.place.sent_to.text, "result": short, "more": more}


def _judge(method: Method, body: dict[str, Any] | None) -> Judge:
    if method == "DELETE":
        return gone
    return holding(body) if method in {"PUT", "PATCH"} else _unclear


def _unclear(_found: Json | None) -> SeenOutcome:
    """Report the result of an action as unclear, because the resource does not show whether the action ran."""
    return SeenOutcome.UNCLEAR


async def _change_of(
    azure: Azure, opened: AzureAccess, method: Method, path: str, body: dict[str, Any] | None, version: str | None
) -> PathChange:
    place = changeable(method, path)
    check_body(method, body)
    found = await version_of(azure, opened, place.about, version or "") or await _newest(azure, place.id)
    return PathChange(method, place, found, body or {})


async def _newest(azure: Azure, resource: ResourceId) -> str:
    """Return the newest API version. The version is determined once, so that the preview and the change use the same
    version.
    """
    types = await azure.types(resource.namespace or "Microsoft.Resources", resource.subscription)
    return types.version_of(resource.type) or ""
