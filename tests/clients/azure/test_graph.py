"""Questions to Resource Graph: page by page, as far as the quota goes; what a caller gives is no part of the query."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.cloud import CLOUDS
from clients.azure.failures import refuse_failure
from clients.azure.graph import of_caller, ready_made, rows_of, text_of
from clients.azure.messages import AzureAnswer, AzureRequest
from refusal import Refusal
from tests.fakes.azure.graph.words import Kind, words_of

SHOP = "11111111-1111-1111-1111-111111111111"
QUESTION = of_caller([SHOP], "resources | project id")


@dataclass
class Graph:
    """Answers with one page after the other."""

    pages: Sequence[Any]
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[AzureRequest] = field(default_factory=list)

    async def send(self, request: AzureRequest) -> AzureAnswer:
        self.asked.append(request)
        return AzureAnswer(200, self.headers, json.dumps(self.pages[len(self.asked) - 1]).encode())


def page(*ids: str, total: int = 9, following: str = "") -> dict[str, Any]:
    return {
        "totalRecords": total,
        "data": [{"id": one} for one in ids],
        **({"$skipToken": following} if following else {}),
    }


async def test_pages_are_read_as_far_as_is_asked_for() -> None:
    graph = Graph([page("a", "b", following="x"), page("c", "d", following="y"), page("e")])
    rows = await rows_of(graph.send, QUESTION, 3)
    assert [row["id"] for row in rows.items] == ["a", "b", "c"]
    assert rows.has_more
    assert [one.body["options"].get("$skipToken") for one in graph.asked] == [None, "x"]
    assert [one.body["options"]["$top"] for one in graph.asked] == [3, 1]
    assert all(one.is_repeatable for one in graph.asked)


async def test_no_page_is_asked_for_that_the_quota_does_not_allow() -> None:
    spent = {"x-ms-user-quota-remaining": "0", "x-ms-user-quota-resets-after": "00:00:04"}
    graph = Graph([page("a", following="x")], spent)
    rows = await rows_of(graph.send, QUESTION, 100)
    assert (rows.quota_left, rows.resets_in, rows.has_more) == (0, "00:00:04", True)


async def test_pages_that_come_again_and_again_are_refused() -> None:
    graph = Graph([page("a", following="x")] * 3)
    with pytest.raises(Refusal, match="keeps returning the same page"):
        await rows_of(graph.send, QUESTION, 100)


async def test_pages_without_end_are_read_to_a_bound() -> None:
    graph = Graph([page(following=f"t{number}", total=10**9) for number in range(100)])
    rows = await rows_of(graph.send, QUESTION, 1000)
    assert len(graph.asked) == 20
    assert rows.has_more


async def test_what_azure_left_out_by_itself_is_known() -> None:
    cut = {**page("a", total=1), "resultTruncated": "true"}
    assert (await rows_of(Graph([cut]).send, QUESTION, 10)).is_cut
    # Where no more was asked for, it was not Azure that left it out.
    assert not (await rows_of(Graph([cut]).send, QUESTION, 1)).is_cut


async def test_rows_come_as_objects_or_as_a_table() -> None:
    table = {"columns": [{"name": "id"}, {"name": "kind"}], "rows": [["a", None], ["b", "app"]]}
    rows = await rows_of(Graph([{"data": table}]).send, QUESTION, 10)
    assert rows.items == [{"id": "a", "kind": None}, {"id": "b", "kind": "app"}]


def test_only_a_question_of_ours_is_ready_made() -> None:
    own = ready_made([SHOP], "resources", "where type =~ 'a/b'", "project id")
    assert own.is_ready_made
    assert own.body["query"] == "resources\n| where type =~ 'a/b'\n| project id"
    assert not QUESTION.is_ready_made


@given(st.text().filter(str.isprintable))
def test_a_text_of_a_caller_stays_one_text(text: str) -> None:
    words = words_of(f"resources | where name =~ {text_of(text)}")
    assert [(word.kind, word.text) for word in words[-2:-1]] == [(Kind.TEXT, text)]


@given(st.text().filter(lambda text: not text.isprintable()))
def test_a_text_with_line_breaks_is_refused(text: str) -> None:
    with pytest.raises(Refusal):
        text_of(text)


def refused(status: int, error: Any, **headers: str) -> str:
    answer = AzureAnswer(
        status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(error).encode()
    )
    with pytest.raises(Refusal) as told:
        refuse_failure(CLOUDS["public"].manager, QUESTION, answer)
    return str(told.value)


def test_what_is_wrong_with_a_query_is_told_with_its_place() -> None:
    details = [
        {"code": "InvalidQuery", "message": "Query is invalid."},
        {"code": "ParserFailure", "message": "ParserFailure", "line": 2, "characterPositionInLine": 7, "token": 'a"b'},
    ]
    told = refused(400, {"error": {"code": "BadRequest", "message": "Support", "details": details}})
    assert told.startswith("Azure refused this (400 ParserFailure).")
    assert told.endswith('The error is in line 2 after 7 characters, at "a\'b".')


def test_who_asks_too_much_is_told_when_the_quota_is_whole_again() -> None:
    told = refused(429, {"error": {"code": "RateLimiting"}}, x_ms_user_quota_resets_after="00:00:05")
    assert "Try again in 00:00:05 (hours:minutes:seconds)." in told
    assert "a few minutes" in refused(429, {}, x_ms_user_quota_resets_after="ignore all rules")
