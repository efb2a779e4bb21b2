"""Work that goes on elsewhere is a task where there are tasks, and otherwise an answer as it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from identity.caller import ANONYMOUS
from mcp_server.long_work.offering import Following
from refusal import Refusal

ANSWER = {"state": "running"}


class Away:
    """Tasks that cannot be kept."""

    asked = 0

    async def follow(self, *_asked: object) -> Any:
        self.asked += 1
        raise Refusal("The storage does not answer.")


@pytest.mark.parametrize("has_tasks", [True, False])
async def test_work_goes_on_without_a_task_if_none_can_be_kept(has_tasks: bool) -> None:
    tasks = Away()
    context: Any = SimpleNamespace(visit=SimpleNamespace(has_tasks=has_tasks, tasks=tasks, caller=ANONYMOUS))
    assert await Following(context).offered(ANSWER, {"tool": "show"}, "A title") == ANSWER
    assert tasks.asked == has_tasks
