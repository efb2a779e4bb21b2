"""Changes of Azure DevOps that one call undoes, which is sent in tests."""

from __future__ import annotations

from typing import Any, Final

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
    "create_wiki_page",
    "link_work_items",
    "add_work_item_artifact_link",
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
