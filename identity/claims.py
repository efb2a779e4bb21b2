"""Reads the claims of a token strictly: if a claim has the wrong type, the sign-in is rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from identity.caller import Agent, Caller, CallerKind
from identity.denial import Denial
from invisible import is_printable

LAST_MOMENT: Final = 2**53  # the largest number that all JSON parsers read the same way
_LONGEST_TOKEN_ID: Final = 100
_LONGEST_NAME: Final = 200
LONGEST_VALUE: Final = 200
_MOST_VALUES: Final = 200  # as many groups as Entra ID puts into a token

# Entra ID marks agents in the first three claims: facets of the actor, facets of the subject, and the actor's
# blueprint. Other issuers use the fourth claim, which contains the actor that acts for the subject (RFC 8693).
_ACTING, _SUBJECT, _BLUEPRINT, _ACTOR = "xms_act_fct", "xms_sub_fct", "xms_par_app_azp", "act"
OF_AGENTS: Final = (_ACTING, _SUBJECT, _BLUEPRINT, _ACTOR)
# The facet of an agent identity, and the facet of an account that belongs to an agent.
_AGENT: Final = 11
_AGENTS_ACCOUNT: Final = 13
_NUMBERS: Final = re.compile(r"[0-9]{1,6}(?: [0-9]{1,6}){0,63}")

Claims = Mapping[str, Any]


def text(claims: Claims, *names: str) -> str:
    """The value of the first of these claims that exists, or an empty string."""
    for name in names:
        if name in claims:
            return _checked(name, claims[name])
    return ""


def texts(claims: Claims, name: str) -> frozenset[str]:
    """The values of a claim that contains a list. A single value may also be a plain string."""
    value = claims.get(name, [])
    return frozenset(_checked(name, member) for member in (value if isinstance(value, list) else [value]))


def scopes(claims: Claims) -> frozenset[str]:
    """The scopes of a token. Most issuers send a string with spaces between the scopes; some send a list."""
    name = "scp" if "scp" in claims else "scope"
    value = claims.get(name, [])
    return texts({name: value.split()} if isinstance(value, str) else claims, name)


def moment(claims: Claims, name: str) -> float:
    """Read a claim that contains a time in seconds since 1970."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LAST_MOMENT:
        raise Denial(f"The token's claim `{name}` is missing or is not a time.")
    return value


def caller_of(claims: Claims, token: str) -> Caller:
    """The caller that the claims identify: a user or an application.

    Raises:
        Denial: The claims contradict each other, or do not identify a caller.
    """
    subject = text(claims, "oid", "sub")
    if not subject:
        raise Denial("The sign-in does not identify a user: both claims `oid` and `sub` are missing.")
    kind = _kind(claims)
    agent, is_agents_account = _agent(claims, kind)
    return Caller(
        kind,
        tenant=text(claims, "tid"),
        subject=subject,
        client=_client(claims),
        issuer=text(claims, "iss"),
        roles=texts(claims, "roles"),
        scopes=scopes(claims),
        token=token if kind is CallerKind.USER else "",
        token_id=_token_id(claims),
        name=_name(claims),
        claims=values_of(claims),
        signed_in_at=_signed_in_at(claims),
        agent=agent,
        is_agents_account=is_agents_account,
    )


def _agent(claims: Claims, kind: CallerKind) -> tuple[Agent | None, bool]:
    """The agent that makes the request, if any, and whether the subject is the agent's account."""
    _refuse_almost(claims)
    acting, subject, blueprint = _facets(claims, _ACTING), _facets(claims, _SUBJECT), text(claims, _BLUEPRINT)
    is_account, is_itself = _AGENTS_ACCOUNT in subject, _AGENT in subject
    if (is_account and is_itself) or (is_account and kind is CallerKind.APP) or (is_itself and kind is CallerKind.USER):
        raise Denial("The sign-in contradicts itself: its subject does not match its claims about agents.")
    # Only agents have a blueprint, so this claim is sufficient. A missing claim does not prove that there is no agent.
    is_actor = not acting.isdisjoint({_AGENT, _AGENTS_ACCOUNT})
    if not (is_account or is_itself or is_actor or blueprint or _ACTOR in claims):
        return None, False
    return Agent(_acting(claims, blueprint), blueprint), is_account


