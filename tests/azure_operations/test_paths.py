"""Where a resource of a type is read, as far as Azure tells enough to say so."""

from __future__ import annotations

import re
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from azure_operations.paths import by_name, place_of
from azure_operations.record import Operation, ResourceType
from refusal import Refusal
from tests.azure_operations.catalogue import known
from tests.tools.azure.known_operations import operations_of
from tools.azure.resource.reading.readable import readable

GROUP: Final = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroup}"
TRACKED, EXTENSION = frozenset({"SupportsTags", "SupportsLocation"}), frozenset({"SupportsExtension"})
TYPES: Final = by_name(
    [
        ResourceType("Microsoft.Web/sites", capabilities=TRACKED),
        ResourceType("Microsoft.Network/publicIPAddresses", capabilities=TRACKED),
        ResourceType("Microsoft.Insights/diagnosticSettings", capabilities=EXTENSION),
        ResourceType("Microsoft.Management/managementGroups"),
    ]
)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Microsoft.Web/sites", f"{GROUP}/providers/Microsoft.Web/sites/{{name}}"),
        ("Microsoft.Web/sites/slots", f"{GROUP}/providers/Microsoft.Web/sites/{{name}}/slots/{{slot}}"),
        ("microsoft.web/SITES", f"{GROUP}/providers/microsoft.web/SITES/{{name}}"),
        (
            "Microsoft.Web/sites/slots/slots",
            f"{GROUP}/providers/Microsoft.Web/sites/{{name}}/slots/{{slot}}/slots/{{slot2}}",
        ),
        (
            "Microsoft.Web/sites/policies/addresses/status",
            f"{GROUP}/providers/Microsoft.Web/sites/{{name}}/policies/{{policy}}/addresses/{{address}}/status/{{status}}",
        ),
        (
            "Microsoft.Insights/diagnosticSettings",
            "{resourceId}/providers/Microsoft.Insights/diagnosticSettings/{name}",
        ),
        (
            "Microsoft.Web/sites/providers/Microsoft.Insights/diagnosticSettings",
            f"{GROUP}/providers/Microsoft.Web/sites/{{name}}/providers/Microsoft.Insights/diagnosticSettings/{{name}}",
        ),
        ("Microsoft.Web/operations", "/providers/Microsoft.Web/operations"),
        (
            "Microsoft.Web/locations/usages",
            "/subscriptions/{subscriptionId}/providers/Microsoft.Web/locations/{location}/usages/{usage}",
        ),
        ("Microsoft.Web", "/subscriptions/{subscriptionId}/providers/Microsoft.Web"),
        ("Microsoft.Resources/subscriptions", "/subscriptions/{subscriptionId}"),
        ("Microsoft.Resources/subscriptions/locations", "/subscriptions/{subscriptionId}/locations"),
        ("Microsoft.Resources/subscriptions/resourceGroups", GROUP),
        ("Microsoft.Resources/subscriptions/resourcegroups/resources", f"{GROUP}/resources"),
        (
            "Microsoft.Resources/subscriptions/resourceGroups/deployments",
            f"{GROUP}/providers/Microsoft.Resources/deployments/{{name}}",
        ),
    ],
)
def test_a_path_follows_from_the_type(name: str, path: str) -> None:
    assert place_of(name, TYPES).path == path


@pytest.mark.parametrize("name", ["Microsoft.Management/managementGroups", "Microsoft.Unknown/things/parts"])
def test_where_azure_does_not_tell_the_level_no_path_is_derived_and_why_is_said(name: str) -> None:
    place = place_of(name, TYPES)
    assert place.path == ""
    assert place.pathless.startswith(
        "Azure does not specify whether resources of this type are in the tenant, a subscription"
    )
    assert f"/subscriptions/{{subscriptionId}}/providers/{name.split('/', maxsplit=1)[0]}/" in place.pathless


@pytest.mark.parametrize(
    ("name", "kind", "of"),
    [
        ("Microsoft.Web/sites/read", "read", "Microsoft.Web/sites"),
        ("Microsoft.Web/sites/Write", "write", "Microsoft.Web/sites"),
        ("Microsoft.Web/sites/delete", "delete", "Microsoft.Web/sites"),
        ("Microsoft.Web/sites/restart/action", "action", "Microsoft.Web/sites"),
        ("Microsoft.Web/register/action", "action", "Microsoft.Web"),
        ("Microsoft.Web/action", "action", "Microsoft.Web"),
    ],
)
def test_an_operation_tells_what_is_done_to_which_type(name: str, kind: str, of: str) -> None:
    assert (Operation(name).kind, Operation(name).type) == (kind, of)


def test_every_path_of_what_azure_has_is_one_that_can_be_read_once_it_is_filled_in() -> None:
    paths = {one.path: one for one in operations_of(list(known().values())) if one.kind == "read" and one.path}
    refused = set()
    for path, operation in paths.items():
        try:
            readable(filled(path))
        except Refusal:
            refused.add(operation.type)
    assert refused == {
        "Microsoft.ContainerService/managedClusters/accessProfiles",
        "Microsoft.Web/sites/extensions",
        "Microsoft.Web/sites/functions/keys",
        "Microsoft.Web/sites/hostruntime/host",
    }


def filled(path: str) -> str:
    path = path.replace("{resourceId}", "/subscriptions/{subscriptionId}/resourceGroups/shop")
    return re.sub(r"\{\w+\}", "one", path.replace("{subscriptionId}", "11111111-1111-1111-1111-111111111111"))


words = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,12}", fullmatch=True)


@given(kinds=st.lists(words, min_size=1, max_size=6), capabilities=st.sampled_from([TRACKED, EXTENSION, frozenset()]))
def test_no_two_parameters_of_a_path_have_one_name(kinds: list[str], capabilities: frozenset[str]) -> None:
    name = f"Microsoft.Any/{'/'.join(kinds)}"
    place = place_of(name, by_name([ResourceType(f"Microsoft.Any/{kinds[0]}", capabilities=capabilities)]))
    named = re.findall(r"\{(\w+)\}", place.path)
    if "providers" not in map(str.lower, kinds):
        assert len(named) == len(set(named))
    assert bool(place.path) != bool(place.pathless)
