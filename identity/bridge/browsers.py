"""Uses a cookie to identify the browser in which a user signs in."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_urlsafe
from typing import ClassVar

from starlette.requests import Request
from starlette.responses import Response

from identity.seals import Seals


@dataclass(frozen=True, slots=True)
class Browser:
    kind: ClassVar[str] = "browser 2"
    seconds: ClassVar[int] = 24 * 3600

    id: str


class Browsers:
    def __init__(self, seals: Seals, origin: str) -> None:
        self._seals = seals
        # With the prefix `__Host-`, browsers accept the cookie only from this host over https. The prefix is not used
        # on a laptop, because a laptop does not use https.
        self._is_secure = origin.startswith("https://")
        self._cookie = "__Host-sign-in" if self._is_secure else "sign-in"

    def of(self, request: Request) -> Browser | None:
        return self._seals.open(Browser, request.cookies.get(self._cookie, ""))

    def met(self, request: Request) -> Browser:
        """The browser that sent the request. If the browser has no cookie yet, `remember` must set the cookie."""
        return self.of(request) or Browser(token_urlsafe(16))

    def remember(self, browser: Browser, response: Response) -> Response:
        # With SameSite=Lax, browsers send the cookie when the authority redirects back, but not when another site
        # submits a form.
        response.set_cookie(
            self._cookie,
            self._seals.seal(browser),
            max_age=browser.seconds,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )
        return response
