"""The settings of a model that an operator deployed in Azure OpenAI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from settings import setting

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def deployment(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("it must be the name of a deployment: up to 64 letters, digits, dots, hyphens and underscores")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureOpenAISettings:
    """A model at Azure OpenAI that writes summaries. The app calls the model with its own identity."""

    endpoint: str = setting(
        "AZURE_OPENAI_ENDPOINT",
        checked_base_url,
        "",
        "The model's account, such as `https://team.openai.azure.com`. Without an account, summaries quote a"
        " document's own sentences, unless a client offers its model.",
    )
    deployment: str = setting("AZURE_OPENAI_DEPLOYMENT", deployment, "", "The deployment of the model in that account.")
