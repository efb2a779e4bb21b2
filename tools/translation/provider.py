"""Provides translation: the glossaries and, if it is configured, Azure Translator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.azure.cloud import cloud_named
from refusal import Refusal
from settings import Settings
from tools.provider import Provider, Supplies
from tools.translation.access import TRANSLATION
from tools.translation.settings import TranslationSettings, own_hosts

if TYPE_CHECKING:
    from clients.rest import Transport
    from tools.translation.opening import Translation

_HTTPS: Final = 443


def lacks(settings: TranslationSettings, of_the_app: Settings) -> str:
    """Return advice if the endpoint belongs to another cloud, otherwise an empty string. No setting is required,
    because the model of a client can translate without a Translator.
    """
    cloud = cloud_named(of_the_app.upstream.cloud)
    host = urlsplit(settings.endpoint).hostname or ""
    if not host or settings.endpoint.startswith("http://") or host.endswith(f".{own_hosts(cloud)}"):
        return ""
    return (
        "TRANSLATOR_ENDPOINT is not in the cloud set by AZURE_CLOUD. The hosts of Translators in this cloud end in"
        f" {own_hosts(cloud)}."
    )


def check(settings: TranslationSettings) -> None:
    """Reject conflicting settings, and glossaries that cannot be read."""
    if bool(settings.resource_id) != bool(settings.region):
        raise Refusal("Set both TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION, or neither.")
    parts = urlsplit(settings.endpoint)
    if parts.path.strip("/") or parts.query or (parts.scheme == "https" and parts.port not in {None, _HTTPS}):
        raise Refusal("TRANSLATOR_ENDPOINT must be an https URL without a path.")
    if settings.glossaries:
        from translating.glossary_files import read_glossaries

        read_glossaries(settings.folder)


@asynccontextmanager
async def open_translation(
    settings: TranslationSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[Translation]:
    from tools.translation.opening import opened

    async with opened(settings, supplies, transport) as translation:
        yield translation


provider: Final = Provider(
    key=TRANSLATION, settings=TranslationSettings, open=open_translation, lacks=lacks, check=check
)
