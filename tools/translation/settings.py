"""The settings of translation: the Translator and the glossaries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clients.addresses import checked_base_url
from clients.azure.cloud import Cloud
from settings import setting

ROOT: Final = Path(__file__).parents[2]
# The shared endpoint, by cloud. Requests to this endpoint identify the resource by id and region.
_GLOBAL: Final = {
    "public": "https://api.cognitive.microsofttranslator.com",
    "usgovernment": "https://api.cognitive.microsofttranslator.us",
    "china": "https://api.translator.azure.cn",
}
# The suffix of the host names of single resources, by cloud.
_SUFFIXES: Final = {
    "public": "cognitiveservices.azure.com",
    "usgovernment": "cognitiveservices.azure.us",
    "china": "cognitiveservices.azure.cn",
}
ABSENT: Final = (
    "Translation is not configured, and your client offers no model. Ask an operator to set TRANSLATOR_ENDPOINT, or"
    " both TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationSettings:
    """Translation: the Translator and the glossaries to use."""

    endpoint: str = setting(
        "TRANSLATOR_ENDPOINT",
        checked_base_url,
        "",
        "The Translator's endpoint, such as `https://shop.cognitiveservices.azure.com`. Without this setting, the"
        " shared endpoint of the cloud is used, which requires TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION."
        " Without any of the three settings, the client's model translates, if the client offers one.",
    )
    resource_id: str = setting("TRANSLATOR_RESOURCE_ID", str, "", "The Azure resource id of the Translator.")
    region: str = setting("TRANSLATOR_REGION", str, "", "The region of the Translator, such as `westeurope`.")
    glossaries: str = setting(
        "TRANSLATION_GLOSSARIES",
        str,
        "",
        "A folder of glossaries, relative to the app's folder, such as `glossaries`: each `.yaml` file is a glossary.",
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
        """Return the headers that tell the shared endpoint which resource to use."""
        if self.endpoint:
            return {}
        return {"Ocp-Apim-ResourceId": self.resource_id, "Ocp-Apim-Subscription-Region": self.region}


def scope_in(cloud: Cloud) -> str:
    return f"https://{own_hosts(cloud)}/.default"


def own_hosts(cloud: Cloud) -> str:
    """Return the suffix of the host names of single resources. Each resource has an endpoint with its own host name."""
    return _of(_SUFFIXES, cloud)


def _of(by_cloud: dict[str, str], cloud: Cloud) -> str:
    return by_cloud.get(cloud.name, by_cloud["public"])
