"""Sources that fail, are not there or may not be asked are named, and the others go on."""

from __future__ import annotations

from pathlib import Path

from clients.azure_devops.reach import DevOpsReach, ReachLock
from identity.access import Access
from identity.grants import Grants
from tests.fakes.azure import troubles
from tests.fakes.azure.world import OVEN, SHOP
from tests.fakes.azure_devops import troubles as devops_troubles
from tests.sweeps import Sweep, pairs
from tests.tools.incidents.team import Team
from tests.tools.incidents.world import NO_DEVOPS, SITE, SQL, VAULT, Bakery, asking, told, whats

PLACES = {
    "activity_log": "/eventtypes/management",
    "alerts": "/Microsoft.AlertsManagement",
    "key_vaults": "/vault/",
    "resource_changes": "/Microsoft.ResourceGraph",
    "resource_health": "/availabilityStatuses",
    "service_health": "/Microsoft.ResourceHealth/events",
    "template_deployments": "/Microsoft.Resources/deployments",
}
DEVOPS_PLACES = {
    "azure_devops_builds": "/_apis/build/builds",
    "azure_devops_pipelines": "/_apis/build/definitions",
    "azure_devops_pull_requests": "/pullrequests",
    "azure_devops_release_definitions": "/_apis/release/definitions",
    "azure_devops_releases": "/_apis/release/releases",
    "azure_devops_variables": "/variablegroups",
}
HOW = {
    "forbidden": troubles.failing(403, "AuthorizationFailed", "The client has no authorization."),
    "throttled": troubles.throttled_for_reads,
    "broken": troubles.broken,
    "no JSON": troubles.no_json,
}


def happened() -> Team:
    """Something that most sources tell of."""
    team = Team()
    team.change(SITE, 30, properties__httpsOnly=(True, False))
    team.act(SITE, "Microsoft.Web/sites/restart/action", 20)
    team.merge("Paint it", 60)
    return team


@Sweep(("source", "how"), pairs(PLACES, HOW), every=len(HOW))
async def test_a_source_of_azure_that_fails_is_named_and_the_rest_goes_on(source: str, how: str) -> None:
    team = happened()
    team.azure.places[PLACES[source]] = HOW[how]
    async with asking(team) as caller:
        answer = await told(caller, SITE)
    failed = {one["source"]: one for one in answer["failed"]}
    assert failed[source]["why"]
    assert any("Paint it" in what for what in whats(answer))
    assert source not in answer["sources"]


@Sweep(("source", "how"), pairs(DEVOPS_PLACES, ["forbidden", "unavailable_page"]), every=2)
async def test_a_source_of_azure_devops_that_fails_is_named_and_the_rest_goes_on(source: str, how: str) -> None:
    team = happened()
    team.devops.places[DEVOPS_PLACES[source]] = getattr(devops_troubles, how)
    async with asking(team) as caller:
        answer = await told(caller)
    assert source in {one["source"] for one in answer["failed"]}
    assert "changed" in whats(answer)


async def test_azure_devops_that_is_away_as_a_whole_is_named_for_every_source() -> None:
    team = happened()
    team.devops.places["/"] = devops_troubles.unavailable_page
    async with asking(team) as caller:
        answer = await told(caller)
    assert {one["source"] for one in answer["failed"]} == set(DEVOPS_PLACES)
    assert "changed" in whats(answer)


async def test_updates_that_were_never_read_are_named(tmp_path: Path) -> None:
    async with asking(happened(), tmp_path) as caller:
        answer = await told(caller)
    assert "azure_updates" in {*answer.get("nothingIn", ()), *(one["source"] for one in answer.get("failed", ()))}


async def test_what_is_not_configured_is_named_with_what_an_operator_has_to_set() -> None:
    team = happened()
    async with asking(team, lacking=["devops"], absent={"devops": NO_DEVOPS}) as caller:
        answer = await told(caller)
    assert answer["notConfigured"] == [f"{', '.join(sorted_by_declaration())}: {NO_DEVOPS}"]
    assert not team.devops.asked


def sorted_by_declaration() -> list[str]:
    return [
        "azure_devops_builds",
        "azure_devops_pipelines",
        "azure_devops_releases",
        "azure_devops_release_definitions",
        "azure_devops_pull_requests",
        "azure_devops_variables",
    ]


async def test_a_choice_of_toolsets_does_not_close_sources_that_are_granted() -> None:
    async with asking(happened()) as caller:
        chosen = type(caller)(caller.endpoint, "incidents")
        answer = await told(chosen)
    assert "changed" in whats(answer)
    assert "activity_log" not in answer.get("notGranted", [])


async def test_a_role_reaches_into_its_projects_alone() -> None:
    team = happened()
    levels = [(name, Access.READ) for name in ("incidents", "resource", "devops-pull-requests")]
    own = Grants.of(levels)
    reach = DevOpsReach.within(ReachLock(projects=frozenset({"Shop floor"})))
    grants = Grants(own.levels, shares=frozenset({(own, reach)}))
    async with asking(team, grants=grants) as caller:
        answer = await told(caller)
    assert not any("Paint it" in what for what in whats(answer))
    assert not [seen.path for seen in team.devops.asked if seen.path.startswith("/Web/")]


async def test_beyond_the_groups_that_settings_lock_in_nothing_is_read() -> None:
    bakery = Bakery()
    bakery.change(SITE, 30, properties__httpsOnly=(True, False))
    network = SHOP.replace("shop-prod", "network-prod") + "/providers/Microsoft.Network/virtualNetworks/bakery-network"
    bakery.change(network, 20, properties__addressSpace=("a", "b"))
    bakery.act(network, "Microsoft.Network/virtualNetworks/delete", 10)
    async with asking(bakery, locked=["shop-prod"]) as caller:
        answer = await told(caller)
        assert "outside the allowed scope" in await caller.told(
            "what_changed", resource=f"{OVEN}/providers/Microsoft.Web/sites/x"
        )
    assert [item["on"].rpartition("/")[2] for item in answer["items"]] == ["shop-web"]
    asked = [seen.path.lower() for seen in bakery.azure.asked if "resourcegroups/" in seen.path.lower()]
    assert all("/resourcegroups/shop-prod" in path for path in asked)


async def test_resources_that_may_not_be_read_one_by_one_do_not_end_it() -> None:
    """Of a vault that lets nobody in, its firewall is told."""
    bakery = Bakery()
    bakery.change(SQL, 30, properties__publicNetworkAccess=("Enabled", "Disabled"))
    bakery.azure.estate.resources[VAULT.lower()].properties["publicNetworkAccess"] = "Disabled"
    bakery.azure.places["/vault/shop-secrets"] = HOW["forbidden"]
    async with asking(bakery) as caller:
        answer = await told(caller)
    assert whats(answer) == ["changed"]
    assert [one["source"] for one in answer["failed"]] == ["key_vaults"]
