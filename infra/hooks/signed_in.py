"""Sends requests to a service with azd's sign-in."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

import azd
from cannot_go_on import CannotGoOnError
from waiting import Clock, Wait, ask_until
from web import BUSY, Web, WebAnswer

SECONDS = 180
PAUSE = 5


class SignedIn:
    def __init__(self, host: str, name: str, web: Web, clock: Clock, tenant: str = "") -> None:
        self._host = host
        self._tenant = tenant
        self._wait = Wait(name, SECONDS, PAUSE)
        self._web = web
        self._clock = clock
        self._token = ""

    def ask(
        self,
        method: str,
        address: str,
        content: object = None,
        again: Container[int] = BUSY,
        headers: Mapping[str, str] | None = None,
    ) -> WebAnswer:
        """Send a request, and repeat it while the service is busy. Return the last response, which may be an error."""
        return ask_until(
            lambda answer: answer.status not in again,
            lambda: self._ask(method, f"{self._host}{address}", content, headers or {}),
            self._wait,
            self._clock,
        )

    def _ask(self, method: str, url: str, content: object, headers: Mapping[str, str]) -> WebAnswer:
        self._token = self._token or azd.token(self._scope, self._tenant)
        answer = self._web.ask(method, url, {**headers, **self._signature}, content)
        if answer.status != 401:
            return answer
        # The token has expired, or the subscription belongs to another tenant.
        tenant = self._tenant or _tenant(answer)
        self._token = azd.token(self._scope, tenant)
        answer = self._web.ask(method, url, {**headers, **self._signature}, content)
        if answer.status == 401:
            raise _rejected(answer, tenant)
        return answer

    @property
    def _scope(self) -> str:
        return f"{self._host}/.default"

    @property
    def _signature(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._token}"}


def _tenant(refused: WebAnswer) -> str:
    """The tenant whose token Azure requires, or an empty string if the response does not contain a tenant."""
    challenge = refused.headers.get("www-authenticate", "")
    found = re.search(
        r'authorization_uri="https://[\w.-]+/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})', challenge
    )
    return found[1] if found else ""


def _rejected(answer: WebAnswer, tenant: str) -> CannotGoOnError:
    login = f"azd auth login --tenant-id {tenant}" if tenant else "azd auth login"
    return CannotGoOnError(
        f"Azure rejected azd's sign-in ({answer.code}). Run '{login}', then run the same command again."
    )
