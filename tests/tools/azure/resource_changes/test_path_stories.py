"""Changes by path as a team makes them: shown as Azure plans them, agreed to by another, done once, or not."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import OVEN, PRODUCTION
from tests.tools.azure.inventing import Json, answered, refused
from tests.tools.azure.resource_changes.places import NET, NET_BODY, NEW_NET, SITE, WEB, changes
from tests.tools.azure.team import Team, team


def what_if(*changes: Json) -> troubles.Trouble:
    document = {"status": "Succeeded", "properties": {"changes": list(changes)}}
    return troubles.answering(200, json.dumps(document).encode())


def created() -> Json:
    after = {**NET_BODY, "id": NET, "name": "new-net", "type": "Microsoft.Network/virtualNetworks"}
    return {"resourceId": NET, "changeType": "Create", "after": after}


async def test_a_put_by_path_is_shown_as_azure_plans_it_agreed_to_and_done(azure: FakeAzure, a_team: Team) -> None:
    azure.places["/whatIf"] = what_if(created())
    ada = a_team.member("ada")
    told = await refused(ada, "change_azure", **NEW_NET)
    assert "The user must approve" in told
    shown = await a_team.shown(told)
    assert shown.what == "New Microsoft.Network/virtualNetworks new-net in the group shop-prod"
    assert "10.0.0.0/16" in str(shown.edits)
    assert shown.missing == []
    [asked] = [one for one in azure.asked if one.path.lower().endswith("/whatif")]
    [resource] = asked.body["properties"]["template"]["resources"]
    assert (resource["name"], resource["properties"]) == ("new-net", NET_BODY["properties"])
    await a_team.decides("ada", told)
    done = await answered(ada, "change_azure", **NEW_NET)
    assert done["status"] == "done"
    assert NET.lower() in azure.estate.resources
    [sent] = [one for one in azure.asked if one.method == "PUT"]
    assert sent.version == resource["apiVersion"]


async def test_what_was_planned_before_the_approval_does_not_count(azure: FakeAzure, a_team: Team) -> None:
    azure.places["/whatIf"] = what_if(created())
    ada = a_team.member("ada")
    await a_team.decides("ada", await refused(ada, "change_azure", **NEW_NET))
    azure.places["/whatIf"] = troubles.failing(400, "InvalidTemplate", "Not any more.")
    assert "Not any more." in await refused(ada, "change_azure", **NEW_NET)
    azure.places["/whatIf"] = what_if(created())
    assert (await answered(ada, "change_azure", **NEW_NET))["status"] == "done"
    told = await refused(ada, "change_azure", method="DELETE", path=NET)
    await a_team.decides("ada", told)
    azure.estate.resources[NET.lower()].document["tags"] = {"new": "1"}
    assert "a different effect than the preview" in await refused(ada, "change_azure", method="DELETE", path=NET)
    assert NET.lower() in azure.estate.resources


async def test_a_put_that_would_fail_is_refused_before_anybody_is_asked(azure: FakeAzure, a_team: Team) -> None:
    azure.places["/whatIf"] = troubles.failing(400, "InvalidTemplate", "The resource is no such thing.")
    told = await refused(a_team.member("ada"), "change_azure", **NEW_NET)
    assert "InvalidTemplate" in told
    assert "/changes/" not in told


async def test_where_azure_may_not_plan_it_another_looks_at_what_the_documents_tell(
    azure: FakeAzure, a_team: Team
) -> None:
    azure.places["/whatIf"] = troubles.failing(403, "AuthorizationFailed", "No.")
    body = {"location": "westeurope", "properties": {"httpsOnly": True, "adminPassword": "hunter2"}}
    told = await refused(a_team.member("ada"), "change_azure", method="PUT", path=SITE, body=body)
    assert "Another person must approve" in told
    change = await a_team.change(told)
    kept = await a_team.approvals.kept().shown(change)
    assert kept.arguments["body"] != body
    edits = {edit.path: (edit.before, edit.after) for edit in kept.preview.edits}
    assert edits == {
        "properties.httpsOnly": (False, True),
        "properties.adminPassword": (None, "a value that is not shown"),
    }
    left_out, unknown = kept.preview.missing
    assert left_out.startswith("settings that the body omits: kind, properties.")
    assert "no what-if is available" in unknown
    assert "hunter2" not in f"{told} {kept}"


async def test_a_plan_holds_azure_to_the_version_that_was_seen_before_it(azure: FakeAzure, a_team: Team) -> None:
    azure.estate.resources[SITE.lower()].document["etag"] = '"one"'
    azure.places["/whatIf"] = what_if({**created(), "resourceId": SITE})
    ada = a_team.member("ada")
    call: dict[str, Any] = {"method": "PUT", "path": SITE, "body": {"location": "westeurope", "kind": "app"}}
    await a_team.decides("ada", await refused(ada, "change_azure", **call))
    planned = azure.places["/whatIf"]

    async def overtaken(request: web.BaseRequest) -> web.StreamResponse:
        azure.estate.resources[SITE.lower()].document["etag"] = '"two"'
        return await planned(request)

    azure.places["/whatIf"] = overtaken
    assert "changed in the meantime, so nothing was done" in await refused(ada, "change_azure", **call)


async def test_a_plan_that_takes_long_is_found_out_in_later_calls(azure: FakeAzure, a_team: Team) -> None:
    async def begun(request: web.BaseRequest) -> web.StreamResponse:
        place = (
            f"{request.scheme}://{request.host}/subscriptions/{PRODUCTION}/operationresults/plan?api-version=2024-11-01"
        )
        return web.Response(status=202, headers={"Location": place, "Retry-After": "15"})

    azure.places["/whatIf"] = azure.places["/operationresults/plan"] = begun
    ada = a_team.member("ada")
    assert "Checking what change_azure would do" in await refused(ada, "change_azure", **NEW_NET)
    azure.places["/operationresults/plan"] = what_if(created())
    told = await refused(ada, "change_azure", **NEW_NET)
    await a_team.decides("ada", told)
    assert (await answered(ada, "change_azure", **NEW_NET))["status"] == "done"
    assert len(changes(azure)) == 1


async def test_a_patch_by_path_shows_what_it_sets_and_removes_and_no_secret(azure: FakeAzure, a_team: Team) -> None:
    body = {"properties": {"httpsOnly": True, "enabled": True, "adminPassword": "hunter2", "siteConfig": None}}
    told = await refused(a_team.member("ada"), "change_azure", method="PATCH", path=SITE, body=body)
    shown = await a_team.shown(told)
    edits = {edit.path: (edit.before, edit.after) for edit in shown.edits}
    assert edits["properties.httpsOnly"] == (False, True)
    assert edits["properties.siteConfig.minTlsVersion"] == ("1.0", None)
    assert edits["properties.adminPassword"] == (None, "a value that is not shown")
    assert "properties.enabled" not in edits
    assert "hunter2" not in f"{told} {shown.document}"
    assert shown.missing == []


async def test_what_was_seen_is_what_is_changed(azure: FakeAzure, a_team: Team) -> None:
    azure.estate.resources[SITE.lower()].document["etag"] = '"one"'
    ada, call = a_team.member("ada"), {"method": "PATCH", "path": SITE, "body": {"properties": {"httpsOnly": True}}}
    await a_team.decides("ada", await refused(ada, "change_azure", **call))
    await answered(ada, "change_azure", **call)
    [sent] = [one for one in azure.asked if one.method == "PATCH"]
    assert sent.headers["If-Match"] == '"one"'
    told = await refused(ada, "change_azure", **{**call, "body": {"kind": "x"}}, etag='"older"')
    assert "etag does not match" in told


async def test_a_post_says_that_nobody_can_tell_what_it_does(azure: FakeAzure, a_team: Team) -> None:
    told = await refused(a_team.member("ada"), "change_azure", method="POST", path=f"{SITE}/restart")
    assert "Another person must approve" in told
    shown = await a_team.shown(told)
    assert shown.missing == ["effect of the action: Azure cannot preview a POST"]
    assert "Restart a Web App" in str(shown.facts["Azure's description"])


async def test_rights_and_what_runs_code_are_for_another_person(azure: FakeAzure, a_team: Team) -> None:
    identity = f"{OVEN}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/oven-identity"
    for call in (
        {"method": "PATCH", "path": identity, "body": {"tags": {"a": "b"}}},
        {"method": "DELETE", "path": identity},
    ):
        told = await refused(a_team.member("ada"), "change_azure", **call)
        assert "The change affects permissions" in told
        assert "Another person must approve" in told
    assert "The change affects permissions" in await refused(
        a_team.member("ada"), "delete_azure_resource", resource_id=identity
    )


async def test_a_place_by_tag_decides_who_has_to_agree(azure: FakeAzure) -> None:
    rules = ({"in": {"tag:Team": "shop"}, "ask": "another"}, {"in": {"subscription": PRODUCTION}, "ask": "nobody"})
    async with team(azure, *rules) as them:
        ada = them.member("ada")
        assert "Another person" in await refused(ada, "delete_azure_resource", resource_id=f"{WEB}/slots/staging")
        told = await answered(
            ada, "delete_azure_resource", resource_id=f"{OVEN}/providers/Microsoft.App/containerApps/oven-api"
        )
        assert told["status"] == "done"
