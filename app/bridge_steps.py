"""For the audit log, determines the sign-in step that a request to the bridge performs, and the result of the step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from identity.caller import ANONYMOUS, Caller
from identity.claims import caller_of
from identity.denial import Denial
from identity.seals import fingerprint
from identity.unverified_token import read
from mcp_server.calls.audit import Outcome
from mcp_server.http.messages import HttpAnswer, HttpRequest

_ANSWERS: Final = {"approve": "allow", "deny": "deny"}
_GRANTS: Final = {"authorization_code": "get tokens", "refresh_token": "renew tokens"}


@dataclass(frozen=True, slots=True)
class BridgeStep:
    """A step of a sign-in through the bridge, as recorded in the audit log.

    `client` is a fingerprint of the client ID, and is the same in all steps of a sign-in. `towards` lists the hosts of
    the client's redirect URIs.
    """

    tried: str
    outcome: Outcome
    client: str = ""
    towards: str = ""
    caller: Caller = ANONYMOUS


def step_of(request: HttpRequest, answer: HttpAnswer, noted: dict[str, Any]) -> BridgeStep | None:
    """Return the sign-in step of a request, or None for other requests. `noted` is the content of the sealed state."""
    match request.method, request.path.rpartition("/")[2]:
        case "POST", "register":
            return _registration(answer)
        case "POST", "authorize":
            tried = _ANSWERS.get(_form(request.body).get("decision", ""), "answer")
            return _at_the_browser(f"sign-in: {tried}", answer, noted)
        case "GET", "callback":
            return _at_the_browser("sign-in: come back", answer, noted)
        case "POST", "token":
            return _tokens(request, answer)
    return None


def _registration(answer: HttpAnswer) -> BridgeStep:
    document = _document(answer)
    client, redirects = document.get("client_id"), document.get("redirect_uris")
    if answer.status != 201 or not isinstance(client, str) or not isinstance(redirects, list):
        return BridgeStep("sign-in: register", Outcome.REFUSED)
    hosts = dict.fromkeys(_host(str(uri)) for uri in redirects)
    return BridgeStep("sign-in: register", Outcome.DONE, fingerprint(client), " ".join(hosts))


def _at_the_browser(tried: str, answer: HttpAnswer, noted: dict[str, Any]) -> BridgeStep:
    # `noted` is empty unless the browser sends a state that this bridge sealed.
    outcome = Outcome.DONE if noted and answer.status < 400 else Outcome.REFUSED
    return BridgeStep(tried, outcome, str(noted.get("client", "")), _host(str(noted.get("redirect", ""))))


def _tokens(request: HttpRequest, answer: HttpAnswer) -> BridgeStep:
    form = _form(request.body)
    tried = f"sign-in: {_GRANTS.get(form.get('grant_type', ''), 'ask for tokens')}"
    client = fingerprint(form["client_id"]) if form.get("client_id") else ""
    if answer.status != 200:
        return BridgeStep(tried, Outcome.DENIED, client)
    return BridgeStep(tried, Outcome.DONE, client, caller=_who_got(_document(answer)))


def _who_got(document: dict[str, Any]) -> Caller:
    """The owner of the token. The signature need not be checked, because the token comes directly from the issuer."""
    try:
        token = str(document.get("access_token"))
        return caller_of(read(token).claims, token)
    except Denial:
        return ANONYMOUS


def _form(body: bytes) -> dict[str, str]:
    try:
        return {name: values[0] for name, values in parse_qs(body.decode(), max_num_fields=100).items()}
    except ValueError:
        return {}


def _document(answer: HttpAnswer) -> dict[str, Any]:
    try:
        found = json.loads(answer.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _host(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return parts.hostname or parts.scheme
