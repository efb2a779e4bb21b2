"""Calls a tool. This module handles direct calls, calls through `azure`, and REST calls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from identity.access import Access
from mcp_server.bounds import bounded, excess
from mcp_server.calls.audit import Outcome, require_room
from mcp_server.calls.long_work import AWAITS, declares, undeclared
from mcp_server.calls.page_needed import PageNeededError, page_asked, page_opened
from mcp_server.calls.recording import recorded
from mcp_server.calls.running import LateError, LimitError, in_form, within_its_time
from mcp_server.calls.waiting import WaitingError
from mcp_server.context import Calling
from mcp_server.declarations.invalid_arguments import InvalidArgumentsError
from mcp_server.declarations.parameter_names import renamed
from mcp_server.declarations.tool import CONFIRM, Result, Tool
from mcp_server.failures import denial_behind, report_failure
from mcp_server.protocol.errors import ProtocolError
from mcp_server.protocol.json_text import to_json
from mcp_server.protocol.results import WELL, CallEnding, CallResult, InputRequired, text
from mcp_server.visit import Context, Way
from mcp_server.wording import speakable
from refusal import Refusal
from tasks.task import Task, owner_of

if TYPE_CHECKING:
    from mcp_server.select.select import Select

LARGEST_RESULT: Final = 4 * 1024 * 1024


async def call(
    tool: Tool, arguments: dict[str, Any], context: Context, way: Way | None = None, select: str = ""
) -> Result:
    """Check the arguments, run the tool, and return the result in the form that clients read.

    - `select` is a JMESPath expression that keeps a part of the answer. It does not affect what the tool does, and is
      never recorded, because it may contain secrets.
    - Errors that the model can fix are explained to the caller. All other errors are bugs, and are only logged.
    - Each call leaves exactly one audit record.
    """
    # Many clients send null for arguments without a value. Remove these arguments first, so that the audit record, the
    # approval and the tool see the same arguments.
    arguments = {name: value for name, value in arguments.items() if value is not None}
    visit = context.visit
    arguments = renamed(tool, arguments, visit.view.vocabulary.parameters)
    # Create the audit record before all other steps, even before validating the arguments, so that every outcome is
    # recorded.
    with recorded(visit.trace, tool, arguments, way or visit.requester.way) as record:
        if tool.original.asks_later and not declares(context):
            record.outcome = Outcome.REFUSED
            raise undeclared(f"{tool.name} asks questions while it runs, which")
        result, record.outcome = await _answered(tool, arguments, context, select)
        return result


async def _answered(tool: Tool, arguments: dict[str, Any], context: Context, select: str) -> tuple[Result, Outcome]:
    opened, context = page_opened(context)
    try:
        result = await _run(tool, arguments, context, select)
    except PageNeededError as needed:
        address = context.visit.approvals.address(context.visit.origin, needed.path)
        asked = page_asked(needed, address, context, opened)
        return asked or _failed(needed, needed.with_address(address), {"page": address}), Outcome.ASKED
    except WaitingError as waiting:
        task = None if select else await _followed(tool, arguments, context, waiting)
        return task or _failed(waiting, str(waiting), {"change": waiting.change}), Outcome.ASKED
    except (Refusal, InvalidArgumentsError, LimitError) as refused:
        return _failed(refused, _words_of(tool, refused)), _OUTCOMES.get(type(refused), Outcome.REFUSED)
    except ProtocolError:
        raise
    except Exception as defect:  # noqa: BLE001 - every failure must produce an answer
        return _broken(tool, defect)
    return result, _outcome_of(result)


def _broken(tool: Tool, defect: Exception) -> tuple[Result, Outcome]:
    if denial := denial_behind(defect):
        return error_result(str(denial), ending=CallEnding(type(defect), denial)), Outcome.DENIED
    return _failed(defect, report_failure(tool.name, defect)), Outcome.FAILED


def _outcome_of(result: Result) -> Outcome:
    if isinstance(result, InputRequired):
        return Outcome.ASKED
    return Outcome.REFUSED if isinstance(result, CallResult) and result.is_error else Outcome.DONE


async def _followed(tool: Tool, arguments: dict[str, Any], context: Context, waiting: WaitingError) -> Task | None:
    """For a call that must wait, create a task that the client can poll. None if no task is possible."""
    # A task would store the arguments and the answer, which is not allowed for secrets.
    is_secret = tool.secret or tool.original.secret or tool.original.gives_secret
    if is_secret or not waiting.goes_on or not declares(context):
        return None
    visit = context.visit
    given = {name: value for name, value in arguments.items() if name != CONFIRM}
    look = {"toolset": tool.toolset, "tool": tool.name, "arguments": given, AWAITS: waiting.change.get("id", "")}
    with suppress(Refusal):
        return await visit.tasks.follow(owner_of(visit.caller), look, tool.title, str(waiting))
    return None


class _AnswerError(Refusal):
    """The tool made its change, but the tool's answer could not be returned."""


