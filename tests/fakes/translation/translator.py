"""Azure Translator as it behaves: it shouts what it translates but for what is to stay, and fails as the real one."""

from __future__ import annotations

import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from tests.fakes.serving import serving_locally

SIGNED_IN: Final = "Bearer translator"
LANGUAGES: Final = {
    "en": {"name": "English", "nativeName": "English", "dir": "ltr"},
    "fr": {"name": "French", "nativeName": "Français", "dir": "ltr"},
    "de": {"name": "German", "nativeName": "Deutsch", "dir": "ltr"},
    "zh-Hans": {"name": "Chinese Simplified", "nativeName": "中文 (简体)", "dir": "ltr"},
}
_KEPT: Final = re.compile(r'(<span class="notranslate"[^>]*>.*?</span>)', re.DOTALL)
_ENTITY: Final = re.compile(r"(&\w+;|<[^>]*>)")
_PLACE: Final = "/translator/text/v3.0"


def shouting(text: str) -> str:
    """What becomes of HTML: all that is no tag, no entity and not to be left alone, in capitals."""
    parts = _KEPT.split(text)
    return "".join(part if place % 2 else _shouted(part) for place, part in enumerate(parts))


def _shouted(text: str) -> str:
    return "".join(part if place % 2 else part.upper() for place, part in enumerate(_ENTITY.split(text)))


@dataclass
class FakeTranslator:
    url: str = ""
    translates: Callable[[str], str] = shouting
    # The language of everything, and how sure it is.
    detects: tuple[str, float] = ("en", 0.97)
    # What is answered instead: the code of the service, and headers.
    failing: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    asked: list[tuple[str, Mapping[str, str], Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def translations(self) -> list[list[str]]:
        return [[one["Text"] for one in body] for what, _, body in self.asked if what == "translate"]

    async def answer(self, request: web.Request) -> web.Response:
        what = request.path.removeprefix(_PLACE).strip("/")
        body = await request.json() if request.can_read_body else None
        self.asked.append((what, dict(request.query), body))
        self.headers.append(request.headers)
        if self.failing:
            code, headers = self.failing.pop(0)
            return _failure(code, headers)
        if request.query.get("api-version") != "3.0":
            return _failure(400021)
        if what == "languages":
            return web.json_response({"translation": LANGUAGES})
        if request.headers.get("Authorization") != SIGNED_IN and "Ocp-Apim-Subscription-Key" not in request.headers:
            return _failure(401000)
        return self._of_texts(what, request.query, body)

    def _of_texts(self, what: str, query: Mapping[str, str], body: Any) -> web.Response:
        texts = [one.get("Text", one.get("text")) for one in body]
        if len(texts) > 1000:
            return _failure(400072)
        if sum(len(text.encode("utf-16-le")) // 2 for text in texts) > 50_000:
            return _failure(400077)
        if what == "detect":
            language, score = self.detects
            told = {"language": language, "score": score, "isTranslationSupported": True}
            return web.json_response([told for _ in texts])
        return self._translated(query, texts)

    def _translated(self, query: Mapping[str, str], texts: list[str]) -> web.Response:
        source, target = query.get("from"), query.get("to", "")
        if target not in LANGUAGES:
            return _failure(400036)
        if source and source not in LANGUAGES:
            return _failure(400035)
        found = {} if source else {"detectedLanguage": {"language": self.detects[0], "score": self.detects[1]}}
        made = [{**found, "translations": [{"text": self.translates(text), "to": target}]} for text in texts]
        return web.json_response(made)


def _failure(code: int, headers: Mapping[str, str] | None = None) -> web.Response:
    status = code // 1000
    told = {"error": {"code": code, "message": f"It is {code}, at marked/internal."}}
    return web.json_response(told, status=status, headers=headers)


@asynccontextmanager
async def translating(certified: ssl.SSLContext | None = None) -> AsyncIterator[FakeTranslator]:
    translator = FakeTranslator()
    application = web.Application(client_max_size=10_000_000)
    for place in (_PLACE, ""):
        application.router.add_get(f"{place}/languages", translator.answer)
        application.router.add_post(f"{place}/translate", translator.answer)
        application.router.add_post(f"{place}/detect", translator.answer)
    async with serving_locally(application, certified) as translator.url:
        yield translator
