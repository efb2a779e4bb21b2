"""A call that asks its caller on the way, for clients that cannot send it again with the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import CallToolRequestParams, ElicitRequest, ElicitResult, InputRequiredResult

from mcp_server.conversation import Conversation
from mcp_server.declarations.tool import Result
from mcp_server.visit import visit_of

RequestContext = ServerRequestContext[Any, Any]
Calling = Callable[[RequestContext, CallToolRequestParams], Awaitable[Result]]


def until_answered(calling: Calling) -> Calling:
    """Make the call again with each answer, as a client of today does by itself."""

    async def handle(ctx: RequestContext, params: CallToolRequestParams) -> Result:
        visit = visit_of(ctx)
        while True:
            result = await calling(ctx, params)
            if visit.conversation is None or not isinstance(result, InputRequiredResult):
                return result
            visit.asked_again()
            answers = await _answers(visit.conversation, result)
            if answers is None:
                # Nobody answered, so nobody decided: the call goes on as of a client that cannot be asked.
                visit.conversation = None
            state = result.request_state if answers else None
            params = params.model_copy(update={"input_responses": answers, "request_state": state})

    return handle


async def _answers(conversation: Conversation, asked: InputRequiredResult) -> dict[str, ElicitResult] | None:
    answers = {}
    for name, request in (asked.input_requests or {}).items():
        answer = await conversation.ask(request) if isinstance(request, ElicitRequest) else None
        if answer is None:
            return None
        answers[name] = answer
    return answers
