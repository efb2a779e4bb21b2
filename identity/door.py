"""The door authenticates callers, limits their requests, and determines their access."""

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
    """A way to authenticate callers."""

    async def caller(self, headers: Mapping[str, str], /) -> Caller:
        """The caller that sent these headers. Header names are lowercase.

        Raises:
            Denial: The headers do not authenticate a caller.
        """


class IncomingRequest(Protocol):
    """The parts of a request from which the server derives its own URL."""

    @property
    def origin(self) -> str: ...

    @property
    def path(self) -> str: ...


class NoSignIn:
    """No authentication: all callers are anonymous."""

    async def caller(self, _headers: Mapping[str, str], /) -> Caller:
        return ANONYMOUS


@dataclass(frozen=True, slots=True)
class Needed:
    """The scopes and roles that would give a caller access to a tool."""

    scopes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Door:
    sign_in: SignIn
    grants_of: Callable[[Caller], Grants]
    needed: Callable[[str, str, Access], Needed]
    per_address: AddressLimit
    per_caller: RateLimit
    # The limits for an agent, counted for all of its users together: requests per minute, and changes per day.
    per_agent: RateLimit = field(default_factory=lambda: RateLimit("agent", 0))
    changes_per_agent: RateLimit = field(default_factory=lambda: RateLimit("agent", 0))
    # Maps callers to tenants of the team's data, according to the roles file.
    tenants: Tenants = NO_TENANTS
    # Returns the header that tells a client to sign in or to request more scopes.
    challenge: Callable[[Denial, IncomingRequest], str] | None = None

    def count(self, address: str) -> None:
        """Count a request from this network address.

        Raises:
            TooManyRequests: The address has reached its limit.
        """
        self.per_address.take(address)

    async def enter(self, headers: Mapping[str, str]) -> Caller:
        """Authenticate the caller.

        Raises:
            Denial: The caller cannot be authenticated.
            TooManyRequests: The caller sent too many requests.
        """
        caller = await self.sign_in.caller(headers)
        self.count_caller(caller)
        return caller

    def count_caller(self, caller: Caller) -> None:
        """Count a request from this caller.

        Raises:
            TooManyRequests: The caller has reached its limit.
        """
        # An agent's requests count toward a limit for each of its users, and toward a limit for all of its users
        # together.
        self.per_caller.take(caller.person)
        if caller.agent:
            self.per_agent.take(caller.agent.id)

    def count_change(self, caller: Caller) -> None:
        """Count a change that this caller makes.

        Raises:
            TooManyRequests: An agent has reached its daily limit of changes.
        """
        if caller.agent:
            self.changes_per_agent.take(caller.agent.id)

    def limits_of(self, caller: Caller) -> Mapping[str, int]:
        """The rate limits that apply to this caller on each instance of the server."""
        limits = {"requests_a_minute": self.per_caller.most}
        if caller.agent:
            limits["requests_a_minute_of_the_agent"] = self.per_agent.most
            limits["changes_a_day_of_the_agent"] = self.changes_per_agent.most
        return {name: most for name, most in limits.items() if most}

    def askable(self, caller: Caller, toolset: str, tool: str, access: Access) -> Denial | None:
        """Return a denial if the caller can request a scope that gives access to this tool. Otherwise, return None.

        Only people can request scopes.
        """
        denial = self.denial_of(toolset, tool, access)
        return denial if caller.is_person and denial.scopes else None

    def denial_of(self, toolset: str, tool: str, access: Access) -> Denial:
        """The denial for a tool that the caller cannot use. The denial names the scopes and roles that give access."""
        needed = self.needed(toolset, tool, access)
        ways = [f"the scope {scope}" for scope in needed.scopes] + [f"the role {role}" for role in needed.roles]
        words = f" Required: {' or '.join(ways)}." if ways else ""
        return Denial(
            f"You do not have {access.label} access to {toolset}.{words}", "insufficient_scope", needed.scopes[:1]
        )


def open_door(grants: Grants) -> Door:
    """A door that gives all callers the same grants."""
    return Door(NoSignIn(), lambda _: grants, lambda *_: Needed(), AddressLimit(0), RateLimit("caller", 0))


OPEN_DOOR: Final = open_door(UNLIMITED)
