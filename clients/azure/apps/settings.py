"""The settings of an App Service or Functions app. Other modules see only the names of the settings.

App Service can only replace all settings at once. To change a setting, this module therefore reads all values and
writes them back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from secrets import token_bytes
from typing import Any, Final, Literal

from clients.azure.apps.sorts import SITE
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, ListPage, of_id
from clients.folding import folded
from refusal import Refusal

Settings = Literal["appsettings", "connectionstrings"]

_MOST: Final = 1000
_LIST: Final = "/config/appsettings/list"
_WRITE: Final = "/config/appsettings"
_STICKY: Final = "/config/slotConfigNames"
_TOLD: Final = frozenset({401, 403, 404, 409, 429})
_AWAY: Final = 500
# Values shorter than this may be common words, so an error message that contains such a word reveals nothing.
_SHORTEST_TOLD: Final = 4
# The key for computing digests of settings. Only this process knows the key, so a digest reveals nothing about the
# values.
_KEY: Final = token_bytes(32)


@dataclass(frozen=True, slots=True)
class Current:
    """The current settings. Printing this object shows only the names of the settings."""

    values: Mapping[str, str] = field(repr=False)
    etag: str = field(default="", repr=False)
    document: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> list[str]:
        return sorted(self.values)

    @property
    def mark(self) -> str:
        """A digest of these settings. Only this process can compute the digest."""
        written = json.dumps(dict(self.values), sort_keys=True).encode(errors="surrogatepass")
        return blake2b(written, key=_KEY, digest_size=16).hexdigest()

    def with_changes(self, values: Mapping[str, str], removed: Collection[str]) -> Current:
        """A copy of the settings with these changes.

        Raises:
            Refusal: A setting exists with different capitalization, or a setting to remove does not exist.
        """
        self.refuse_wrong_names(values, removed)
        kept = {name: value for name, value in self.values.items() if name not in removed}
        return Current({**kept, **values}, self.etag)

    def refuse_wrong_names(self, given: Collection[str], removed: Collection[str]) -> None:
        """Reject settings that exist with different capitalization. Also reject the removal of settings that do not
        exist.

        Raises:
            Refusal: A setting exists with different capitalization, or a setting to remove does not exist.
        """
        self._refuse_likes([*given, *removed])
        if absent := sorted(set(removed) - self.values.keys()):
            raise Refusal(f"Settings not found: {', '.join(absent)}. Use show_app with `settings` to list all names.")

    def _refuse_likes(self, names: Collection[str]) -> None:
        spelt = {folded(name): name for name in self.values}
        for name in names:
            own = spelt.get(folded(name), name)
            if own != name:
                raise Refusal(
                    f"Setting names are case-insensitive, and the app already has this setting as {own}. Use that "
                    "spelling."
                )


async def names_of(azure: Azure, app: ResourceId, what: Settings) -> list[str]:
    """The names of an app's settings. Azure also returns the values, which are discarded."""
    line = f"/config/{what}/list"
    found = await azure.json(of_id("POST", app, line, is_read=True, only_names=True, version=SITE.version))
    names: list[str] = found["names"]
    return names


def reading(app: ResourceId) -> AzureRequest:
    """Build the request that reads all settings with their values."""
    return of_id("POST", app, _LIST, is_read=True, gives_secrets=True, version=SITE.version)


def writing(app: ResourceId, wanted: Current) -> AzureRequest:
    """Build the request that writes all settings.

    If the settings have an ETag, the request contains this ETag. The request then fails if the settings have changed.
    """
    condition = {"If-Match": wanted.etag} if wanted.etag else {}
    body = {"properties": dict(wanted.values)}
    return of_id("PUT", app, _WRITE, body=body, headers=condition, version=SITE.version)


async def current(azure: Azure, app: ResourceId) -> Current:
    try:
        answer = await azure.send(reading(app))
    except AzureRefusal as refusal:
        if refusal.status in _TOLD or refusal.status >= _AWAY:
            raise
        # The message of the error is left out, because it may contain values of settings.
        raise Refusal(f"Azure did not return the settings ({refusal.status} {refusal.code}).") from None
    document = answer.document
    return of_document(document if isinstance(document, dict) else {}, answer.headers.get("ETag", ""))


def of_document(document: Mapping[str, Any], etag: str = "") -> Current:
    found = document.get("properties")
    values = {str(name): str(value) for name, value in found.items()} if isinstance(found, Mapping) else {}
    return Current(values, str(document.get("etag") or etag), document)


def without_values(refusal: Refusal, *known: Current) -> Refusal:
    """The error. The message is left out if it contains the value of a setting."""
    text = _plain(f"{refusal} {refusal.message if isinstance(refusal, AzureRefusal) else ''}")
    values = {_plain(value) for one in known for value in one.values.values()}
    if not any(value in text for value in values if len(value) >= _SHORTEST_TOLD):
        return refusal
    what = f" ({refusal.status} {refusal.code})" if isinstance(refusal, AzureRefusal) else ""
    return Refusal(
        f"Azure rejected the settings{what}. Azure's message contains a value of a setting, so the message is not"
        " shown. Use show_app to see which settings exist."
    )


def _plain(text: str) -> str:
    """Keep only the letters and digits of a text, so that a search also finds quoted and escaped values."""
    return "".join(letter for letter in text if letter.isalnum())


async def vault_references(azure: Azure, app: ResourceId) -> ListPage:
    """The settings that refer to a secret in a vault, and whether Azure could read the secret."""
    return await azure.page(of_id("GET", app, "/config/configreferences/appsettings", version=SITE.version), _MOST)


def _of_whole_app(app: ResourceId) -> ResourceId:
    """The app that a slot belongs to.

    Only the app has the list of settings that stay with their slot when slots are swapped.
    """
    return ResourceId(app.segments[:8])


async def sticky_names(azure: Azure, app: ResourceId) -> dict[str, Any]:
    """The settings that stay with their slot when slots are swapped, in the format of the service."""
    found = await azure.json(of_id("GET", _of_whole_app(app), _STICKY, version=SITE.version))
    properties = found.get("properties")
    return properties if isinstance(properties, dict) else {}


def sticky_settings(kept: Mapping[str, Any]) -> list[str]:
    return sorted(str(name) for name in kept.get("appSettingNames") or ())


def sticky_look(app: ResourceId) -> AzureRequest:
    return of_id("GET", _of_whole_app(app), _STICKY, version=SITE.version)


def sticky_writing(app: ResourceId, kept: Mapping[str, Any], names: Collection[str]) -> AzureRequest:
    body = {"properties": {**kept, "appSettingNames": sorted(names)}}
    return of_id("PUT", _of_whole_app(app), _STICKY, body=body, version=SITE.version)
