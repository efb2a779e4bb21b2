"""How well real questions are answered over the newest real capture."""

from __future__ import annotations

import gzip
import json
from math import inf
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.updates.indexing import DATA, every, ids, search
from updates.changes import StoredUpdate
from updates.record import Update
from updates.searching.index import UpdatesIndex
from updates.searching.index_builder import build_index
from updates.searching.search import Detail, UpdateSearch
from updates.showing.answer import answer_of

PARAPHRASES = Path(__file__).with_name("paraphrases.yaml")
RETIRING_COMPUTE, AZURE_ML, THIS_QUARTER, KEY_VAULT, OLD_TLS, AVS_NODES = range(6)


def read(name: str) -> Any:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is absent; set AZURE_TEAM_MCP_TEST_DATA to the folder with the real data")
    return json.loads(path.read_bytes())


@pytest.fixture(scope="module")
def index() -> UpdatesIndex:
    captures = sorted((DATA / "snapshots").glob("*.json.gz"))
    if not captures:
        pytest.skip(f"there are no captures in {DATA}; set AZURE_TEAM_MCP_TEST_DATA to the folder with the real data")
    updates = json.loads(gzip.decompress(captures[-1].read_bytes()))["value"]
    return UpdatesIndex.open(build_index([StoredUpdate(Update.from_api(raw)) for raw in updates], {}))


def test_paraphrases_find_the_update_they_were_written_from(index: UpdatesIndex) -> None:
    known = {found.id for found in every(index)}
    queries = [entry for entry in read("known_item_queries.json") if entry["id"] in known]
    found = [(entry["id"], ids(index, entry["query"], limit=5)) for entry in queries]
    first, among_five = (sum(wanted in got[:most] for wanted, got in found) / len(found) for most in (1, 5))
    assert len(found) > 400
    assert first >= 0.86
    assert among_five >= 0.97


def test_meaning_does_not_push_known_items_down(index: UpdatesIndex) -> None:
    known = {found.id for found in every(index)}
    queries = [entry for entry in read("known_item_queries.json") if entry["id"] in known]
    by_words, by_both = (
        [_place(ids(index, one["query"], limit=20, semantic=semantic), one["id"]) for one in queries]
        for semantic in (False, True)
    )
    for most in (1, 5, 20):
        assert sum(place < most for place in by_both) >= sum(place < most for place in by_words)


def _place(found: list[str], wanted: str) -> float:
    return found.index(wanted) if wanted in found else inf


def test_what_means_the_same_is_found_in_other_words(index: UpdatesIndex) -> None:
    query = "passwordless sign-in to postgres"
    by_words, by_both = (search(index, query, limit=3, semantic=semantic).results for semantic in (False, True))
    assert not any("PostgreSQL" in found.title for found in by_words)
    assert any("PostgreSQL" in found.title for found in by_both)


@pytest.mark.parametrize("query", ["retirement of storage", "protect web sites from bots", "update kubernetes"])
def test_pages_by_meaning_neither_repeat_nor_skip(index: UpdatesIndex, query: str) -> None:
    whole = search(index, query, semantic=True)
    total, listed = whole.total, whole.total + whole.near
    paged = [one for start in range(0, listed, 7) for one in ids(index, query, limit=7, offset=start, semantic=True)]
    assert len(paged) == len(set(paged)) == listed
    assert total == search(index, query).total
    assert {found.id for found in every(index, query)} <= set(paged)
    assert not search(index, query, limit=7, offset=listed - 1, semantic=True).has_more


def test_titles_find_their_update(index: UpdatesIndex) -> None:
    updates = every(index)
    found = [one.title in {other.title for other in search(index, one.title, limit=5).results} for one in updates]
    assert sum(found) / len(found) >= 0.99


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (RETIRING_COMPUTE, {"product_categories": ("Compute",), "availability_ring": "Retirement"}),
        (RETIRING_COMPUTE, {"product_categories": ("compute",), "tags": ("Retirements",)}),
        (AZURE_ML, {"products": ("Azure ML",)}),
        (THIS_QUARTER, {"availability_ring": "General Availability", "date_from": "2026-07", "date_to": "2026-09"}),
        (KEY_VAULT, {"products": ("Azure Key Vault",), "date_from": "2026-08-06", "date_to": "2026-08-20"}),
    ],
)
def test_a_filter_answers_the_question_exactly(index: UpdatesIndex, question: int, asked: dict[str, Any]) -> None:
    expected = set(read("questions.json")[question]["expected"])
    known = {found.id for found in every(index)}
    assert {found.id for found in every(index, **asked)} == expected & known


def test_a_wider_window_finds_what_a_narrow_one_does_not(index: UpdatesIndex) -> None:
    assert ids(index, products=("Key Vault",), date_from="2026-07-21", date_to="2026-08-20") == ["566746"]


@pytest.mark.parametrize("question", [OLD_TLS, AVS_NODES])
def test_the_question_itself_finds_the_answer_first(index: UpdatesIndex, question: int) -> None:
    asked = read("questions.json")[question]
    assert ids(index, asked["query"])[:1] == asked["expected"]


def test_a_topic_is_found_in_words_too(index: UpdatesIndex) -> None:
    asked = read("questions.json")[AZURE_ML]
    assert set(asked["expected"]) <= set(ids(index, asked["query"]))


@pytest.mark.parametrize(
    ("limit", "detail", "most"), [(50, "summary", 6_000), (20, "summary", 2_500), (50, "brief", 2_000)]
)
@pytest.mark.parametrize(
    "query", ["", "retirement", "azure kubernetes service", "networking security preview", "postgres", "agents"]
)
def test_a_list_of_real_updates_is_small(
    index: UpdatesIndex, query: str, limit: int, detail: Detail, most: int
) -> None:
    request = UpdateSearch(query, limit=limit, detail=detail, semantic=True)
    answer = answer_of(index.search(request), request)
    assert len(json.loads(answer)["results"]) == limit
    assert len(answer.encode()) / 4 <= most


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("postgres in Kuala Lumpur", "499679"),
        ("postgres malaysiawest", "499679"),
        ("retirement of NGINX ingress on EKS", "555839"),
        ("Lambda with PowerShell", "567651"),
    ],
)
def test_cities_and_names_of_other_clouds_find_what_azure_calls_otherwise(
    index: UpdatesIndex, query: str, wanted: str
) -> None:
    assert wanted in ids(index, query, limit=3, semantic=True)


def test_meaning_finds_more_of_what_is_asked_in_other_words(index: UpdatesIndex) -> None:
    asked: dict[str, str] = YAML(typ="safe").load(PARAPHRASES.read_text(encoding="utf-8"))
    by_words, by_both = (
        sum(wanted in ids(index, query, limit=5, semantic=semantic) for wanted, query in asked.items())
        for semantic in (False, True)
    )
    assert by_both >= by_words + len(asked) // 20
