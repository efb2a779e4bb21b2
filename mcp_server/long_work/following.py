"""Tasks that follow work in another service.

Each check of a task's progress is a tool call with the owner's current permissions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from identity.access import Access
from mcp_server.calls.call import call, error_result
from mcp_server.calls.long_work import AWAITS
from mcp_server.declarations.names import Names
from mcp_server.declarations.tool import Tool
from mcp_server.declarations.toolset import Toolset
from mcp_server.long_work.telling import data_result, in_words
from mcp_server.protocol.results import CallResult, text
from mcp_server.visit import Context, Visit
from refusal import Refusal
from tasks.keeping import TaskOvertakenError, TaskStorageUnreachableError
from tasks.task import Task, TaskProgress, TaskState, TooMuchError
from tasks.tasks import Tasks

_SECONDS_BESIDE_A_CALL: Final = 30.0
_NOT_OPEN: Final = "The work of this task no longer exists, or you no longer have access to it."
_NOT_CHOSEN: Final = "Your client did not select the tool that this task follows."
_AT_THIS_MOMENT: Final = "The task is being checked right now."


@dataclass(frozen=True, slots=True)
class Looked:
    """A task after its progress was checked. If this check ended the task, `result` is the result of the task."""

    task: Task
    result: CallResult | None = None


async def looked(task: Task, context: Context, *, may_change: bool) -> Looked:
    """Check a task that follows work in another service. Without `may_change`, make only read-only calls."""
    if task.work or not task.is_open:
        return Looked(task)
    visit = context.visit
    tool = called_by(task, visit.view.toolsets)
    if tool is None:
        return await _without_tool(task, visit)
    following = _Following(task, tool, visit.tasks, context.of_quiet_client())
    if tool.access is Access.READ:
        return await following.read()
    return await following.apply() if may_change else Looked(task)


def called_by(task: Task, toolsets: Sequence[Toolset]) -> Tool | None:
    """The tool whose calls show the progress of this task. None if these toolsets do not contain this tool."""
    among = [one for one in toolsets if one.name == task.arguments["toolset"]]
    found = Names(tool for toolset in among for tool in toolset.tools).named(task.arguments["tool"])
    return found[0] if found else None


async def result_of(task: Task, tasks: Tasks) -> CallResult:
    """The result that the call would have returned if it had waited for the task to end.

    Raises:
        Refusal: The result no longer exists.
    """
    if not task.result:
        return CallResult([text(task.trouble)], is_error=True)
    kept = await tasks.result(task)
    return data_result(kept) if task.work else CallResult.of(kept)


async def _without_tool(task: Task, visit: Visit) -> Looked:
    if called_by(task, visit.view.opened):
        return Looked(_saying(task, _NOT_CHOSEN))
    with suppress(TaskOvertakenError):
        return Looked(await visit.tasks.fail(task, _NOT_OPEN))
    return Looked(await visit.tasks.of(task.owner, task.id))


def _saying(task: Task, words: str) -> Task:
    return replace(task, progress=TaskProgress(words=words))


@dataclass(frozen=True)
class _Following:
    task: Task
    tool: Tool
    tasks: Tasks
    context: Context

    async def read(self) -> Looked:
        """Check the progress with a tool that only reads.

        Raises:
            Denial: The service rejected the caller.
        """
        result = await self._called()
        if result.ending.denial:
            raise result.ending.denial
        if result.is_error:
            return Looked(_saying(self.task, _text_of(result)))
        return await self._store_result(self.task, result) if self._has_ended(result) else Looked(self.task)

    async def apply(self) -> Looked:
        """Repeat a call that waits for approval. The call itself checks whether the change has been approved.

        Raises:
            Denial: The service rejected the caller's sign-in. The caller can sign in again and repeat the check.
        """
        try:
            if await self._is_undecided():
                return Looked(self.task)
        except Refusal as failure:
            return Looked(_saying(self.task, str(failure)))
        held = await self.tasks.hold(self.task, self.tool.seconds + _SECONDS_BESIDE_A_CALL)
        if held is None:
            return Looked(_saying(await self.tasks.of(self.task.owner, self.task.id), _AT_THIS_MOMENT))
        result = await self._called()
        if not _waits(result) and not result.ending.denial:
            return await self._store_result(held, result)
        waiting = await self._let_go(held, result)
        if result.ending.denial:
            raise result.ending.denial
        return Looked(waiting)

    async def _is_undecided(self) -> bool:
        """Whether the change still waits for a decision, so that repeating the call would have no effect."""
        awaited = self.task.arguments.get(AWAITS, "")
        if not awaited:
            return False
        ledger = self.context.visit.approvals.kept()
        request = await ledger.find(awaited)
        return request is not None and request.is_undecided(ledger.clock())

    async def _let_go(self, held: Task, result: CallResult) -> Task:
        change = (result.structured_content or {}).get("change", {})
        look = {**held.arguments, AWAITS: change.get("id", "")}
        with suppress(TaskOvertakenError):
            return await self.tasks.let_go(held, _text_of(result), look)
        return await self.tasks.of(held.owner, held.id)

    async def _called(self) -> CallResult:
        result = await call(self.tool, dict(self.task.arguments["arguments"]), self.context)
        if isinstance(result, Task):
            return in_words(result, self.tasks, self.context.visit.view)
        if isinstance(result, CallResult):
            return result
        return error_result(f"{self.tool.name} asks a question during the call, so its progress cannot be followed.")

    def _has_ended(self, result: CallResult) -> bool:
        from mcp_server.select.select import Select

        told = Select(self.task.arguments["until"]).of(result)
        return isinstance(told, CallResult) and bool((told.structured_content or {}).get("result"))

    async def _store_result(self, task: Task, result: CallResult) -> Looked:
        document = result.document
        try:
            return Looked(await self._ended(task, result, document), result)
        except TaskOvertakenError:
            return Looked(await self.tasks.of(task.owner, task.id))
        except TaskStorageUnreachableError:
            # The change was applied. Return the response now, even if the result cannot be stored.
            state = TaskState.FAILED if result.is_error else TaskState.COMPLETED
            return Looked(replace(task, state=state, result=task.id), result)

    async def _ended(self, task: Task, result: CallResult, document: Mapping[str, Any]) -> Task:
        try:
            if result.is_error:
                return await self.tasks.refuse(task, _text_of(result), document)
            return await self.tasks.complete(task, document)
        except TooMuchError as much:
            return await self.tasks.fail(task, f"The call was carried out, but its result cannot be stored. {much}")


def _waits(result: CallResult) -> bool:
    return bool(result.is_error and "change" in (result.structured_content or {}))


def _text_of(result: CallResult) -> str:
    return "\n".join(result.texts)
