"""What translates: a Translator of Azure where there is one, and the glossaries that hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.addresses import checked_base_url
from clients.azure.cloud import Cloud, cloud_named
from refusal import Refusal
from settings import Settings, setting
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from clients.rest import Transport
    from tools.translation.service import Translation

ROOT: Final = Path(__file__).parents[2]
_HTTPS: Final = 443
# Of all resources, by cloud: with a resource's id and region, they answer for it.
_GLOBAL: Final = {
    "public": "https://api.cognitive.microsofttranslator.com",
    "usgovernment": "https://api.cognitive.microsofttranslator.us",
    "china": "https://api.translator.azure.cn",
}
# Of one resource alone.
_SUFFIXES: Final = {
    "public": "cognitiveservices.azure.com",
    "usgovernment": "cognitiveservices.azure.us",
    "china": "cognitiveservices.azure.cn",
}

ABSENT: Final = (
    "There is no Translator here, and your client offers no model that could be asked. An operator has to set"
    " TRANSLATOR_ENDPOINT, or TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationSettings:
    """Translation: by which Translator, and with which glossaries."""

    endpoint: str = setting(
        "TRANSLATOR_ENDPOINT",
        checked_base_url,
        "",
        "The Translator's own address, such as `https://shop.cognitiveservices.azure.com`. Without it that of the whole"
        " cloud, for which the next two are needed. With neither, the model of a client is asked that offers one.",
    )
    resource_id: str = setting("TRANSLATOR_RESOURCE_ID", str, "", "The id of the Translator in Azure.")
    region: str = setting("TRANSLATOR_REGION", str, "", "The region of the Translator, such as `westeurope`.")
    glossaries: str = setting(
        "TRANSLATION_GLOSSARIES",
        str,
        "",
        "A folder of glossaries, from the folder of the app, such as `glossaries`: every `.yaml` in it is one.",
    )

    @property
    def has_service(self) -> bool:
        return bool(self.endpoint or (self.resource_id and self.region))

    @property
    def folder(self) -> Path:
        return ROOT / self.glossaries

    def address(self, cloud: Cloud) -> str:
        return self.endpoint or (cloud.management if cloud.is_emulated else _of(_GLOBAL, cloud))

    @property
    def headers(self) -> dict[str, str]:
        """What tells the address of all which resource is meant."""
        if self.endpoint:
            return {}
        return {"Ocp-Apim-ResourceId": self.resource_id, "Ocp-Apim-Subscription-Region": self.region}


def scope_in(cloud: Cloud) -> str:
    return f"https://{_of(_SUFFIXES, cloud)}/.default"


def _of(by_cloud: dict[str, str], cloud: Cloud) -> str:
    return by_cloud.get(cloud.name, by_cloud["public"])


def lacks(settings: TranslationSettings, of_the_app: Settings) -> str:
    """Nothing has to be set: without a Translator, the call itself tells whether its client has a model."""
    cloud = cloud_named(of_the_app.upstream.cloud)
    host = urlsplit(settings.endpoint).hostname or ""
    if not host or settings.endpoint.startswith("http://") or host.endswith(f".{_of(_SUFFIXES, cloud)}"):
        return ""
    return (
        "TRANSLATOR_ENDPOINT is no address of the cloud that AZURE_CLOUD names: there, a Translator is at"
        f" {_of(_SUFFIXES, cloud)}."
    )


def check(settings: TranslationSettings) -> None:
    """Refuse settings that cannot be right together, and glossaries that cannot be read."""
    if bool(settings.resource_id) != bool(settings.region):
        raise Refusal("TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION go together: set both, or neither.")
    parts = urlsplit(settings.endpoint)
    if parts.path.strip("/") or parts.query or (parts.scheme == "https" and parts.port not in {None, _HTTPS}):
        raise Refusal("TRANSLATOR_ENDPOINT is https and a host, with nothing behind it.")
    if settings.glossaries:
        from translating.glossary_files import read_glossaries

        read_glossaries(settings.folder)


@asynccontextmanager
async def open_translation(
    settings: TranslationSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[Translation]:
    from tools.translation.service import opened

    async with opened(settings, supplies, transport) as translation:
        yield translation


provider: Final = Provider(
    name="translation", settings=TranslationSettings, open=open_translation, lacks=lacks, check=check
)
