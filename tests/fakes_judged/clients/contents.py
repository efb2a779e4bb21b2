"""Microsoft's clients of what is in vaults."""

from __future__ import annotations

import os
from typing import Any, Final

from azure.core.exceptions import HttpResponseError
from azure.keyvault.certificates import CertificateClient
from azure.keyvault.keys import KeyClient
from azure.keyvault.secrets import SecretClient

from tests.fakes_judged.clients.signed_in import Credential

Json = Any
VAULT: Final = os.environ.get("INVENTED_VAULT", "")
CREDENTIAL: Final = Credential()


def secrets() -> Json:
    client = SecretClient(VAULT, CREDENTIAL)
    found = {one.name: one for one in client.list_properties_of_secrets(max_page_size=2)}
    versions = list(client.list_properties_of_secret_versions("payment-api-key"))
    return {
        "names": list(found),
        "expires": found["payment-api-key"].expires_on is not None,
        "enabled": found["disabled-token"].enabled,
        "versions": len(versions),
        "newest": client.get_secret("payment-api-key").value,
        "first": client.get_secret("payment-api-key", versions[0].version).value,
        "deleted": [one.name for one in client.list_deleted_secrets()],
    }


def secret_changes() -> Json:
    client = SecretClient(VAULT, CREDENTIAL)
    made = client.set_secret("judged", "value", tags={"a": "b"}, content_type="text/plain")
    switched = client.update_secret_properties("judged", made.properties.version, enabled=False)
    deleting = client.begin_delete_secret("judged", _polling_interval=0)
    deleting.wait()
    busy = _failure(lambda: client.set_secret("judged", "again"))
    recovering = client.begin_recover_deleted_secret("judged", _polling_interval=0)
    recovering.wait()
    return {
        "made": [made.name, made.value, made.properties.tags, made.properties.content_type],
        "switched": switched.enabled,
        "deleted": deleting.result().recovery_id,
        "busy": busy,
        "recovered": recovering.result().name,
        "purge": _failure(lambda: client.purge_deleted_secret("former-mail-password")),
        "missing": _failure(lambda: client.get_secret("nothing")),
        "disabled": _failure(lambda: client.get_secret("disabled-token")),
    }


def keys() -> Json:
    client = KeyClient(VAULT, CREDENTIAL)
    names = [one.name for one in client.list_properties_of_keys()]
    key = client.get_key("orders-signing")
    made = client.create_rsa_key("judged", size=3072)
    return {"made": made.name, "names": names, "type": str(key.key_type), "operations": len(key.key_operations)}


def certificates() -> Json:
    client = CertificateClient(VAULT, CREDENTIAL)
    found = list(client.list_properties_of_certificates())
    whole = client.get_certificate("shop-site")
    return {
        "names": [one.name for one in found],
        "subject": whole.policy.subject,
        "thumbprint": len(whole.properties.x509_thumbprint),
        "secret": whole.secret_id.partition("/secrets/")[2].partition("/")[0],
    }


def _failure(ask: Any) -> list[Any]:
    try:
        ask()
    except HttpResponseError as error:
        return [type(error).__name__, error.status_code, error.error.code if error.error else None]
    return []
