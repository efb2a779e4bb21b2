"""Roles at the bakery are given and taken away as it was shown, once, and end when they were to end."""

from __future__ import annotations

import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from changes.preview import Edit
from tests.fakes.azure import access, troubles
from tests.fakes.azure.access import Assignment
from tests.fakes.azure.people import AUDITORS, DEVELOPER, NOBODY, OPERATORS, OWNER, PIPELINE, READER, Principal
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.troubles import Accident, Trouble
from tests.fakes.azure.world import PRODUCTION, SHOP
from tests.sweeps import Sweep
from tests.tools.azure.inventing import NAME, answered, asking, refused
from tests.tools.azure.later import Later
from tests.tools.azure.team import ASKING, team
from tools.azure.settings import AzureSettings

OPEN: Final = AzureSettings(subscription=NAME, reads_directory=True)
LOCKED: Final = AzureSettings(subscription=NAME, allowed_groups=frozenset({f"{PRODUCTION}/shop-prod"}))
HERE: Final = {"resource_group": "shop-prod"}
READING: Final = {"principal": NOBODY.id, "role": "Reader", **HERE}
LOST: Final = [troubles.cut_connection, troubles.cut_body, troubles.broken, troubles.gateway_timeout, troubles.no_json]


def unlicensed() -> FakeAzure:
    azure = FakeAzure()
    azure.access.is_licensed = False
    return azure


def granting(azure: FakeAzure, who: Principal = PIPELINE, scope: str = SHOP) -> Later:
    """The deployment's own identity may give and take roles away there, and an operator lets it."""
    now = datetime.now(UTC)
    azure.access.assignments.append(
        Assignment(access.ACCESS_ADMINISTRATOR, who.id, who.kind, scope, now, OWNER.id, own_name="a" * 8)
    )
    return Later((scope,), who.token)


def roles_of(azure: FakeAzure, who: Principal, scope: str = SHOP) -> list[str]:
    found = [one for one in azure.access.assignments if one.principal_id == who.id and one.scope == scope]
    return sorted(one.role.name for one in found)


def written(azure: FakeAzure, method: str = "PUT") -> int:
    return sum(one.method == method for one in azure.asked)


def in_days(days: float) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="seconds")


async def test_a_role_is_given_once() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        given = await answered(caller, "assign_role", **READING)
        again = await answered(caller, "assign_role", **READING)
    assert (given["role"], given["scope"], given["status"]) == ("Reader", SHOP, "done")
    assert again["status"] == "unchanged"
    assert roles_of(azure, NOBODY) == ["Reader"]
    assert written(azure) == 1


async def test_people_and_groups_are_named_where_the_directory_may_be_read() -> None:
    azure = FakeAzure()
    async with asking(azure, settings=OPEN) as caller:
        person = await answered(caller, "assign_role", **{**READING, "principal": NOBODY.name})
        group = await answered(caller, "assign_role", **{**READING, "principal": "Auditors"})
        nobody = await refused(caller, "assign_role", **{**READING, "principal": "Bakers' guild"})
    assert person["who"] == f"User {NOBODY.name} ({NOBODY.id})"
    assert group["who"] == f"Group Auditors ({AUDITORS.id})"
    assert "No group has this name" in nobody
    async with asking(FakeAzure()) as caller:
        assert "AZURE_READ_DIRECTORY" in await refused(caller, "assign_role", **{**READING, "principal": NOBODY.name})


async def test_an_app_that_is_new_takes_its_kind() -> None:
    azure = FakeAzure()
    azure.granting.replicating.add(PIPELINE.id)
    new = {**READING, "principal": PIPELINE.id}
    async with asking(azure) as caller:
        assert "For an app or group that is minutes old, pass `kind`" in await refused(caller, "assign_role", **new)
        assert "UnmatchedPrincipalType" in await refused(caller, "assign_role", **new, kind="User")
        await answered(caller, "assign_role", **new, kind="ServicePrincipal")
    assert roles_of(azure, PIPELINE) == ["Reader"]


