"""Provides the model that an operator deployed in Azure OpenAI: its endpoint and sign-in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from clients.azure.cloud import Cloud, cloud_named
from refusal import Refusal
from settings import Settings
from tools.azure_openai.access import AZURE_OPENAI
from tools.azure_openai.settings import AzureOpenAISettings
from tools.provider import Provider, Supplies

if TYPE_CHECKING:
    from clients.azure_openai import AzureOpenAI

_HTTPS: Final = 443
# The host suffixes of Azure OpenAI accounts, by cloud.
_HOSTS: Final = {
    "public": (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"),
    "usgovernment": (".openai.azure.us", ".cognitiveservices.azure.us"),
    "china": (".openai.azure.cn", ".cognitiveservices.azure.cn"),
}
_SCOPES: Final = {
    "public": "https://cognitiveservices.azure.com/.default",
    "usgovernment": "https://cognitiveservices.azure.us/.default",
    "china": "https://cognitiveservices.azure.cn/.default",
}


def lacks(settings: AzureOpenAISettings, of_the_app: Settings) -> str:
    given = {"AZURE_OPENAI_ENDPOINT": settings.endpoint, "AZURE_OPENAI_DEPLOYMENT": settings.deployment}
    if missing := [name for name, value in given.items() if not value]:
        return f"No Azure OpenAI model is configured. Ask an operator to set {' and '.join(missing)}."
    cloud = cloud_named(of_the_app.upstream.cloud)
    if _is_within(settings.endpoint, cloud):
        return ""
    ends = " or ".join(_HOSTS.get(cloud.name, _HOSTS["public"]))
    return f"AZURE_OPENAI_ENDPOINT is not in the cloud set by AZURE_CLOUD. Hosts in this cloud end in {ends}."


def check(settings: AzureOpenAISettings) -> None:
    if urlsplit(settings.endpoint).path.strip("/"):
        raise Refusal("AZURE_OPENAI_ENDPOINT must be the URL of an account, without a path.")


def _is_within(endpoint: str, cloud: Cloud) -> bool:
    """Check whether an endpoint belongs to Azure OpenAI in this cloud. The app may send its token only to such an
    endpoint.
    """
    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    if cloud.is_emulated:
        return host == urlsplit(cloud.management).hostname
    return parts.port in {None, _HTTPS} and host.endswith(_HOSTS[cloud.name])


@asynccontextmanager
async def open_model(settings: AzureOpenAISettings, supplies: Supplies) -> AsyncIterator[AzureOpenAI]:
    from clients.azure_openai import AzureOpenAI
    from clients.pool import Pool

    scope = _SCOPES.get(supplies.cloud.name, _SCOPES["public"])
    async with Pool() as pool:
        authorization = partial(supplies.upstream.own_authorization, scope)
        yield AzureOpenAI(pool, settings.endpoint, settings.deployment, authorization)


provider: Final = Provider(key=AZURE_OPENAI, settings=AzureOpenAISettings, open=open_model, lacks=lacks, check=check)
