"""What is in a vault: secrets, keys and certificates, in versions, with those that were deleted."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha1
from typing import Final

from tests.fakes.azure.people import invented_id
from tests.fakes.azure.routes import Json

KINDS: Final = ("secrets", "keys", "certificates")


@dataclass
class Version:
    name: str
    created: datetime
    value: str = ""
    content_type: str | None = None
    enabled: bool = True
    expires: datetime | None = None
    starts: datetime | None = None
    tags: dict[str, str] = field(default_factory=dict)
    subject: str = ""


@dataclass
class Deleted:
    versions: list[Version]
    at: datetime
    # So often it is not there yet, when it is asked for.
    settling: int = 1


@dataclass
class Vault:
    """By kind and by name, the versions with the newest last."""

    name: str
    recoverable_days: int = 90
    is_purgeable: bool = True
    items: dict[str, dict[str, list[Version]]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    deleted: dict[str, dict[str, Deleted]] = field(default_factory=lambda: {kind: {} for kind in KINDS})

    def put(self, kind: str, name: str, created: datetime, **more: object) -> Version:
        versions = self.items[kind].setdefault(name, [])
        version = invented_id("version", self.name, kind, name, str(len(versions))).replace("-", "")
        versions.append(Version(version, created, **more))  # type: ignore[arg-type] # as `Version` has them
        return versions[-1]

    def attributes(self, version: Version) -> Json:
        moments = {
            "nbf": version.starts,
            "exp": version.expires,
            "created": version.created,
            "updated": version.created,
        }
        said = {name: int(moment.timestamp()) for name, moment in moments.items() if moment}
        level = "Recoverable+Purgeable" if self.is_purgeable else "Recoverable"
        return {"enabled": version.enabled, **said, "recoveryLevel": level, "recoverableDays": self.recoverable_days}

    def item(self, kind: str, base: str, name: str, version: Version, *, with_version: bool) -> Json:
        """As lists tell it."""
        place = f"{base}/{kind}/{name}" + (f"/{version.name}" if with_version else "")
        known = {"attributes": self.attributes(version), "tags": version.tags}
        if kind == "keys":
            return {"kid": place, **known}
        if kind == "certificates":
            return {"id": place, "x5t": _thumbprint(version), "subject": version.subject, **known}
        content = {"contentType": version.content_type} if version.content_type else {}
        return {"id": place, **content, **known}

    def bundle(self, kind: str, base: str, name: str, version: Version) -> Json:
        """As a read of it tells it."""
        item = self.item(kind, base, name, version, with_version=True)
        if kind == "secrets":
            return {"value": version.value, **item}
        if kind == "keys":
            return {"key": _key(str(item.pop("kid"))), **item}
        ids = {
            other: f"{base}/{place}/{name}/{version.name}" for other, place in {"kid": "keys", "sid": "secrets"}.items()
        }
        return {**item, **ids, "cer": b64encode(_content(version)).decode(), "policy": _policy(base, name, version)}

    def deleted_item(self, kind: str, base: str, name: str, *, whole: bool) -> Json:
        gone = self.deleted[kind][name]
        newest = gone.versions[-1]
        shown = (
            self.bundle(kind, base, name, newest) if whole else self.item(kind, base, name, newest, with_version=False)
        )
        shown.pop("value", None)
        purged = gone.at + timedelta(days=self.recoverable_days)
        times = {"deletedDate": int(gone.at.timestamp()), "scheduledPurgeDate": int(purged.timestamp())}
        return {"recoveryId": f"{base}/deleted{kind}/{name}", **times, **shown}


def _content(version: Version) -> bytes:
    """Not a certificate that anything could read."""
    return f"invented certificate {version.name}".encode()


def _thumbprint(version: Version) -> str:
    return urlsafe_b64encode(sha1(_content(version), usedforsecurity=False).digest()).rstrip(b"=").decode()


def _key(place: str) -> Json:
    number = urlsafe_b64encode(invented_id("modulus", place).encode() * 7).rstrip(b"=").decode()
    operations = ["encrypt", "decrypt", "sign", "verify", "wrapKey", "unwrapKey"]
    return {"kid": place, "kty": "RSA", "key_ops": operations, "n": number, "e": "AQAB"}


def _policy(base: str, name: str, version: Version) -> Json:
    return {
        "id": f"{base}/certificates/{name}/policy",
        "key_props": {"exportable": True, "kty": "RSA", "key_size": 2048, "reuse_key": False},
        "secret_props": {"contentType": "application/x-pkcs12"},
        "x509_props": {
            "subject": version.subject,
            "sans": {"dns_names": [version.subject.removeprefix("CN=")]},
            "ekus": ["1.3.6.1.5.5.7.3.1"],
            "key_usage": ["digitalSignature", "keyEncipherment"],
            "validity_months": 12,
        },
        "lifetime_actions": [{"trigger": {"days_before_expiry": 30}, "action": {"action_type": "EmailContacts"}}],
        "issuer": {"name": "Self"},
        "attributes": {"enabled": True, "created": int(version.created.timestamp())},
    }


def filled(now: datetime) -> dict[str, Vault]:
    """The vaults of the bakery, by name."""
    shop, oven, dev = Vault("shop-secrets", is_purgeable=False), Vault("oven-secrets"), Vault("shop-dev-secrets", 7)
    day = timedelta(days=1)
    shop.put("secrets", "payment-api-key", now - 300 * day, value="invented-payment-1", expires=now - 10 * day)
    shop.put("secrets", "payment-api-key", now - 20 * day, value="invented-payment-2", expires=now + 12 * day)
    shop.put("secrets", "mail-password", now - 400 * day, value="invented-mail", content_type="text/plain")
    shop.put("secrets", "old-token", now - 800 * day, value="invented-old", expires=now - 30 * day)
    shop.put("secrets", "disabled-token", now - 90 * day, value="invented-disabled", enabled=False)
    shop.put("secrets", "orders-connection", now - 60 * day, value="invented-orders", tags={"owner": "shop"})
    shop.put("keys", "orders-signing", now - 200 * day, expires=now + 25 * day)
    shop.put("keys", "receipts-wrapping", now - 500 * day)
    shop.put("certificates", "shop-site", now - 340 * day, expires=now + 25 * day, subject="CN=shop.bakery.example.com")
    shop.put("certificates", "api-site", now - 30 * day, expires=now + 335 * day, subject="CN=api.bakery.example.com")
    gone = [Version("0123456789abcdef0123456789abcdef", now - 600 * day, "invented-gone")]
    shop.deleted["secrets"]["former-mail-password"] = Deleted(gone, now - 4 * day, settling=0)
    oven.put("secrets", "orders-connection", now - 60 * day, value="invented-connection", expires=now + 3 * day)
    oven.put("secrets", "recipes-key", now - 10 * day, value="invented-recipes")
    dev.put("secrets", "anything", now - 5 * day, value="invented-anything")
    return {vault.name: vault for vault in (shop, oven, dev)}
