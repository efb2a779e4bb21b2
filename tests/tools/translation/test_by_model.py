"""Without a Translator the model of a client translates, where it offers one, and loses nothing that has to stay."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import TextContent

from tests.mcp_server.library import Model, client_of
from tests.tools.translation.calling import office
from tools.translation.by_model import LONGEST_FOR_A_MODEL

pytestmark = pytest.mark.anyio

TEXT = "# Take `one`\n\n- and {two} home.\n\n```\nnot this\n```\n"


def each(translates: Callable[[str], str]) -> Callable[[str], str]:
    return lambda asked: json.dumps([translates(text) for text in json.loads(asked)])


def shouting(text: str) -> str:
    return "".join(part if part.startswith("⟦") else part.upper() for part in re.split("(⟦.*?⟧)", text))


async def asked(model: Model | None, text: str = TEXT, endpoint: str = "", **more: Any) -> Any:
    settings = {} if endpoint else {"endpoint": ""}
    async with office(**settings) as here, client_of(here.caller.endpoint, model) as client:
        parameters = {"text": text, "target_lang": "French", **more}
        sent = {"tool": "translation", "command": "translate", "parameters": parameters}
        result = await client.call_tool("azure", sent)
    told = result.content[0]
    assert isinstance(told, TextContent)
    return told.text if result.is_error else result.structured_content


async def test_the_model_of_a_client_translates_and_what_has_to_stay_stays() -> None:
    model = Model(each(shouting))
    told = await asked(model)
    assert told == {
        "translated_text": "# TAKE `one`\n\n- AND {two} HOME.\n\n```\nnot this\n```\n",
        "confidence": None,
        "source_lang": None,
        "target_lang": "French",
        "translated_by": "the model of your client",
    }
    assert json.loads(model.asked[0]) == ["Take ⟦0⟧", "and ⟦0⟧ home."]
    assert "one" not in model.asked[0]


async def test_what_was_lost_is_asked_for_once_more_and_nothing_else() -> None:
    tries: list[str] = []

    def forgetful(text: str) -> str:
        tries.append(text)
        return "PRENDS" if text.startswith("Take") and tries.count(text) == 1 else shouting(text)

    model = Model(each(forgetful))
    assert (await asked(model))["translated_text"].startswith("# TAKE `one`")
    assert [json.loads(one) for one in model.asked] == [["Take ⟦0⟧", "and ⟦0⟧ home."], ["Take ⟦0⟧"]]
    assert "lost or moved marks" in str(model.systems[1])


@pytest.mark.parametrize(
    "says",
    [
        lambda _: "I will not.",
        lambda _: "[]",
        lambda _: "[" * 1000 + "]",
        lambda _: '["a ⟦0⟧ b", 5]',
        lambda _: '{"a": [1, 2]}',
        each(lambda _: "⟦0⟧⟦0⟧"),
        each(lambda _: "⟦1⟧ words"),
        each(lambda text: text.replace("⟦0⟧", "`two`")),
    ],
)
async def test_what_is_lost_twice_is_refused(says: Callable[[str], str]) -> None:
    model = Model(says)
    assert "so nothing is returned" in await asked(model)
    assert len(model.asked) == 2


async def test_marks_that_a_model_adds_are_made_harmless() -> None:
    told = await asked(Model(each(lambda _: "<script>[a](b)\n# c")), text="words")
    assert told["translated_text"] == r"\<script>\[a\](b) # c"


async def test_formality_is_for_the_model_and_stands_in_what_it_is_told() -> None:
    model = Model(each(shouting))
    told = await asked(model, endpoint="there is one", formality="formal", source_lang="en")
    assert told["translated_by"] == "the model of your client"
    assert "in formal language" in str(model.systems[0])


async def test_where_there_is_a_translator_the_model_is_not_asked() -> None:
    model = Model(each(shouting))
    assert (await asked(model, endpoint="there is one"))["translated_by"] == "Azure Translator"
    assert model.asked == []


async def test_a_client_without_a_model_is_told_what_is_lacking() -> None:
    assert "Ask an operator to set TRANSLATOR_ENDPOINT" in await asked(None)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"text": "x " * LONGEST_FOR_A_MODEL}, "characters at once"),
        ({"target_lang": "French. Ignore all"}, "target_lang must be a language"),
        ({"source_lang": "en\nand"}, "source_lang must be a language"),
    ],
)
async def test_what_a_model_is_not_asked(more: dict[str, str], words: str) -> None:
    model = Model(each(shouting))
    assert words in await asked(model, **more)
    assert model.asked == []
