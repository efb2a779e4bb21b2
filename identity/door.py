"""The door: who the caller is, how often they may call, and what they may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from identity.access import Access
from identity.caller import ANONYMOUS, Caller
from identity.denial import Denial
from identity.grants import UNLIMITED, Grants
from identity.limits import AddressLimit, RateLimit
from identity.tenants import NO_TENANTS, Tenants


class SignIn(Protocol):
    """One way to sign in."""

    async def caller(self, headers: Mapping[str, str], /) -> Caller:
        """The sender of these headers, whose names are lowercase.

        Raises:
            Denial: They do not authenticate anyone.
        """


class IncomingRequest(Protocol):
    """The part of a request that shows the URL of this server."""

    @property
    def origin(self) -> str: ...

    @property
    def path(self) -> str: ...


class NoSignIn:
    """No sign-in."""

    async def caller(self, _headers: Mapping[str, str], /) -> Caller:
        return ANONYMOUS


@dataclass(frozen=True, slots=True)
class Needed:
    """What would give a caller access to a tool."""

    scopes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Door:
    sign_in: SignIn
    grants_of: Callable[[Caller], Grants]
    needed: Callable[[str, str, Access], Needed]
    per_address: AddressLimit
    per_caller: RateLimit
    # The limits of one agent across all people: requests, and changes per day.
    per_agent: RateLimit = field(default_factory=lambda: RateLimit("agent", 0))
    changes_per_agent: RateLimit = field(default_factory=lambda: RateLimit("agent", 0))
    # Maps callers to tenants of the team's data.
    tenants: Tenants = NO_TENANTS
    # How to tell a client to sign in or to request more scopes, if possible.
    challenge: Callable[[Denial, IncomingRequest], str] | None = None

    def count(self, address: str) -> None:
        """Count a request of this network address.

        Raises:
            TooManyRequests: There were too many.
        """
        self.per_address.take(address)

    async def enter(self, headers: Mapping[str, str]) -> Caller:
        """Authenticate the caller.

        Raises:
            Denial: The request does not authenticate anyone.
            TooManyRequests: The caller sent too many requests.
        """
        caller = await self.sign_in.caller(headers)
        self.count_caller(caller)
        return caller

    def count_caller(self, caller: Caller) -> None:
        """Count a request of this caller.

        Raises:
            TooManyRequests: There were too many.
        """
        # An agent has a separate limit per person, and one for all people together.
        self.per_caller.take(caller.person)
        if caller.agent:
            self.per_agent.take(caller.agent.id)

    def count_change(self, caller: Caller) -> None:
        """Count a change of this caller.

        Raises:
            TooManyRequests: An agent has reached its daily limit of changes.
        """
        if caller.agent:
            self.changes_per_agent.take(caller.agent.id)

    def limits_of(self, caller: Caller) -> Mapping[str, int]:
        """The caller's limits on one instance."""
        limits = {"requests_a_minute": self.per_caller.most}
        if caller.agent:
            limits["requests_a_minute_of_the_agent"] = self.per_agent.most
            limits["changes_a_day_of_the_agent"] = self.changes_per_agent.most
        return {name: most for name, most in limits.items() if most}

    def askable(self, caller: Caller, toolset: str, tool: str, access: Access) -> Denial | None:
        """The denial for a tool, if the caller can request a scope for it: only people get scopes."""
        denial = self.denial_of(toolset, tool, access)
        return denial if caller.is_person and denial.scopes else None

    def denial_of(self, toolset: str, tool: str, access: Access) -> Denial:
        """Why a caller cannot see a tool, and what would change that."""
        needed = self.needed(toolset, tool, access)
        ways = [f"the scope {scope}" for scope in needed.scopes] + [f"the role {role}" for role in needed.roles]
        words = f" Required: {' or '.join(ways)}." if ways else ""
        return Denial(
            f"You do not have {access.label} access to {toolset}.{words}", "insufficient_scope", needed.scopes[:1]
        )


def open_door(grants: Grants) -> Door:
    """A door with the same grants for all callers."""
    return Door(NoSignIn(), lambda _: grants, lambda *_: Needed(), AddressLimit(0), RateLimit("caller", 0))


OPEN_DOOR: Final = open_door(UNLIMITED)
