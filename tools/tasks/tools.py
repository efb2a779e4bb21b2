"""Shows and cancels tasks, for clients that do not support MCP tasks.

Tasks continue after the call that started them.
"""

from __future__ import annotations

from typing import Annotated, Final

from changes.preview import Preview
from changes.undo import never
from clients.answers import Json, present
from identity.access import Access
from mcp_server.catalog.right_call import right_call
from mcp_server.declarations.change import Change, PlannedChange
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Part
from mcp_server.long_work.following import Looked, called_by, looked, result_of
from mcp_server.long_work.telling import look_at, moment, words_of
from mcp_server.visit import Context, Visit
from tasks.task import Task, TaskState, owner_of
from tasks.tasks import Tasks

part = Part()

_KEPT: Final = "The result is stored until the time in `until`."
_AGAIN: Final = (
    "Check again after the number of seconds in `look_again_in_seconds`. On Azure, a step restarts within ten minutes"
    " if its worker stopped."
)
_ASKS: Final = "The task asks you a question that only a client with MCP tasks can show and answer."
_WAITS: Final = "Nothing changes until you act. After the approval, send the call in `next`: it runs once."
_MOST: Final = 100

Id = Annotated[str, Field(description="Id of the task", max_length=200)]


@part.tool(Access.READ, title="Get task", harmless=["id"])
async def get_task(context: Context, id: Id) -> Json:
    """Show the progress of one of your tasks, when to check again, and its result."""
    visit = context.visit
    tasks = visit.tasks
    task = await tasks.of(owner_of(visit.caller), id)
    seen = await looked(task, context, may_change=False)
    return present({**_in_short(seen.task), **await _outcome(seen, tasks, visit)})


@part.tool(Access.READ, title="List my tasks", open_world=False)
async def list_my_tasks(
    context: Context,
    limit: Annotated[int, Field(ge=1, le=_MOST, description="How many")] = 20,
    after: Annotated[str, Field(description="Value of `more`", max_length=200)] = "",
) -> Json:
    """List the tasks you started, newest first."""
    visit = context.visit
    found = await visit.tasks.all_of(owner_of(visit.caller), limit, after)
    more = found[-1].id if len(found) == limit else ""
    return {"tasks": [_in_short(task) for task in found], **({"more": more} if more else {})}


@part.change(Access.WRITE, title="Cancel task", idempotent=True, open_world=False, harmless=["id"])
async def cancel_task(context: Context, id: Id) -> Change[Json]:
    """Cancel one of your tasks. Completed steps are not undone."""
    visit = context.visit
    tasks = visit.tasks
    task = await tasks.of(owner_of(visit.caller), id)

    async def preview() -> Preview:
        stops = "its work" if task.work else "only this task: work in the service continues"
        facts: dict[str, str | bool] = {
            "title": task.title,
            "is over": not task.is_open,
            "begun": moment(task.created),
            "stops": stops,
        }
        return Preview(
            what=f"The task {task.title!r}",
            sentence=f"Cancel the task {task.title!r}",
            facts=facts,
            undo=never("repeat the original call to start a new task"),
        )

    async def apply() -> Json:
        return _in_short(await tasks.cancel(task))

    return PlannedChange(preview, apply)


def _in_short(task: Task) -> Json:
    return present(
        {
            "id": task.id,
            "title": task.title,
            "state": task.state,
            "progress": words_of(task),
            "begun": moment(task.created),
            "updated": moment(task.updated),
            "until": moment(task.until) if task.until else "",
        }
    )


async def _outcome(seen: Looked, tasks: Tasks, visit: Visit) -> Json:
    task = seen.task
    if task.state is TaskState.ASKS:
        return {"note": _ASKS}
    if task.is_open:
        return _going_on(task, tasks, visit)
    if task.state is not TaskState.COMPLETED:
        return {}
    result = seen.result or await result_of(task, tasks)
    return {"result": result.structured_content or list(result.content), "note": _KEPT}


def _going_on(task: Task, tasks: Tasks, visit: Visit) -> Json:
    """Return when to check a task again, or the call to send if the task is waiting for an approval."""
    tool = None if task.work else called_by(task, visit.view.toolsets)
    if tool and tool.access is not Access.READ:
        return {"note": _WAITS, "next": right_call(tool, task.arguments["arguments"], visit.view)}
    again = look_at(task, visit.view)
    return {"look_again_in_seconds": round(tasks.pause(task)), "note": _AGAIN, "next": again}
