"""Asks the questions of a call while the call is running, for clients that cannot repeat the call with the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from mcp_server.conversation import Conversation
from mcp_server.protocol.answers import ELICIT
from mcp_server.protocol.results import InputRequired, Json
from mcp_server.visit import Context

A = TypeVar("A")
Calling = Callable[[Mapping[str, Any], Context], Awaitable[A]]


def until_answered(calling: Calling[A]) -> Calling[A]:
    """Repeat the call with each answer from the user, as current clients do."""

    async def answer(params: Mapping[str, Any], context: Context) -> A:
        conversation = context.visit.conversation
        if conversation is None:
            return await calling(params, context)
        asking = replace(context, client=context.client.conversing(conversation.elicitation))
        while isinstance(result := await calling(params, asking), InputRequired):
            context.visit.trace.asked_again()
            answers = await _answers(conversation, result)
            if answers is None:
                # The user did not answer, so continue as if the client could not be asked.
                return await calling(params, context)
            asking = replace(asking, answers=answers, state=result.state)
        return result

    return answer


async def _answers(conversation: Conversation, asked: InputRequired) -> dict[str, Json] | None:
    answers: dict[str, Json] = {}
    for name, request in asked.requests.items():
        answer = await conversation.ask(request) if request["method"] == ELICIT else None
        if answer is None:
            return None
        answers[name] = answer
    return answers
