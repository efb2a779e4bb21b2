"""Before everything is deleted: a group of somebody else is kept, and what stays in what is brought is told."""

from __future__ import annotations

import re
from typing import Final

from bicep_checker.known import said
from tests.fakes.azure_for_hooks import SUBSCRIPTION, error
from tests.infra.deployed import INFRA
from tests.infra.hooks.bench import Bench
from tests.infra.made import made

OURS: Final = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/ours"
APP: Final = f"{OURS}/providers/Microsoft.Web/sites/func"
STORAGE: Final = f"{OURS}/providers/Microsoft.Storage/storageAccounts/ourdata"


def test_what_was_made_for_it_may_be_deleted(bench: Bench) -> None:
    done = bench.run("predown")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert bench.azure.asked == []


def test_a_group_of_somebody_else_is_kept_and_what_was_made_in_it_is_listed(bench: Bench) -> None:
    bench.azure.resources[f"{OURS}/resources"] = {
        "value": [
            {"id": APP, "tags": {"azd-env-name": "team"}},
            {"id": f"{OURS}/x", "tags": {"azd-env-name": "other"}},
            {"id": f"{OURS}/y"},
        ]
    }
    done = bench.run("predown", OWN_RESOURCE_GROUP="ours")
    assert done.returncode == 1
    assert "Then run 'azd hooks run postdown'." in done.stderr
    assert [line.strip() for line in done.stderr.splitlines()[1:]] == [APP]
    assert {asked.method for asked in bench.azure.asked} == {"GET"}


def test_what_stays_elsewhere_is_told_where_the_group_is_kept(bench: Bench) -> None:
    done = bench.run("predown", OWN_RESOURCE_GROUP="ours", READER_SCOPES=OURS)
    assert done.returncode == 1
    assert f"{OURS} (READER_SCOPES) keeps" in done.stdout


def test_where_azure_does_not_list_it_the_group_is_kept_all_the_same(bench: Bench) -> None:
    bench.azure.fail("GET", "/resources", error(403, "AuthorizationFailed"))
    done = bench.run("predown", OWN_RESOURCE_GROUP="ours")
    assert done.returncode == 1
    assert "403 AuthorizationFailed" in done.stderr


def test_what_stays_where_it_was_put_is_told(bench: Bench) -> None:
    done = bench.run("predown", OWN_STORAGE_ID=STORAGE, READER_SCOPES=OURS)
    assert done.returncode == 0
    storage, scope = done.stdout.splitlines()
    assert scope == f"{OURS} (READER_SCOPES) keeps: the role granted to the app."
    for thing in made({"OWN_STORAGE_ID": STORAGE}):
        if thing.kind.endswith(("/containers", "/tables")):
            assert said(thing.name).strip("'") in storage


def test_the_roles_that_stay_in_an_account_of_cosmos_db_are_told(bench: Bench) -> None:
    account = f"{OURS}/providers/Microsoft.DocumentDB/databaseAccounts/ours"
    done = bench.run("predown", OWN_COSMOS_ID=account)
    own_role = re.findall(r"roleName: '(.+)'", (INFRA / "modules/roles-on-cosmos.bicep").read_text())
    assert f"{account} (OWN_COSMOS_ID) keeps: the custom role {own_role[0]!r}, and the roles" in done.stdout
