"""What a search answers is put together from JSON that the index stores; it must say what the updates say."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sweeps import examples
from tests.updates.indexing import index_of, update
from updates.searching.search import FoundUpdate, SearchFilters, UpdateSearch
from updates.showing.answer import answer_of
from updates.showing.guide import document_of
from updates.showing.invented import NOTICE

HOSTILE = 'He said "no"\\ \n\t\x1f\u2028 </script> é 🦊 {"id":"other"}'
NAMES = st.lists(st.text(min_size=1, max_size=12), max_size=3)


def answer(found: Any, **asked: Any) -> dict[str, Any]:
    request = UpdateSearch(**asked)
    read: dict[str, Any] = json.loads(answer_of(found.search(request), request))
    return read


@settings(deadline=None, max_examples=examples(25))
@given(st.text(min_size=1), st.text(), NAMES, NAMES)
def test_a_full_result_says_what_the_update_alone_says(
    title: str, body: str, tags: list[str], names: list[str]
) -> None:
    index = index_of(update("7", f"x{title}", description=body, tags=tags, products=names, reaches={"Preview": "2026"}))
    (result,) = answer(index, detail="full")["results"]
    assert result == json.loads(json.dumps(document_of(index.find("7"))))


def test_hostile_texts_stay_texts() -> None:
    index = index_of(update("7", HOSTILE, description=HOSTILE, tags=[HOSTILE], status=HOSTILE))
    for detail in ("brief", "summary", "full"):
        (result,) = answer(index, detail=detail)["results"]
        (found,) = index.search(UpdateSearch(detail=detail)).results
        assert isinstance(found, FoundUpdate)
        assert (result["id"], result["title"], result["status"]) == ("7", found.title, found.status)


def test_a_withdrawn_update_says_when_and_what_changed() -> None:
    index = index_of(update("1"), withdrawn=[update("2")])
    results = answer(index, filters=SearchFilters(changed_since="2020-01-01"))["results"]
    told = {result["id"]: (result.get("withdrawn"), result["changes"]) for result in results}
    assert told == {"1": (None, []), "2": ("2026-07-01", [])}


def test_the_notice_of_invented_updates_comes_first() -> None:
    request = UpdateSearch()
    words = answer_of(index_of(update("1")).search(request), request, is_sample=True)
    assert next(iter(json.loads(words).items())) == ("notice", NOTICE)
