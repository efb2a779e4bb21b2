"""The call that a preview names undoes the change: sent to Azure DevOps, it leaves everything as it was before."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.changes.exact.undoing import applied, asking, undone
from tests.fakes.azure_devops.service import Elsewhere
from tests.tools.azure_devops.everything import everything
from tests.tools.azure_devops.reaching import reaching

Json = dict[str, Any]
_LINK: Final = {"sourceId": 1, "targetId": 3, "linkType": "related"}
# What is there before, where a call undoes only what it finds.
BEFORE: Final[dict[str, tuple[str, Json]]] = {
    "remove_work_item_artifact_link": (
        "add_work_item_artifact_link",
        {"id": 1, "kind": "address", "target": "https://example.com/", "comment": "Read it."},
    ),
    "remove_work_item_link": ("link_work_items", {**_LINK, "comment": "Look there."}),
    "set_team_capacity": ("set_team_capacity", {"hoursPerDay": 6, "daysOff": ["2026-05-04"]}),
    "vote_pull_request": ("vote_pull_request", {"vote": "waitForAuthor"}),
}
OTHERWISE: Final[dict[str, Json]] = {
    "update_work_item": {"id": [1, 4], "state": "Active", "priority": 1, "tags": ["oven"]},
    "remove_work_item_link": _LINK,
    "remove_work_item_artifact_link": {"id": 1, "url": "https://example.com/"},
}
UNDONE: Final = (
    "create_branch",
    "delete_branch",
    "rename_pipeline",
    "update_work_item",
    "update_work_item_comment",
    "link_work_items",
    "remove_work_item_link",
    "remove_work_item_artifact_link",
    "move_board_card",
    "update_test_case_steps",
    "set_team_capacity",
    "update_pull_request",
    "update_pull_request_comment",
    "add_pull_request_reviewer",
    "remove_pull_request_reviewer",
    "vote_pull_request",
)


@pytest.mark.parametrize("tool", UNDONE)
async def test_a_change_is_undone_by_the_call_that_it_names(tool: str) -> None:
    there, approvals = await everything(), asking()
    async with there.serving() as url, reaching(Elsewhere(url), approvals=approvals) as caller:
        arguments = OTHERWISE.get(tool) or there.all_calls()[tool]
        if tool in BEFORE:
            first, given = BEFORE[tool]
            await applied(caller, approvals, first, {**(arguments if first == tool else {}), **given})
        changed, left = await undone(caller, approvals, tool, arguments, there)
    assert changed
    assert left == []
