"""Shared services of the retirement tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from tools.key import Key
from tools.retirements.settings import Team

if TYPE_CHECKING:
    from retirements.claims import ItemClaims

RETIREMENTS: Final[Key[RetirementsAccess]] = Key("retirements")


@dataclass(frozen=True, slots=True)
class RetirementsAccess:
    """The services of the retirement tools. `claims` records which process creates which work item.

    `opened` returns the services of other providers for background work.
    """

    owner_tags: tuple[str, ...]
    teams: tuple[Team, ...]
    claims: ItemClaims
    opened: Callable[[Key[Any]], Awaitable[Any]]


async def _access_of(context: Context) -> RetirementsAccess:
    return await RETIREMENTS.of(context)


Retirements = Annotated[RetirementsAccess, Resolve(_access_of)]
