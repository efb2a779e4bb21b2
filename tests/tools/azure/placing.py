"""Previews of changes in the invented Azure, and whether a rule for a place applies to them."""

from __future__ import annotations

from typing import Any

import pytest

from changes.approval_request import RequiredApprover
from changes.preview import Preview
from changes.rule import Rule
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.templates import Template
from tests.tools.azure.deploying.templates import site, template
from tests.tools.azure.inventing import refused
from tests.tools.azure.team import ASKING, team
from tools.azure.settings import AzureSettings

Json = dict[str, Any]


def requires(preview: Preview, kind: str, name: str) -> bool:
    """Whether a rule by which another person must approve changes of this place applies."""
    return Rule(RequiredApprover.ANOTHER, places={kind: [name]}).fits(preview)


async def shown(azure: FakeAzure, tool: str, arguments: Any, settings: AzureSettings | None = None) -> Preview:
    async with team(azure, ASKING, settings=settings) as people:
        return await people.shown(await refused(people.member("ada"), tool, **arguments))


def tell_also(azure: FakeAzure, more: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add to what Azure tells of what a template would do."""
    told = azure.deployments.what_ifs.of

    def also(given: Template, mode: str) -> Json:
        found = told(given, mode)["properties"]
        changes = [*found["changes"], *more.get("changes", [])]
        return {"status": "Succeeded", "properties": {**found, **more, "changes": changes}}

    monkeypatch.setattr(azure.deployments.what_ifs, "of", also)


async def deployed(monkeypatch: pytest.MonkeyPatch, *changes: Json) -> Preview:
    """The preview of a template for the oven, of which Azure also tells these changes."""
    azure = FakeAzure()
    tell_also(azure, {"changes": list(changes)}, monkeypatch)
    where = {"resource_group": "oven-dev", "subscription": "Bakery Development"}
    return await shown(azure, "deploy_template", {**where, "template": template(site("bun"))})
