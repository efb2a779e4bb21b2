"""Reads the identity of the caller that App Service authentication has signed in."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from identity.admission import Admission
from identity.caller import Caller, CallerKind
from identity.claims import OF_AGENTS, caller_of, text, values_of
from identity.denial import Denial
from identity.sign_in import Headers, bearer_token
from identity.unverified_token import read, strict_json

LARGEST: Final = 64 * 1024

# The cookie that App Service sets in a browser after a sign-in.
SESSION_COOKIE: Final = "AppServiceAuthSession"
_TOKEN_HEADERS: Final = ("authorization", "x-zumo-auth")

_MICROSOFT: Final = "http://schemas.microsoft.com/identity/claims/"
_XML_SOAP: Final = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
# App Service renames some claims to the long names that older tokens use.
_SHORT_NAMES: Final = {
    _MICROSOFT + "objectidentifier": "oid",
    _MICROSOFT + "tenantid": "tid",
    _MICROSOFT + "scope": "scp",
    _XML_SOAP + "nameidentifier": "sub",
    _XML_SOAP + "emailaddress": "email",
    _XML_SOAP + "upn": "upn",
    "http://schemas.microsoft.com/claims/authnclassreference": "acr",
    "http://schemas.microsoft.com/claims/authnmethodsreferences": "amr",
    "http://schemas.microsoft.com/ws/2008/06/identity/claims/role": "roles",
}
_SINGLE: Final = frozenset(
    ["oid", "tid", "scp", "sub", "azp", "appid", "idtyp", "iss", "uti", "preferred_username", "auth_time"]
)


class PlatformSignIn:
    """Authenticates callers with the headers of App Service authentication.

    While App Service authentication is on, it removes forged headers. Users who signed in with a browser do not need
    scopes.
    """

    def __init__(self, admission: Admission, *, is_on: bool) -> None:
        self._admission = admission
        self._is_on = is_on

    async def caller(self, headers: Headers) -> Caller:
        principal = headers.get("x-ms-client-principal", "") if self._is_on else ""
        if not principal:
            raise Denial("Sign in first.", error="")
        claims = _claims(principal)
        token = _token(headers)
        caller = replace(caller_of(_with_agent(claims, token), token), claims=_values(principal))
        if not caller.tenant:
            raise Denial("The sign-in does not contain a tenant.")
        if caller.kind is CallerKind.APP or caller.agent or caller.scopes:
            return self._admission.admit(caller)
        self._admission.check_sign_in(caller)
        return caller


def check_browser(headers: Headers, caller: Caller) -> None:
    """Check that the caller signed in with a browser cookie of App Service.

    Requests with a token are rejected: App Service adds the same headers if a program sends a user's token.
    """
    has_token = bool(caller.scopes) or any(name in headers for name in _TOKEN_HEADERS)
    if has_token or not _has_session(headers):
        raise Denial(
            "This page requires a person who signed in with a browser. Open the page in a browser, without an access"
            " token.",
            "insufficient_scope",
        )


def _has_session(headers: Headers) -> bool:
    cookies = dict(part.strip().partition("=")[::2] for part in headers.get("cookie", "").split(";"))
    return bool(cookies.get(SESSION_COOKIE))


def _claims(principal: str) -> Mapping[str, Any]:
    found: dict[str, Any] = {"roles": []}
    for name, value in _entries(principal):
        if name == "roles":
            found["roles"].append(value)
        elif (name in _SINGLE or name.lower() in OF_AGENTS) and found.setdefault(name, value) != value:
            raise Denial(f"The sign-in has more than one claim `{name}`.")
    return {name: _number(value) if name == "auth_time" else value for name, value in found.items()}


def _values(principal: str) -> Mapping[str, frozenset[str]]:
    """The values of each claim. App Service repeats a claim that has several values."""
    listed: dict[str, list[object]] = {}
    for name, value in _entries(principal):
        listed.setdefault(name, []).append(value)
    return values_of(listed)


def _number(value: object) -> object:
    """Convert a value to a number if the platform passed the number as text.

    All other values stay unchanged, and are rejected later.
    """
    return int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else value


def _entries(principal: str) -> list[tuple[str, object]]:
    try:
        document = _document(principal)
        entries = [(entry["typ"], entry["val"]) for entry in document["claims"]]
        return [(_SHORT_NAMES.get(name, name), value) for name, value in entries if isinstance(name, str)]
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise Denial("The sign-in is invalid.") from None


def _document(principal: str) -> Mapping[str, Any]:
    if len(principal) > LARGEST:
        raise ValueError("Too large.")
    document = strict_json(b64decode(principal, validate=True))
    if document.get("auth_typ") != "aad":
        raise ValueError("The caller signed in with a provider other than Entra ID.")
    return document


def _token(headers: Headers) -> str:
    return bearer_token(headers) or headers.get("x-ms-token-aad-access-token", "")


def _with_agent(claims: Mapping[str, Any], token: str) -> Mapping[str, Any]:
    """Add the claims about agents from the caller's token to the claims of App Service.

    A browser user can send any token, so only claims that can reduce the caller's access are safe to use.
    """
    if not token:
        return claims
    unverified = read(token).claims
    told = {name: value for name, value in unverified.items() if name.lower() in OF_AGENTS}
    is_another = any(text(unverified, name) != text(claims, name) for name in ("tid", "oid"))
    if is_another or any(claims.get(name, value) != value for name, value in told.items()):
        raise Denial("The token does not belong to the signed-in caller.")
    return {**claims, **told}
