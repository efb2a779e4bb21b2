"""The MCP server: its methods, and how it reports errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib import import_module
from typing import Any, Final

from mcp_server.bounds import bounded
from mcp_server.calls.notice import Notice
from mcp_server.failures import denial_behind, report_failure
from mcp_server.methods.answers import Answer, Method, Params
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INTERNAL_ERROR
from mcp_server.protocol.results import CallEnding, CallResult, InputRequired, Json
from mcp_server.visit import Context

# For each method: its module in `mcp_server/methods/`, and its function.
METHODS: Final[Mapping[str, tuple[str, str]]] = {
    "tools/list": ("listing", "list_tools"),
    "tools/call": ("tools", "call_tool"),
    "resources/list": ("resources", "list_resources"),
    "resources/templates/list": ("resources", "list_templates"),
    "resources/read": ("resources", "read_resource"),
    "prompts/list": ("prompts", "list_prompts"),
    "prompts/get": ("prompts", "get_prompt"),
    "completion/complete": ("prompts", "complete"),
    "tasks/get": ("tasks", "get_task"),
    "tasks/update": ("tasks", "update_task"),
    "tasks/cancel": ("tasks", "cancel_task"),
}
# The methods whose results contain the operator's notice.
_NOTICED: Final = {"tools/call", "resources/read", "prompts/get", "tasks/get"}

Services = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The information about the server that clients get.

    `name` is the audience of the state that the server encrypts for clients. `notice` is a sentence in every answer
    and in the instructions.
    """

    name: str
    title: str
    version: str
    instructions: str
    notice: str = ""

    @property
    def document(self) -> Json:
        return {"name": self.name, "title": self.title, "version": self.version}

    @property
    def all_instructions(self) -> str:
        return f"{self.notice}\n\n{self.instructions}" if self.notice else self.instructions


@dataclass(frozen=True)
class McpServer:
    """Calls the methods of the protocol.

    `services` opens the services that tools use. `keys` encrypt the state that clients store, and are the same on all
    instances. The server does not contain a catalog, because toolsets can change at any time: each request has its own
    view. All methods exist for every request, even if the view contains nothing to list or complete.
    """

    info: ServerInfo
    services: Services
    keys: Sequence[str]
    # Extends the SDK's server with features for clients that use older protocol versions.
    extend_sdk: Callable[[Any], None] | None = None

    @cached_property
    def methods(self) -> Mapping[str, Callable[[], Method]]:
        """The methods by name.

        Each method is imported on first use: for example, a request for a list does not need the imports of a call.
        """
        return {name: cache(partial(self._method, name)) for name in METHODS}

    def _method(self, name: str) -> Method:
        module, function = METHODS[name]
        method: Method = getattr(import_module(f"mcp_server.methods.{module}"), function)
        return self._noticed(method) if name in _NOTICED else method

    async def answer(self, method: str, params: Params, context: Context) -> Answer:
        """Answer a request for a method that exists. If an exception was unexpected, the error contains no details."""
        try:
            return await self.methods[method]()(params, context)
        except ProtocolError as refused:
            denial = refused.ending.denial or denial_behind(refused)
            ending = replace(refused.ending, denial=denial)
            raise ProtocolError(refused.code, bounded(refused.message), refused.data, ending) from refused.__cause__
        except Exception as failure:
            ending = CallEnding(denial=denial_behind(failure))
            raise ProtocolError(INTERNAL_ERROR, report_failure("The request", failure), ending=ending) from failure

    @cached_property
    def notice(self) -> Notice | None:
        return Notice(self.info.notice) if self.info.notice else None

    def _noticed(self, method: Method) -> Method:
        """Add the operator's notice to the results of a method."""
        notice = self.notice
        if notice is None:
            return method

        async def answer(params: Params, context: Context) -> Answer:
            return _before(notice, await method(params, context))

        return answer


def _before(notice: Notice, answer: Answer) -> Answer:
    match answer:
        case CallResult():
            return notice.before_result(answer)
        case InputRequired():
            return answer
        case {"contents": contents}:
            return {**answer, "contents": notice.before_contents(contents)}
        case {"messages": messages}:
            return {**answer, "messages": notice.before_messages(messages)}
        case {"result": {"content": _} as result}:
            # Add the notice to the result that the task contains.
            noticed = notice.before_result(CallResult.of(result))
            return {**answer, "result": {**result, **noticed.document}}
    return answer
