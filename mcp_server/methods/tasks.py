"""The methods of the tasks extension: get a task, answer a task's questions, and cancel a task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from mcp_server.bounds import excess
from mcp_server.calls.audit import Outcome
from mcp_server.calls.long_work import CANCEL, GET, UPDATE, declares, undeclared
from mcp_server.calls.recording import record_attempt
from mcp_server.long_work.following import Looked, looked, result_of
from mcp_server.long_work.telling import described, is_refused
from mcp_server.methods.answers import Answer, Method, Params
from mcp_server.protocol.answers import is_answer
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.header_values import decoded
from mcp_server.protocol.names import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NAME_HEADER,
)
from mcp_server.protocol.results import Json
from mcp_server.visit import Context
from refusal import Refusal
from tasks.keeping import TaskStorageUnreachableError
from tasks.task import Task, TaskState, owner_of
from tasks.tasks import Tasks

V = TypeVar("V")


def recorded_as(tried: str) -> Callable[[Method], Method]:
    """A decorator for methods that change a task: each request leaves an audit record."""

    def recorded(method: Method) -> Method:
        async def answer(params: Params, context: Context) -> Answer:
            outcome = Outcome.REFUSED
            try:
                answer = await method(params, context)
                outcome = Outcome.DONE
            finally:
                record_attempt(context.visit.trace, tried, outcome)
            return answer

        return answer

    return recorded


async def get_task(params: Params, context: Context) -> Answer:
    tasks, task = await _owned(GET, params, context)
    seen = await looked(task, context, may_change=True)
    return {**described(seen.task, tasks), **await _of_protocol(_outcome(seen, tasks))}


async def _outcome(seen: Looked, tasks: Tasks) -> Json:
    """The members of a response that contain the result, the error or the questions of a task."""
    task = seen.task
    if task.state is TaskState.COMPLETED or is_refused(task):
        result = seen.result or await result_of(task, tasks)
        return {"result": {"resultType": "complete", **result.document}}
    if task.state is TaskState.FAILED:
        return {"error": {"code": INTERNAL_ERROR, "message": task.trouble}}
    return {"inputRequests": task.questions} if task.state is TaskState.ASKS else {}


@recorded_as(UPDATE)
async def update_task(params: Params, context: Context) -> Answer:
    responses = params["inputResponses"]
    if too_much := excess(responses):
        raise ProtocolError(INVALID_PARAMS, too_much)
    tasks, task = await _owned(UPDATE, params, context)
    _refuse_malformed(task, responses)
    await _of_protocol(tasks.answer(task, responses))
    return {}


@recorded_as(CANCEL)
async def cancel_task(params: Params, context: Context) -> Answer:
    tasks, task = await _owned(CANCEL, params, context)
    await _of_protocol(tasks.cancel(task))
    return {}


async def _owned(method: str, params: Params, context: Context) -> tuple[Tasks, Task]:
    """The task with this ID, if the caller owns it and the client declares support for tasks."""
    visit = context.visit
    if not visit.has_tasks:
        raise ProtocolError(METHOD_NOT_FOUND, "Method not found")
    if not declares(context):
        raise undeclared(method)
    header = visit.headers.get(NAME_HEADER)
    # The header is optional here, because some clients do not send it for tasks.
    if header is not None and decoded(header) != params["taskId"]:
        raise ProtocolError(HEADER_MISMATCH, "The header Mcp-Name does not match the taskId of the request.")
    return visit.tasks, await _of_protocol(visit.tasks.of(owner_of(visit.caller), params["taskId"]))


async def _of_protocol(doing: Awaitable[V]) -> V:
    """Await a result. Exceptions become protocol errors."""
    try:
        return await doing
    except TaskStorageUnreachableError as away:
        raise ProtocolError(INTERNAL_ERROR, str(away)) from None
    except Refusal as refusal:
        raise ProtocolError(INVALID_PARAMS, str(refusal)) from None


def _refuse_malformed(task: Task, responses: Mapping[str, Any]) -> None:
    """Reject malformed answers. Answers to unknown questions are ignored."""
    for name, question in task.questions.items():
        if name in responses and not is_answer(responses[name], question["method"]):
            raise ProtocolError(INVALID_PARAMS, f"The response {name!r} is not an answer to {question['method']}.")
