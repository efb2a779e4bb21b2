"""What the real service was recorded to answer is understood."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.mcp_server.caller import Caller
from tests.tools.azure.data import recorded, with_data
from tests.tools.azure.golden import SUBSCRIPTION, Case, Scripted
from tools.azure.resource.reasons import reasons_in

pytestmark = with_data

SUBSCRIPTIONS: Final = {"reply": {"value": [{"subscriptionId": SUBSCRIPTION, "displayName": "Shop"}]}}
SITE: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Web/sites/till"
WEB: Final = {"namespace": "Microsoft.Web", "resourceTypes": [{"resourceType": "sites", "apiVersions": ["2024-11-01"]}]}
GROUP: Final = {"resource_group": "shop"}
# Which recordings are lists, what answers them, and what each entry shows.
LISTS: Final = [
    ("list_resource_groups", {}, "arm-resources/041-resource-groups-list-200", {"name", "location", "state"}),
    ("list_resource_groups", {}, "arm-resources/043-resource-groups-list-200", {"name", "location", "state"}),
    ("list_resources", {}, "arm-resources/113-resources-list-200", {"id", "location"}),
    ("list_resources", GROUP, "arm-resources/121-resources-list-by-resource-group-200", {"id", "location"}),
    ("list_resources", GROUP, "arm-resources/123-resources-list-by-resource-group-200", {"id", "location"}),
    ("list_azure_tags", {}, "arm-resources/151-tags-list-200", {"name"}),
    (
        "list_resource_locks",
        GROUP,
        "arm-locks/019-management-locks-list-at-resource-group-level-200",
        {"level", "place"},
    ),
    ("list_resource_locks", {}, "arm-locks/023-management-locks-list-at-subscription-level-200", {"level", "place"}),
    ("list_resource_locks", GROUP, "arm-locks/027-management-locks-list-by-scope-200", {"level", "forbids"}),
    ("list_azure_deployments", GROUP, "arm-deployments/050-deployments-list-by-resource-group-200", {"id", "state"}),
    ("list_azure_deployments", GROUP, "arm-deployments/052-deployments-list-by-resource-group-200", {"id", "ended"}),
    (
        "list_deployment_stacks",
        GROUP,
        "arm-deploymentstacks/029-deployment-stacks-list-at-resource-group-200",
        {"name", "state"},
    ),
    ("list_deployment_stacks", {}, "arm-deploymentstacks/031-deployment-stacks-list-at-subscription-200", {"id"}),
]
GRAPHS: Final = ["002", "004", "006", "008", "010", "012"]


async def given(caller: Caller, scripted: Scripted, tool: str, arguments: dict[str, Any], *replies: Any) -> Any:
    exchanges: list[Any] = [SUBSCRIPTIONS, *({"reply": reply} for reply in replies)]
    scripted.play(Case(tool, tool, arguments, exchanges, None, None), by_turns=True)
    result = await caller.call(tool, **arguments)
    assert not result["isError"], result["content"][0]["text"]
    return result["structuredContent"]


def body_of(name: str) -> Any:
    return recorded(name)["response"]["body"]


@pytest.mark.parametrize(("tool", "arguments", "name", "shows"), LISTS, ids=[entry[2] for entry in LISTS])
async def test_a_recorded_list_shows_what_the_tool_promises(
    tool: str, arguments: dict[str, Any], name: str, shows: set[str], scripted: Scripted, player: Caller
) -> None:
    body = body_of(name)
    shown = await given(player, scripted, tool, arguments, {"value": body["value"]})
    assert shown["count"] == len(body["value"])
    assert all(shows <= item.keys() for item in shown["items"])


@pytest.mark.parametrize("number", GRAPHS)
async def test_recorded_rows_are_all_there(number: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(f"resourcegraph/{number}-resources-200")
    rows = body["data"]["rows"] if isinstance(body["data"], dict) else body["data"]
    arguments = {"query": "resources", "max_results": max(len(rows), 1)}
    shown = await given(player, scripted, "query_resource_graph", arguments, body)
    assert shown["count"] == len(rows)
    assert shown.get("total", shown["count"]) == body["totalRecords"]


async def test_recorded_changes_are_told_without_what_azure_calls_null(scripted: Scripted, player: Caller) -> None:
    body = body_of("resourcegraph/021-doc-200-resourcechanges")
    shown = await given(player, scripted, "list_resource_changes", {}, body, {"data": []})
    update, delete = sorted(shown["items"], key=lambda one: one["change"], reverse=True)
    assert update["settings"] == [{"path": "tags.key1", "to": "NewTagValue"}]
    assert (delete["change"], delete["by"]) == ("Delete", "System")


@pytest.mark.parametrize("name", ["017", "019", "021"])
async def test_recorded_stacks_are_told_without_the_values_of_outputs(
    name: str, scripted: Scripted, player: Caller
) -> None:
    body = body_of(f"arm-deploymentstacks/{name}-deployment-stacks-get-at-resource-group-200")
    shown = await given(player, scripted, "show_deployment_stack", {"name": body["name"], **GROUP}, body)
    assert len(shown["resources"]) == len(body["properties"]["resources"])
    assert shown["state"] == "succeeded"
    assert shown["created"].endswith("by user@example.com")
    assert shown.get("outputs", []) == sorted(body["properties"].get("outputs", {}))


@pytest.mark.parametrize("name", ["004-deployment-operations-list-200", "006-deployment-operations-list-200"])
async def test_recorded_operations_are_told(name: str, scripted: Scripted, player: Caller) -> None:
    operations = body_of(f"arm-deployments/{name}")
    deployment = body_of("arm-deployments/038-deployments-get-200")
    arguments = {"name": deployment["name"], **GROUP}
    shown = await given(player, scripted, "show_azure_deployment", arguments, deployment, operations)
    assert [one["state"] for one in shown["operations"]] == ["Succeeded", "Succeeded"]
    assert "e2e-test-w4303018" in shown["name"]
    assert "elements-internal-testing" not in str(shown), "a parameter"


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("086-deploy-failed-badrequest-2-poll-only", "BadRequest", "Could not find member 'securityProfile'"),
        ("087-deploy-failed-nested-poll-only", "ExtensionOperationFailed", "does not support release train"),
    ],
)
def test_the_innermost_reason_of_a_recorded_failure_is_found(name: str, code: str, says: str) -> None:
    [reason] = reasons_in(body_of(f"arm-deployments/{name}"))
    assert reason.code == code
    assert says in reason.message


@pytest.mark.parametrize("name", ["165-seq-export-template-1", "167-seq-export-template-3"])
async def test_a_recorded_template_is_told_whole_or_by_its_parts(name: str, scripted: Scripted, player: Caller) -> None:
    body = recorded(f"arm-resources/{name}")["steps"][-1]["response"]["body"]
    shown = await given(player, scripted, "export_resource_group_template", GROUP, body)
    assert shown["isComplete"] is True
    told = shown["template"]["resources"] if "template" in shown else shown["resources"]
    assert len(told) == len(body["template"]["resources"])


@pytest.mark.parametrize("number", ["087", "089", "091", "093"])
async def test_recorded_resources_of_any_form_are_shown(number: str, scripted: Scripted, player: Caller) -> None:
    body = body_of(f"arm-resources/{number}-resources-get-200")
    for detail in ("summary", "full"):
        exchanges: list[Any] = [{"reply": WEB}, {"reply": body}]
        arguments = {"resource_id": SITE, "detail": detail}
        scripted.play(Case("show", "show_resource", arguments, exchanges, None, None), by_turns=True)
        assert not (await player.call("show_resource", **arguments))["isError"]
