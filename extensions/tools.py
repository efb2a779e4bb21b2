"""Offers a tool of an extension as a tool of this server, with the same previews, approvals and records."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from changes.preview import Preview
from changes.undo import unknown
from extensions.checking import problems_with
from extensions.contents import placed
from extensions.entry import Entry
from extensions.pins import Said
from extensions.results import asks, carried, question_of, result_of
from extensions.sanitizing import (
    description_of,
    digest,
    is_of_objects,
    marked,
    name_of,
    schema_of,
    spoken_name,
    theirs,
    title_of,
)
from extensions.upstream.failures import AnsweredError, quoted
from extensions.upstream.question import Json, ServerRequest
from identity.access import Access
from identity.caller import Caller
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.tool import Result, Tool
from mcp_server.protocol.client import RequestClient
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import CAPABILITIES_KEY, MISSING_CAPABILITY
from mcp_server.protocol.results import CallResult, InputRequired
from mcp_server.visit import Context
from refusal import Refusal

# A call may take this many seconds longer than the extension's time limit, for the sign-in and for reporting a timeout.
_SECONDS_MORE: Final = 5.0
_CARRIED: Final = ("elicitation", "sampling", "roots")
_UNTOLD: Final = "current state and effects: servers of extensions do not preview changes"

_UNDO: Final = unknown("the server of an extension does not state its downtime")

# Checks that the tool still has its approved definition, and calls the extension's server.
Ask = Callable[[str, ServerRequest, Caller], Awaitable[Json]]


@dataclass(frozen=True, eq=False, kw_only=True)
class ProxiedTool(Tool):
    entry: Entry
    # The approved definition of the tool, as the extension's server sent it.
    said: Said
    ask: Ask

    @property
    def description(self) -> str:
        return description_of(self.entry.name, self.said)

    @property
    def own_words(self) -> tuple[str, str]:
        """The tool's name and description from the extension's server, without the prefixes that this server adds."""
        return spoken_name(self.said), self.description.removeprefix(marked(self.entry.name, ""))

    @cached_property
    def own_schema(self) -> dict[str, Any]:
        return schema_of(self.said)

    def check(self, arguments: dict[str, Any]) -> dict[str, Any]:
        schema = self.said.get("inputSchema")
        if is_of_objects(schema) and (problems := problems_with(theirs(arguments), schema)):
            raise InvalidArgumentsError(problems)
        return arguments

    async def preview(self, meant: dict[str, Any], _context: Context) -> Preview:
        given = {name: _as_text(value) for name, value in self.shown(meant).items()}
        facts = {"extension": self.entry.name, "its server": self.entry.place, "as pinned": digest(self.said)[:12]}
        what = f"{quoted(self.said['name'])} on the server of {self.entry.name!r}"
        return Preview(what=what, facts={**given, **facts}, missing=[_UNTOLD], undo=_UNDO)

    async def run(self, meant: dict[str, Any], context: Context) -> Any:
        visit = context.visit
        arguments = theirs(meant)
        params = {"name": self.said["name"], "arguments": arguments, **self._answered(context)}
        question = ServerRequest(
            method="tools/call",
            params=params,
            headers=self._routing(arguments),
            on_progress=_telling(context),
            capabilities=self._carried(context.client),
        )
        try:
            answer = await self.ask(self.said["name"], question, visit.caller)
        except AnsweredError as error:
            raise self._lacking(error, question, visit.trace.meta) or error from None
        if not asks(answer):
            return answer
        if self.access is not Access.READ:
            raise Refusal(
                f"{self.name} asks the user a question. Questions are supported only for read-only tools. Check what"
                " the call has done, and use the extension's server directly for this call."
            )
        return question_of(self.entry.name, dict(self.said), answer)

    def result(self, value: Any) -> Result:
        if isinstance(value, CallResult | InputRequired):
            return value
        return result_of(self.entry.name, self._placed(value))

    def _placed(self, answer: Json) -> Json:
        """Replace the resource URIs in an answer with this server's URIs, if the extension offers resources."""
        told = answer.get("content")
        if "resources" not in self.entry.offers or not isinstance(told, list):
            return answer
        return {**answer, "content": [placed(self.entry.name, one) if isinstance(one, dict) else one for one in told]}

    def _answered(self, context: Context) -> Json:
        """Return the user's answers to earlier questions from the extension's server, or answers that the client sent
        without a question.
        """
        if self.access is not Access.READ or not (context.answers or context.state):
            return {}
        return {
            "inputResponses": dict(context.answers),
            **carried(self.entry.name, dict(self.said), context.state),
        }

    def _carried(self, client: RequestClient) -> dict[str, Any]:
        """Return the capabilities of the caller's client that this server passes on to the extension's server."""
        if self.access is not Access.READ:
            return {}
        return {name: said for name in _CARRIED if (said := client.declared(name)) is not None}

    def _lacking(self, error: AnsweredError, question: ServerRequest, meta: Mapping[str, Any]) -> ProtocolError | None:
        """Return an error that lists the client capabilities that the extension's server requires.

        Return None if the client cannot add any of these capabilities.
        """
        wanted = error.data.get("requiredCapabilities") if isinstance(error.data, dict) else None
        if error.code != MISSING_CAPABILITY or not isinstance(wanted, dict):
            return None
        lacking: Json = {name: {} for name in _CARRIED if name in wanted and name not in question.capabilities}
        if self.access is not Access.READ or CAPABILITIES_KEY not in meta or not lacking:
            return None
        words = f"The server of {self.name} requires a client that declares {', '.join(lacking)}."
        return ProtocolError(error.code, words, {"requiredCapabilities": lacking})

    def _routing(self, arguments: Mapping[str, Any]) -> dict[str, str]:
        schema = self.said.get("inputSchema")
        if not isinstance(schema, dict):
            return {}
        from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map

        return {} if find_invalid_x_mcp_header(schema) else mcp_param_headers(x_mcp_header_map(schema), arguments)


def proxied(entry: Entry, said: Said, ask: Ask) -> ProxiedTool | None:
    """Return an extension's tool as a tool of this server, or None if this server does not offer the tool."""
    access = entry.access(said["name"])
    if access is None:
        return None
    return ProxiedTool(
        name=name_of(entry.name, said["name"]),
        toolset=entry.name,
        access=access,
        title=title_of(entry.name, said),
        seconds=entry.seconds + _SECONDS_MORE,
        entry=entry,
        said=said,
        ask=ask,
    )


def _telling(context: Context) -> Callable[[Mapping[str, Any]], Awaitable[None]]:
    async def tell(about: Mapping[str, Any]) -> None:
        progress, total, message = (about.get(name) for name in ("progress", "total", "message"))
        if isinstance(progress, int | float):
            known = total if isinstance(total, int | float) else None
            await context.report_progress(progress, known, message if isinstance(message, str) else None)

    return tell


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
