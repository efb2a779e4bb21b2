"""The data plane of vaults: below `/vault/NAME` of this service, or at the root of `NAME.vault.localhost`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from tests.fakes.azure.access import Access, called_by
from tests.fakes.azure.estate import Estate, Resource
from tests.fakes.azure.people import HOME, People
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route, offset_of, skip_token
from tests.fakes.azure.vault_contents import KINDS, Deleted, Vault, Version, filled

_VERSIONS: Final = ("7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "2025-06-01-preview", "2025-07-01", "2026-04-01")
_SIZE: Final = 25
_LARGEST_VALUE: Final = 25 * 1024
_HELP: Final = (
    "If you recently deleted this {one} you may be able to recover it using the correct recovery command. For help"
    " resolving this issue, please see https://go.microsoft.com/fwlink/?linkid=2125182"
)


@dataclass
class Vaults:
    estate: Estate
    access: Access
    people: People
    now: datetime
    vaults: dict[str, Vault] = field(init=False)
    url: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.vaults = filled(self.now)

    def serve_at(self, url: str) -> None:
        self.url = url
        for resource in self.resources():
            resource.properties["vaultUri"] = self.address(resource)

    def address(self, resource: Resource) -> str:
        """Where a vault has its data."""
        name, host = resource.document["name"], urlsplit(self.url).netloc.replace("127.0.0.1", "localhost")
        return f"https://{name}.vault.{host}/" if self.url.startswith("https") else f"{self.url}/vault/{name}/"

    def resources(self) -> Iterable[Resource]:
        return [one for one in self.estate.resources.values() if one.type.lower() == "microsoft.keyvault/vaults"]

    def meant(self, asked: Asked) -> Asked | None:
        """The request as the vault sees it, where one is meant."""
        host = urlsplit(asked.origin).hostname or ""
        if found := re.fullmatch(r"([\w-]+)\.vault\.localhost", host):
            return replace(asked, places={"vault": found[1], "base": asked.origin})
        if found := re.fullmatch(r"/vault/([\w-]+)(/.*)?", asked.path):
            base = f"{asked.origin}/vault/{found[1]}"
            return replace(asked, path=found[2] or "/", places={"vault": found[1], "base": base})
        return None

    def reply(self, asked: Asked) -> Reply:
        try:
            return self._reply(asked)
        except AzureError as error:
            return Reply(error.reply.document, error.status, error.headers)

    def _reply(self, asked: Asked) -> Reply:
        if asked.version not in _VERSIONS:
            raise AzureError(400, "BadParameter", f"The specified version ({asked.version}) is not recognized.")
        ready = self._signed_in(asked)
        for kind in KINDS:
            for route in self._routes(kind):
                places = route.places(ready)
                if places is not None:
                    given = route.answer(replace(ready, places={**ready.places, **places, "kind": kind}))
                    return given if isinstance(given, Reply) else Reply(given)
        raise AzureError(404, "NotFound", "The resource is not found.")

    def _routes(self, kind: str) -> list[Route]:
        one, gone = f"/{kind}/{{name}}", f"/deleted{kind}/{{name}}"
        shared = [
            Route(f"GET /{kind}", self._list),
            Route(f"GET {one}", self._get),
            Route(f"GET {one}/versions", self._list_versions),
            Route(f"GET {one}/{{version}}", self._get),
            Route(f"DELETE {one}", self._delete),
            Route(f"GET /deleted{kind}", self._list_deleted),
            Route(f"GET {gone}", self._get_deleted),
            Route(f"POST {gone}/recover", self._recover),
            Route(f"DELETE {gone}", self._purge),
        ]
        own = {"secrets": [Route(f"PUT {one}", self._set)], "keys": [Route(f"POST {one}/create", self._create_key)]}
        patch = [Route(f"PATCH {one}/{{version}}", self._update), Route(f"PATCH {one}", self._update)]
        return [*shared, *patch, *own.get(kind, [])]

    # Who comes

    def _signed_in(self, asked: Asked) -> Asked:
        _, _, token = asked.headers.get("Authorization", "").partition("Bearer ")
        found = self.people.of(token) if token else None
        if found is None:
            where = f"{asked.origin.replace(asked.places['vault'] + '.vault.', '')}/{HOME}"
            audience = asked.origin.replace(f"{asked.places['vault']}.vault", "vault")
            challenge = f'Bearer authorization="{where}", resource="{audience}"'
            message = "AKV10000: Request is missing a Bearer or PoP token."
            raise AzureError(401, "Unauthorized", message, headers={"WWW-Authenticate": challenge})
        return replace(asked, caller=found[0], tenant=found[1])

    def _vault(self, asked: Asked, verb: str) -> Vault:
        name = asked.places["vault"].lower()
        resource = next((one for one in self.resources() if one.document["name"].lower() == name), None)
        if resource is None:
            raise AzureError(404, "VaultNotFound", f"There is no vault '{name}', and its host would not be known.")
        self._check(asked, resource, verb)
        return self.vaults.setdefault(name, Vault(name))

    def _check(self, asked: Asked, vault: Resource, verb: str) -> None:
        kind, name = asked.places["kind"], asked.places.get("name", "")
        if vault.properties.get("networkAcls", {}).get("defaultAction") == "Deny":
            said = "Client address is not authorized and caller is not a trusted service.\r\nClient address: 127.0.0.1"
            raise self._forbidden(asked, vault, said, "ForbiddenByFirewall")
        if not vault.properties.get("enableRbacAuthorization"):
            self._check_policy(asked, vault, verb)
            return
        action = _action(kind, verb)
        target = f"{vault.id}/{kind}/{name}".rstrip("/")
        if not self.access.may_with_data(called_by(asked), action, target):
            said = (
                "Caller is not authorized to perform action on resource.\r\nIf role assignments, deny assignments or"
                " role definitions were changed recently, please observe propagation time.\r\n"
                f"{_caller(asked)}\r\nAction:"
                f" '{action}'\r\nResource: '{target.lower()}'\r\nAssignment: (not found)\r\nDenyAssignmentId:"
                " null\r\nDecisionReason: 'DeniedWithNoValidRBAC' "
            )
            raise self._forbidden(asked, vault, said, "ForbiddenByRbac")

    def _check_policy(self, asked: Asked, vault: Resource, verb: str) -> None:
        kind = asked.places["kind"]
        mine = [one for one in vault.properties["accessPolicies"] if one["objectId"] in called_by(asked).identities]
        granted = {word.lower() for one in mine for word in one["permissions"].get(kind, [])}
        if verb not in granted and "all" not in granted:
            said = (
                f"The user, group or application '{_caller(asked).removeprefix('Caller: ')}' does not have"
                f" {kind} {verb} permission on key vault '{vault.document['name']};location="
                f"{vault.document['location']}'. For help resolving this issue, please see"
                " https://go.microsoft.com/fwlink/?linkid=2125287"
            )
            raise self._forbidden(asked, vault, said, "ForbiddenByPolicy")

    def _forbidden(self, asked: Asked, vault: Resource, said: str, code: str) -> AzureError:
        about = f"\r\nVault: {vault.document['name']};location={vault.document['location']}\r\n"
        return AzureError(403, "Forbidden", said + about, more={"innererror": {"code": code}})

    # What is there

    def _list(self, asked: Asked) -> Json:
        vault, kind, base = self._vault(asked, "list"), asked.places["kind"], asked.places["base"]
        items = vault.items[kind].items()
        return _paged(asked, [vault.item(kind, base, name, found[-1], with_version=False) for name, found in items])

    def _versions(self, asked: Asked, vault: Vault) -> list[Version]:
        kind, name = asked.places["kind"], asked.places["name"]
        found = next((one for known, one in vault.items[kind].items() if known.lower() == name.lower()), None)
        if found is None:
            one = kind.removesuffix("s")
            message = f"A {one} with (name/id) {name} was not found in this key vault. {_HELP.format(one=one)}"
            raise AzureError(404, f"{one.capitalize()}NotFound", message)
        return found

    def _list_versions(self, asked: Asked) -> Json:
        vault = self._vault(asked, "list")
        kind, base, name = (asked.places[one] for one in ("kind", "base", "name"))
        found = self._versions(asked, vault)
        return _paged(asked, [vault.item(kind, base, name, one, with_version=True) for one in found])

    def _get(self, asked: Asked) -> Json:
        vault = self._vault(asked, "get")
        kind, base, name = (asked.places[one] for one in ("kind", "base", "name"))
        wanted, versions = asked.places.get("version"), self._versions(asked, vault)
        if wanted == "policy" and kind == "certificates":
            policy: Json = vault.bundle(kind, base, name, versions[-1])["policy"]
            return policy
        found = next((one for one in reversed(versions) if wanted in {None, one.name}), None)
        if found is None:
            one = kind.removesuffix("s")
            message = f"A {one} with (name/id) {name}/{wanted} was not found in this key vault. {_HELP.format(one=one)}"
            raise AzureError(404, f"{one.capitalize()}NotFound", message)
        if kind == "secrets" and not found.enabled:
            message = "Operation get is not allowed on a disabled secret."
            raise AzureError(403, "Forbidden", message, more={"innererror": {"code": "SecretDisabled"}})
        return vault.bundle(kind, base, name, found)

    def _list_deleted(self, asked: Asked) -> Json:
        vault, kind, base = self._vault(asked, "list"), asked.places["kind"], asked.places["base"]
        return _paged(asked, [vault.deleted_item(kind, base, name, whole=False) for name in vault.deleted[kind]])

    def _gone(self, asked: Asked, vault: Vault) -> Deleted:
        kind, name = asked.places["kind"], asked.places["name"]
        found = vault.deleted[kind].get(name)
        if found is None or found.settling > 0:
            if found:
                found.settling -= 1
            one = kind.removesuffix("s").capitalize()
            raise AzureError(404, f"{one}NotFound", f"Deleted {one} not found: {name}")
        return found

    def _get_deleted(self, asked: Asked) -> Json:
        vault = self._vault(asked, "get")
        self._gone(asked, vault)
        return vault.deleted_item(asked.places["kind"], asked.places["base"], asked.places["name"], whole=True)

    # Changes

    def _set(self, asked: Asked) -> Json:
        vault, name, body = self._vault(asked, "set"), asked.places["name"], asked.body
        _check_name_is_free(vault, "secrets", name)
        value = body.get("value")
        if not isinstance(value, str) or len(value.encode()) > _LARGEST_VALUE:
            # The real one repeats a part of what was sent in some of its refusals.
            raise AzureError(400, "BadParameter", f"The parameter value is invalid: {str(value)[:200]}")
        kept = {"value": value, "content_type": body.get("contentType")}
        made = vault.put("secrets", name, datetime.now(UTC), **kept, **_said(body))
        return vault.bundle("secrets", asked.places["base"], name, made)

    def _create_key(self, asked: Asked) -> Json:
        vault, name, body = self._vault(asked, "create"), asked.places["name"], asked.body
        _check_name_is_free(vault, "keys", name)
        if body.get("kty") not in {"RSA", "EC", "RSA-HSM", "EC-HSM"}:
            raise AzureError(400, "BadParameter", "Property kty is invalid.")
        made = vault.put("keys", name, datetime.now(UTC), **_said(body))
        return vault.bundle("keys", asked.places["base"], name, made)

    def _update(self, asked: Asked) -> Json:
        vault, kind, name = self._vault(asked, "update"), asked.places["kind"], asked.places["name"]
        wanted, versions = asked.places.get("version"), self._versions(asked, vault)
        found = next((one for one in reversed(versions) if wanted in {None, one.name}), None)
        if found is None:
            one = kind.removesuffix("s").capitalize()
            raise AzureError(404, f"{one}NotFound", f"{one} not found: {name}/{wanted}")
        if "enabled" in asked.body.get("attributes", {}):
            found.enabled = asked.body["attributes"]["enabled"]
        return vault.item(kind, asked.places["base"], name, found, with_version=True)

    def _delete(self, asked: Asked) -> Json:
        vault, kind, name = self._vault(asked, "delete"), asked.places["kind"], asked.places["name"]
        vault.deleted[kind][name] = Deleted(self._versions(asked, vault), datetime.now(UTC))
        del vault.items[kind][name]
        return vault.deleted_item(kind, asked.places["base"], name, whole=True)

    def _recover(self, asked: Asked) -> Json:
        vault, kind, name = self._vault(asked, "recover"), asked.places["kind"], asked.places["name"]
        vault.items[kind][name] = self._gone(asked, vault).versions
        del vault.deleted[kind][name]
        return vault.bundle(kind, asked.places["base"], name, vault.items[kind][name][-1])

    def _purge(self, asked: Asked) -> Reply:
        vault, kind, name = self._vault(asked, "purge"), asked.places["kind"], asked.places["name"]
        self._gone(asked, vault)
        if not vault.is_purgeable:
            message = 'Operation "purge" is not allowed because purge protection is enabled for this vault.'
            raise AzureError(403, "Forbidden", message, more={"innererror": {"code": "ForbiddenByPolicy"}})
        del vault.deleted[kind][name]
        return Reply(status=204)


def _check_name_is_free(vault: Vault, kind: str, name: str) -> None:
    if name in vault.deleted[kind]:
        one = kind.removesuffix("s").capitalize()
        message = f"{one} {name} is currently in a deleted but recoverable state, and its name cannot be reused."
        raise AzureError(409, "Conflict", message, more={"innererror": {"code": "ObjectIsDeletedButRecoverable"}})


def _said(body: Json) -> Json:
    attributes = body.get("attributes") or {}
    expires = datetime.fromtimestamp(attributes["exp"], UTC) if "exp" in attributes else None
    return {"enabled": attributes.get("enabled", True), "tags": body.get("tags") or {}, "expires": expires}


def _action(kind: str, verb: str) -> str:
    words = {
        "list": "readMetadata/action" if kind == "secrets" else "read",
        "get": "getSecret/action" if kind == "secrets" else "read",
        "set": "setSecret/action",
        "create": "create/action",
        "update": "update/action",
        "delete": "delete",
        "recover": "recover/action",
        "purge": "purge/action",
    }
    return f"Microsoft.KeyVault/vaults/{kind}/{words[verb]}"


def _caller(asked: Asked) -> str:
    caller = called_by(asked)
    return f"Caller: appid={caller.id};oid={caller.id};iss=https://sts.windows.net/{asked.tenant}/"


def _paged(asked: Asked, items: list[Json]) -> Json:
    size = min(_SIZE, asked.number("maxresults", _SIZE))
    if not size:
        raise AzureError(400, "BadParameter", "maxresults must be between 1 and 25.")
    start = offset_of(asked.query.get("$skiptoken"))
    end = start + size
    query = {"api-version": asked.version, "$skiptoken": skip_token(end), "maxresults": str(size)}
    following = f"{asked.places['base']}{quote(asked.path)}?{urlencode(query)}" if end < len(items) else None
    return {"value": items[start:end], "nextLink": following}
