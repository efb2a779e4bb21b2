"""What toolsets need is declared once: the template provides it, and the page of each toolset says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from bicep_checker.known import said
from bicep_checker.walking import at
from mcp_server.declarations.toolset import Toolset
from tests.fakes.azure_for_hooks import DATA_READ
from tests.infra.deployed import INFRA
from tests.infra.made import made
from tools import PROVIDERS, TOOLSETS
from tools.provider import Provider

PAGES: Final = INFRA.parent / "docs" / "tools"


@pytest.mark.parametrize("setting", ["", "AZURE_READ_DIRECTORY"])
def test_the_registration_asks_for_the_permissions_that_providers_declare_and_for_no_others(setting: str) -> None:
    # A hook reads it from the tenant.
    insights = {"APPLICATION_INSIGHTS_SCOPE_ID": DATA_READ}
    options = {"ENTRA_APP_ENABLED": "true", **insights, **({setting: "true"} if setting else {})}
    (registration,) = [thing for thing in made(options) if thing.kind.endswith("/applications")]
    asked = [
        (one.value["resourceAppId"], permission["id"], permission["type"])
        for one in at(registration, "requiredResourceAccess[]")
        for permission in one.value["resourceAccess"]
    ]
    declared = {permission for provider in PROVIDERS for permission in provider.permissions}
    wanted = {one for one in declared if one.setting in {"", setting}}
    assert sorted(asked) == sorted((one.application, one.id, "Scope") for one in wanted)


def test_the_storage_has_what_providers_declare_to_keep() -> None:
    names = {ending: _made(ending) for ending in ("/containers", "/tables")}
    for provider in PROVIDERS:
        for purpose in provider.keeps:
            assert all(purpose in found for found in names.values()), (provider.name, purpose)


def _made(ending: str) -> set[str]:
    return {said(thing.name).strip("'") for thing in made({}) if thing.kind.endswith(ending)}


@pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.name)
def test_the_page_of_a_toolset_says_what_it_needs_before_its_tools(toolset: Toolset) -> None:
    said_first = _page(toolset.name).partition("\n## ")[0]
    providers = _providers(toolset)
    assert ("or resource is required." in said_first) == (not providers)
    for provider in providers:
        assert all(f"`{permission.name}` of {permission.service}" in said_first for permission in provider.permissions)
        assert all(f"`{purpose}`" in said_first for purpose in provider.keeps)


def test_what_has_to_be_set_is_named_and_what_may_be_is_not() -> None:
    builds = _page("devops-builds").partition("\n## ")[0]
    assert "| settings | `ADO_ORG_URL`; " in builds
    assert "or the secret `ADO_PAT`" in builds
    assert "`ADO_PROJECT`" not in builds
    assert "| settings | none; " in _page("azure-updates")


def _providers(toolset: Toolset) -> list[Provider[Any, Any]]:
    return [provider for provider in PROVIDERS if provider.key in toolset.may_need]


def _page(name: str) -> str:
    return Path(PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("chosen", "services"),
    [("azure", ["azure"]), ("azure-devops, azure", ["azure", "azure-devops"]), ("application-insights", [])],
)
def test_the_registration_asks_only_for_the_services_that_were_chosen(chosen: str, services: list[str]) -> None:
    ids = {"azure": "797f4846-ba00-4fd7-ba43-dac1f8f63013", "azure-devops": "499b84ac-1321-427f-aa17-267ca6975798"}
    options = {"ENTRA_APP_ENABLED": "true", "ENTRA_SERVICES": chosen}
    (registration,) = [thing for thing in made(options) if thing.kind.endswith("/applications")]
    asked = [one.value["resourceAppId"] for one in at(registration, "requiredResourceAccess[]")]
    assert sorted(asked) == sorted(ids[service] for service in services)
