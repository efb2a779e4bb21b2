"""How a client can ask its user something, and go on with what came of it."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import ElicitationCapability, ElicitRequest, ElicitRequestURLParams, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_server.visit import visit_of


def shows_forms(context: Context[Any, Any]) -> bool:
    asking = _elicitation(context)
    return asking is not None and (asking.form is not None or asking.url is None)


def opens_addresses(context: Context[Any, Any]) -> bool:
    asking = _elicitation(context)
    return asking is not None and asking.url is not None


def address_asked(name: str, message: str, address: str, state: str) -> InputRequiredResult:
    """The question that has a client open an address for its user, and come again with this state."""
    params = ElicitRequestURLParams(message=message, url=address)
    return InputRequiredResult(input_requests={name: ElicitRequest(params=params)}, request_state=state)


def _elicitation(context: Context[Any, Any]) -> ElicitationCapability | None:
    """Older clients cannot go on after an answer that asks; some can be asked while the call is under way."""
    if conversation := visit_of(context.request_context).conversation:
        return conversation.elicitation
    if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS or context.client_capabilities is None:
        return None
    return context.client_capabilities.elicitation