async def test_a_condition_is_passed_on() -> None:
    azure = FakeAzure()
    condition = "@Resource[Microsoft.Storage/storageAccounts/blobServices/containers:name] StringEquals 'cakes'"
    async with asking(azure) as caller:
        await answered(caller, "assign_role", **{**READING, "role": "Storage Blob Data Reader"}, condition=condition)
    assert [one.condition for one in azure.access.assignments if one.principal_id == NOBODY.id] == [condition]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"role": "Owner"}, "Owner can give roles to anyone"),
        ({"role": "User Access Administrator"}, "can give roles to anyone"),
        ({"role": "Contributor"}, "permits everything"),
        ({"resource_group": None}, "The role applies to all of subscription"),
        ({"principal": "me"}, "is for the requester"),
    ],
)
async def test_another_person_has_to_agree_to_what_is_grave(arguments: dict[str, Any], words: str) -> None:
    azure = FakeAzure()
    asked = {name: value for name, value in {**READING, **arguments}.items() if value is not None}
    async with team(azure) as office:
        told = await refused(office.member("ada"), "assign_role", **asked)
        assert words in (await office.shown(told)).grave
        assert (await office.change(told)).asks.value == "another"
    assert written(azure) == 0


async def test_the_preview_tells_what_they_have_what_the_role_permits_and_who_else_has_it() -> None:
    azure = FakeAzure()
    wanted = {"principal": DEVELOPER.id, "role": "Reader", **HERE}
    async with team(azure, ASKING) as office:
        told = await refused(office.member("ada"), "assign_role", **wanted)
        shown = await office.shown(told)
        await office.decides("bea", told)
        done = await office.member("ada").call("assign_role", **wanted)
    assert not done["isError"], done
    assert shown.facts["current roles there"] == [
        f"Reader from subscription {PRODUCTION} through group {OPERATORS.id}",
        f"Website Contributor through group {OPERATORS.id}",
    ]
    assert shown.facts["eligible roles there"] == ["Contributor"]
    assert shown.facts["permits"] == ["reads everything", "changes nothing", "only: */read"][:2]
    assert READER.id in str(shown.facts["other holders there"])
    assert shown.places["resource-group"] == ["shop-prod"]
    assert shown.edits == [
        Edit(
            f"roles of {DEVELOPER.id} there",
            ["Reader", "Website Contributor"],
            ["Reader", "Reader", "Website Contributor"],
        )
    ]
    assert roles_of(azure, DEVELOPER) == ["Reader"]


async def test_with_privileged_identity_management_azure_ends_it() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        given = await answered(caller, "assign_role", **READING, until=in_days(7))
    [request] = azure.granting.requests.values()
    schedule = request["properties"]["scheduleInfo"]["expiration"]
    assert schedule["type"] == "AfterDateTime"
    assert given["ends"].endswith("by Azure (Privileged Identity Management)")
    assert given["state"] == "Provisioned"
    assert roles_of(azure, NOBODY) == ["Reader"]


async def test_a_request_for_a_role_that_ends_says_when_it_begins() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        await answered(caller, "assign_role", **READING, until=in_days(7))
    [request] = azure.granting.requests.values()
    assert datetime.fromisoformat(request["properties"]["scheduleInfo"]["startDateTime"]) <= datetime.now(UTC)


async def test_an_end_that_a_policy_does_not_allow_is_refused_with_the_longest_time() -> None:
    azure = FakeAzure()
    azure.granting.most_days = 3
    async with asking(azure) as caller:
        told = await refused(caller, "assign_role", **READING, until=in_days(7))
    assert "at most P3D" in told
    assert roles_of(azure, NOBODY) == []


async def test_an_end_that_a_policy_shortens_is_told_with_the_longest_time() -> None:
    azure = FakeAzure()
    azure.granting.most_days, azure.granting.shortens = 3, True
    async with asking(azure) as caller:
        given = await answered(caller, "assign_role", **READING, until=in_days(7))
    assert given["ends"] < in_days(4)
    assert "at most P3D" in given["note"]


async def test_without_it_a_task_takes_it_away_at_the_end_as_the_own_identity() -> None:
    azure = unlicensed()
    later = granting(azure)
    async with asking(azure, later=later) as caller:
        given = await answered(caller, "assign_role", **READING, until=in_days(7))
        assert "by a task of this server" in given["ends"]
        assert roles_of(azure, NOBODY) == ["Reader"]
        await later.yard.until_quiet()
    assert roles_of(azure, NOBODY) == []
    removal = next(one for one in azure.asked if one.method == "DELETE")
    claims = removal.headers["Authorization"].split(".")[1]
    assert json.loads(b64decode(claims + "=="))["oid"] == PIPELINE.id


