"""The page of retirements that affect the visitor's resources.

The page shows the result of a tool; agents can also call this tool.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from browsing.visiting import Visiting
from exploring.address import PageAddress
from exploring.guests import Guest, ToolName
from exploring.listed_update import path_of
from mcp_server.http.messages import HttpAnswer, HttpRequest
from mcp_server.http.plain import Reply
from mcp_server.view import why_absent

PATH: Final = "/here"
_AGAIN: Final = "again"
_NAMES: Final = ("until", "scope", "ask", _AGAIN)
_MOST: Final = 50
_NOT_GRANTED: Final = "Your roles do not allow {tool}, which this page requires. Ask an administrator for access."
_NOT_KEPT: Final = "This page reads Azure on your behalf, but your sign-in is not stored on the server."
_NO_SIGN_IN: Final = 401
_NOTHING_SHOWN: Final[Mapping[str, Any]] = {"why_not": "", "problem": "", "again": "", "answer": None}

# A function that calls a tool as the user who sent the request.
Calling = Callable[[HttpRequest, str, Mapping[str, Any]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class RetiringHere:
    """A retirement, and the resource groups that it affects."""

    name: str
    due: str
    is_past: bool
    advice: str
    doubt: str
    updates: Sequence[tuple[str, str]]
    groups: Sequence[Mapping[str, Any]]
    # Planned work items: the number, state and URL of each.
    work: Sequence[tuple[str, str, str]]
    more_work: int


@dataclass(frozen=True)
class HerePage:
    tool: ToolName
    call: Calling
    visiting: Visiting

    async def show(self, guest: Guest, request: HttpRequest) -> HttpAnswer:
        address = PageAddress.of(request, _NAMES)
        if lacking := self._lacking(guest):
            return self._page(guest, address, why_not=lacking)
        if address[_AGAIN]:
            return self._to_sign_in(guest, request, again=True)
        asking = await self.visiting.way_in(request.origin).proving(request, guest.session)
        if asking:
            return self._answered(guest, address, await self._call_tool(asking, address) if address["ask"] else None)
        if guest.session.kept_token:  # The expired sign-in can usually be renewed without interaction.
            return self._to_sign_in(guest, request, again=False)
        return self._page(guest, address, why_not=_NOT_KEPT, again=address.having(_AGAIN, "now").url)

    def _to_sign_in(self, guest: Guest, request: HttpRequest, *, again: bool) -> HttpAnswer:
        path = PageAddress.of(request, _NAMES).without(_AGAIN).url
        return self.visiting.to_sign_in(request, guest.session, path, again=again)

    def _answered(self, guest: Guest, address: PageAddress, reply: Reply | None) -> HttpAnswer:
        if not (reply and reply.is_failed):
            return self._page(guest, address, answer=reply.structured if reply else None)
        is_over = reply.answer.status == _NO_SIGN_IN
        again = address.having(_AGAIN, "now").url if is_over else ""
        return self._page(guest, address, problem=reply.text, again=again)

    def _page(self, guest: Guest, address: PageAddress, **shown: Any) -> HttpAnswer:
        items = list(_items(shown.get("answer") or {}))
        values = {**_NOTHING_SHOWN, **shown, "items": items, "address": address}
        return guest.page("here.html", here="/retirements", tool=self.tool.name, **values)

    def _lacking(self, guest: Guest) -> str:
        if guest.may(self.tool):
            return ""
        return why_absent(self.tool.toolset, guest.view.absent) or _NOT_GRANTED.format(tool=self.tool.name)

    async def _call_tool(self, request: HttpRequest, address: PageAddress) -> Reply:
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
    """Split a resource id into the name of the resource and the rest."""
    rest, _, name = resource.rstrip("/").rpartition("/")
    return name, rest
