"""Browser sessions. A cookie identifies the browser and contains the encrypted identity of the signed-in user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import ClassVar, Final, Self

from identity.caller import Caller, CallerKind
from identity.seals import Seals
from refusal import Refusal

# A session has the same lifetime as a token, so the roles in a session are at most one hour old.
SECONDS: Final = 3600
# The maximum size of a cookie, including its name and attributes. Browsers reject larger cookies.
_LARGEST_COOKIE: Final = 3800


@dataclass(frozen=True, slots=True)
class Session:
    """A browser session with the identity and roles of the signed-in user, if any.

    The session does not contain a token.

    If a page needs the user's token, `kept_token` is the name of the row that stores this token.
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
        """Create the session of a user who has just signed in. Forms and cookies that the browser received earlier
        become invalid.
        """
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
        # If the name starts with `__Host-`, browsers accept the cookie only from this host and only over https. Local
        # servers do not use https.
        is_secure = origin.startswith("https://")
        self._name = "__Host-changes" if is_secure else "changes"
        # With SameSite=Lax, browsers send the cookie when users follow a link or return from the sign-in, but not when
        # another site submits a form.
        self._manner = f"; Path=/; HttpOnly; SameSite=Lax{'; Secure' if is_secure else ''}"

    def session(self, headers: Mapping[str, str]) -> Session | None:
        """Read the session from the cookie in these headers.

        Return None if the headers contain no valid session cookie, or if they contain several session cookies.
        """
        pairs = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
        values = [value for name, _, value in pairs if name == self._name]
        return self._seals.open(Session, values[0]) if len(values) == 1 else None

    def setting(self, session: Session) -> str:
        """The header value that sets the cookie.

        Raises:
            Refusal: The cookie would be too large for browsers.
        """
        sealed = self._seals.seal(session)
        if len(sealed) > _LARGEST_COOKIE:
            raise Refusal(
                "You have too many roles to store in a browser cookie. Ask an administrator to remove some of them."
            )
        return f"{self._name}={sealed}; Max-Age={session.seconds}{self._manner}"

    @property
    def ending(self) -> str:
        """The header value that deletes the cookie."""
        return f"{self._name}=; Max-Age=0{self._manner}"
