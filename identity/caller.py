"""The authenticated caller of a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class CallerKind(StrEnum):
    ANONYMOUS = "anonymous"
    KEY = "key"
    USER = "user"
    APP = "app"


class Acting(StrEnum):
    """The kind of caller, as recorded in the audit log."""

    ANONYMOUS = "anonymous"
    KEY = "key"
    PERSON = "user"
    FOR_A_PERSON = "agent for a user"
    AGENT = "agent"
    APPLICATION = "app"


# If no agent takes part in a request, the kind of caller determines who makes the request.
_THEMSELVES: Final = {
    CallerKind.ANONYMOUS: Acting.ANONYMOUS,
    CallerKind.KEY: Acting.KEY,
    CallerKind.USER: Acting.PERSON,
    CallerKind.APP: Acting.APPLICATION,
}


@dataclass(frozen=True, slots=True)
class Agent:
    """An autonomous program whose own identity is in its tokens.

    The agent's `blueprint` is recorded but does not affect decisions.
    """

    id: str
    blueprint: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller.

    `subject` is the object ID if the token contains one, otherwise the claim `sub`. `client` is the ID of the
    application that the caller uses.
    """

    kind: CallerKind
    tenant: str = ""
    subject: str = ""
    client: str = ""
    issuer: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    # The user's own token. The server uses this token only to request another token, and calls a service on the user's
    # behalf with that other token.
    token: str = field(default="", repr=False, compare=False)
    # The ID of the token, if any. The ID is not a secret and does not give access.
    token_id: str = field(default="", compare=False)
    # The display name of the person. The name does not affect decisions.
    name: str = field(default="", compare=False)
    # The values of each claim, for conditions and for the roles file, which can map a claim to tenants.
    claims: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    # The time when the person last entered credentials, in seconds since 1970; 0 if the token does not contain this
    # time.
    signed_in_at: float = field(default=0.0, compare=False)
    # The agent, if any, that acts for the subject or for itself.
    agent: Agent | None = None
    # Whether the subject is an agent's account. An agent's account signs in like a person's account.
    is_agents_account: bool = False

    def claim(self, name: str) -> str:
        """The value of a claim. The result is an empty string unless the claim has exactly one value."""
        values = self.claims.get(name, frozenset())
        return next(iter(values)) if len(values) == 1 else ""

    @property
    def principal(self) -> tuple[str, ...]:
        """A key that identifies the caller in all requests."""
        return (*self.person, self.client)

    @property
    def acts(self) -> Acting:
        """Who makes the request: a person, an agent on behalf of a person, an agent on its own behalf, or an
        application.
        """
        if not self.agent:
            return _THEMSELVES[self.kind]
        is_for_itself = self.kind is not CallerKind.USER or self.is_agents_account
        return Acting.AGENT if is_for_itself else Acting.FOR_A_PERSON

    @property
    def is_person(self) -> bool:
        """Whether the sign-in shows that the caller is a person who does not use an agent."""
        return self.acts is Acting.PERSON

    @property
    def can_agree(self) -> bool:
        """Whether the caller could be a person who can answer a question about an approval. Programs never approve.

        Callers with a key and anonymous callers could be people, so they count as people.
        """
        return self.acts in {Acting.PERSON, Acting.ANONYMOUS, Acting.KEY}

    @property
    def person(self) -> tuple[str, ...]:
        """A key that identifies the person. The key is the same in all of the person's clients.

        For an agent that acts for a person, the key also contains the agent.
        """
        return (self.kind, self.issuer, self.tenant, self.subject, *([self.agent.id] if self.agent else []))


ANONYMOUS: Final = Caller(CallerKind.ANONYMOUS)
