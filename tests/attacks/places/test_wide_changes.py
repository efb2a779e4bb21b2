"""Changes above subscriptions and of several scopes, whose places no list of groups covers."""

from __future__ import annotations

from typing import Final

import pytest

from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT
from tests.tools.azure.inventing import NAME
from tests.tools.azure.placing import deployed, requires, shown

OVEN_DEV: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev"
GUID: Final = "11111111-1111-4111-8111-111111111111"
ABOVE: Final = "/providers/Microsoft.Management/managementGroups/bakery"
RIGHT: Final = f"{ABOVE}/providers/Microsoft.Authorization/roleAssignments/{GUID}"
PLACES: Final = (
    ("subscription", NAME),
    ("resource-group", "shop-prod"),
    ("name", "shop-orders"),
    ("tag:environment", "production"),
)


async def test_a_template_for_a_management_group_may_change_any_place(monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"resourceId": RIGHT, "changeType": "Create", "after": {"properties": {"principalId": GUID}}}
    preview = await deployed(monkeypatch, change)
    assert [place for place in PLACES if not requires(preview, *place)] == []


async def test_a_role_for_a_management_group_and_a_group_may_change_any_place() -> None:
    words = {"name": "Baker", "actions": ["Microsoft.Web/sites/read"], "subscription": "Bakery Development"}
    preview = await shown(FakeAzure(), "create_role_definition", {**words, "scopes": [ABOVE, OVEN_DEV]})
    assert [place for place in PLACES if not requires(preview, *place)] == []
    assert "a whole subscription or more" in preview.grave