async def test_the_end_takes_nothing_away_that_was_given_for_good_meanwhile() -> None:
    azure = unlicensed()
    later = granting(azure)
    async with asking(azure, later=later) as caller:
        await answered(caller, "assign_role", **READING, until=in_days(7))
        await answered(caller, "remove_role_assignment", principal=NOBODY.id, **HERE)
        await answered(caller, "assign_role", **READING)
        await later.yard.until_quiet()
    assert roles_of(azure, NOBODY) == ["Reader"]


async def test_a_removal_that_fails_is_tried_until_it_succeeds() -> None:
    azure = unlicensed()
    later = granting(azure)
    async with asking(azure, later=later) as caller:
        await answered(caller, "assign_role", **READING, until=in_days(7))
        azure.accidents += [Accident("DELETE", "roleassignments", troubles.failing(403, "No", "Not now."))] * 30
        await later.yard.until_quiet()
    assert roles_of(azure, NOBODY) == []


@pytest.mark.parametrize("is_listed", [False, True])
async def test_nothing_is_given_that_nobody_would_take_away(is_listed: bool) -> None:
    azure = unlicensed()
    later = Later((SHOP,), PIPELINE.token) if is_listed else Later((), PIPELINE.token)
    async with asking(azure, later=later) as caller:
        told = await refused(caller, "assign_role", **READING, until=in_days(7))
    assert ("identity could not remove them" if is_listed else "TASKS_SCOPES") in told
    assert roles_of(azure, NOBODY) == []
    assert written(azure) == 0


async def test_what_azure_refuses_leaves_no_task_behind() -> None:
    azure = unlicensed()
    later = granting(azure)
    azure.accidents.append(Accident("PUT", "roleassignments", troubles.failing(400, "PrincipalNotFound", "No.")))
    async with asking(azure, later=later) as caller:
        await refused(caller, "assign_role", **READING, until=in_days(7))
        await later.yard.until_quiet()
    assert written(azure, "DELETE") == 0


async def test_a_task_acts_only_where_an_operator_lets_it() -> None:
    azure = unlicensed()
    later = granting(azure)
    later.scopes = (f"{SHOP}-other", "", "/")
    [held] = [one for one in azure.access.assignments if one.principal_id == READER.id]
    async with asking(azure, later=later):
        await later.yard.tasks.begin("remove_role_assignment", "x", {"assignment": held.id}, "Too much")
        await later.yard.until_quiet(1000)
    assert roles_of(azure, READER) == ["Reader"]
    assert written(azure, "DELETE") == 0


@pytest.mark.parametrize("until", ["2020-01-01", "2999-01-01", "soon", "0m"])
async def test_an_end_is_soon_enough_and_a_time(until: str) -> None:
    async with asking(FakeAzure()) as caller:
        assert "until" in await refused(caller, "assign_role", **READING, until=until)


@pytest.mark.parametrize("is_done", [True, False])
@Sweep("trouble", LOST, every=2)
@pytest.mark.parametrize("is_licensed", [True, False])
async def test_whatever_is_lost_is_found_again_and_nothing_is_given_without_its_end(
    is_licensed: bool, trouble: Trouble, is_done: bool
) -> None:
    azure = unlicensed()
    azure.access.is_licensed = is_licensed
    later = granting(azure)
    azure.accidents.append(Accident("PUT", "/roleassignment", trouble, is_done=is_done))
    async with asking(azure, later=later) as caller:
        result = await caller.call("assign_role", **READING, until=in_days(7))
        text = result["content"][0]["text"]
        assert ("the change was applied" if is_done else "most likely not applied") in text
        assert written(azure) == 1
        if not is_licensed:
            await later.yard.until_quiet()
            assert roles_of(azure, NOBODY) == []


@pytest.mark.parametrize("is_done", [True, False])
@Sweep("trouble", LOST, every=2, start=1)
@pytest.mark.parametrize("tool", ["assign_role", "remove_role_assignment"])
async def test_a_lost_answer_is_found_out(tool: str, trouble: Trouble, is_done: bool) -> None:
    azure = FakeAzure()
    removes = tool == "remove_role_assignment"
    azure.accidents.append(Accident("DELETE" if removes else "PUT", "/roleassignments", trouble, is_done=is_done))
    async with asking(azure) as caller:
        wanted = {**READING, "principal": READER.id} if removes else READING
        result = await caller.call(tool, **wanted)
    assert ("the change was applied" if is_done else "most likely not applied") in result["content"][0]["text"]
    who = READER if removes else NOBODY
    assert roles_of(azure, who) == (["Reader"] if is_done is not removes else [])


