"""The logs of a build as text: which there are, a piece of one, or its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import Answer, Request
from refusal import Refusal
from tools.azure_devops.shared.answers import Json, answer, every, present
from tools.azure_devops.shared.build_records import build_request
from tools.azure_devops.shared.build_timeline import Timeline, timeline_of

# What a model can take in: a page of twenty thousand tokens says less than the last two hundred lines.
LARGEST_LOG: Final = 64 * 1024
LAST_LINES: Final = 200
_MOST_LOGS: Final = 500

LogId = Annotated[int | None, Field(description="Default: list the logs")]
StartLine = Annotated[int | None, Field(description="Default: the last 200")]
EndLine = Annotated[int | None, Field(description="The last")]


async def listed_logs(devops: AzureDevOps, project: str, build_id: int) -> Json:
    """The logs of a build, each with the step that wrote it."""
    found = await logs_of(devops, project, build_id)
    timeline = await timeline_of(devops, project, build_id)
    left = f"There are {len(found) - _MOST_LOGS} more logs." if len(found) > _MOST_LOGS else None
    return every(named_logs(found[:_MOST_LOGS], timeline), dict, left=left)


async def logs_of(devops: AzureDevOps, project: str, build_id: int) -> list[Json]:
    return list((await devops.json(build_request(project, build_id, "logs")))["value"])


def named_logs(logs: list[Json], timeline: Timeline) -> list[Json]:
    steps = timeline.by_log
    return [_named(log, timeline, steps.get(log["id"])) for log in logs]


def _named(log: Json, timeline: Timeline, step: Json | None) -> Json:
    about = {"step": timeline.step(step), "result": step.get("result") or step.get("state")} if step else {}
    return present({"logId": log["id"], "lines": log.get("lineCount"), **about})


async def piece_of_log(
    devops: AzureDevOps, project: str, build_id: int, log_id: int, start: int | None, end: int | None
) -> Json:
    """The lines of a log from one to another, or else its last ones."""
    lines = None
    if start is None and end is None:
        lines = _line_count(await logs_of(devops, project, build_id), build_id, log_id)
        start = first_of_last(lines)
    text = await devops.text(log_request(project, build_id, log_id, start, end), LARGEST_LOG)
    return answer(logId=log_id, lines=lines, **shown_log(text, start or 1))


def log_request(project: str, build_id: int, log_id: int, start: int | None, end: int | None = None) -> Request:
    request = build_request(project, build_id, "logs/{logId}")
    return replace(request, values={**request.values, "logId": log_id}, query=line_range(start, end))


def line_range(start: int | None, end: int | None) -> dict[str, int | None]:
    """The query for some lines of a log.

    Raises:
        Refusal: They end before they begin.
    """
    if start and end and start > end:
        raise Refusal(f"Line {start} comes after line {end}: startLine is at most endLine.")
    return {"startLine": start, "endLine": end}


def first_of_last(lines: int, wanted: int = LAST_LINES) -> int:
    return max(1, lines - wanted + 1)


def shown_log(text: Answer, start: int) -> Json:
    cut = f"There are more lines than {LARGEST_LOG} bytes hold: ask for fewer at once." if text.is_cut else None
    return present({"startLine": start, "cut": cut, "content": text.text})


def _line_count(logs: list[Json], build_id: int, log_id: int) -> int:
    for log in logs:
        if log["id"] == log_id:
            return int(log.get("lineCount") or 0)
    raise Refusal(f"Build {build_id} has no log {log_id}. get_build_logs lists its logs, if logId is left out.")
