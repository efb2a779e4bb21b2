"""Azure OpenAI as it behaves: one deployment, which answers as a test says and fails as the real one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from tests.fakes.serving import serving_locally

Json = Any
TOKEN: Final = "token-of-the-app"  # noqa: S105 - invented
DEPLOYMENT: Final = "writer"
_KNOWN: Final = {"model", "messages", "max_completion_tokens", "temperature", "stream"}
_MOST_LETTERS: Final = 120_000


def _error(http: int, code: str, message: str, **more: Json) -> web.Response:
    headers = {"Retry-After": "7", "retry-after-ms": "7000"} if http == 429 else {}
    return web.json_response({"error": {"code": code, "message": message, **more}}, status=http, headers=headers)


def _filtered() -> web.Response:
    result = {"hate": {"filtered": False, "severity": "safe"}, "jailbreak": {"filtered": True, "detected": True}}
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": result}
    message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
    return _error(400, "content_filter", message, type=None, param="prompt", status=400, innererror=inner)


TROUBLES: Final[dict[str, Callable[[], web.Response]]] = {
    "unknown": lambda: _error(401, "401", "Access denied due to invalid subscription key or wrong API endpoint."),
    "denied": lambda: _error(401, "PermissionDenied", "The principal lacks the required data action."),
    "closed": lambda: _error(403, "403", "Access denied due to Virtual Network/Firewall rules."),
    "busy": lambda: _error(429, "429", "Requests have exceeded the call rate limit. Please retry after 7 seconds."),
    "filtered": _filtered,
    "broken": lambda: _error(500, "InternalServerError", "The server had an error while processing your request."),
    "away": lambda: web.Response(status=503, text="<html>Service Unavailable</html>", content_type="text/html"),
    "no json": lambda: web.Response(text="{", content_type="application/json"),
    "empty": lambda: web.json_response({"choices": []}),
    "picture": lambda: web.json_response({"choices": [{"finish_reason": "stop", "message": {"content": [1]}}]}),
}


@dataclass
class FakeAzureOpenAI:
    says: Callable[[str], str] = str.upper
    # What goes wrong with the next questions, by the names above, or as `reset`, `slow`, `cut off`, `silenced`.
    troubles: list[str] = field(default_factory=list)
    asked: list[Json] = field(default_factory=list)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_post("/openai/v1/chat/completions", self._completed)
        async with serving_locally(app) as url:
            yield url

    async def _completed(self, request: web.Request) -> web.Response:
        document = await request.json()
        self.asked.append(document)
        trouble = self.troubles.pop(0) if self.troubles else ""
        if trouble == "slow":
            await asyncio.Event().wait()
        if trouble == "reset" and request.transport:
            request.transport.abort()
        if trouble in TROUBLES:
            return TROUBLES[trouble]()
        return self._refused(request, document) or self._answered(document, trouble)

    def _refused(self, request: web.Request, document: Json) -> web.Response | None:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return TROUBLES["unknown"]()
        if document.get("model") != DEPLOYMENT:
            message = "The API deployment for this resource does not exist."
            return _error(404, "DeploymentNotFound", message)
        if unknown := sorted(document.keys() - _KNOWN):
            return _error(400, "unknown_parameter", f"Unknown parameter: '{unknown[0]}'.", type="invalid_request_error")
        if sum(len(message["content"]) for message in document["messages"]) > _MOST_LETTERS:
            return _error(400, "context_length_exceeded", "This model's maximum context length is 30000 tokens.")
        return None

    def _answered(self, document: Json, trouble: str) -> web.Response:
        said = self.says(document["messages"][-1]["content"])
        reason = {"cut off": "length", "silenced": "content_filter"}.get(trouble, "stop")
        message = {"role": "assistant", "content": None if trouble == "silenced" else said, "refusal": None}
        choice = {"index": 0, "finish_reason": reason, "logprobs": None, "message": message}
        used = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        told = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": "gpt-5-mini"}
        return web.json_response({**told, "choices": [choice], "usage": used})
