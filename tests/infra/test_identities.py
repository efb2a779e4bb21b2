"""Who may what: what the app runs as, and the identity that its package belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from bicep_checker.facts import facts
from bicep_checker.known import Asked, Id, Thing, said
from bicep_checker.walking import at
from tests.infra.made import made

OPTIONS: Final[dict[str, dict[str, str]]] = {
    "nothing": {},
    "a network": {"VNET_ENABLED": "true"},
    "sign-in": {"ENTRA_APP_ENABLED": "true", "APP_SERVICE_AUTH_ENABLED": "true"},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_package_belongs_to_an_identity_that_reaches_nothing_else(options: Mapping[str, str]) -> None:
    things = made(options)
    package = _one(things, "Microsoft.Web/sites", "functionAppConfig.deployment.storage.authentication")
    (assignment,) = _given_to(things, package["userAssignedIdentityResourceId"])
    assert _role(assignment) == "storageBlobDataContributor"
    assert isinstance(assignment.scope, Thing)
    assert assignment.scope.kind.endswith("/containers")
    assert said(assignment.scope.name) == "'app-package'"


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_app_runs_as_another_identity_which_does_not_reach_its_package(options: Mapping[str, str]) -> None:
    things = made(options)
    package = _one(things, "Microsoft.Web/sites", "functionAppConfig.deployment.storage.authentication")
    own = _one(things, "Microsoft.Web/sites", "keyVaultReferenceIdentity")
    assert said(own) != said(package["userAssignedIdentityResourceId"])
    given = {_role(assignment): assignment for assignment in _given_to(things, own)}
    assert set(given) == {
        *("keyVaultSecretsUser", "monitoringMetricsPublisher", "storageBlobDataOwner"),
        *("storageQueueDataContributor", "storageTableDataContributor"),
    }
    (condition,) = at(given["storageBlobDataOwner"], "properties.condition")
    assert condition.value.endswith("blobServices/containers:name] StringNotEquals 'app-package'))")
    for action in ("read", "write", "delete", "add/action", "move/action", "runAsSuperUser/action"):
        assert f"containers/blobs/{action}'" in condition.value


def _one(things: list[Thing], kind: str, path: str) -> Any:
    (found,) = [found.value for thing in things if thing.kind == kind for found in at(thing, f"properties.{path}")]
    return found


def _given_to(things: list[Thing], identity: Id) -> Iterator[Thing]:
    (asked,) = [thing.identity for thing in things if said(thing.id) == said(identity)]
    for thing in things:
        for found in at(thing, "properties.principalId"):
            if isinstance(found.value, Asked) and found.value.identity == asked:
                yield thing


def _role(assignment: Thing) -> str:
    names: Mapping[str, str] = facts()["roles"]
    (found,) = at(assignment, "properties.roleDefinitionId")
    return {guid: name for name, guid in names.items()}[found.value.names[-1]]
