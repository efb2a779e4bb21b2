"""Trying the tools of a deployment that is locked in, against a small organization."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.fakes.azure_devops.service import Elsewhere, FakeAzureDevOps
from tests.tools.azure_devops.given import given
from tests.tools.azure_devops.reaching import reaching
from tests.tools.azure_devops.world import World

WEB: Final = {"ADO_ALLOWED_PROJECTS": "Web"}


async def tried(
    world: FakeAzureDevOps, tool: str, arguments: dict[str, Any], **settings: Any
) -> tuple[dict[str, Any], str]:
    async with world.serving() as url, reaching(Elsewhere(url), **settings) as caller:
        result = await caller.call(tool, **arguments)
    return result, json.dumps(result, ensure_ascii=False)


def told_apart(told: str, arguments: dict[str, Any]) -> str:
    """What was told beyond what the caller has said."""
    for value in arguments.values():
        for text in value if isinstance(value, list) else [value]:
            told = told.replace(str(text), "") if len(str(text)) > 3 else told
    return told.lower()


def filled(world: World, arguments: dict[str, Any]) -> dict[str, Any]:
    ids = {"V": world.id_of("Vault"), "S": world.safe.id, "F": world.secret_file, "T": world.id_of("Vault Team")}
    return {name: ids.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()}


async def shown(world: FakeAzureDevOps, tool: str, /, settings: dict[str, Any] = WEB, **arguments: Any) -> Any:
    async with world.serving() as url, reaching(Elsewhere(url), **settings) as caller:
        return await given(caller, tool, **arguments)
