"""Who the caller is to this server, and what they may do through it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clients.answers import Json, present
from identity.caller import Acting, Caller
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context, Visit

part = Part()

_YOU: Final = {
    Acting.ANONYMOUS: "nobody in particular: you have not signed in",
    Acting.KEY: "whoever has the key of this server",
    Acting.PERSON: "a person",
    Acting.FOR_A_PERSON: "an agent that acts for a person",
    Acting.AGENT: "an agent that acts for itself",
    Acting.APPLICATION: "an application that acts for itself",
}
_MORE: Final = {
    Acting.ANONYMOUS: "Sign in, where this server has a sign-in.",
    Acting.KEY: "An operator gives the role that the setting AUTH_KEY_ROLE names more in the roles file.",
    Acting.PERSON: "An administrator assigns you a further role.",
    Acting.FOR_A_PERSON: (
        "The person needs the roles, and an operator has to list the agent under `agents` in the roles file."
    ),
    Acting.AGENT: "An administrator assigns a further role to the agent itself.",
    Acting.APPLICATION: "An administrator assigns a further role to the application.",
}


@part.tool(Access.READ, title="Who am I", open_world=False)
async def whoami(context: Context) -> Json:
    """Tell who you are to this server, what it opens to you, what narrows that, and what would open more."""
    visit = context.visit
    caller = visit.caller
    return present(
        {
            "you_are": _YOU[caller.acts],
            "kind": caller.acts.value,
            "tenant": caller.tenant,
            "subject": caller.subject,
            "agent": caller.agent.id if caller.agent else "",
            "client": caller.client,
            "roles": sorted(caller.roles),
            "scopes": sorted(caller.scopes),
            "open_to_you": _open(visit),
            "limits": visit.door.limits_of(caller),
            "narrowed_by": list(_narrowing(visit)),
            "to_open_more": "" if visit.grants.are_unlimited else _MORE[caller.acts],
        }
    )


def _open(visit: Visit) -> dict[str, list[str]]:
    """The toolsets that are reached in this request, by the most that is open in each."""
    by_access: dict[str, list[str]] = {}
    for one in visit.view.toolsets:
        if one.tools:
            by_access.setdefault(max(tool.access for tool in one.tools).label, []).append(one.name)
    return by_access


def _narrowing(visit: Visit) -> Iterator[str]:
    yield from _of_agents(visit.caller)
    if visit.grants.shares:
        yield "Of Azure DevOps, a role or what agents may do opens some organizations, projects or repositories only."
    if any(name in visit.headers for name in ("x-mcp-toolsets", "x-mcp-tools", "x-mcp-readonly")):
        yield "Your client has chosen some tools only, by a header of its requests."


def _of_agents(caller: Caller) -> Iterator[str]:
    if caller.acts is Acting.FOR_A_PERSON:
        yield (
            "You act for a person, so of what they may do you may do what the roles file lets agents do for people."
            " They agree to each change at the page, unless the file says otherwise."
        )
    if caller.acts is Acting.AGENT:
        yield "You act for yourself, so you may do what your roles open, and nothing of what is open to all people."
    if not caller.can_agree:
        yield "You cannot agree to anything in a form: only a person can."
