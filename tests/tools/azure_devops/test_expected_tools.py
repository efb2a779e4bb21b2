"""The tools have the names, parameters and effects under which people know them."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_server.declarations.toolset import Access
from tests.tools.azure_devops.calling import TOOLS
from tests.tools.azure_devops.costs import tokens
from tests.tools.azure_devops.data import SPECIFICATION, expected_tools, with_data
from tools.azure_devops import TOOLSETS

pytestmark = with_data

KNOWN = expected_tools() if SPECIFICATION.exists() else []
HERE = {toolset.name.removeprefix("devops-") for toolset in TOOLSETS}
BY_NAME = {tool.name: tool for tool in TOOLS}
# In tokens.
ALL = 18_000
# A path would be one of the server, so the content itself comes.
RENAMED = {("add_work_item_attachment", "filePath"): "content"}
# Left out, it means all of them: whoever names it is understood as ever.
ALL_IF_LEFT_OUT = {
    (tool, "repository")
    for tool in ("list_branches", "list_commits", "list_pull_requests", "get_pull_request", "list_branch_policies")
}


@pytest.mark.parametrize("known", [tool for tool in KNOWN if tool["category"] in HERE], ids=lambda tool: tool["name"])
def test_a_tool_has_the_name_and_the_parameters_that_are_known(known: dict[str, Any]) -> None:
    tool = BY_NAME[known["name"]]
    parameters = {RENAMED.get((tool.name, name), name) for name in known["input_schema"]["properties"]}
    assert parameters <= tool.input_schema["properties"].keys()
    demanded = {(tool.name, name) for name in known["input_schema"].get("required", [])} - ALL_IF_LEFT_OUT
    required = {RENAMED.get(demand, demand[1]) for demand in demanded}
    assert required <= set(tool.input_schema.get("required", []))


@pytest.mark.parametrize("known", [tool for tool in KNOWN if tool["category"] in HERE], ids=lambda tool: tool["name"])
def test_a_tool_says_truly_whether_it_changes_something(known: dict[str, Any]) -> None:
    hints = known["annotations"]
    access = Access.DESTROY if hints["destructiveHint"] else Access.READ if hints["readOnlyHint"] else Access.WRITE
    assert BY_NAME[known["name"]].access is access


def test_all_of_them_fit_into_one_list() -> None:
    names = {tool["name"] for tool in KNOWN}
    assert tokens([tool for tool in TOOLS if tool.name in names]) <= ALL
