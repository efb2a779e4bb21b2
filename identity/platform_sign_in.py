"""Callers whom App Service authentication has signed in before the request comes here."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from identity.admission import Admission
from identity.caller import Caller, Kind
from identity.claims import caller_of, text
from identity.denial import Denial
from identity.sign_in import Headers, bearer_token
from identity.unverified_token import read, strict_json

LARGEST: Final = 64 * 1024

_MICROSOFT: Final = "http://schemas.microsoft.com/identity/claims/"
# App Service passes some claims by the long names that older tokens have.
_SHORT_NAMES: Final = {
    _MICROSOFT + "objectidentifier": "oid",
    _MICROSOFT + "tenantid": "tid",
    _MICROSOFT + "scope": "scp",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier": "sub",
    "http://schemas.microsoft.com/ws/2008/06/identity/claims/role": "roles",
}
_SINGLE: Final = frozenset("oid tid scp sub azp appid idtyp iss uti xms_act_fct xms_sub_fct xms_par_app_azp".split())


_OF_BOTH: Final = ("tid", "oid", "xms_act_fct", "xms_sub_fct")


class PlatformSignIn:
    """The platform's headers count only while it is on: it then removes those that a caller sends.

    A user who signed in by a browser has no scopes, and needs none.
    """

    def __init__(self, admission: Admission, *, is_on: bool) -> None:
        self._admission = admission
        self._is_on = is_on

    async def caller(self, headers: Headers) -> Caller:
        principal = headers.get("x-ms-client-principal", "") if self._is_on else ""
        if not principal:
            raise Denial("Sign in first.", error="")
        claims = _claims(principal)
        caller = caller_of(claims, _token(headers, claims))
        if not caller.tenant:
            raise Denial("The sign-in names no tenant.")
        if caller.kind is Kind.APP or caller.scopes:
            return self._admission.admit(caller)
        self._admission.check_origin(caller)
        return caller


def _claims(principal: str) -> Mapping[str, Any]:
    found: dict[str, Any] = {"roles": []}
    for name, value in _entries(principal):
        if name == "roles":
            found["roles"].append(value)
        elif name in _SINGLE and found.setdefault(name, value) != value:
            raise Denial(f"The sign-in has more than one claim `{name}`.")
    return found


def _entries(principal: str) -> list[tuple[str, object]]:
    try:
        document = _document(principal)
        entries = [(entry["typ"], entry["val"]) for entry in document["claims"]]
        return [(_SHORT_NAMES.get(name, name), value) for name, value in entries]
    except (ValueError, KeyError, TypeError, binascii.Error):
        raise Denial("The sign-in cannot be read.") from None


def _document(principal: str) -> Mapping[str, Any]:
    if len(principal) > LARGEST:
        raise ValueError("Too large.")
    document = strict_json(b64decode(principal, validate=True))
    if document.get("auth_typ") != "aad":
        raise ValueError("Signed in by another provider than Entra ID.")
    return document


def _token(headers: Headers, claims: Mapping[str, Any]) -> str:
    """Return the user's token, if there is one.

    Who has signed in by a browser can still send any token; it must not make others be asked in somebody else's name.
    """
    token = bearer_token(headers) or headers.get("x-ms-token-aad-access-token", "")
    if token:
        unverified = read(token).claims
        # What the platform leaves out of its header must not make a person of an agent.
        if any(text(unverified, name) != text(claims, name) for name in _OF_BOTH):
            raise Denial("The token is not that of the caller who has signed in.")
    return token
