"""Templates whose effect, tags or repetitions could hide a place from a rule for it."""

from __future__ import annotations

from typing import Any, Final

import pytest

from changes.preview import Preview
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import DEVELOPMENT
from tests.tools.azure.deploying.templates import site, template
from tests.tools.azure.test_places_of_changes import requires, shown, tell_also

Json = dict[str, Any]
OVEN_DEV: Final = f"/subscriptions/{DEVELOPMENT}/resourceGroups/Oven-Dev"
PLACE: Final = f"{OVEN_DEV}/providers/Microsoft.Web/sites/y"


async def deployed(monkeypatch: pytest.MonkeyPatch, *changes: Json) -> Preview:
    """The preview of a template for the oven, of which Azure also tells these changes."""
    azure = FakeAzure()
    tell_also(azure, {"changes": list(changes)}, monkeypatch)
    where = {"resource_group": "oven-dev", "subscription": "Bakery Development"}
    return await shown(azure, "deploy_template", {**where, "template": template(site("bun"))})


@pytest.mark.parametrize("respelled", [PLACE, PLACE.upper().replace("/SUBSCRIPTIONS", "/subscriptions")])
async def test_no_second_change_of_a_resource_hides_its_tags(respelled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"changeType": "Modify", "delta": [], "after": {"name": "y", "tags": {}}}
    one = {**change, "resourceId": PLACE, "before": {"name": "y", "tags": {"environment": "production"}}}
    two = {**change, "resourceId": respelled, "before": {"name": "y", "tags": {}}}
    assert requires(await deployed(monkeypatch, one, two), "tag:environment", "production")
