"""What retires of what somebody runs, as the tool tells it that their agent would call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from exploring.address import PageAddress
from exploring.guests import Guest, ToolName
from exploring.listed_update import path_of
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.plain import Reply
from mcp_server.view import why_absent

PATH: Final = "/here"
_NAMES: Final = ("until", "scope", "ask")
_MOST: Final = 50
_NOT_GRANTED: Final = "No role of yours opens {tool}, which finds this out. Ask an administrator for one."
_NOT_PASSED_ON: Final = (
    "Azure is asked in your name, and the sign-in of this browser is not passed on to Azure. Ask your agent instead:"
    " it comes with a sign-in of its own."
)

# Calls a tool as whoever sent the request.
Calling = Callable[[HttpRequest, str, Mapping[str, Any]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class RetiringHere:
    """A retirement, and the groups of resources that it affects."""

    name: str
    due: str
    is_past: bool
    advice: str
    doubt: str
    updates: Sequence[tuple[str, str]]
    groups: Sequence[Mapping[str, Any]]
    # Work items that were planned for it: number, state and address.
    work: Sequence[tuple[str, str, str]]
    more_work: int


@dataclass(frozen=True)
class HerePage:
    """`asks` says whether the browser's own requests prove to Azure who asks."""

    tool: ToolName
    call: Calling
    asks: Callable[[HttpRequest], bool]

    async def show(self, guest: Guest, request: HttpRequest) -> HttpAnswer:
        address = PageAddress.of(request, _NAMES)
        why_not = self._why_not(guest, request)
        reply = await self._asked(request, address) if address["ask"] and not why_not else None
        answer = reply.structured if reply and not reply.is_failed else None
        return guest.page(
            "here.html",
            here="/retirements",
            tool=self.tool.name,
            why_not=why_not,
            address=address,
            problem=reply.text if reply and reply.is_failed else "",
            answer=answer,
            items=list(_items(answer or {})),
        )

    def _why_not(self, guest: Guest, request: HttpRequest) -> str:
        if not guest.may(self.tool):
            lacking = why_absent(self.tool.toolset, guest.view.absent)
            return lacking or _NOT_GRANTED.format(tool=self.tool.name)
        return "" if self.asks(request) else _NOT_PASSED_ON

    async def _asked(self, request: HttpRequest, address: PageAddress) -> Reply:
        given = {name: address[name] for name in ("until", "scope") if address[name]}
        return await self.call(request, self.tool.name, {**given, "max_results": _MOST})


def _items(answer: Mapping[str, Any]) -> Iterator[RetiringHere]:
    beginning, link = answer.get("idsBeginWith", ""), answer.get("workItemLinksBeginWith", "")
    for item in answer.get("items", ()):
        groups = [
            {**group, "resources": [_named(beginning + one) for one in group.get("resources", ())]}
            for group in item.get("affects", ())
        ]
        updates = [(update_id, path_of(update_id)) for update_id in item.get("update") or ()]
        yield RetiringHere(
            item["retires"],
            item.get("on") or "",
            bool(item.get("past")),
            item.get("do") or "",
            item.get("but") or "",
            updates,
            groups,
            [(number, state, f"{link}{number}") for number, state in item.get("workItems", {}).items()],
            item.get("moreWorkItems") or 0,
        )


def _named(resource: str) -> tuple[str, str]:
    """The name of a resource, and the rest of its id."""
    rest, _, name = resource.rstrip("/").rpartition("/")
    return name, rest
