"""The registration in Entra ID: nothing is in its way when it is made, and a teardown leaves nothing of it."""

from __future__ import annotations

import pytest

from tests.fakes.azure_for_hooks import GRAPH, SUBSCRIPTION, Registered, error
from tests.infra.deployment import Deployment
from tests.infra.hooks.bench import Bench

NAME = "azure-team-mcp-team-unique"
MARK = f"azure-team-mcp/{SUBSCRIPTION}/team/westeurope"
DENIED = error(403, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")


def _registered(number: int = 1, mark: str = MARK, deleted: str | None = None, name: str = NAME) -> Registered:
    return Registered(f"object-{number}", name, [mark], deleted)


def test_the_template_marks_its_registration_as_hooks_look_for_it() -> None:
    entra = Deployment.of({"ENTRA_APP_ENABLED": "true"}).module("entra")
    assert entra
    (mark,) = entra.resource("registration", "tags")
    assert mark == MARK.replace(SUBSCRIPTION, "s")
    assert entra.resource("registration", "displayName").startswith("azure-team-mcp-team-")


def test_without_sign_in_nobody_asks_for_registrations(bench: Bench) -> None:
    bench.azure.registrations = [_registered(deleted="2026-11-20T08:00:00Z")]
    for hook in ("preprovision", "postdown"):
        assert bench.run(hook).returncode == 0
    assert not [asked for asked in bench.azure.asked if asked.host == GRAPH]


def test_a_registration_that_is_brought_is_left_alone(bench: Bench) -> None:
    brought = {"ENTRA_APP_ENABLED": "true", "OWN_ENTRA_CLIENT_ID": "22222222-2222-2222-2222-222222222222"}
    assert bench.run("preprovision", **brought).returncode == 0
    assert not [asked for asked in bench.azure.asked if asked.host == GRAPH]


# Before provisioning


@pytest.mark.parametrize("registrations", [[], [_registered()]], ids=["none", "its own"])
def test_where_nothing_is_in_the_way_nothing_is_changed(bench: Bench, registrations: list[Registered]) -> None:
    bench.azure.registrations = registrations
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {asked.method for asked in bench.azure.asked} == {"GET"}


def test_one_that_somebody_deleted_is_restored(bench: Bench) -> None:
    bench.azure.registrations = [_registered(deleted="2026-11-20T08:00:00Z")]
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Restored the registration {NAME}, which was deleted on 2026-11-20." in done.stdout
    assert bench.azure.registrations == [_registered()]


@pytest.mark.parametrize(
    "mark",
    [MARK.replace("/team/", "/team-2/"), MARK.replace(SUBSCRIPTION, "0"), MARK.replace("west", "north"), "team"],
    ids=["environment", "subscription", "region", "no mark"],
)
def test_one_of_somebody_else_stays_deleted(bench: Bench, mark: str) -> None:
    bench.azure.registrations = [_registered(mark=mark, deleted="2026-11-20T08:00:00Z")]
    assert bench.run("preprovision", ENTRA_APP_ENABLED="true").returncode == 0
    assert bench.azure.registrations[0].deleted


def test_who_may_not_restore_it_is_told_who_may_and_where(bench: Bench) -> None:
    bench.azure.registrations = [_registered(deleted="2026-11-20T08:00:00Z")]
    bench.azure.fail("POST", "/restore", DENIED)
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true")
    assert done.returncode == 1
    assert f"{NAME} was deleted on 2026-11-20" in done.stderr
    assert "Ask a tenant administrator to restore the registration or delete it permanently" in done.stderr
    assert "'App registrations' > 'Deleted applications'" in done.stderr


def test_who_may_not_see_deleted_ones_may_go_on_and_knows_what_azure_would_mean(bench: Bench) -> None:
    bench.azure.fail("GET", "/deletedItems", DENIED)
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true")
    assert done.returncode == 0
    assert "If Azure says that the uniqueName already exists" in done.stdout


def test_a_pipeline_without_a_permission_of_graph_is_told_before_anything_is_made(bench: Bench) -> None:
    bench.azure.fail("GET", "/v1.0/applications", DENIED)
    done = bench.run("preprovision", ENTRA_APP_ENABLED="true", AZURE_PRINCIPAL_TYPE="ServicePrincipal")
    assert done.returncode == 1
    assert "403 Authorization_RequestDenied" in done.stderr
    assert (
        "see 'From a pipeline' in docs/deploying.md for the required permission and for a deployment without this"
        " permission" in done.stderr
    )


def test_registrations_are_those_of_the_tenant_of_the_subscription(bench: Bench) -> None:
    other = "7e4a0000-0000-4000-8000-00000000000b"
    bench.azure.tenant = other
    bench.azd.sign_in("7e4a0000-0000-4000-8000-00000000000a", other)
    assert bench.run("preprovision", ENTRA_APP_ENABLED="true").returncode == 0
    assert [call[-2:] for call in bench.azd.tokens if f"https://{GRAPH}/.default" in call] == [["--tenant-id", other]]


# After a teardown


def test_it_is_deleted_for_good_so_that_its_name_is_free(bench: Bench) -> None:
    others = _registered(3, MARK.replace("/team/", "/team-2/"), name="azure-team-mcp-team-2-unique")
    earlier = _registered(2, deleted="2026-11-01T08:00:00Z")
    bench.azure.registrations = [_registered(), earlier, others]
    done = bench.run("postdown", ENTRA_APP_ENABLED="true", AZURE_LOCATION="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Permanently deleted the registration {NAME} in Microsoft Entra ID.\n" * 2
    assert bench.azure.registrations == [others]


def test_it_is_deleted_where_sign_in_was_switched_off_before(bench: Bench) -> None:
    bench.azure.registrations = [_registered()]
    bench.run("postdown", ENTRA_APP_ENABLED="false")
    assert bench.azure.registrations == []


def test_one_that_is_not_seen_as_deleted_at_once_is_waited_for(bench: Bench) -> None:
    bench.azure.registrations = [_registered()]
    bench.azure.fail("DELETE", "/deletedItems", error(404, "Request_ResourceNotFound"))
    assert bench.run("postdown", ENTRA_APP_ENABLED="true").returncode == 0
    assert bench.azure.registrations == []


@pytest.mark.parametrize(("method", "part"), [("GET", "/v1.0/applications"), ("DELETE", "/v1.0/applications")])
def test_who_may_not_delete_it_is_told_what_stays_and_how_to_be_rid_of_it(bench: Bench, method: str, part: str) -> None:
    bench.azure.registrations = [_registered()]
    bench.azure.fail(method, part, DENIED)
    done = bench.run("postdown", ENTRA_APP_ENABLED="true")
    assert (done.returncode, done.stderr) == (0, "")
    assert "remains, without access to anything. The next 'azd up' uses the registration again" in done.stdout
    assert "ask a tenant administrator to delete it" in done.stdout
    assert bench.azure.registrations == [_registered()]


def test_without_rights_in_entra_one_that_is_brought_is_not_said_to_be_left_behind(bench: Bench) -> None:
    bench.azure.fail("GET", "/v1.0/applications", DENIED)
    done = bench.run("postdown", ENTRA_APP_ENABLED="true", OWN_ENTRA_CLIENT_ID="22222222-2222-2222-2222-222222222222")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the registration in OWN_ENTRA_CLIENT_ID stays" in done.stdout
    assert "ask an administrator" not in done.stdout


def test_who_may_delete_it_but_not_for_good_is_told_that_its_name_is_taken(bench: Bench) -> None:
    bench.azure.registrations = [_registered()]
    bench.azure.fail("DELETE", "/deletedItems", DENIED)
    done = bench.run("postdown", ENTRA_APP_ENABLED="true")
    assert done.returncode == 0
    assert "deleted, but not permanently (403 Authorization_RequestDenied)" in done.stdout
    assert "its name stays reserved for 30 days" in done.stdout
