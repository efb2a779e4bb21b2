"""Who there is in the invented tenants, and the tokens that they come with."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from uuid import NAMESPACE_DNS, UUID, uuid5

_INVENTED: Final[UUID] = uuid5(NAMESPACE_DNS, "bakery.example.com")
_LIFETIME: Final = 3600


@cache
def invented_id(*about: str) -> str:
    """The same identifier whenever it is asked for."""
    return str(uuid5(_INVENTED, "/".join(about).lower()))


HOME: Final = invented_id("tenant", "bakery")
PARTNER: Final = invented_id("tenant", "mill")


@dataclass(frozen=True, slots=True)
class Group:
    name: str

    @property
    def id(self) -> str:
        return invented_id("group", self.name)


@dataclass(frozen=True, slots=True)
class Principal:
    """A person or an app. `name` is what one signs in as."""

    name: str
    title: str
    kind: str = "User"
    groups: tuple[Group, ...] = ()
    # The first is home; in the others one is a guest.
    tenants: tuple[str, ...] = (HOME,)

    @property
    def id(self) -> str:
        return invented_id("principal", self.name)

    @property
    def application(self) -> str:
        """The application id of an app, which is another than that of its service principal."""
        return invented_id("application", self.name)

    @property
    def identities(self) -> frozenset[str]:
        """What a role may be assigned to, so that this principal has it."""
        return frozenset([self.id, *(group.id for group in self.groups)])

    @property
    def token(self) -> str:
        return self.token_for()

    def token_for(
        self, audience: str = "https://management.azure.com", tenant: str = "", seconds: int = _LIFETIME
    ) -> str:
        """A token as Entra ID makes them, but for the signature, which this service does not check."""
        tenant = tenant or self.tenants[0]
        now = int(time.time())
        claims = {"aud": audience, "iss": f"https://sts.windows.net/{tenant}/", "iat": now, "nbf": now}
        claims |= {"exp": now + seconds, "oid": self.id, "sub": self.id, "tid": tenant, "ver": "1.0"}
        claims |= {"appid": self.id, "idtyp": "app"} if self.kind != "User" else _of_a_person(self)
        header = {"typ": "JWT", "alg": "RS256", "kid": "invented"}
        return f"{_encoded(header)}.{_encoded(claims)}.c2lnbmF0dXJl"


@dataclass
class People:
    """Finds who a token is of."""

    principals: list[Principal]
    # Tokens that are no JWT.
    tokens: dict[str, Principal] = field(default_factory=dict)

    def of(self, token: str) -> tuple[Principal, str, float] | None:
        """Who it is, in which tenant, and until when."""
        if known := self.tokens.get(token):
            return known, known.tenants[0], float("inf")
        claims = _claims(token)
        found = next((one for one in self.principals if one.id == claims.get("oid")), None)
        return (found, str(claims.get("tid")), float(claims.get("exp", 0))) if found else None

    def groups(self) -> Iterable[Group]:
        return dict.fromkeys(group for principal in self.principals for group in principal.groups)

    def identities(self, principal_id: str) -> frozenset[str]:
        """The id itself, and of the groups that its principal is in."""
        found = next((one for one in self.principals if one.id == principal_id), None)
        return found.identities if found else frozenset([principal_id])


def _of_a_person(principal: Principal) -> dict[str, Any]:
    given, _, family = principal.title.partition(" ")
    return {
        "upn": principal.name,
        "unique_name": principal.name,
        "name": principal.title,
        "given_name": given,
        "family_name": family,
        "scp": "user_impersonation",
        "appid": "04b07795-8ddb-461a-bbee-02f9e1bf7b46",
    }


def _encoded(part: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def _claims(token: str) -> dict[str, Any]:
    try:
        payload = token.split(".")[1]
        claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (LookupError, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


OPERATORS: Final = Group("Bakery Operators")
AUDITORS: Final = Group("Auditors")
# Owns all subscriptions of the bakery, and is a guest of the mill.
OWNER: Final = Principal("grace.brewster@example.com", "Grace Brewster", tenants=(HOME, PARTNER))
# Contributes to the development subscription, and runs what is in production, through a group.
DEVELOPER: Final = Principal("ada.byron@example.com", "Ada Byron", groups=(OPERATORS,))
# Reads one resource group, and nothing else.
READER: Final = Principal("linus.baker@example.com", "Linus Baker")
# Is somebody, and may do nothing.
NOBODY: Final = Principal("pat.stranger@example.com", "Pat Stranger")
# An app, which deploys.
PIPELINE: Final = Principal("bakery-deployer", "bakery-deployer", kind="ServicePrincipal")
EVERYBODY: Final = (OWNER, DEVELOPER, READER, NOBODY, PIPELINE)
