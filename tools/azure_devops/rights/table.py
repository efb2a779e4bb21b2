"""The Azure DevOps permissions that each tool requires before it changes something. Add each new tool that changes
something to one of the tables below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.azure_devops.rights.finding import (
    Finding,
    on_a_run,
    on_area,
    on_branch,
    on_items,
    on_iterations,
    on_pipeline,
    on_plan,
    on_project,
    on_release_pipeline,
    on_repository,
    on_stage,
    on_wiki,
    to_complete,
    to_delete_items,
    to_deploy_with_azd,
    to_update_items,
)
from tools.azure_devops.rights.permissions import (
    CONTRIBUTE,
    CONTRIBUTE_TO_PULL_REQUESTS,
    CREATE_BRANCH,
    CREATE_RELEASES,
    CREATE_TEST_RUNS,
    EDIT_COMMENTS,
    EDIT_ITEMS,
    EDIT_PIPELINE,
    FORCE_PUSH,
    MANAGE_DEPLOYMENTS,
    MANAGE_TEST_PLANS,
    MANAGE_TEST_SUITES,
    QUEUE_BUILDS,
    STOP_BUILDS,
)

_REVIEWING: Final = on_repository(CONTRIBUTE_TO_PULL_REQUESTS)
# For every change to a pull request except a review, permission to contribute to the repository is also sufficient.
_ARRANGING: Final = on_repository(CONTRIBUTE_TO_PULL_REQUESTS, CONTRIBUTE)
_EDITING: Final = on_items("id", EDIT_ITEMS)
_COMMENTING: Final = on_items("id", EDIT_ITEMS, EDIT_COMMENTS)
_WRITING_WIKI: Final = on_wiki(CONTRIBUTE)

NEEDED: Final[Mapping[str, Finding]] = {
    "create_work_item": on_area(EDIT_ITEMS),
    "update_work_item": to_update_items,
    "delete_work_item": to_delete_items,
    "add_work_item_comment": _COMMENTING,
    "update_work_item_comment": _COMMENTING,
    "link_work_items": on_items("sourceId", EDIT_ITEMS),
    "remove_work_item_link": on_items("sourceId", EDIT_ITEMS),
    "add_work_item_artifact_link": _EDITING,
    "remove_work_item_artifact_link": _EDITING,
    "add_work_item_attachment": _EDITING,
    "add_work_item_attachment_from_url": _EDITING,
    "remove_work_item_attachment": _EDITING,
    "move_board_card": _EDITING,
    "link_pull_request_work_item": on_items("workItemId", EDIT_ITEMS),
    "create_branch": on_branch("name", CREATE_BRANCH),
    "delete_branch": on_branch("branch", FORCE_PUSH),
    "push_changes": on_branch("branch", CONTRIBUTE),
    "create_pull_request": _REVIEWING,
    "update_pull_request": _ARRANGING,
    "complete_pull_request": to_complete,
    "add_pull_request_reviewer": _ARRANGING,
    "remove_pull_request_reviewer": _ARRANGING,
    "vote_pull_request": _REVIEWING,
    "add_pull_request_comment": _REVIEWING,
    "update_pull_request_thread": _REVIEWING,
    "update_pull_request_comment": _REVIEWING,
    "run_pipeline": on_pipeline("pipelineId", QUEUE_BUILDS),
    "queue_build": on_pipeline("definitionId", QUEUE_BUILDS),
    "run_azd_pipeline": to_deploy_with_azd,
    "cancel_pipeline_run": on_a_run("runId", STOP_BUILDS),
    "cancel_build": on_a_run("buildId", STOP_BUILDS),
    "retry_pipeline_stage": on_a_run("runId", QUEUE_BUILDS),
    "rename_pipeline": on_pipeline("pipelineId", EDIT_PIPELINE),
    "create_release": on_release_pipeline(CREATE_RELEASES),
    "deploy_release": on_stage(MANAGE_DEPLOYMENTS),
    "create_wiki_page": _WRITING_WIKI,
    "update_wiki_page": _WRITING_WIKI,
    "update_wiki_section": _WRITING_WIKI,
    "delete_wiki_page": _WRITING_WIKI,
    "create_test_case": on_area(EDIT_ITEMS),
    "update_test_case_steps": _EDITING,
    "create_test_plan": on_area(MANAGE_TEST_PLANS),
    "create_test_suite": on_plan(MANAGE_TEST_SUITES),
    "add_test_cases": on_plan(MANAGE_TEST_SUITES),
    "record_test_results": on_project(CREATE_TEST_RUNS),
    "create_iteration": on_iterations,
    "plan_retirements": on_area(EDIT_ITEMS),
    "fix_in_code": on_repository(CONTRIBUTE),
}

# Tools whose permissions cannot be checked in advance, each with the reason.
UNCHECKED: Final[Mapping[str, str]] = {
    "decide_pipeline_approval": "approvals depend on who is named as an approver, not on a permission.",
    "approve_release": "approvals depend on who is named as an approver, not on a permission.",
    "create_pipeline": "versions of Azure DevOps Server store this permission in different places.",
    "set_team_capacity": "changing capacity depends on team membership, not on a permission.",
    "add_iteration_to_team": "changing a team depends on who administers the team, not on a permission.",
}
