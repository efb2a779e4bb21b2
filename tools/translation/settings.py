"""The settings of translation: which Translator, and which glossaries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clients.addresses import checked_base_url
from clients.azure.cloud import Cloud
from settings import setting

if TYPE_CHECKING:
    pass


ROOT: Final = Path(__file__).parents[2]
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
    return f"https://{own_hosts(cloud)}/.default"


def own_hosts(cloud: Cloud) -> str:
    """How the hosts of single resources end."""
    return _of(_SUFFIXES, cloud)


def _of(by_cloud: dict[str, str], cloud: Cloud) -> str:
    return by_cloud.get(cloud.name, by_cloud["public"])
