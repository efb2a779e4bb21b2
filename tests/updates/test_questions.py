"""What people ask of the updates, played by calls of the tool over real records and the edits seen of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from tests.tools.updates_office import Office, office
from tests.updates.indexing import DATA
from tests.updates.syncing import record

pytestmark = pytest.mark.anyio

QUESTIONS: Final[list[dict[str, Any]]] = YAML(typ="safe").load(
    Path(__file__).with_name("questions.yaml").read_text(encoding="utf-8")
)
MOST_CALLS: Final = 2

Records = dict[str, dict[str, Any]]


async def test_each_edit_that_was_seen_is_told_and_each_question_takes_two_calls_at_most(tmp_path: Path) -> None:
    now, edits, withdrawn = evidence()
    before = {key: {**raw, **edits.get(key, {})} for key, raw in now.items()} | withdrawn
    async with office(tmp_path, before.values()) as place:
        place.api.records = dict(now)
        await place.full_sync()
        for key, earlier in edits.items():
            assert await told_edits(place, key) == {
                field: (trimmed(value), trimmed(now[key][field])) for field, value in earlier.items()
            }
        for key in withdrawn:
            found = await place.search(id=key)
            assert found["withdrawn"]
            assert found["history"][0]["change"] == "withdrawn"
        missed = [asked["question"] for asked in QUESTIONS if not await is_answered(place, asked)]
        assert missed == []


def evidence() -> tuple[Records, Records, Records]:
    """The newest capture; what stood there before, of the records that were edited; and what was withdrawn."""
    captures = sorted((DATA / "snapshots").glob("*.json.gz"))
    if not captures:
        pytest.skip(f"there are no captures in {DATA}; set AZURE_TEAM_MCP_TEST_DATA to the folder with the real data")
    now = {raw["id"]: raw for raw in json.loads(gzip.decompress(captures[-1].read_bytes()))["value"]}
    seen = list(events((DATA / "change_evidence.jsonl").read_text(encoding="utf-8")))
    edits: Records = {}
    for event in (event for event in seen if event["type"] == "edited"):
        for field, value in event["before"].items():
            if now.get(event["id"], {}).get(field) == event["after"].get(field, event):
                edits.setdefault(event["id"], {})[field] = value
    gone = [event for event in seen if event["type"] == "withdrawn"]
    assert len(edits) > 70
    return now, edits, {event["id"]: record(event["id"], title=event["title"]) for event in gone}


def events(text: str) -> Iterator[dict[str, Any]]:
    decoder, place = json.JSONDecoder(), 0
    while place < len(text.rstrip()):
        event, place = decoder.raw_decode(text, place)
        place += len(text[place:]) - len(text[place:].lstrip())
        yield event


async def told_edits(place: Office, key: str) -> dict[str, tuple[Any, Any]]:
    newest = (await place.search(id=key))["history"][0]
    return {edit["field"]: (edit["before"], edit["after"]) for edit in newest["edits"]}


def trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


async def is_answered(place: Office, asked: dict[str, Any]) -> bool:
    assert 1 <= len(asked["calls"]) <= MOST_CALLS
    answer: dict[str, Any] = {}
    for call in asked["calls"]:
        found = {"id": answer["results"][0]["id"]} if call.get("id") == "$found" else {}
        answer = await place.search(**text_of_dates({**call, **found}))
    checks = {
        **CHECKS,
        "expected": lambda answer, number: set(ids_of(answer)) == expected(number) & place.api.records.keys(),
    }
    return all(checks[name](answer, wanted) for name, wanted in asked.items() if name in checks)


def text_of_dates(value: Any) -> Any:
    """YAML reads dates as dates."""
    if isinstance(value, dict):
        return {name: text_of_dates(inner) for name, inner in value.items()}
    return f"{value}" if hasattr(value, "isoformat") else value


def ids_of(answer: dict[str, Any]) -> list[str]:
    return [result["id"] for result in answer["results"]]


def expected(number: int) -> set[str]:
    """What one of the shared questions expects; some of it is newer than the capture."""
    return set(json.loads((DATA / "questions.json").read_bytes())[number]["expected"])


def edited_fields(answer: dict[str, Any]) -> set[str]:
    history = answer["history"] if "history" in answer else answer["results"][0]["changes"]
    return {edit["field"] for change in history for edit in change["edits"]}


CHECKS: Final[dict[str, Any]] = {
    "first": lambda answer, wanted: ids_of(answer)[:1] == [wanted],
    "among": lambda answer, wanted: set(wanted) <= set(ids_of(answer)[:10]),
    "exactly": lambda answer, wanted: ids_of(answer) == wanted and answer["total"] == len(wanted),
    "count": lambda answer, wanted: len(ids_of(answer)) == wanted,
    "total": lambda answer, wanted: answer["total"] == wanted,
    "fields": lambda answer, wanted: edited_fields(answer) <= set(wanted),
    "instead": lambda answer, wanted: set(wanted) <= set(answer["instead"]),
    "withdrawn": lambda answer, wanted: bool(answer.get("withdrawn")) == wanted,
}
