"""Ways to make tokens that are not what they should be."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm

from tests.fakes.issuer import Issuer, encoded, sign_payload, signing_key

Make = Callable[[Issuer], str]

OTHER_TENANT: Final = "0def0000-0000-4000-8000-00000000bbbb"
ELLIPTIC: Final = "elliptic-0"
ATTACKER: Final = signing_key("attacker", 0)
ATTACKERS_SITE: Final = "https://keys.attacker.example/jwks.json"


def with_elliptic_key(issuer: Issuer) -> None:
    """Publish a key of another kind, too."""
    public = ECAlgorithm.to_jwk(_elliptic_key().public_key(), as_dict=True)
    issuer.keys.append({**public, "kid": ELLIPTIC, "use": "sig"})


def elliptic_token(issuer: Issuer, **header: Any) -> str:
    signed = ".".join(issuer.token(header={"alg": "ES256", "kid": ELLIPTIC, **header}).split(".")[:2])
    return f"{signed}.{encoded(jwt.get_algorithm_by_name('ES256').sign(signed.encode(), _elliptic_key()))}"


@cache
def _elliptic_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def claims(**changed: Any) -> Make:
    return lambda issuer: issuer.token(**changed)


def each(name: str, *values: object) -> dict[str, Make]:
    """A token for each of these values of one claim."""
    return {f"claim {name} {str(value)[:40]!r} as {type(value).__name__}": claims(**{name: value}) for value in values}


def without(*names: str) -> Make:
    return lambda issuer: issuer.token(without=names)


def header(**changed: Any) -> Make:
    return lambda issuer: issuer.token(header=changed)


def headless(name: str) -> Make:
    """A token signed over a header that lacks this."""

    def make(issuer: Issuer) -> str:
        header = {"typ": "JWT", "alg": "RS256", "kid": issuer.key.kid}
        payload = json.dumps(_content(issuer.token())).encode()
        return sign_payload(payload, issuer.key, {key: value for key, value in header.items() if key != name})

    return make


def at(name: str, seconds: int) -> Make:
    def make(issuer: Issuer) -> str:
        times: dict[str, Any] = {name: int(time.time()) + seconds}
        return issuer.token(**times)

    return make


def attackers(**header: Any) -> Make:
    """A token signed with the attacker's key under the id of the real one."""
    return lambda issuer: issuer.token(key=ATTACKER, header={"kid": issuer.key.kid, **header})


def attackers_own(**header: Any) -> Make:
    return lambda issuer: issuer.token(key=ATTACKER, header=header)


def raw(change: Callable[[bytes], bytes]) -> Make:
    """A token whose payload is changed as bytes, and then signed by the issuer."""

    def make(issuer: Issuer) -> str:
        payload = json.dumps(_content(issuer.token())).encode()
        return sign_payload(change(payload), issuer.key, {"typ": "JWT", "alg": "RS256", "kid": issuer.key.kid})

    return make


def raw_header(change: Callable[[bytes], bytes]) -> Make:
    """A token whose header is changed as bytes; its signature is right."""

    def make(issuer: Issuer) -> str:
        header = json.dumps({"typ": "JWT", "alg": "RS256", "kid": issuer.key.kid}).encode()
        signed = f"{encoded(change(header))}.{issuer.token().split('.')[1]}"
        return f"{signed}.{encoded(jwt.get_algorithm_by_name('RS256').sign(signed.encode(), issuer.key.private))}"

    return make


def with_signature(change: Callable[[str], str]) -> Make:
    def make(issuer: Issuer) -> str:
        signed, _, signature = issuer.token().rpartition(".")
        return f"{signed}.{change(signature)}"

    return make


def parts(change: Callable[[str, str, str], str]) -> Make:
    return lambda issuer: change(*issuer.token().split("."))


def unsigned(algorithm: object) -> Make:
    """A token that says it needs no signature, with something in the place of one."""
    return lambda issuer: _with_header(issuer, {"alg": algorithm}) + ".AA"


def hmac_signed(algorithm: str, secret: Callable[[Issuer], bytes]) -> Make:
    """A token whose signature is made with what everybody knows, in the hope that it is taken for a shared secret."""
    digest = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}[algorithm]

    def make(issuer: Issuer) -> str:
        signed = _with_header(issuer, {"alg": algorithm})
        return f"{signed}.{encoded(hmac.digest(secret(issuer), signed.encode(), digest))}"

    return make


def _with_header(issuer: Issuer, header: Mapping[str, object]) -> str:
    whole = {"typ": "JWT", "kid": issuer.key.kid, **header}
    return f"{encoded(json.dumps(whole).encode())}.{issuer.token().split('.')[1]}"


def _content(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


def public(form: PublicFormat, encoding: Encoding) -> Callable[[Issuer], bytes]:
    return lambda issuer: issuer.key.private.public_key().public_bytes(encoding, form)


def flipped(signature: str) -> str:
    return ("B" if signature[0] == "A" else "A") + signature[1:]


def other_issuers(**claims: Any) -> Make:
    """A token of another tenant of the same service, signed by a key of its own."""
    return lambda issuer: Issuer(issuer.origin, OTHER_TENANT).token(**claims)


def elliptic_signed_as(algorithm: str) -> Make:
    return lambda issuer: elliptic_token(issuer, alg=algorithm)


def signed_by(algorithm: str) -> Make:
    """A token with the right key under another method than its header says."""

    def make(issuer: Issuer) -> str:
        signed = ".".join(issuer.token().split(".")[:2])
        return f"{signed}.{encoded(jwt.get_algorithm_by_name(algorithm).sign(signed.encode(), issuer.key.private))}"

    return make


def with_payload(issuer: Issuer, **claims: Any) -> str:
    header, payload, signature = (token := issuer.token()).split(".")
    payload = encoded(json.dumps({**_content(token), **claims}).encode())
    return f"{header}.{payload}.{signature}"


def with_other_header(issuer: Issuer, **members: Any) -> str:
    _, payload, signature = issuer.token().split(".")
    header = {"typ": "JWT", "alg": "RS256", "kid": issuer.key.kid, **members}
    return f"{encoded(json.dumps(header).encode())}.{payload}.{signature}"


def der_signed(issuer: Issuer) -> str:
    signed = elliptic_token(issuer).rpartition(".")[0]
    return f"{signed}.{encoded(_elliptic_key().sign(signed.encode(), ec.ECDSA(SHA256())))}"


def signed_as(issuer: Issuer, algorithm: str) -> str:
    """A token that really is signed by this method."""
    signed = ".".join(issuer.token(header={"alg": algorithm}).split(".")[:2])
    return f"{signed}.{encoded(jwt.get_algorithm_by_name(algorithm).sign(signed.encode(), issuer.key.private))}"


def bearing(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def presented(make: Make) -> Callable[[Issuer], dict[str, str]]:
    return lambda issuer: bearing(make(issuer))


def around(write: Callable[[str], dict[str, str]]) -> Callable[[Issuer], dict[str, str]]:
    return lambda issuer: write(issuer.token())


def ending(end: str) -> Callable[[str], dict[str, str]]:
    return lambda token: bearing(token + end)
