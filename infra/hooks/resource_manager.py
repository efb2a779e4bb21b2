"""Azure Resource Manager, in the name of whom azd is signed in as."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Container, Mapping

from cannot_go_on import CannotGoOnError
from waiting import Clock, Wait, ask_until
from web import BUSY, Answer, Web

HOST = "https://management.azure.com"
TOKEN = ("azd", "auth", "token", "--no-prompt", "--output", "json", "--scope", f"{HOST}/.default")
SECONDS_FOR_A_TOKEN = 60.0
BUSY_WAIT = Wait("Azure Resource Manager", 180, 5)
# What was made a moment ago is not seen everywhere at once.
BUSY_OR_NOT_YET_THERE = BUSY | {404}


def token(tenant: str = "", seconds: float = SECONDS_FOR_A_TOKEN) -> str:
    """A token of azd's own sign-in: for the tenant that azd takes for the subscription, or for another."""
    command = [*TOKEN, *(["--tenant-id", tenant] if tenant else [])]
    try:
        told = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        return str(json.loads(told.stdout)["token"])
    except OSError:
        raise CannotGoOnError("There is no azd on the PATH: https://aka.ms/azd") from None
    except (subprocess.TimeoutExpired, ValueError, LookupError, TypeError):
        # What azd printed may be, or hold, a token.
        raise CannotGoOnError(_sign_in(tenant)) from None


def _sign_in(tenant: str) -> str:
    if tenant:
        return (
            f"The subscription belongs to the tenant {tenant}, and azd has no sign-in for it."
            f" Run 'azd auth login --tenant-id {tenant}', then the same command again."
        )
    return "azd gives no token for Azure. Run 'azd auth login', then the same command again."


class ResourceManager:
    def __init__(self, web: Web, clock: Clock) -> None:
        self._web = web
        self._clock = clock
        self._token = ""

    def get(self, path: str, version: str) -> Answer:
        return self.ask("GET", path, version)

    def post(self, path: str, version: str, again: Container[int] = BUSY) -> Answer:
        return self.ask("POST", path, version, again=again)

    def ask(self, method: str, path: str, version: str, content: object = None, again: Container[int] = BUSY) -> Answer:
        """What Azure answers, good or not, as soon as it is no more busy with other things."""
        if not path.startswith("/"):
            raise CannotGoOnError(f"{path!r} is not the id of a resource. Run 'azd provision', which sets it.")
        url = f"{HOST}{path}?api-version={version}"
        return ask_until(
            lambda answer: answer.status not in again,
            lambda: self._ask_signed_in(method, url, content),
            BUSY_WAIT,
            self._clock,
        )

    def _ask_signed_in(self, method: str, url: str, content: object) -> Answer:
        self._token = self._token or token()
        answer = self._web.ask(method, url, self._signature, content)
        if answer.status != 401:
            return answer
        # The token has expired on the way, or is one for another tenant than that of the subscription.
        tenant = _tenant(answer)
        self._token = token(tenant)
        answer = self._web.ask(method, url, self._signature, content)
        if answer.status == 401:
            login = f"azd auth login --tenant-id {tenant}" if tenant else "azd auth login"
            raise CannotGoOnError(
                f"Azure does not take the sign-in of azd ({answer.code}). Run '{login}', then the same command again."
            )
        return answer

    @property
    def _signature(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._token}"}


def _tenant(refused: Answer) -> str:
    """The tenant whose tokens Azure wants, where it says so."""
    challenge = refused.headers.get("www-authenticate", "")
    found = re.search(
        r'authorization_uri="https://[\w.-]+/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})', challenge
    )
    return found[1] if found else ""
