"""Shows who the caller is, and what they may do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clients.answers import Json, present
from identity.caller import Acting, Caller
from mcp_server.declarations.toolset import Access, Part
from mcp_server.http.choosing import choice_in
from mcp_server.visit import Context, Visit

part = Part()

_YOU: Final = {
    Acting.ANONYMOUS: "anonymous: you are not signed in",
    Acting.KEY: "a holder of this server's key",
    Acting.PERSON: "a person",
    Acting.FOR_A_PERSON: "an agent acting for a person",
    Acting.AGENT: "an agent acting for itself",
    Acting.APPLICATION: "an application acting for itself",
}
_MORE: Final = {
    Acting.ANONYMOUS: "Sign in, if this server supports sign-in.",
    Acting.KEY: "Ask an operator to extend the role in AUTH_KEY_ROLE. The roles file defines this role.",
    Acting.PERSON: "Ask an administrator to assign you another role.",
    Acting.FOR_A_PERSON: (
        "The person needs roles that give access, and an operator must list the agent under `agents` in the roles file."
    ),
    Acting.AGENT: "Ask an administrator to assign another role to the agent itself.",
    Acting.APPLICATION: "Ask an administrator to assign another role to the application.",
}


@part.tool(Access.READ, title="Who am I", open_world=False)
async def whoami(context: Context) -> Json:
    """Show who you are signed in as, what you may do, what limits you, and how to get more access."""
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
    """Return the toolsets that the caller can use in this request, each with the caller's highest access level."""
    by_access: dict[str, list[str]] = {}
    for one in visit.view.toolsets:
        if one.tools:
            by_access.setdefault(max(tool.access for tool in one.tools).label, []).append(one.name)
    return by_access


def _narrowing(visit: Visit) -> Iterator[str]:
    yield from _of_agents(visit.caller)
    if visit.grants.shares:
        yield (
            "Your roles or the limits for agents allow only some Azure DevOps organizations, projects or repositories."
        )
    if choice_in(visit.headers):
        yield "A request header of your client selects only some tools."


def _of_agents(caller: Caller) -> Iterator[str]:
    if caller.acts is Acting.FOR_A_PERSON:
        yield (
            "You act for a person, so you have their permissions, within the limits that the roles file sets for"
            " agents. The person approves each change on the approval page, unless the roles file states otherwise."
        )
    if caller.acts is Acting.AGENT:
        yield "You act for yourself, so only your own roles apply. Permissions granted to everyone do not apply to you."
    if not caller.can_agree:
        yield "You cannot approve anything in a form; only a person can."
