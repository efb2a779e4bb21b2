"""Describes tasks in responses: as protocol tasks for clients that support them, and as text for all other clients."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from mcp_server.calls.long_work import declares
from mcp_server.catalog.right_call import right_call
from mcp_server.declarations.names import command_of
from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.results import CallResult, text
from mcp_server.view import View
from mcp_server.visit import Context
from mcp_server.wording import speakable
from tasks.task import Task, TaskState
from tasks.tasks import Tasks

# Clients that do not support tasks call a tool of this toolset to see the progress of a task.
_TOOLSET: Final = "tasks"
_LOOK: Final = "get_task"


def begun(task: Task, context: Context) -> Task | CallResult:
    """The response to a call that has started a task."""
    visit = context.visit
    return task if declares(context) else in_words(task, visit.tasks, visit.view)


def in_words(task: Task, tasks: Tasks, view: View) -> CallResult:
    document: dict[str, Any] = {
        "task": task.id,
        "title": task.title,
        "state": task.state,
        "look_again_in_seconds": round(tasks.pause(task)),
        "note": f"The task continues in the background. {_LOOK} shows its progress and its result.",
    }
    next_call = look_at(task, view)
    return data_result(document | ({"next": next_call} if next_call else {}))


def look_at(task: Task, view: View) -> dict[str, Any]:
    """The tool call that shows the progress of a task. Empty if the caller's view does not contain the tool."""
    toolset = view.reached_toolset(_TOOLSET)
    look = command_of(toolset, _LOOK) if toolset else None
    return right_call(look, {"id": task.id}, view) if look else {}


def data_result(document: dict[str, Any]) -> CallResult:
    words = speakable(to_json(document, inf_nan_mode="null").decode())
    return CallResult([text(words)], document)


def begun_document(task: Task, tasks: Tasks) -> dict[str, Any]:
    """The response to a call that has started a task, in the form of the protocol."""
    return {"resultType": "task", **described(task, tasks)}


def described(task: Task, tasks: Tasks) -> dict[str, Any]:
    """A task in the form of the protocol, without the result of the task."""
    ttl = round((task.until - task.created) * 1000) if task.until else None
    words = {"statusMessage": speakable(told)} if (told := words_of(task)) else {}
    return {
        "taskId": task.id,
        "status": _status(task),
        **words,
        "createdAt": moment(task.created),
        "lastUpdatedAt": moment(task.updated),
        "ttlMs": ttl,
        "pollIntervalMs": round(tasks.pause(task) * 1000),
    }


def is_refused(task: Task) -> bool:
    """Whether the work of a task ran and reported an error. False if the task failed before its work could run."""
    return task.state is TaskState.FAILED and bool(task.work or task.result)


def words_of(task: Task) -> str:
    """A description of the progress or the problem of a task. Empty if the task has reported no progress and no
    problem.
    """
    if task.trouble:
        return task.trouble if not task.is_open else f"Retrying: {task.trouble}"
    progress = task.progress
    total = f" of {progress.total}" if progress.total else ""
    count = f"{progress.done}{total}" if progress.done or total else ""
    return ": ".join(part for part in (count, progress.words) if part)


def moment(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _status(task: Task) -> str:
    # In the protocol, a task that has a result has the status `completed`, even if the result is an error.
    return TaskState.COMPLETED if is_refused(task) else task.state
