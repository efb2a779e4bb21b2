"""The key by which tools get the Azure OpenAI model, if one is configured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tools.key import Key

if TYPE_CHECKING:
    from clients.azure_openai import AzureOpenAI

AZURE_OPENAI: Final[Key[AzureOpenAI]] = Key("azure-openai")
