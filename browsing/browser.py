"""Browser sessions: one cookie identifies the browser and contains the sealed identity of the signed-in user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import ClassVar, Final, Self

from identity.caller import Caller, CallerKind
from identity.seals import Seals
from refusal import Refusal

# The lifetime of a token. The roles in the session are at most this old.
SECONDS: Final = 3600
# Browsers reject larger cookies, counting name and attributes.
_LARGEST_COOKIE: Final = 3800


@dataclass(frozen=True, slots=True)
class Session:
    """A browser and its signed-in user, if any: identity and roles, without a token.

    `kept_token` is the name of the row that stores the user's token, if one is needed.
    """

    kind: ClassVar[str] = "session at pages"
    seconds: ClassVar[int] = SECONDS

    browser: str
    issuer: str = ""
    tenant: str = ""
    subject: str = ""
    client: str = ""
    name: str = ""
    signed_in_at: float = 0.0
    roles: Sequence[str] = ()
    scopes: Sequence[str] = ()
    kept_token: str = ""

    @classmethod
    def new(cls) -> Self:
        return cls(token_urlsafe(16))

    @classmethod
    def of(cls, person: Caller) -> Self:
        """A new session, so that nothing issued to a browser before the sign-in stays valid."""
        return cls(
            token_urlsafe(16),
            person.issuer,
            person.tenant,
            person.subject,
            person.client,
            person.name,
            person.signed_in_at,
            sorted(person.roles),
            sorted(person.scopes),
        )

    @property
    def person(self) -> Caller | None:
        if not self.subject:
            return None
        return Caller(
            CallerKind.USER,
            tenant=self.tenant,
            subject=self.subject,
            client=self.client,
            issuer=self.issuer,
            roles=frozenset(self.roles),
            scopes=frozenset(self.scopes),
            name=self.name,
            signed_in_at=self.signed_in_at,
        )


class Cookie:
    def __init__(self, seals: Seals, origin: str) -> None:
        self._seals = seals
        # Browsers accept this cookie prefix only from this exact host over https. Local servers have no https.
        is_secure = origin.startswith("https://")
        self._name = "__Host-changes" if is_secure else "changes"
        # SameSite=Lax sends the cookie with links and after the sign-in, but not with forms of other sites.
        self._manner = f"; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure else ''}"

    def session(self, headers: Mapping[str, str]) -> Session | None:
        """The session of the browser that sent these headers. None if there is no cookie, or more than one."""
        pairs = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
        values = [value for name, _, value in pairs if name == self._name]
        return self._seals.open(Session, values[0]) if len(values) == 1 else None

    def setting(self, session: Session) -> str:
        """The header that sets the cookie.

        Raises:
            Refusal: The cookie would exceed the browsers' limit.
        """
        sealed = self._seals.seal(session)
        if len(sealed) > _LARGEST_COOKIE:
            raise Refusal("You have more roles here than a browser can keep. Ask an administrator to take some away.")
        return f"{self._name}={sealed}; Max-Age={session.seconds}{self._manner}"

    @property
    def ending(self) -> str:
        """The header that deletes the cookie."""
        return f"{self._name}=; Max-Age=0{self._manner}"
