"""Lists and gets prompts."""

from __future__ import annotations

from collections.abc import Mapping

from mcp_server.bounds import LONGEST_COMPLETED, LONGEST_OF_A_PROMPT, excess
from mcp_server.declarations.invalid_arguments import problems_of
from mcp_server.declarations.prompt import Prompt
from mcp_server.failures import report_failure
from mcp_server.methods import remote_content
from mcp_server.methods.answers import Answer, Params, freshness_beside_tools, refuse_cursor
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.names import INTERNAL_ERROR, INVALID_PARAMS
from mcp_server.protocol.results import InputRequired, Json
from mcp_server.visit import Context
from mcp_server.wording import listing, nearest
from refusal import Refusal

_COMPLETIONS = 100


async def list_prompts(params: Params, context: Context) -> Answer:
    refuse_cursor(params)
    view = context.visit.view
    prompts = [prompt.published for prompt in view.prompts.values()]
    prompts += await remote_content.listed(context, "prompts")
    return {"prompts": prompts, **freshness_beside_tools(view)}


async def get_prompt(params: Params, context: Context) -> Answer:
    prompts, name, texts = context.visit.view.prompts, params["name"], params.get("arguments") or {}
    prompt = prompts.get(name)
    _refuse_too_much(texts, LONGEST_OF_A_PROMPT)
    if prompt is None:
        return await remote_content.prompt(context, name, texts) or _unknown(name, prompts)
    _refuse_wrong_arguments(prompt, texts)
    messages = await _messages(prompt, texts, context)
    if isinstance(messages, InputRequired):
        return messages
    return {"description": prompt.description, "messages": messages}


def _unknown(name: str, prompts: Mapping[str, Prompt]) -> Json:
    hint = nearest(name, list(prompts))
    raise ProtocolError(
        INVALID_PARAMS, f"Unknown prompt: {name[:100]!r}.{hint} Available: {listing(prompts) or 'none'}."
    )


def _refuse_too_much(texts: Mapping[str, str], longest: int) -> None:
    if too_much := excess(texts):
        raise ProtocolError(INVALID_PARAMS, too_much)
    if any(len(text) > longest for text in texts.values()):
        raise ProtocolError(INVALID_PARAMS, f"A value is longer than {longest} characters.")


def _refuse_wrong_arguments(prompt: Prompt, texts: Mapping[str, str]) -> None:
    declared = [argument["name"] for argument in prompt.arguments]
    required = [argument["name"] for argument in prompt.arguments if argument["required"]]
    if missing := [name for name in required if not texts.get(name)]:
        raise ProtocolError(INVALID_PARAMS, f"The prompt {prompt.name} requires {listing(missing)}.")
    if texts.keys() - {*declared}:
        names = listing(declared) or "no arguments"
        raise ProtocolError(INVALID_PARAMS, f"The prompt {prompt.name} accepts only {names}.")


async def _messages(prompt: Prompt, texts: Mapping[str, str], context: Context) -> list[Json] | InputRequired:
    from pydantic import ValidationError

    try:
        given = prompt.signature.taken(texts)
    except ValidationError as invalid:
        raise ProtocolError(INVALID_PARAMS, "; ".join(problems_of(invalid, {}))) from None
    try:
        return await prompt.messages(given, context)
    except ProtocolError:
        raise
    except Exception as cause:
        code = INVALID_PARAMS if isinstance(cause, Refusal) else INTERNAL_ERROR
        raise ProtocolError(code, report_failure(f"Prompt {prompt.name}", cause)) from cause


async def complete(params: Params, context: Context) -> Answer:
    """Complete an argument of a prompt or resource template. Without a completer, the list of completions is empty."""
    reference, argument = params["ref"], params["argument"]
    _refuse_too_much({argument["name"]: argument["value"]}, LONGEST_COMPLETED)
    of = reference.get("name") or reference.get("uri") or ""
    completer = context.visit.view.completers.get((of, argument["name"]))
    try:
        theirs = remote_content.completed
        found = await (completer(argument["value"], context) if completer else theirs(context, reference, argument))
    except Refusal as refusal:
        raise ProtocolError(INVALID_PARAMS, str(refusal)) from refusal
    many = {"total": len(found), "hasMore": len(found) > _COMPLETIONS}
    return {"completion": {"values": found[:_COMPLETIONS], **many}}
