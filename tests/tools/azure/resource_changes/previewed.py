"""What somebody is shown of a change, above all of a template that is deployed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from changes.preview import Preview
from changes.summary import Summary
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.tools.azure.inventing import NAME, refused
from tests.tools.azure.resource_changes.planted import _DEPLOYING
from tests.tools.azure.team import ASKING, team
from tools.azure.settings import AzureSettings

CLOSED: Final = AzureSettings(subscription=NAME)


async def deployed(settings: AzureSettings, *changes: Mapping[str, Any]) -> str:
    """The text of the preview of a template of which Azure says that it makes these changes."""
    azure = FakeAzure()
    answer = {"status": "Succeeded", "properties": {"changes": list(changes)}}
    azure.places["/whatIf"] = troubles.answering(200, json.dumps(answer).encode())
    return Summary(await shown(azure, settings, "deploy_template", **_DEPLOYING)).text


async def shown(azure: FakeAzure, settings: AzureSettings, tool: str, **arguments: Any) -> Preview:
    async with team(azure, ASKING, settings=settings) as them:
        return await them.shown(await refused(them.member("ada"), tool, **arguments))
