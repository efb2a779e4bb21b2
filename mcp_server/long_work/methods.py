"""The methods of the tasks extension: how an owner looks at a task, answers what it asks, and cancels it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp_types import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolResult,
    CreateMessageResult,
    ElicitResult,
    ListRootsResult,
    RequestParams,
)
from pydantic import BaseModel, Field, ValidationError

from mcp_server.bounds import excess
from mcp_server.calls.audit import Outcome
from mcp_server.calls.long_work import CANCEL, EXTENSION, GET, UPDATE, declares, undeclared
from mcp_server.calls.notice import Notice
from mcp_server.calls.recording import record_attempt
from mcp_server.long_work.following import Looked, looked, result_of
from mcp_server.long_work.telling import described, is_refused
from mcp_server.visit import no_tasks, visit_of
from refusal import Refusal
from tasks.keeping import TaskStorageUnreachableError
from tasks.task import Task, TaskState, owner_of
from tasks.tasks import Tasks

RequestContext = ServerRequestContext[Any, Any]
V = TypeVar("V")

_DISCOVER: Final = "server/discover"
# What an owner can be asked, and the form of what they answer.
_ANSWERS: Final[Mapping[str, type[BaseModel]]] = {
    "elicitation/create": ElicitResult,
    "sampling/createMessage": CreateMessageResult,
    "roots/list": ListRootsResult,
}


class OfATask(RequestParams):
    task_id: str = Field(alias="taskId", max_length=200)


class Responses(OfATask):
    input_responses: dict[str, Any] = Field(alias="inputResponses")


async def announced(ctx: RequestContext, call_next: CallNext) -> HandlerResult:
    """Say that there are tasks where there are, to the clients that could declare that they know them."""
    result = await call_next(ctx)
    if ctx.method == _DISCOVER and isinstance(result, dict) and visit_of(ctx).tasks is not no_tasks:
        result["capabilities"]["extensions"] = {EXTENSION: {}}
    return result


@dataclass(frozen=True, slots=True)
class TasksExtension:
    notice: Notice

    def offer(self, server: Server[Any]) -> None:
        server.add_request_handler(GET, OfATask, self._get)
        server.add_request_handler(UPDATE, Responses, _recorded(_update))
        server.add_request_handler(CANCEL, OfATask, _recorded(_cancel))

    async def _get(self, ctx: RequestContext, params: OfATask) -> dict[str, Any]:
        tasks, task = await _owned(ctx, params)
        seen = await looked(task, Context(request_context=ctx), may_change=True)
        return {**described(seen.task, tasks), **await _told(self._outcome(seen, tasks))}

    async def _outcome(self, seen: Looked, tasks: Tasks) -> dict[str, Any]:
        """What came of it, or what is asked."""
        task = seen.task
        if task.state is TaskState.COMPLETED or is_refused(task):
            return {"result": self._form(seen.result or await result_of(task, tasks))}
        if task.state is TaskState.FAILED:
            return {"error": {"code": INTERNAL_ERROR, "message": task.trouble}}
        return {"inputRequests": task.questions} if task.state is TaskState.ASKS else {}

    def _form(self, result: CallToolResult) -> dict[str, Any]:
        told = self.notice.before(result) if self.notice.text else result
        return {"resultType": "complete", **told.model_dump(mode="json", by_alias=True, exclude_none=True)}


async def _update(ctx: RequestContext, params: Responses) -> dict[str, Any]:
    if too_much := excess(params.input_responses):
        raise MCPError(INVALID_PARAMS, too_much)
    tasks, task = await _owned(ctx, params)
    _refuse_malformed(task, params.input_responses)
    await _told(tasks.answer(task, params.input_responses))
    return {}


async def _cancel(ctx: RequestContext, params: OfATask) -> dict[str, Any]:
    tasks, task = await _owned(ctx, params)
    await _told(tasks.cancel(task))
    return {}


def _recorded(
    handler: Callable[[RequestContext, Any], Awaitable[dict[str, Any]]],
) -> Callable[[RequestContext, Any], Awaitable[dict[str, Any]]]:
    """A handler that leaves a record, because it changes what is done."""

    async def handle(ctx: RequestContext, params: Any) -> dict[str, Any]:
        outcome = Outcome.REFUSED
        try:
            answer = await handler(ctx, params)
            outcome = Outcome.DONE
        finally:
            record_attempt(visit_of(ctx), ctx.method, outcome)
        return answer

    return handle


async def _owned(ctx: RequestContext, params: OfATask) -> tuple[Tasks, Task]:
    """The task that is meant, which is the caller's own.

    Raises:
        MCPError: There is none, or the client does not say that it knows tasks.
    """
    visit = visit_of(ctx)
    if visit.tasks is no_tasks:
        raise MCPError(METHOD_NOT_FOUND, "Method not found")
    if not declares(ctx):
        raise undeclared(ctx.method)
    header = visit.headers.get(MCP_NAME_HEADER)
    # Not every client sends it for tasks.
    if header is not None and decode_header_value(header) != params.task_id:
        raise MCPError(HEADER_MISMATCH, "The header Mcp-Name is not the taskId of the request.")
    tasks = visit.tasks()
    return tasks, await _told(tasks.of(owner_of(visit.caller), params.task_id))


async def _told(doing: Awaitable[V]) -> V:
    try:
        return await doing
    except TaskStorageUnreachableError as away:
        raise MCPError(INTERNAL_ERROR, str(away)) from None
    except Refusal as refusal:
        raise MCPError(INVALID_PARAMS, str(refusal)) from None


def _refuse_malformed(task: Task, responses: Mapping[str, Any]) -> None:
    """What answers nothing that was asked is left out; what does has to have the form of an answer."""
    for name, question in task.questions.items():
        form = _ANSWERS.get(question["method"])
        try:
            if form and name in responses:
                form.model_validate(responses[name], by_name=False)
        except ValidationError:
            raise MCPError(INVALID_PARAMS, f"The response {name!r} is no answer to {question['method']}.") from None
