"""Who comes to the invented office: people who say by a header who they are and which roles they have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from identity.access import Access
from identity.caller import Caller, CallerKind
from identity.denial import Denial
from identity.door import Door, IncomingRequest, Needed, open_door
from identity.grants import UNLIMITED
from identity.limits import AddressLimit, RateLimit
from identity.roles import Roles
from tests.mcp_server import office

ROLES = """
signed-in:
  clock: read
roles:
  Visitor:
    office: read
  Clerk:
    office: write
    mishaps: none
  Usher:
    office: read
    office-notes/break_pencil: none
  Bricklayer:
    office-doors/brick_up_door: destroy
  Janitor:
    all: destroy
scopes:
  api://office/write-notes:
    office-notes: write
"""

TOOLSETS = [*(toolset.name for toolset in office.TOOLSETS), "mishaps"]


class ByHeader:
    """Believes what stands in a header: `name role role`, with scopes after a slash; and in another the kind."""

    async def caller(self, headers: Mapping[str, str]) -> Caller:
        if "x-who" not in headers:
            raise Denial("Say who you are.", error="")
        if headers["x-who"] == "forger":
            raise Denial("That is not you.")
        name, _, rest = headers["x-who"].partition(" ")
        roles, _, scopes = rest.partition("/")
        return Caller(
            CallerKind(headers.get("x-kind", "user")),
            "office",
            name,
            "desk",
            "issuer",
            frozenset(roles.split()),
            frozenset(scopes.split()),
            "t0ken",
            headers.get("x-token", ""),
        )


def office_roles(roles: str = ROLES, toolsets: Collection[str] = TOOLSETS) -> Roles:
    # Of toolsets that this office does not have, no tool is known by name.
    tools = {toolset.name: [tool.name for tool in toolset.tools] for toolset in office.TOOLSETS}
    return Roles.read(roles, "roles.yaml", {name: tools.get(name, []) for name in toolsets})


def office_door(roles: str = ROLES, toolsets: Collection[str] = TOOLSETS) -> Door:
    known = office_roles(roles, toolsets)

    def needed(toolset: str, tool: str, access: Access) -> Needed:
        return Needed(tuple(known.scopes_for(toolset, tool, access)), tuple(known.roles_for(toolset, tool, access)))

    return replace(
        open_door(UNLIMITED), sign_in=ByHeader(), grants_of=known.grants_of, needed=needed, challenge=_challenge
    )


def limited(door: Door, per_caller: int = 0, per_address: int = 0) -> Door:
    return replace(
        door,
        per_caller=RateLimit("caller", per_caller, lambda: 0.0),
        per_address=AddressLimit(per_address, lambda: 0.0),
    )


def _challenge(denial: Denial, request: IncomingRequest) -> str:
    return f'Bearer error="{denial.error}", scope="{" ".join(denial.scopes)}", at="{request.origin}{request.path}"'