def _refuse_almost(claims: Claims) -> None:
    """Reject claim names that another parser could mistake for a claim about agents."""
    if almost := [name for name in claims if name.lower() in OF_AGENTS and name not in OF_AGENTS]:
        raise Denial(f"The sign-in has a claim whose name differs from `{almost[0].lower()}` only in case.")


def _acting(claims: Claims, blueprint: str) -> str:
    """The ID of the agent. A token contains this ID in one of two claims, or in both."""
    named = {text(claims, name).lower() for name in ("azp", "appid") if name in claims}
    if len(named) != 1 or blueprint.lower() in named:
        raise Denial("The sign-in comes from an agent, but does not say which agent.")
    return named.pop()


def _facets(claims: Claims, name: str) -> frozenset[int]:
    """Parse the numbers in a claim such as `11 9 3`."""
    value = text(claims, name)
    if value and not _NUMBERS.fullmatch(value):
        raise Denial(f"The claim `{name}` in the sign-in is not a list of numbers.")
    return frozenset(map(int, value.split()))


def _token_id(claims: Claims) -> str:
    """The ID of the token: `uti` in Entra ID, `jti` with other issuers. Values in an unusual format are ignored."""
    named = claims.get("uti") or claims.get("jti")
    return named if isinstance(named, str) and named.isprintable() and len(named) <= _LONGEST_TOKEN_ID else ""


def values_of(claims: Claims) -> Mapping[str, frozenset[str]]:
    """The values of each claim, as text.

    If a value is not a short text, an integer or a boolean, the whole claim is ignored, because conditions must not
    depend on a part of a claim.
    """
    read = {name: _values(value if isinstance(value, list) else [value]) for name, value in claims.items()}
    return {name: values for name, values in read.items() if values}


def _values(given: Sequence[object]) -> frozenset[str]:
    values = frozenset(map(_as_text, given)) if len(given) <= _MOST_VALUES else frozenset()
    return frozenset() if "" in values else values


def _as_text(value: object) -> str:
    """Convert a value to text. The result is an empty string if the value is unusual."""
    text = json.dumps(value) if isinstance(value, bool | int) else value
    return text if isinstance(text, str) and text.isprintable() and len(text) <= LONGEST_VALUE else ""


def _name(claims: Claims) -> str:
    """The display name of the person. Values in an unusual format are ignored."""
    named = (claims.get(name) for name in ("preferred_username", "upn", "unique_name", "email", "name"))
    return next((one for one in named if isinstance(one, str) and is_printable(one) and len(one) <= _LONGEST_NAME), "")


def _signed_in_at(claims: Claims) -> float:
    return moment(claims, "auth_time") if "auth_time" in claims else 0.0


def _kind(claims: Claims) -> CallerKind:
    declared, has_scopes = text(claims, "idtyp"), bool(scopes(claims))
    if declared not in {"", "user", "app"} or (declared == "app" and has_scopes):
        raise Denial("The token does not belong to a user, or to an application acting on its own behalf.")
    if declared == "app" or (not declared and not has_scopes and _acts_for_itself(claims)):
        return CallerKind.APP
    return CallerKind.USER


def _acts_for_itself(claims: Claims) -> bool:
    """Whether the subject of a token is the application itself. This check is used if no claim names the kind of
    subject.

    An ID token has no scopes either, but its subject is a person. In Entra ID, the claims `sub` and `oid` of an ID
    token differ, because `sub` is different for each application.
    """
    client = _client(claims)
    return bool(client) and text(claims, "sub") in {client, text(claims, "oid")}


def _client(claims: Claims) -> str:
    return text(claims, "azp", "appid", "client_id")


def _checked(name: str, value: object) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise Denial(f"The claim `{name}` in the sign-in is not a string.")
    return value
