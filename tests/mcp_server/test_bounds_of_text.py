"""How many values a body has is found out before anything is made of it."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.build import App
from mcp_server.bounds import MOST_VALUES, excess, excess_of_text
from mcp_server.http import rest
from tests.mcp_server.caller import post
from tests.offline import app_of, offline

Json = Any
TOO_MANY = f"The JSON has more than {MOST_VALUES} values."
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
# What makes it hard to tell a text from what stands around it.
TEXTS = st.text(st.sampled_from('a,[]{}":\\ \n\u00e9')) | st.text()
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@pytest.fixture
def app(tmp_path: Path) -> App:
    return app_of(offline(tmp_path))


def values_of(document: Json) -> int:
    inner = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    return sum(1 + values_of(each) for each in inner)


@settings(deadline=None)
@given(DOCUMENTS, st.integers(0, 3), st.booleans())
def test_what_may_be_taken_once_parsed_may_be_parsed(document: Json, times: int, ascii_only: bool) -> None:
    document = [document] * 10**times
    if not excess(document):
        assert excess_of_text(json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")) == ""


@settings(deadline=None)
@given(DOCUMENTS, st.integers(0, 4))
def test_four_times_as_many_values_as_are_taken_are_never_parsed(document: Json, times: int) -> None:
    document = [document] * 10**times
    if values_of(document) > 4 * MOST_VALUES:
        assert excess_of_text(json.dumps(document).encode("utf-8", "surrogatepass")) == TOO_MANY


@pytest.mark.parametrize(
    "text",
    [
        "," * 1_000_000,
        '","' * 500_000,
        '"' * 999_999,
        "\\" * 1_000_001,
        '\\"' * 500_000,
        '"\\' + "[" * 1_000_000,
        '",' + '\\",' * 500_000,
    ],
)
def test_text_that_is_no_json_is_read_once(text: str) -> None:
    body = text.encode()
    tracemalloc.start()
    try:
        excess_of_text(body)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(body)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "document",
    [
        [PING] * 50_000,
        list(range(1_000_000)),
        {**PING, "method": "tools/call", "params": {f"n{number}": 1 for number in range(300_000)}},
        json.loads("[" * 900 + "]" * 900),
    ],
    ids=["batch", "list", "names", "nested"],
)
async def test_a_body_of_too_many_values_is_refused_by_every_door(app: App, document: Json) -> None:
    body = json.dumps(document).encode()
    for answer in (await app.endpoint.handle(post(body)), await rest.execute(app.endpoint, post(body))):
        assert answer.status in {400, 413}
        assert len(answer.body) < 500


async def test_a_long_text_full_of_commas_is_a_text(app: App) -> None:
    body = json.dumps({"tool": "search_azure_updates", "arguments": {"query": "," * 100_000}}).encode()
    answer = await rest.execute(app.endpoint, post(body))
    assert TOO_MANY not in answer.body.decode()
    assert "query" in answer.body.decode()