_OUTCOMES: Final[Mapping[type[Exception], Outcome]] = {
    _AnswerError: Outcome.DONE,
    LimitError: Outcome.LIMITED,
    LateError: Outcome.LIMITED,
}


async def _run(tool: Tool, arguments: dict[str, Any], context: Context, select: str) -> Result:
    require_room()
    arguments = dict(arguments)
    # Report all invalid arguments before asking anyone to approve the call.
    confirmed = _confirmed(arguments) if tool.takes_confirm else None
    meant, wanted = _checked_arguments(tool, arguments), _selection(select)
    context = context.of_tool(_calling(tool, meant))
    # `own_access` of `azure` ignores the tools that `azure` calls, because each of these calls is checked and counted
    # separately.
    if tool.own_access is Access.READ:
        return await _selected(tool, await _read(tool, meant, context), wanted)
    from mcp_server.calls.changing import changed

    result = await changed(tool, meant, confirmed, context)
    return result if isinstance(result, InputRequired) else await _selected(tool, result, wanted)


async def _read(tool: Tool, meant: dict[str, Any], context: Context) -> Result:
    return in_form(tool, await within_its_time(tool, tool.run(meant, context)))


def _selection(select: str) -> Select | None:
    if not select:
        return None
    from mcp_server.select.select import Select

    return Select(select)


async def _selected(tool: Tool, result: Result, wanted: Select | None) -> Result:
    try:
        # Evaluate `select` in a thread, because it may take a quarter of a second, which would block other requests.
        part = await asyncio.to_thread(wanted.of, result) if wanted else result
        # Limit the size of the serialized answer, not of the returned value, because serialization can multiply the
        # size.
        return _bounded(tool, part)
    except Refusal as refusal:
        if tool.access is Access.READ:
            raise
        raise _AnswerError(f"{tool.name} succeeded, and must not be repeated. {refusal}") from None


def _checked_arguments(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    if too_much := excess(arguments):
        raise InvalidArgumentsError([too_much])
    try:
        to_json(arguments)
    except ValueError:
        raise InvalidArgumentsError(
            ["An argument contains half of a surrogate pair, which is not a character."]
        ) from None
    return tool.check(arguments)


def _confirmed(arguments: dict[str, Any]) -> str | None:
    """Remove the arguments that are meant for the server itself, and return the confirmation code."""
    code = arguments.pop(CONFIRM, None)
    if code is None or isinstance(code, str):
        return code
    raise InvalidArgumentsError([f"{CONFIRM}: must be text."])


def _calling(tool: Tool, meant: dict[str, Any]) -> Calling:
    original = tool.original
    return Calling(original.toolset, original.name, original.access, original.own_access, tool.chosen(meant))


def _words_of(tool: Tool, refused: Refusal | InvalidArgumentsError | LimitError) -> str:
    if not isinstance(refused, InvalidArgumentsError):
        return str(refused)
    lines = "\n".join(f"- {problem}" for problem in refused.problems)
    return f"The arguments of {tool.name} are not valid; nothing was done.\n{lines}"


def error_result(words: str, document: dict[str, Any] | None = None, ending: CallEnding = WELL) -> CallResult:
    return CallResult([text(speakable(bounded(words)))], document, is_error=True, ending=ending)


def _failed(failure: Exception, words: str, document: dict[str, Any] | None = None) -> CallResult:
    return error_result(words, document, CallEnding(type(failure)))


def _bounded(tool: Tool, result: Result) -> Result:
    size = sum(map(len, result.texts)) if isinstance(result, CallResult) else 0
    if size > LARGEST_RESULT:
        raise Refusal(
            f"The response from {tool.name} is {size} characters long; the limit is {LARGEST_RESULT}. Narrow the"
            " request, or set a smaller limit if the tool has one."
        )
    return result
