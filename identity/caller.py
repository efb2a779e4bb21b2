"""Who makes a request, as far as what came with it proves."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    ANONYMOUS = "anonymous"
    KEY = "key"
    USER = "user"
    APP = "app"


@dataclass(frozen=True, slots=True)
class Caller:
    """`subject` is the object id where the issuer has one, else the `sub`; `client` is the application that asks."""

    kind: Kind
    tenant: str = ""
    subject: str = ""
    client: str = ""
    issuer: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] = frozenset()
    # The user's own token, with which another is asked for on the user's behalf. It leaves this process for that only.
    token: str = field(default="", repr=False, compare=False)
    # What the issuer calls the token that was presented, if it calls it anything: no secret, and good for nothing.
    token_id: str = field(default="", compare=False)

    @property
    def principal(self) -> tuple[str, ...]:
        """What stays the same over all requests of one caller, and differs from every other caller."""
        return (*self.person, self.client)

    @property
    def person(self) -> tuple[str, ...]:
        """Who it is, by whichever client."""
        return (self.kind, self.issuer, self.tenant, self.subject)


ANONYMOUS: Final = Caller(Kind.ANONYMOUS)
