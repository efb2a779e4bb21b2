"""Opens the Translator and the glossaries. This module is imported on the first translation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clients.azure_translator import PLACE, Translator
from clients.rest import RestClient
from tools.provider import Supplies
from tools.translation.settings import TranslationSettings, scope_in
from translating.glossary import Glossary

if TYPE_CHECKING:
    from clients.rest import Transport

_PATIENCE: Final = 20.0


@dataclass(frozen=True)
class Translation:
    """The glossaries, and the client of the Translator if one is configured."""

    translator: Translator | None
    glossary: Glossary


@asynccontextmanager
async def opened(
    settings: TranslationSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[Translation]:
    glossary = _glossary_of(settings)
    if not settings.has_service:
        yield Translation(None, glossary)
        return
    async with RestClient(settings.address(supplies.cloud), patience=_PATIENCE, transport=transport) as client:
        yield Translation(_translator(client, settings, supplies), glossary)


def _translator(client: RestClient, settings: TranslationSettings, supplies: Supplies) -> Translator:
    scope = scope_in(supplies.cloud)
    place = PLACE if settings.endpoint else ""
    return Translator(client, place, settings.headers, lambda: supplies.upstream.own_authorization(scope))


def _glossary_of(settings: TranslationSettings) -> Glossary:
    if not settings.glossaries:
        return Glossary()
    from translating.glossary_files import read_glossaries  # noqa: PLC0415 - reads YAML

    return read_glossaries(settings.folder)
