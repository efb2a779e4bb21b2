"""What pipelines use: feeds, service connections and variable groups are found, and nothing of them is changed."""

from __future__ import annotations

from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given


async def test_a_package_is_found_by_its_name_in_the_feed_of_whoever_owns_it(
    caller: Caller, azure_devops: FakeAzureDevOps
) -> None:
    azure_devops.libraries.feeds["web"] = {f"Part{index}": ["1.0"] for index in range(250)}
    feeds = (await given(caller, "list_feeds"))["items"]
    assert [(feed["name"], feed.get("project")) for feed in feeds] == [("tools", None), ("web", "Web")]
    assert "FeedIdNotFound" in await caller.told("get_feed", feedId="web")
    assert (await given(caller, "get_feed", feedId="web", project="Web"))["project"] == "Web"
    packages = await given(caller, "list_packages", feedId="web", project="Web", maxResults=240)
    assert (packages["count"], "more" in packages) == (240, True)
    package = await given(caller, "get_package", feedId="tools", packageId="door.hinge")
    assert (package["name"], package["version"]) == ("Door.Hinge", "1.1.0")
    versions = await given(caller, "get_package_versions", feedId="tools", packageId=package["id"])
    assert [version["version"] for version in versions["items"]] == ["1.1.0", "1.0.0"]
    assert "list_packages" in await caller.told("get_package_versions", feedId="tools", packageId="Door")


async def test_groups_and_connections_are_found_by_name_and_kind(caller: Caller, azure_devops: FakeAzureDevOps) -> None:
    for index in range(5):
        azure_devops.libraries.group(f"shop {index}", MODE=f"{index}")
    listed = await given(caller, "list_variable_groups", groupName="shop *", maxResults=4)
    assert [group["variables"]["MODE"] for group in listed["items"]] == ["4", "3", "2", "1"]
    assert "more" in listed
    assert (await given(caller, "get_variable_group", groupId=2))["secrets"] == ["KEY"]
    assert "list_variable_groups" in await caller.told("get_variable_group", groupId=9)
    key = azure_devops.libraries.connect("shop", "azurerm", subscriptionName="Shop")
    azure_devops.libraries.connect("code", "github")
    [connection] = (await given(caller, "list_service_connections", type="azurerm"))["items"]
    assert (connection["id"], connection["subscription"], connection["scheme"]) == (key, "Shop", "Token")
    assert "list_service_connections" in await caller.told("get_service_connection", connectionId="none")
