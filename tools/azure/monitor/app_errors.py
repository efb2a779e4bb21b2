"""What goes wrong in an app: exceptions, failed requests and failed calls of others, grouped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from clients.azure.client import Azure
from clients.azure.failures import ServiceRefusal
from clients.azure.graph import text_of
from clients.azure.ids import ResourceId
from clients.azure.log_rows import Found
from clients.azure.logs import Source, found_by
from clients.azure.spans import Span
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.monitor.sources import AppName, meant_app
from tools.azure.provider import Arm
from tools.azure.shared.answers import Json, every, present
from tools.azure.shared.parameters import MaxResults
from tools.azure.shared.times import Since, Until, span, to_seconds

part = Part()

_NOT_PERMITTED: Final = frozenset({403, 404})
_UNRESOLVED: Final = "Failed to resolve table"
_TABLES: Final = ("AppExceptions", "AppRequests", "AppDependencies")
_LONGEST_MESSAGE: Final = 300
_SAMPLES: Final = 3
# As they are called in a workspace, and without one.
_NAMES: Final = {
    "AppExceptions": "exceptions",
    "AppRequests": "requests",
    "AppDependencies": "dependencies",
    "TimeGenerated": "timestamp",
    "ProblemId": "problemId",
    "OuterMessage": "outerMessage",
    "InnermostMessage": "innermostMessage",
    "AppRoleName": "cloud_RoleName",
    "OperationId": "operation_Id",
    "OperationName": "operation_Name",
    "ItemCount": "itemCount",
    "Success": "success",
    "ResultCode": "resultCode",
    "DependencyType": "type",
    "Target": "target",
    "Name": "name",
}
_KEPT: Final = "at = {TimeGenerated}, role = {AppRoleName}, operation = {OperationId}, number = {ItemCount}"
_FAILED: Final = "where {Success} == false"
_QUESTION: Final = f"""union
({{AppExceptions}} | project kind = 'exception', what = {{ProblemId}}, code = '',
 message = coalesce({{OuterMessage}}, {{InnermostMessage}}), during = {{OperationName}}, {_KEPT}),
({{AppRequests}} | {_FAILED} | project kind = 'request', what = {{Name}}, code = tostring({{ResultCode}}),
 message = '', during = '', {_KEPT}),
({{AppDependencies}} | {_FAILED} | project kind = 'dependency',
 what = strcat({{DependencyType}}, ' ', {{Target}}, ' ', {{Name}}), code = tostring({{ResultCode}}),
 message = '', during = {{OperationName}}, {_KEPT})
| summarize times = sum(number), first = min(at), last = max(at), operations = make_set(operation, {_SAMPLES}),
 message = take_any(message), during = take_any(during) by kind, what, code, role
| order by times desc"""
_ANSWERED: Final = "query_logs with one of `operations` as {name} shows all that belongs to it."


@part.tool(Access.READ, harmless=("since", "until", "max_results"))
async def list_app_errors(
    azure: Arm, app: AppName, since: Since, until: Until = None, max_results: MaxResults = 20
) -> Json:
    """List what fails in an app since then: exceptions, failed requests and dependencies, grouped and counted."""
    meant, about = await meant_app(azure, app), span(since, until)
    found, is_classic = await _found(azure, meant, about, max_results)
    advice = _ANSWERED.format(name="operation_Id" if is_classic else "OperationId") if found.rows else None
    return every(map(_group, found.rows), asked=meant.id.name, span=about.text, more=_more(found), next=advice)


async def _found(azure: Azure, source: Source, about: Span, limit: int) -> tuple[Found, bool]:
    """What fails, and whether it was asked for by the classic names.

    A component with a workspace is asked for there. Where that is out of reach, or has no such tables, the component
    itself is asked, which knows the classic names.
    """
    if source.workspace:
        with suppress(_NotThereError):
            return await _in_workspace(azure, source, about, limit), False
    is_classic = source.is_classic or bool(source.workspace)
    return await found_by(azure, source, _question(is_classic=is_classic), about, limit), is_classic


class _NotThereError(Exception):
    """The workspace cannot be asked for what a component wrote into it."""


async def _in_workspace(azure: Azure, source: Source, about: Span, limit: int) -> Found:
    try:
        place = ResourceId.of(source.workspace)
        return await found_by(azure, Source(place), _question(is_classic=False, of=source.id), about, limit)
    except ServiceRefusal as refusal:
        if refusal.status not in _NOT_PERMITTED and _UNRESOLVED not in refusal.message:
            raise
        raise _NotThereError from refusal
    except Refusal as refusal:
        # It lies outside of what settings let be reached.
        raise _NotThereError from refusal


def _question(*, is_classic: bool, of: ResourceId | None = None) -> str:
    names = {name: old if is_classic else name for name, old in _NAMES.items()}
    own = f" | where _ResourceId =~ {text_of(of.text)}" if of else ""
    return _QUESTION.format_map(names | {name: f"{names[name]}{own}" for name in _TABLES})


def _group(row: Mapping[str, Any]) -> Json:
    message = " ".join(str(row.get("message") or "").split())
    cut = f"{message[:_LONGEST_MESSAGE]}…" if len(message) > _LONGEST_MESSAGE else message
    times = {name: to_seconds(row.get(name)) for name in ("first", "last")}
    samples = row.get("operations")
    return present({**row, **times, "message": cut, "operations": samples[:_SAMPLES] if samples else None})


def _more(found: Found) -> str | None:
    if found.partial:
        return f"Azure gave only a part of it: {found.partial}"
    return "There are more: raise max_results, or shorten the time." if found.is_cut else None
