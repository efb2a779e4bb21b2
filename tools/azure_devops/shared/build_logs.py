"""Reads the logs of a build: the list of logs, a range of lines, the end of a log, or the matches of a search."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Final, Self

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, answer, every, present
from tools.azure_devops.shared.build_records import build_request
from tools.azure_devops.shared.build_timeline import Timeline, timeline_of
from tools.azure_devops.shared.log_lines import line_range, readable_text
from tools.azure_devops.shared.log_searches import LONGEST_ANSWER, Search, searched

# The limits on log lines in an answer: for a model, the last 200 lines are more useful than 20,000 tokens of log.
LARGEST_LOG: Final = 64 * 1024
LAST_LINES: Final = 200
_MOST_LOGS: Final = 500
_MOST_SEARCHED: Final = 40
_SEARCHED_AT_ONCE: Final = 4

LogId = Annotated[int | None, Field(description="Default: list or search all logs")]
StartLine = Annotated[int | None, Field(ge=1, description="Default: the last 200 lines")]
EndLine = Annotated[int | None, Field(ge=1, description="Last line")]


@dataclass(frozen=True, slots=True)
class LogSelection:
    """The requested part of a log: a range of lines, or the matches of a search."""

    start: int | None
    end: int | None
    search: Search | None

    @classmethod
    def of(cls, start: int | None, end: int | None, pattern: str | None, context: int) -> Self:
        """Parse the caller's arguments.

        Raises:
            Refusal: The range ends before it begins, or the pattern is invalid.
        """
        line_range(start, end)
        return cls(start, end, None if pattern is None else Search(pattern, context, start, end))


async def read_logs(
    devops: AzureDevOps, project: str, build_id: int, log_id: int | None, selection: LogSelection
) -> Json:
    """Return the list of a build's logs, a part of one log, or the matches of a pattern in one log or in all logs."""
    if log_id is None:
        found = _found_in_any(devops, project, build_id, selection.search) if selection.search else None
        return await (found or _listed(devops, project, build_id))
    if selection.search:
        log = log_request(project, build_id, log_id)
        return answer(logId=log_id, **await searched(devops, log, selection.search))
    return await _piece(devops, project, build_id, log_id, selection)


async def _listed(devops: AzureDevOps, project: str, build_id: int) -> Json:
    found = await logs_of(devops, project, build_id)
    timeline = await timeline_of(devops, project, build_id)
    left = f"Logs not listed: {len(found) - _MOST_LOGS}." if len(found) > _MOST_LOGS else None
    return every(named_logs(found[:_MOST_LOGS], timeline), dict, left=left)


async def _piece(devops: AzureDevOps, project: str, build_id: int, log_id: int, selection: LogSelection) -> Json:
    """Return a range of lines of a log, by default the end of the log."""
    lines, start = None, selection.start
    if start is None and selection.end is None:
        lines = _line_count(await logs_of(devops, project, build_id), build_id, log_id)
        start = first_of_last(lines)
    text = await devops.text(log_request(project, build_id, log_id, start, selection.end), LARGEST_LOG)
    return answer(logId=log_id, lines=lines, **shown_log(text, start or 1))


async def _found_in_any(devops: AzureDevOps, project: str, build_id: int, search: Search) -> Json:
    """Search all logs of a build. Skip logs of stages and jobs if they only repeat the logs of their steps."""
    timeline = await timeline_of(devops, project, build_id)
    logs = timeline.own(await logs_of(devops, project, build_id))
    named = named_logs(logs[:_MOST_SEARCHED], timeline)
    turns = asyncio.Semaphore(_SEARCHED_AT_ONCE)

    async def in_one(log: Json) -> Json:
        async with turns:
            return log | await _found_in_one(devops, log_request(project, build_id, log["logId"]), search)

    looked_at = await asyncio.gather(*map(in_one, named))
    telling = [log for log in looked_at if log["found"] or "more" in log]
    left = f"Logs not searched: {len(logs) - len(named)}." if len(logs) > len(named) else None
    return every(fitting(telling), dict, searched=len(named), left=left)


async def _found_in_one(devops: AzureDevOps, request: DevOpsRequest, search: Search) -> Json:
    try:
        return await searched(devops, request, search)
    except Refusal as refusal:
        return {"found": 0, "more": str(refusal)}


def fitting(found: list[Json]) -> Iterator[Json]:
    """Yield each log with its matches. If the matches do not fit into the answer, yield a hint to request the log
    alone.
    """
    room = LONGEST_ANSWER
    for log in found:
        room -= len(log.get("content", ""))
        yield (
            log
            if room >= 0
            else present({**log, "content": None, "more": "The matches do not fit here: request this log alone."})
        )


async def logs_of(devops: AzureDevOps, project: str, build_id: int) -> list[Json]:
    return list((await devops.json(build_request(project, build_id, "logs")))["value"])


def named_logs(logs: list[Json], timeline: Timeline) -> list[Json]:
    steps = timeline.by_log
    return [_named(log, timeline, steps.get(log["id"])) for log in logs]


def _named(log: Json, timeline: Timeline, step: Json | None) -> Json:
    about = {"step": timeline.step(step), "result": step.get("result") or step.get("state")} if step else {}
    return present({"logId": log["id"], "lines": log.get("lineCount"), **about})


def log_request(
    project: str, build_id: int, log_id: int, start: int | None = None, end: int | None = None
) -> DevOpsRequest:
    request = build_request(project, build_id, "logs/{logId}")
    return replace(request, values={**request.values, "logId": log_id}, query=line_range(start, end))


def first_of_last(lines: int, selection: int = LAST_LINES) -> int:
    return max(1, lines - selection + 1)


def shown_log(text: DevOpsAnswer, start: int) -> Json:
    cut = f"These lines exceed {LARGEST_LOG} bytes: request fewer lines." if text.is_cut else None
    return present({"startLine": start, "cut": cut, "content": readable_text(text.text)})


def _line_count(logs: list[Json], build_id: int, log_id: int) -> int:
    for log in logs:
        if log["id"] == log_id:
            return int(log.get("lineCount") or 0)
    raise Refusal(f"Log {log_id} not found in build {build_id}. get_build_logs without logId lists its logs.")
