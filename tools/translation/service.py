"""Azure Translator, text translation v3.0: languages, detection and translation, in requests of the maximum size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clients.kept import Kept
from refusal import Refusal
from tools.provider import Supplies
from tools.translation.failures import UNREACHED, words_of
from tools.translation.settings import TranslationSettings, scope_in
from translating.glossary import Glossary

if TYPE_CHECKING:
    from clients.replies import HttpReply
    from clients.rest import RestClient, Transport

MOST_ELEMENTS: Final = 1000
MOST_CHARACTERS: Final = 50_000
LONGEST_ELEMENT: Final = 40_000
_SECONDS_OF_A_DAY: Final = 86_400.0
_LONGEST_DETECTED: Final = 2000
_PATIENCE: Final = 20.0
_VERSION: Final = {"api-version": "3.0"}
# The path of the service at a resource's own endpoint.
_PLACE: Final = "/translator/text/v3.0"


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its code in the service, and its names."""

    code: str
    name: str
    own_name: str


@dataclass(frozen=True, slots=True)
class Detected:
    code: str
    score: float | None


@dataclass(frozen=True)
class Translator:
    client: RestClient
    place: str
    headers: Mapping[str, str]
    authorization: Callable[[], Awaitable[str]] = field(repr=False)
    _kept: Kept = field(default_factory=Kept)

    async def languages(self) -> dict[str, Language]:
        """All languages by lowercase code, read once a day."""
        return await self._kept.get("languages", self._read_languages, at_most=_SECONDS_OF_A_DAY)

    async def detected(self, text: str) -> Detected:
        """The language of a text, and the confidence of the service."""
        body = [{"Text": text[:_LONGEST_DETECTED]}]
        (found,) = await self._asked("detect", {}, body)
        score = found.get("score")
        return Detected(str(found["language"]), float(score) if isinstance(score, int | float) else None)

    async def translated(self, elements: Sequence[str], source: str, target: str) -> list[str]:
        """The translation of each HTML text."""
        query = {"from": source, "to": target, "textType": "html"}
        answers: list[str] = []
        for batch in batches(elements):
            found = await self._asked("translate", query, [{"Text": one} for one in batch])
            answers += [str(one["translations"][0]["text"]) for one in found]
        return answers

    async def _read_languages(self) -> dict[str, Language]:
        reply = await self._sent("GET", "languages", {"scope": "translation"}, None)
        known = reply.document["translation"]
        languages = (Language(code, one.get("name", code), one.get("nativeName", code)) for code, one in known.items())
        return {language.code.lower(): language for language in languages}

    async def _asked(self, what: str, query: Mapping[str, str], body: list[dict[str, str]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self._sent("POST", what, query, body)).document
        if not isinstance(found, list) or len(found) != len(body):
            raise Refusal(UNREACHED)
        return found

    async def _sent(self, method: str, what: str, query: Mapping[str, str], body: Any) -> HttpReply:
        from azure.core.exceptions import AzureError, HttpResponseError  # noqa: PLC0415 - heavy

        headers = {**self.headers, "Authorization": await self.authorization()}
        try:
            return await self.client.send(
                f"{method} {self.place}/{what}",
                {},
                {**_VERSION, **query},
                headers=headers,
                repeatable=True,
                **({"body": body} if body else {}),
            )
        except HttpResponseError as failure:
            raise Refusal(words_of(failure)) from None
        except AzureError:
            raise Refusal(UNREACHED) from None


@dataclass(frozen=True)
class Translation:
    """The Translator client; nothing if none is configured."""

    translator: Translator | None
    glossary: Glossary


def batches(elements: Sequence[str]) -> Iterator[list[str]]:
    """Elements split into requests within the limits of the service: number of elements, and characters as it counts
    them.
    """
    batch: list[str] = []
    size = 0
    for element in elements:
        length = counted(element)
        if batch and (len(batch) == MOST_ELEMENTS or size + length > MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(element)
        size += length
    if batch:
        yield batch


def counted(text: str) -> int:
    """The number of characters as the service counts: those outside the Basic Multilingual Plane count twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@asynccontextmanager
async def opened(
    settings: TranslationSettings, supplies: Supplies, transport: Transport | None = None
) -> AsyncIterator[Translation]:
    from clients.rest import RestClient  # noqa: PLC0415 - likewise

    glossary = _glossary_of(settings)
    if not settings.has_service:
        yield Translation(None, glossary)
        return
    scope = scope_in(supplies.cloud)
    async with RestClient(settings.address(supplies.cloud), patience=_PATIENCE, transport=transport) as client:
        translator = Translator(
            client,
            _PLACE if settings.endpoint else "",
            settings.headers,
            lambda: supplies.upstream.own_authorization(scope),
        )
        yield Translation(translator, glossary)


def _glossary_of(settings: TranslationSettings) -> Glossary:
    if not settings.glossaries:
        return Glossary()
    from translating.glossary_files import read_glossaries  # noqa: PLC0415 - likewise

    return read_glossaries(settings.folder)
