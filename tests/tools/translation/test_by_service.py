"""Texts are translated by Azure Translator: words change, what has to stay does not, and failures say what to do."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from clients.azure_translator import MOST_CHARACTERS, MOST_ELEMENTS, batches, counted
from refusal import Refusal
from settings import Settings, UpstreamSettings
from tests.tools.translation.calling import Office, office
from tools.translation.provider import check, lacks
from tools.translation.settings import TranslationSettings
from tools.translation.translate import LONGEST_TEXT

pytestmark = pytest.mark.anyio

GUIDE = """# Setting up `azd`

1. Run `azd up --no-prompt`, and wait for {count} minutes.
2. See [the guide](https://example.com/guide?a=1&b=2 "Guide") or write to ada@example.com.

| Setting | Meaning |
| --- | --- |
| `A|B` | **Both** of them & more |

```sh
echo "do not translate"
```
"""
SHOUTED = """# SETTING UP `azd`

1. RUN `azd up --no-prompt`, AND WAIT FOR {count} MINUTES.
2. SEE [THE GUIDE](https://example.com/guide?a=1&b=2 "Guide") OR WRITE TO ada@example.com.

| SETTING | MEANING |
| --- | --- |
| `A|B` | **BOTH** OF THEM & MORE |

```sh
echo "do not translate"
```
"""


@pytest.fixture
async def here() -> AsyncIterator[Office]:
    async with office() as there:
        yield there


async def test_words_are_translated_and_all_else_stays(here: Office) -> None:
    told = await here.translated(GUIDE)
    assert told == {
        "translated_text": SHOUTED,
        "confidence": 0.97,
        "source_lang": "en",
        "target_lang": "fr",
        "translated_by": "Azure Translator",
    }
    assert here.own.scopes[0] == "https://cognitiveservices.azure.com/.default"
    assert not any("Ocp-Apim-Subscription-Key" in headers for headers in here.translator.headers)


async def test_of_a_language_that_is_given_nothing_is_detected_and_no_confidence_invented(here: Office) -> None:
    told = await here.translated("words", source_lang="English", target="FRANÇAIS")
    assert (told["confidence"], told["source_lang"], told["target_lang"]) == (None, "en", "fr")
    assert [what for what, _, _ in here.translator.asked] == ["languages", "translate"]


async def test_languages_are_read_once(here: Office) -> None:
    for _ in range(3):
        await here.translated("words", source_lang="en")
    assert [what for what, _, _ in here.translator.asked].count("languages") == 1


@pytest.mark.parametrize(
    ("text", "note"),
    [("`code` {name} 42", "no words"), ("| 1 | 2 |", "no words"), ("---", "no words")],
)
async def test_what_has_no_words_is_not_sent(here: Office, text: str, note: str) -> None:
    told = await here.translated(text)
    assert told["translated_text"] == text
    assert note in told["note"]
    assert here.translator.translations == []


async def test_what_is_in_the_language_already_comes_back(here: Office) -> None:
    told = await here.translated("words", target="en")
    assert (told["translated_text"], here.translator.translations) == ("words", [])


@pytest.mark.parametrize(
    "loses",
    [
        lambda html: re.sub(r"<span[^>]*>.*?</span>", "", html).upper(),
        lambda html: re.sub(r"(<span[^>]*>.*?</span>)", r"\1\1", html).upper() if "<span" in html else html.upper(),
        lambda html: html.replace(' id="s0"', "").upper(),
        lambda html: re.sub(r'id="s(\d)"', lambda found: f'id="s{1 - int(found[1])}"', html).upper(),
        lambda html: f"<p>{html}</p>" if "<span" in html else html.upper(),
    ],
)
async def test_where_the_service_loses_what_has_to_stay_the_words_are_translated_in_pieces(
    here: Office, loses: object
) -> None:
    here.translator.translates = loses  # type: ignore[assignment]  # parametrize knows no types
    told = await here.translated("Take `one` and {two} home.", source_lang="en")
    assert told["translated_text"] == "TAKE `one` AND {two} HOME."
    assert "1 of 1 parts were translated in pieces" in told["note"]


async def test_long_texts_go_in_requests_as_large_as_the_service_takes(here: Office) -> None:
    text = "\n\n".join(f"Paragraph {number} of many. It has two sentences 🍞." for number in range(1900))
    told = await here.translated(text, source_lang="en")
    assert told["translated_text"] == text.upper()
    assert [len(one) <= MOST_ELEMENTS for one in here.translator.translations] == [True] * 2


def test_batches_keep_to_both_limits_and_lose_nothing() -> None:
    elements = ["🍞" * 12_000] * 5 + ["x"] * 2500
    made = list(batches(elements))
    assert [one for batch in made for one in batch] == elements
    assert all(len(batch) <= MOST_ELEMENTS and sum(map(counted, batch)) <= MOST_CHARACTERS for batch in made)


async def test_a_glossary_holds(tmp_path: Path) -> None:
    terms = "stay: [Contoso]\nterms: {en: {fr: {pull request: demande de tirage}}}\n"
    (tmp_path / "team.yaml").write_text(terms, encoding="utf-8")
    async with office(glossaries=str(tmp_path)) as here:
        told = await here.translated("Pull request of Contoso")
        assert told["translated_text"] == "Demande de tirage OF Contoso"
        assert (await here.translated("Pull request", target="de"))["translated_text"] == "PULL REQUEST"


async def test_the_address_of_all_is_told_which_resource_is_meant() -> None:
    where = {"resource_id": "/subscriptions/x", "region": "westeurope"}
    async with office(endpoint="", **where) as here:
        assert (await here.translated("words"))["translated_text"] == "WORDS"
    for headers in here.translator.headers:
        assert headers["Ocp-Apim-ResourceId"] == "/subscriptions/x"
        assert headers["Ocp-Apim-Subscription-Region"] == "westeurope"


@pytest.mark.parametrize(
    ("code", "headers", "words"),
    [
        (400036, {}, "does not know the target language"),
        (400035, {}, "source language"),
        (400050, {}, "smaller parts"),
        (400074, {}, "rejected the request"),
        (401000, {}, "rejected this server's sign-in"),
        (403001, {}, "quota of Azure Translator is used up"),
        (403000, {}, "Cognitive Services User"),
        (404000, {}, "TRANSLATOR_ENDPOINT"),
        (408001, {}, "is not available (408)"),
        (429001, {"Retry-After": "17"}, "Try again in 17 seconds"),
        (500000, {}, "is not available (500)"),
        (503000, {}, "Try again in a minute"),
    ],
)
async def test_a_failure_says_what_to_do(here: Office, code: int, headers: dict[str, str], words: str) -> None:
    await here.translated("words")
    here.translator.failing = [(code, headers)] * 30
    told = await here.refused()
    assert words in told
    assert "marked" not in told


async def test_what_passes_is_asked_again(here: Office) -> None:
    here.translator.failing = [(429001, {"Retry-After": "3"}), (503000, {})]
    assert (await here.translated("words"))["translated_text"] == "WORDS"
    assert 3 in here.transport.waits


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "xx"}, "is not one of"),
        ({"target": "zh"}, "Closest: zh-Hans"),
        ({"target": "frensh"}, "Closest: fr"),
        ({"source_lang": "klingon"}, "source_lang is not one of"),
        ({"formality": "formal"}, "does not support formality"),
        ({"formality": "rude"}, "formality"),
        ({"text": ""}, "text"),
        ({"text": "x" * (LONGEST_TEXT + 1)}, "text"),
        ({"target": "f" * 41}, "target_lang"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_what_cannot_be_right_is_refused_and_nothing_is_translated(
    here: Office, arguments: dict[str, str], words: str
) -> None:
    assert words in await here.refused(**arguments)
    assert here.translator.translations == []


async def test_without_a_service_and_a_model_it_is_said_what_is_lacking() -> None:
    async with office(endpoint="") as here:
        assert "Ask an operator to set TRANSLATOR_ENDPOINT" in await here.refused()


def test_settings_that_cannot_be_right_are_refused(tmp_path: Path) -> None:
    for given in (
        TranslationSettings(resource_id="/x"),
        TranslationSettings(region="x"),
        TranslationSettings(endpoint="https://a.cognitiveservices.azure.com/x"),
        TranslationSettings(endpoint="https://a.cognitiveservices.azure.com:444"),
        TranslationSettings(glossaries=str(tmp_path / "none")),
    ):
        with pytest.raises(Refusal):
            check(given)
    check(TranslationSettings())


@pytest.mark.parametrize(
    ("endpoint", "cloud", "is_fine"),
    [
        ("https://shop.cognitiveservices.azure.com", "public", True),
        ("https://shop.cognitiveservices.azure.us", "usgovernment", True),
        ("https://shop.cognitiveservices.azure.us", "public", False),
        ("https://evil.example", "public", False),
        ("https://evilcognitiveservices.azure.com", "public", False),
        ("http://127.0.0.1:5000", "public", True),
    ],
)
def test_the_sign_in_goes_to_a_translator_of_the_cloud_only(endpoint: str, cloud: str, is_fine: bool) -> None:
    settings = Settings(upstream=UpstreamSettings(cloud=cloud))
    assert bool(lacks(TranslationSettings(endpoint=endpoint), settings)) is not is_fine
