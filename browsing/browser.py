"""The browser at the pages: known again by one cookie, which also holds who signed in with it, sealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import ClassVar, Final, Self

from identity.caller import Caller, CallerKind
from identity.seals import Seals
from refusal import Refusal

# As long as a token is good: the roles in it are as old as that at most.
SECONDS: Final = 3600
# Browsers keep no cookie that is larger, with its name and all that is said of it.
_LARGEST_COOKIE: Final = 3800


@dataclass(frozen=True, slots=True)
class Session:
    """A browser and the person who signed in with it, if somebody did: who they are and their roles, and no token.

    `kept_token` is the name of the row in which theirs is kept, where it is of use.
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
        """A new one, so that nobody goes on with what was given to a browser before its person signed in."""
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
        # Only this very host can set a cookie of this prefix, and only over https. A laptop has no https.
        is_secure = origin.startswith("https://")
        self._name = "__Host-changes" if is_secure else "changes"
        # Lax lets it come along when a link or the sign-in leads here, and with no form of another site.
        self._manner = f"; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure else ''}"

    def session(self, headers: Mapping[str, str]) -> Session | None:
        """The session of the browser that sent these headers; nothing where there is none, or more than one."""
        pairs = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
        values = [value for name, _, value in pairs if name == self._name]
        return self._seals.open(Session, values[0]) if len(values) == 1 else None

    def setting(self, session: Session) -> str:
        """The header that has the browser keep it.

        Raises:
            Refusal: It is more than browsers keep.
        """
        sealed = self._seals.seal(session)
        if len(sealed) > _LARGEST_COOKIE:
            raise Refusal("You have more roles here than a browser can keep. Ask an administrator to take some away.")
        return f"{self._name}={sealed}; Max-Age={session.seconds}{self._manner}"

    @property
    def ending(self) -> str:
        """The header that has the browser forget it."""
        return f"{self._name}=; Max-Age=0{self._manner}"
