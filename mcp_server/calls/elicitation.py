"""Questions to the user of a client, and the client's responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_server.context import AnyContext
from mcp_server.protocol import results
from mcp_server.protocol.results import InputRequired


def shows_forms(context: AnyContext) -> bool:
    asking = context.client.declared("elicitation")
    return asking is not None and (_supports(asking, "form") or not _supports(asking, "url"))


def opens_addresses(context: AnyContext) -> bool:
    asking = context.client.declared("elicitation")
    return asking is not None and _supports(asking, "url")


def address_asked(name: str, message: str, address: str, state: str) -> InputRequired:
    """A question that makes the client open a URL for its user, and then repeat the call with this state."""
    return InputRequired({name: results.address(message, address)}, state)


def _supports(asking: Mapping[str, Any], way: str) -> bool:
    return asking.get(way) is not None
