"""Azure Translator (text translation v3.0): lists languages, detects languages, and translates texts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from azure.core.exceptions import AzureError, HttpResponseError

from clients.kept import Kept
from refusal import Refusal

if TYPE_CHECKING:
    from clients.replies import HttpReply
    from clients.rest import RestClient

MOST_ELEMENTS: Final = 1000
MOST_CHARACTERS: Final = 50_000
LONGEST_ELEMENT: Final = 40_000
_SECONDS_OF_A_DAY: Final = 86_400.0
_LONGEST_DETECTED: Final = 2000
_VERSION: Final = {"api-version": "3.0"}
# The path of the API at the endpoint of a Translator resource.
PLACE: Final = "/translator/text/v3.0"
_UNREACHED: Final = "Azure Translator could not be reached. Try again in a minute."
# Maps an error code of the service, or an HTTP status, to an error message.
_WORDS: Final = {
    "400035": "Azure Translator does not know the source language. Omit source_lang to detect the language",
    "400036": "Azure Translator does not know the target language. Pass another target_lang",
    "400050": "A part of the text is too long for Azure Translator. Translate the text in smaller parts",
    "400077": "The text is too long for Azure Translator. Translate the text in smaller parts",
    "403001": "The free quota of Azure Translator is used up. Ask an operator to choose a paid tier",
    "400": "Azure Translator rejected the request",
    "401": "Azure Translator rejected this server's sign-in."
    " Ask an operator to check this server's identity, TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION",
    "403": "Azure Translator denied access to this server. Ask an operator to give this server the role Cognitive"
    " Services User, or to allow this server in the Translator's network rules",
    "404": "No Translator found at TRANSLATOR_ENDPOINT. Ask an operator to check this setting",
}


@dataclass(frozen=True, slots=True)
class Language:
    """A language: its code in Azure Translator, and its names."""

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
        """All languages, which are read once a day. Each key is the code of a language in lowercase."""
        return await self._kept.get("languages", self._read_languages, at_most=_SECONDS_OF_A_DAY)

    async def detected(self, text: str) -> Detected:
        """Detect the language of a text. Also returns how confident the service is."""
        body = [{"Text": text[:_LONGEST_DETECTED]}]
        (found,) = await self._request("detect", {}, body)
        score = found.get("score")
        return Detected(str(found["language"]), float(score) if isinstance(score, int | float) else None)

    async def translated(self, elements: Sequence[str], source: str, target: str) -> list[str]:
        """Translate each HTML text."""
        query = {"from": source, "to": target, "textType": "html"}
        answers: list[str] = []
        for batch in batches(elements):
            found = await self._request("translate", query, [{"Text": one} for one in batch])
            answers += [str(one["translations"][0]["text"]) for one in found]
        return answers

    async def _read_languages(self) -> dict[str, Language]:
        reply = await self._sent("GET", "languages", {"scope": "translation"}, None)
        known = reply.document["translation"]
        languages = (Language(code, one.get("name", code), one.get("nativeName", code)) for code, one in known.items())
        return {language.code.lower(): language for language in languages}

    async def _request(self, what: str, query: Mapping[str, str], body: list[dict[str, str]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self._sent("POST", what, query, body)).document
        if not isinstance(found, list) or len(found) != len(body):
            raise Refusal(_UNREACHED)
        return found

    async def _sent(self, method: str, what: str, query: Mapping[str, str], body: Any) -> HttpReply:
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
            raise Refusal(_words_of(failure)) from None
        except AzureError:
            raise Refusal(_UNREACHED) from None


def batches(elements: Sequence[str]) -> Iterator[list[str]]:
    """Split the elements into batches that do not exceed the limits on elements and characters per request."""
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
    """The number of characters as the service counts them.

    Characters outside the Basic Multilingual Plane count twice.
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _words_of(failure: HttpResponseError) -> str:
    status, code = failure.status_code or 0, _code_of(failure)
    if words := _WORDS.get(code) or _WORDS.get(str(status)):
        return f"{words}."
    if status == 429:
        return f"Azure Translator is rate limiting requests. Try again in {_wait(failure)}."
    return f"Azure Translator is not available ({status}). Try again in {_wait(failure)}."


def _code_of(failure: HttpResponseError) -> str:
    try:
        return str(json.loads(failure.response.text())["error"]["code"]) if failure.response else ""
    except (KeyError, TypeError, ValueError):
        return ""


def _wait(failure: HttpResponseError) -> str:
    response: Any = failure.response
    headers = response.headers if response is not None else {}
    wait = str(headers.get("Retry-After", ""))
    return f"{wait} seconds" if wait.isdecimal() else "a minute"