async def test_a_role_is_taken_away_with_what_stays_shown() -> None:
    azure = FakeAzure()
    gone = {"principal": OPERATORS.id, "role": "Website Contributor", **HERE}
    async with team(azure, ASKING) as office:
        told = await refused(office.member("ada"), "remove_role_assignment", **gone)
        shown = await office.shown(told)
        await office.decides("bea", told)
        result = await office.member("ada").call("remove_role_assignment", **gone)
    assert not result["isError"], result
    assert shown.edits == [
        Edit(f"roles of Group {OPERATORS.id} there", ["Reader", "Website Contributor"], ["Reader"]),
    ]
    assert not [one for one in azure.access.assignments if one.scope == SHOP and one.principal_id == OPERATORS.id]


async def test_what_was_given_elsewhere_is_said_with_where() -> None:
    async with asking(FakeAzure()) as caller:
        above = await refused(caller, "remove_role_assignment", principal=OPERATORS.id, role="Reader", **HERE)
        nothing = await refused(caller, "remove_role_assignment", principal=NOBODY.id, **HERE)
    assert f"but at /subscriptions/{PRODUCTION}" in above
    assert "does not have this role directly" in nothing


async def test_which_of_several_roles_is_meant_is_asked() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "remove_role_assignment", principal=OWNER.id)
    assert "Key Vault Administrator, Owner, Storage Blob Data Contributor. Pass `role`" in told


async def test_the_last_owner_stays() -> None:
    azure = FakeAzure()
    async with asking(azure) as caller:
        told = await refused(caller, "remove_role_assignment", principal=OWNER.id, role="Owner")
    assert "no Owner would remain at this scope" in told
    assert written(azure, "DELETE") == 0


async def test_where_only_apps_stay_owner_that_is_grave() -> None:
    azure = FakeAzure()
    async with team(azure) as office:
        scope, now = f"/subscriptions/{PRODUCTION}", datetime.now(UTC)
        azure.access.assignments.append(Assignment(access.OWNER_ROLE, PIPELINE.id, PIPELINE.kind, scope, now, OWNER.id))
        told = await refused(office.member("ada"), "remove_role_assignment", principal=OWNER.id, role="Owner")
        assert "All remaining Owners at this scope would be apps" in (await office.shown(told)).grave


async def test_what_a_lock_forbids_is_said_before_anything_is_tried() -> None:
    azure = FakeAzure()
    azure.tags_and_locks.lock(SHOP, "ReadOnly", "frozen", "Until Monday.")
    async with asking(azure) as caller:
        told = await refused(caller, "assign_role", **READING)
        kept = await refused(caller, "remove_role_assignment", principal=READER.id, **HERE)
    assert "'frozen' (ReadOnly)" in told
    assert "'frozen' (ReadOnly)" in kept
    assert written(azure) == written(azure, "DELETE") == 0


async def test_whoever_may_not_give_roles_is_told_which_role_would_do() -> None:
    azure = FakeAzure()
    async with asking(azure, who=DEVELOPER) as caller:
        told = await refused(caller, "assign_role", **READING)
    assert "requires the role 'Role Based Access Control Administrator'" in told
    assert roles_of(azure, NOBODY) == []


async def test_beyond_a_lock_of_this_server_no_role_is_given_or_changed() -> None:
    azure = FakeAzure()
    async with asking(azure, settings=LOCKED) as caller:
        for wanted in (
            {"resource_group": "oven-prod"},
            {},
            {"resource": "/providers/Microsoft.Management/managementGroups/x"},
        ):
            asked = {"principal": NOBODY.id, "role": "Reader", **wanted}
            assert "allowed scope" in await refused(caller, "assign_role", **asked)
        await answered(caller, "assign_role", **READING)
        for tool, more in (("update_role_definition", {"description": "x"}), ("delete_role_definition", {})):
            told = await refused(caller, tool, role="Bakery Deployer", **more)
            assert "outside the allowed scope" in told or "No role with this name" in told
    assert written(azure) == 1


@pytest.mark.parametrize(
    "principal", ["' or 1 eq 1", "../x", "ada@example.com' or 'a' eq 'a", "\u202egod", "1111", "x" * 256]
)
async def test_hostile_names_are_refused(principal: str) -> None:
    azure = FakeAzure()
    async with asking(azure, settings=OPEN) as caller:
        await refused(caller, "assign_role", **{**READING, "principal": principal})
    assert written(azure) == 0
