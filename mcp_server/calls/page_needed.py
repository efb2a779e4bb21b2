"""Handles calls that continue only after the user has done something on a page of this server."""

from __future__ import annotations

from typing import Final

from mcp_server.calls.elicitation import address_asked, opens_addresses
from mcp_server.protocol.results import InputRequired
from mcp_server.visit import Context
from refusal import Refusal

# A state that starts with this prefix records that the client opened a page. States from tools are JSON, so they cannot
# start with this prefix.
_OPENED: Final = "page "


class PageNeededError(Refusal):
    """The user must first open a page. `path` is the path of the page, and `todo` says what the user must do there."""

    http_status = 403

    def __init__(self, path: str, why: str, todo: str) -> None:
        self.path = path
        self.why = why
        self.todo = todo
        super().__init__(self.with_address(path))

    def with_address(self, address: str) -> str:
        return (
            f"{self.why} Nothing was done yet. Open {address} in a browser, {self.todo}, and send the same call again."
        )


def page_opened(context: Context) -> tuple[str, Context]:
    """The path of the page that this client has already opened for this call, if any.

    Also returns a call context that no longer contains the state for this page.
    """
    state = context.state or ""
    if not state.startswith(_OPENED):
        return "", context
    return state.removeprefix(_OPENED), context.unanswered()


def page_asked(needed: PageNeededError, address: str, context: Context, opened: str) -> InputRequired | None:
    """A question that makes the client open the page.

    None if the client already opened the page, or cannot open pages.
    """
    if opened == needed.path or not opens_addresses(context):
        return None
    message = f"{needed.why} On the page, {needed.todo}."
    return address_asked("page", message, address, f"{_OPENED}{needed.path}")
