"""What Entra ID says in tokens of a person, of an agent for a person, of one for itself, and of one by its account."""

from __future__ import annotations

from typing import Any, Final

from tests.fakes.issuer import CLIENT, SCOPE, TENANT, USER

AGENT: Final = "a9e47000-0000-4000-8000-000000000005"
OTHER_AGENT: Final = "a9e47000-0000-4000-8000-000000000006"
BLUEPRINT: Final = "b1e90000-0000-4000-8000-000000000007"
ACCOUNT: Final = "acc00000-0000-4000-8000-000000000008"

Claims = dict[str, Any]

_SHARED: Final[Claims] = {"tid": TENANT, "iss": f"https://login.microsoftonline.com/{TENANT}/v2.0"}
_BY_AGENT: Final[Claims] = {"azp": AGENT, "xms_act_fct": "11 9 3", "xms_par_app_azp": BLUEPRINT}

PERSON: Final[Claims] = {**_SHARED, "idtyp": "user", "oid": USER, "sub": "pairwise-ada", "scp": SCOPE, "azp": CLIENT}
FOR_A_PERSON: Final[Claims] = {**PERSON, **_BY_AGENT, "xms_sub_fct": "3 9"}
BY_ITS_ACCOUNT: Final[Claims] = {**PERSON, **_BY_AGENT, "oid": ACCOUNT, "xms_sub_fct": "13 3"}
FOR_ITSELF: Final[Claims] = {
    **_SHARED,
    **_BY_AGENT,
    "idtyp": "app",
    "oid": "0b1ec7a9-0000-4000-8000-000000000009",
    "sub": "0b1ec7a9-0000-4000-8000-000000000009",
    "xms_sub_fct": "11 9",
}
APPLICATION: Final[Claims] = {**_SHARED, "idtyp": "app", "oid": CLIENT, "sub": CLIENT, "azp": CLIENT}


def with_claims(claims: Claims, **changed: Any) -> Claims:
    """The same with some claims changed; those that are None are left out."""
    return {name: value for name, value in {**claims, **changed}.items() if value is not None}


def in_version_one(claims: Claims) -> Claims:
    """The same as a token of version 1 says it."""
    if "appid" in claims:
        return claims
    return {("appid" if name == "azp" else name): value for name, value in claims.items()} | {"ver": "1.0"}
