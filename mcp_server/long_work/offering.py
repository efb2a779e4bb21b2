"""Returns a task with which callers can follow work that they started in another service."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from mcp_server.calls.long_work import declares
from mcp_server.declarations.injection import Resolve
from mcp_server.long_work.telling import look_at
from mcp_server.visit import Context
from refusal import Refusal
from tasks.task import Task, owner_of


@dataclass(frozen=True, slots=True)
class Following:
    """If a tool has started work in another service, this class lets the caller follow this work as a task. Functions
    of tools get this object as an injected parameter.
    """

    context: Context

    async def offered(self, answer: dict[str, Any], look: Mapping[str, Any], title: str) -> dict[str, Any] | Task:
        """Return a task if the client supports tasks. For all other clients, return the answer with the ID of the task.

        `look` describes the call that returns the progress. If the task cannot be stored, the work continues without a
        task.
        """
        visit = self.context.visit
        if not visit.has_tasks:
            return answer
        with suppress(Refusal):
            task = await visit.tasks.follow(owner_of(visit.caller), look, title)
            return task if declares(self.context) else {**answer, **self._next(task)}
        return answer

    def _next(self, task: Task) -> dict[str, Any]:
        following = look_at(task, self.context.visit.view)
        return {"task": task.id, **({"next": following} if following else {})}


async def _following_of(context: Context) -> Following:
    return Following(context)


Followed = Annotated[Following, Resolve(_following_of)]
