"""Consent: before a tool destroys something, somebody has to name what goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcp_server.declarations.tool import CONFIRM, Tool
from mcp_server.visit import visit_of
from mcp_server.wording import speakable
from refusal import Refusal

_ANSWER: Final = "consent"
_LONGEST_NAME: Final = 200


def question(tool: Tool, meant: Mapping[str, Any], confirmed: object, context: Context) -> InputRequiredResult | None:
    """What to ask the client before the tool may run, or nothing if what goes has been named.

    The answer of a form counts only together with the state that was given with the question: it is sealed for these
    arguments and this caller. An answer that does not name what goes is a no, whatever button was pressed.

    Raises:
        Refusal: There is no consent, and the client cannot be asked for it or has been asked.
    """
    what = tool.at_stake(meant)
    details = _details(tool, meant)
    can_agree = visit_of(context.request_context).caller.can_agree
    if not (can_agree and _can_be_asked(context)):
        if tool.by_form_only:
            why = "this client shows none" if can_agree else "an agent or an application is none"
            raise Refusal(
                f"{tool.name}{details} destroys {_quoted(what)}; nothing was done. On this server a person has to"
                f" agree to that in a form, and {why}. Do it in the service itself, or with a client that shows forms"
                " (elicitation), signed in as a person."
            )
        if confirmed is None:
            raise Refusal(
                f"{tool.name}{details} destroys {_quoted(what)}; nothing was done. Ask the user. If they agree, call it"
                f" again with {CONFIRM} set to the value of {tool.confirm}."
            )
        _check(confirmed, what, tool)
        return None
    # A model that repeats the value by itself has asked nobody, so it is asked for where somebody can answer.
    state = f"{_ANSWER} {tool.name}{details} {what}"
    if context.request_state != state:
        return InputRequiredResult(input_requests={_ANSWER: _form(tool, details, what)}, request_state=state)
    answer = (context.input_responses or {}).get(_ANSWER)
    if not isinstance(answer, ElicitResult) or answer.action != "accept":
        raise Refusal(f"The user did not agree to {tool.name}; nothing was done.")
    _check((answer.content or {}).get(CONFIRM), what, tool)
    return None


def _check(confirmed: object, what: str, tool: Tool) -> None:
    is_a_name = isinstance(confirmed, str | int) and not isinstance(confirmed, bool)
    if not what or not is_a_name or str(confirmed) != what:
        raise Refusal(
            f"{CONFIRM} has to repeat the value of {tool.confirm}, which is {_quoted(what)}; nothing was done. Ask the"
            " user before you call it again."
        )


def _can_be_asked(context: Context) -> bool:
    """Whether the client can show a form, and goes on with what it was given. Without a session, older ones cannot."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    if elicitation is None or context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        return False
    return elicitation.form is not None or elicitation.url is None


def _details(tool: Tool, meant: Mapping[str, Any]) -> str:
    """What else is asked for, which may make it worse."""
    told = ", ".join(f"{name}: {_quoted(value)}" for name, value in tool.besides(meant))
    return f" ({told})" if told else ""


def _form(tool: Tool, details: str, what: str) -> ElicitRequest:
    schema = {
        "type": "object",
        "properties": {CONFIRM: {"type": "string", "title": f"Type {_quoted(what)} to go on"}},
        "required": [CONFIRM],
    }
    message = f"{tool.title}{details}: {_quoted(what)} will be gone. To agree, repeat {_quoted(what)}."
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _quoted(what: str) -> str:
    return repr(speakable(what[:_LONGEST_NAME]))
