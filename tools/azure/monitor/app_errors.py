"""Shows the errors of an app, grouped: exceptions, failed requests and failed dependencies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from clients.azure.log_rows import LogRows
from clients.azure.logs import ResourceLogs
from clients.azure.times import span, to_seconds
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.monitor.classic_names import by_classic_names
from tools.azure.monitor.components import result_of
from tools.azure.monitor.sources import AppName, app_source
from tools.azure.shared.answers import Json, every, present
from tools.azure.shared.next_calls import next_call
from tools.azure.shared.parameters import MaxResults, Since, Until

part = Part()

_OPERATION: Final = re.compile(r"[\w.|-]{1,128}", re.ASCII)
_LONGEST_MESSAGE: Final = 300
_SAMPLES: Final = 3
_KEPT: Final = "at = TimeGenerated, role = AppRoleName, operation = OperationId, number = ItemCount"
# The query for errors, with the table names of a workspace.
_QUERY: Final = f"""union
(AppExceptions | project kind = 'exception', what = ProblemId, code = '',
 message = coalesce(OuterMessage, InnermostMessage), during = OperationName, {_KEPT}),
(AppRequests | where Success == false | project kind = 'request', what = Name, code = tostring(ResultCode),
 message = '', during = '', {_KEPT}),
(AppDependencies | where Success == false | project kind = 'dependency',
 what = strcat(DependencyType, ' ', Target, ' ', Name), code = tostring(ResultCode),
 message = '', during = OperationName, {_KEPT})
| summarize times = sum(number), first = min(at), last = max(at), operations = make_set(operation, {_SAMPLES}),
 message = take_any(message), during = take_any(during) by kind, what, code, role
| order by times desc"""
# The query for all log entries of an operation: requests, dependencies, exceptions and traces.
_TRACE: Final = (
    "union AppRequests, AppDependencies, AppExceptions, AppTraces"
    " | where OperationId == '{operation}' | order by TimeGenerated asc"
)


@part.tool(Access.READ, harmless=("since", "until", "max_results"))
async def list_app_errors(
    azure: Arm, app: AppName, since: Since, until: Until = None, max_results: MaxResults = 20
) -> Json:
    """List errors of an app: exceptions, failed requests and failed dependency calls, grouped and counted."""
    source, about = await app_source(azure, app), span(since, until)
    query = by_classic_names(_QUERY) if source.is_classic else _QUERY
    reply = await result_of(azure, source, query, about, max_results)
    found = reply.found
    following = _operation(source, found, since, until, is_classic=reply.is_classic)
    return every(map(_group, found.rows), asked=source.id.name, span=about.text, more=_more(found), next=following)


def _operation(source: ResourceLogs, found: LogRows, since: str, until: str | None, *, is_classic: bool) -> Json | None:
    """Return the call that shows all log entries of a failed operation."""
    samples = [str(one) for row in found.rows for one in row.get("operations") or () if one]
    if not samples or not _OPERATION.fullmatch(samples[0]):
        return None
    query = _TRACE.format(operation=samples[0])
    own = by_classic_names(query) if is_classic else query
    return next_call("monitor", "query_logs", source=source.id.text, query=own, since=since, until=until)


def _group(row: Mapping[str, Any]) -> Json:
    message = " ".join(str(row.get("message") or "").split())
    cut = f"{message[:_LONGEST_MESSAGE]}…" if len(message) > _LONGEST_MESSAGE else message
    times = {name: to_seconds(row.get(name)) for name in ("first", "last")}
    samples = row.get("operations")
    return present({**row, **times, "message": cut, "operations": samples[:_SAMPLES] if samples else None})


def _more(found: LogRows) -> str | None:
    if found.partial:
        return f"Azure returned only part of the result: {found.partial}"
    return "There are more results: raise max_results, or shorten the time span." if found.is_cut else None
