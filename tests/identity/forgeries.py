"""Credentials that are forged, broken, or good for something else, and why each of them is refused."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Callable
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.fakes.issuer import AUDIENCE, CLIENT, SCOPE, TENANT, USER, Issuer, encoded
from tests.identity.forging import (
    ATTACKER,
    ATTACKERS_SITE,
    OTHER_TENANT,
    Make,
    around,
    at,
    attackers,
    attackers_own,
    bearing,
    claims,
    der_signed,
    each,
    elliptic_signed_as,
    elliptic_token,
    ending,
    flipped,
    header,
    headless,
    hmac_signed,
    other_issuers,
    parts,
    presented,
    public,
    raw,
    raw_header,
    signed_by,
    unsigned,
    with_other_header,
    with_payload,
    with_signature,
    without,
)
from tests.identity.principals import principal_headers


class Forgery(NamedTuple):
    """`reason` is a part of what the denial says."""

    name: str
    headers: Callable[[Issuer], dict[str, str]]
    status: int
    error: str
    reason: str


_ATTACKERS_JWK = {**ATTACKER.public_jwk, "alg": "RS256"}
_ATTACKERS_CERTIFICATE = [b64encode(b"not really a certificate").decode()]

# By what the denial says: names of tokens, and how each is made.
TOKENS: Final[dict[str, dict[str, Make]]] = {
    "signed with an unsupported algorithm": {
        **{f"algorithm {name!r}": unsigned(name) for name in ("none", "None", "NONE", "nOnE", "none ", "")},
        **{f"algorithm {value!r}": unsigned(value) for value in (None, True, 0, ["RS256"], {"RS256": 1})},
        "no algorithm": headless("alg"),
        "algorithm in lower case": header(alg="rs256"),
        "algorithm with a blank": header(alg="RS256 "),
        "algorithm that nobody knows": header(alg="XX256"),
        "algorithm that is only for encryption": header(alg="RSA-OAEP"),
        "algorithm by its other name": header(alg="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"),
        "hmac with the public key as PEM": hmac_signed(
            "HS256", public(PublicFormat.SubjectPublicKeyInfo, Encoding.PEM)
        ),
        "hmac with the public key as PKCS1 PEM": hmac_signed("HS256", public(PublicFormat.PKCS1, Encoding.PEM)),
        "hmac with the public key as DER": hmac_signed(
            "HS256", public(PublicFormat.SubjectPublicKeyInfo, Encoding.DER)
        ),
        "hmac with the public key as JWK": hmac_signed("HS256", lambda issuer: json.dumps(issuer.keys[0]).encode()),
        "hmac with the modulus": hmac_signed("HS256", lambda issuer: str(issuer.keys[0]["n"]).encode()),
        "hmac with the key id": hmac_signed("HS256", lambda issuer: issuer.key.kid.encode()),
        "hmac with nothing": hmac_signed("HS256", lambda _: b""),
        "longer hmac with the public key": hmac_signed(
            "HS384", public(PublicFormat.SubjectPublicKeyInfo, Encoding.PEM)
        ),
        "longest hmac with the public key": hmac_signed(
            "HS512", public(PublicFormat.SubjectPublicKeyInfo, Encoding.PEM)
        ),
        "elliptic method with an RSA key": header(alg="ES256"),
        "Edwards method with an RSA key": header(alg="EdDSA"),
        "RSA method with an elliptic key": elliptic_signed_as("RS256"),
        "PSS method with an elliptic key": elliptic_signed_as("PS256"),
        "another curve than the key's": elliptic_signed_as("ES384"),
        "a coin's curve": elliptic_signed_as("ES256K"),
    },
    "not signed by a key": {
        "no key id": headless("kid"),
        "key id null": header(kid=None),
        "key id a number": header(kid=1),
        "key id a list": header(kid=["key"]),
        "key id an object": header(kid={"kid": "key"}),
        "key id empty": header(kid=""),
        "key id unknown": header(kid="unknown"),
        "key id in upper case": lambda issuer: issuer.token(header={"kid": issuer.key.kid.upper() + "X"}),
        "key id with a blank": lambda issuer: issuer.token(header={"kid": issuer.key.kid + " "}),
        "key id with a nul": lambda issuer: issuer.token(header={"kid": issuer.key.kid + "\0"}),
        "key id a path": header(kid="../../../../dev/null"),
        "key id an absolute path": header(kid="/etc/hostname"),
        "key id a file's address": header(kid="file:///dev/null"),
        "key id an address": header(kid=ATTACKERS_SITE),
        "key id a query": header(kid="' UNION SELECT 'secret' --"),
        "key id a command": header(kid="$(id)|id"),
        "key id a template": header(kid="{0.__class__}"),
        "key id very long": header(kid="k" * 4000),
        "key id half a character": header(kid="\ud800"),
        "attacker's own key": attackers_own(),
        "attacker's key behind jku": attackers_own(jku=ATTACKERS_SITE),
        "attacker's key behind x5u": attackers_own(x5u=ATTACKERS_SITE),
        "attacker's key in jwk": attackers_own(jwk=_ATTACKERS_JWK),
        "attacker's certificate in x5c": attackers_own(x5c=_ATTACKERS_CERTIFICATE),
        "another issuer's key": other_issuers(),
        "another issuer's key for our tenant": lambda issuer: Issuer(issuer.origin, OTHER_TENANT).token(
            iss=issuer.url, tid=TENANT
        ),
    },
    "signature is not valid": {
        "attacker's key under the real id": attackers(),
        "attacker's key in jwk under the real id": attackers(jwk=_ATTACKERS_JWK),
        "attacker's key behind jku under the real id": attackers(jku=ATTACKERS_SITE),
        "attacker's key behind x5u under the real id": attackers(x5u=ATTACKERS_SITE),
        "attacker's certificate in x5c under the real id": attackers(x5c=_ATTACKERS_CERTIFICATE),
        "signature flipped": with_signature(flipped),
        "signature cut": with_signature(lambda last: last[:-4]),
        "signature cut to little": with_signature(lambda _: "AAAA"),
        "signature lengthened": with_signature(lambda last: last + "AAAA"),
        "signature of zeros": with_signature(lambda last: "A" * len(last)),
        "signature of another token": lambda issuer: ".".join(
            [*issuer.token(jti="1").split(".")[:2], issuer.token(jti="2").split(".")[2]]
        ),
        "payload of another token": parts(
            lambda header, _, last: f"{header}.{encoded(json.dumps({'roles': ['Mcp.Admin']}).encode())}.{last}"
        ),
        "payload with an added role": lambda issuer: with_payload(issuer, roles=["Mcp.Admin"]),
        "payload of another user": lambda issuer: with_payload(issuer, oid="somebody-else"),
        "header with an added member": lambda issuer: with_other_header(issuer, x="y"),
        "signed by PSS, said to be PKCS1": signed_by("PS256"),
        "signed over a longer digest than said": signed_by("RS512"),
        "said to be PSS, signed by PKCS1": header(alg="PS256"),
        "said to be a longer digest": header(alg="RS512"),
        "zeros for an elliptic signature": lambda issuer: elliptic_token(issuer).rpartition(".")[0] + "." + "A" * 86,
        "elliptic signature as DER": der_signed,
    },
    "not a signed JWT": {
        "one word": lambda _: "token",
        "refresh token": lambda _: "0.AXoAexample-of-an-opaque-refresh-token_" + "a" * 200,
        "two parts": parts(lambda header, payload, _: f"{header}.{payload}"),
        "signature removed": with_signature(lambda _: ""),
        "no payload": parts(lambda header, _, last: f"{header}..{last}"),
        "no header": parts(lambda _, payload, last: f".{payload}.{last}"),
        "four parts": lambda issuer: issuer.token() + ".AAAA",
        "encrypted, five parts": lambda _: ".".join([encoded(b'{"alg":"RSA-OAEP","enc":"A256GCM"}'), *["AAAA"] * 4]),
        "only dots": lambda _: "..",
        "signature padded": lambda issuer: issuer.token() + "==",
        "usual base64": parts(lambda header, payload, last: f"{header}.{payload}.+/{last}"),
        "a token inside of a token": raw(lambda payload: encoded(payload).encode()),
        "payload a list": raw(lambda payload: b"[" + payload + b"]"),
        "payload a text": raw(lambda _: b'"claims"'),
        "payload null": raw(lambda _: b"null"),
        "payload cut": raw(lambda payload: payload[:-5]),
        "payload with something behind": raw(lambda payload: payload + b"{}"),
        "payload not in UTF-8": raw(lambda payload: payload.replace(b"Ada", b"\xff\xfe\xfd")),
        "payload in UTF-16": raw(lambda payload: payload.decode().encode("utf-16")),
        "payload with a byte-order mark": raw(lambda payload: b"\xef\xbb\xbf" + payload),
        "payload deeply nested": raw(lambda _: b"[" * 5000),
        "audience twice": raw(lambda payload: payload[:-1] + b', "aud": "https://graph.microsoft.com"}'),
        "audience twice, ours first": raw(lambda payload: b'{"aud": "https://graph.microsoft.com", ' + payload[1:]),
        "scope twice": raw(lambda payload: payload[:-1] + b', "scp": "mcp.access everything"}'),
        "tenant twice": raw(lambda payload: payload[:-1] + f', "tid": "{OTHER_TENANT}"}}'.encode()),
        "expiry not a number at all": raw(lambda payload: payload[:-1] + b', "exp2": NaN}'),
        "expiry infinite": raw(lambda payload: payload[:-1] + b', "exp2": Infinity}'),
        "a number of too many digits": raw(lambda payload: payload[:-1] + b', "n": ' + b"9" * 4400 + b"}"),
        "algorithm twice": raw_header(lambda header: header[:-1] + b', "alg": "none"}'),
        "key id twice": raw_header(lambda header: header[:-1] + b', "kid": "other"}'),
        "header a list": raw_header(lambda header: b"[" + header + b"]"),
        "header not in UTF-8": raw_header(lambda header: header.replace(b"JWT", b"\xff")),
        "header empty": raw_header(lambda _: b""),
    },
    "is not an access token.": {
        "unknown critical extension": header(crit=["exp"], exp=1),
        "no critical extensions": header(crit=[]),
        "payload not encoded": header(crit=["b64"], b64=False),
        "payload said to be encoded": header(b64=True),
        "nested": header(cty="JWT"),
        **{
            f"type {kind!r}": header(typ=kind)
            for kind in (
                "JWE",
                "JOSE",
                "dpop+jwt",
                "logout+jwt",
                "secevent+jwt",
                "id+jwt",
                "rt+jwt",
                "",
                None,
                1,
                ["JWT"],
            )
        },
    },
    "not a bearer access token": {
        "id token": lambda issuer: issuer.id_token(),
        "id token with roles": lambda issuer: issuer.id_token(roles=["Mcp.Admin"]),
        "id token with a scope": lambda issuer: issuer.id_token(scope=SCOPE),
        "id token with a hash of the code": claims(c_hash="abc"),
        "id token with a hash of the access token": claims(at_hash="abc"),
        "logout token": claims(events={"http://schemas.openid.net/event/backchannel-logout": {}}),
        "token bound to a proof": claims(cnf={"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}),
    },
    "issuer that this server does not trust": {
        "no issuer": without("iss"),
        "issuer of another tenant": lambda issuer: issuer.token(iss=Issuer(issuer.origin, OTHER_TENANT).url),
        "issuer for many tenants": lambda issuer: issuer.token(iss=f"{issuer.origin}/common/v2.0"),
        "issuer a template": lambda issuer: issuer.token(iss=f"{issuer.origin}/{{tenantid}}/v2.0"),
        "issuer with a slash": lambda issuer: issuer.token(iss=issuer.url + "/"),
        "issuer with more behind": lambda issuer: issuer.token(iss=issuer.url + ".attacker.example"),
        "issuer in upper case": lambda issuer: issuer.token(iss=issuer.url.upper()),
        "issuer cut": lambda issuer: issuer.token(iss=issuer.url[:-1]),
        "issuer with a user": lambda issuer: issuer.token(iss=issuer.url.replace("//", "//user@")),
        "issuer of older tokens": claims(iss=f"https://sts.windows.net/{TENANT}/"),
        "attacker's issuer": claims(iss="https://attacker.example"),
    },
    "for another resource": {
        "no audience": without("aud"),
        "audience an empty list": claims(aud=[]),
        "audience Graph": claims(aud="https://graph.microsoft.com"),
        "audience Graph by its id": claims(aud="00000003-0000-0000-c000-000000000000"),
        "audience Resource Manager": claims(aud="https://management.azure.com/"),
        "audience the client": claims(aud=CLIENT),
        "audience with more behind": claims(aud=AUDIENCE + "/"),
        "audience cut": claims(aud=AUDIENCE[:-1]),
        "audience in a text of several": claims(aud=f"https://graph.microsoft.com {AUDIENCE}"),
        "audiences without ours": claims(aud=["https://graph.microsoft.com", AUDIENCE + "0"]),
        "audience a wildcard": claims(aud="*"),
    },
    "is not a string": {
        **each("aud", 1, {AUDIENCE: 1}, None, True, "", [AUDIENCE, 1], [[AUDIENCE]]),
        **each("iss", 1, None, True, "", ["issuer"], {}),
        **each("tid", 1, None, True, "", [TENANT], {TENANT: 1}),
        **each("oid", 1, None, True, "", ["x"], {}, "a\0b", "a\nb", "\ud800"),
        **each("azp", 1, None, True, "", ["x"], "a\r\nx: y"),
        **each("roles", 1, None, True, "", {"Mcp.Admin": 1}, [1], [["Mcp.Admin"]], ["Mcp.Admin", None]),
        **each("scp", 1, None, True, {SCOPE: 1}, [1], [[SCOPE]], [SCOPE, None], SCOPE + " \0"),
        **each("idtyp", 1, None, ["app"]),
    },
    "is not a time": {
        "no expiry": without("exp"),
        **each("exp", "9999999999", None, True, -1, -1e300, [9999999999], {}, 1e300, 10**400, "never"),
        "expiry beyond all numbers": raw(lambda payload: payload.replace(b'"exp": ', b'"exp": 1e999, "was": ')),
        "no time of issue": without("iat"),
        **each("iat", "now", None, -5, False, [1]),
        **each("nbf", "now", None, -5, True, {}),
    },
    "has expired": {
        "expired an hour ago": at("exp", -3600),
        "expired two minutes ago": at("exp", -120),
        "expired at the beginning of time": claims(exp=0),
    },
    "not valid yet": {
        "valid from tomorrow": at("nbf", 86400),
        "valid in two minutes": at("nbf", 120),
        "issued tomorrow": at("iat", 86400),
        "issued in milliseconds": lambda issuer: issuer.token(iat=int(time.time()) * 1000),
    },
    "lifetime is too long": {
        "expires in ten years": at("exp", 3650 * 86400),
        "expires in milliseconds": lambda issuer: issuer.token(exp=int(time.time()) * 1000),
    },
    "tenant that this server does not serve": {
        "no tenant": without("tid"),
        "another tenant": claims(tid=OTHER_TENANT),
        "tenant with more behind": claims(tid=TENANT + "0"),
        "tenant cut": claims(tid=TENANT[:-1]),
        "tenant common": claims(tid="common"),
        "tenant a template": claims(tid="{tenantid}"),
        "an application of another tenant": lambda issuer: issuer.app_token(tid=OTHER_TENANT),
    },
    "does not identify a user": {"neither object id nor subject": without("oid", "sub")},
    "does not belong to a user": {
        "a device": claims(idtyp="device"),
        "kind of caller with other letters": claims(idtyp="App"),
        "an application with a scope": lambda issuer: issuer.app_token(scp=SCOPE),
    },
    "no scope or role": {
        "user without scope": without("scp"),
        "user without scope but with roles": lambda issuer: issuer.token(without=["scp"], roles=["Mcp.Admin"]),
        "user said to be one, without scope": lambda issuer: issuer.token(without=["scp"], idtyp="user"),
        "scope empty": claims(scp=""),
        "scope a blank": claims(scp=" "),
        "scope an empty list": claims(scp=[]),
        "scope only in roles": lambda issuer: issuer.token(without=["scp"], roles=[SCOPE]),
        "application said to be a user": lambda issuer: issuer.app_token(idtyp="user"),
        "application without client": lambda issuer: issuer.app_token(without=["idtyp", "azp"]),
    },
}

# The token is good, but does not grant what is needed.
LACKING: Final[dict[str, dict[str, Make]]] = {
    "does not include the scope": {
        "scope of another kind": claims(scp="User.Read"),
        "scope with more behind": claims(scp=SCOPE + ".all"),
        "scope with more before": claims(scp="not." + SCOPE),
        "scope cut": claims(scp=SCOPE[:-1]),
        "scope in upper case": claims(scp=SCOPE.upper()),
        "scopes joined by a comma": claims(scp=f"User.Read,{SCOPE}"),
        "scope of another resource": claims(scp=f"api://other/{SCOPE}"),
        "scope with a pattern": claims(scp="mcp.*"),
        "list of scopes in one text": claims(scp=[f"User.Read {SCOPE}"]),
        "scope where another claim is the one that counts": claims(scp="User.Read", scope=SCOPE),
    },
    "has no role": {
        "application without role": lambda issuer: issuer.app_token(without=["roles"]),
        "application with no roles": lambda issuer: issuer.app_token(roles=[]),
        "application without role, not said to be one": lambda issuer: issuer.app_token(without=["idtyp", "roles"]),
    },
}

# How the header is written, around a token that is good.
MISPLACED: Final[dict[str, Callable[[str], dict[str, str]]]] = {
    "the same token twice": lambda token: {"authorization": f"Bearer {token}, Bearer {token}"},
    "two tokens without a blank": lambda token: {"authorization": f"Bearer {token},Bearer {token}"},
    "a good token before another scheme": lambda token: {"authorization": f"Bearer {token}, Basic dXNlcjpwYXNz"},
    "two tokens under one scheme": lambda token: {"authorization": f"Bearer {token} {token}"},
    "a comma behind": lambda token: {"authorization": f"Bearer {token},"},
    "a scheme without a token": lambda _: {"authorization": "Bearer"},
    "a scheme in lower case without a token": lambda _: {"authorization": "bearer"},
    "a token in quotes": lambda token: {"authorization": f'Bearer "{token}"'},
    "a token with a name": lambda token: {"authorization": f"Bearer token={token}"},
    "the scheme twice": lambda token: {"authorization": f"Bearer Bearer {token}"},
    "a percent sign": lambda token: {"authorization": f"Bearer {token}%00"},
    "a token with padding inside": lambda token: bearing(token.replace(".", "=.", 1)),
    "a blank inside": lambda token: {"authorization": f"Bearer {token[:50]} {token[50:]}"},
}

ABSENT: Final[dict[str, Callable[[str], dict[str, str]]]] = {
    "nothing": lambda _: {},
    "an empty header": lambda _: {"authorization": ""},
    "a token without its scheme": lambda token: {"authorization": token},
    "another scheme": lambda token: {"authorization": f"Token {token}"},
    "a scheme that begins alike": lambda token: {"authorization": f"BearerX {token}"},
    "a scheme run together with its token": lambda token: {"authorization": f"Bearer{token}"},
    "a proof-bound scheme": lambda token: {"authorization": f"DPoP {token}"},
    "a password": lambda _: {"authorization": "Basic dXNlcjpwYXNz"},
    "a password before a good token": lambda token: {"authorization": f"Basic dXNlcjpwYXNz, Bearer {token}"},
    "a token in a cookie": lambda token: {"cookie": f"access_token={token}; AppServiceAuthSession={token}"},
    "a token in another header": lambda token: {"x-authorization": f"Bearer {token}", "x-access-token": token},
    "a token for the proxy": lambda token: {"proxy-authorization": f"Bearer {token}"},
    "a token as App Service passes it": lambda token: {"x-ms-token-aad-access-token": token},
    "a principal as App Service passes it": lambda _: principal_headers(),
    "a principal with all that goes with it": lambda token: {
        **principal_headers(),
        "x-ms-client-principal-id": USER,
        "x-ms-client-principal-name": "ada@example.com",
        "x-ms-client-principal-idp": "aad",
        "x-ms-token-aad-id-token": token,
        "x-ms-auth-token": f"Bearer {token}",
    },
    "a function key": lambda _: {"x-functions-key": "master"},
}


def _of(table: dict[str, dict[str, Make]], status: int, error: str) -> list[Forgery]:
    return [
        Forgery(name, presented(make), status, error, reason)
        for reason, makes in table.items()
        for name, make in makes.items()
    ]


# All that can be sent over HTTP to a server that takes tokens of the issuer.
FORGERIES: Final[list[Forgery]] = [
    *_of(TOKENS, 401, "invalid_token"),
    *_of(LACKING, 403, "insufficient_scope"),
    *[Forgery(name, around(write), 400, "invalid_request", "exactly one") for name, write in MISPLACED.items()],
    *[Forgery(name, around(write), 401, "", "Sign in first") for name, write in ABSENT.items()],
]

# Servers and clients of HTTP do not let these through as they are.
BEYOND_HTTP: Final[list[Forgery]] = [
    *_of({"larger than": {"a token of 17 KB": claims(padding="x" * 17_000)}}, 401, "invalid_token"),
    *[
        Forgery(f"token with {end!r}", around(ending(end)), 400, "invalid_request", "exactly one")
        for end in ("\0", "\n", "\r\nx-ms-client-principal: x", "\u00a0", "\ud800", "\u0430", "\a", "\v")
    ],
]
