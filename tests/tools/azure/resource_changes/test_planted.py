"""Whoever reads only the first lines of a change notices what is bad about it: in text, form and page."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from deciding.rendering import page
from deciding.showing import ShownChange
from identity.caller import ANONYMOUS
from tests.changes.bench import text_of
from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.sweeps import Sweep
from tests.tools.azure.inventing import refused
from tests.tools.azure.resource_changes.planted import BAD, GOOD, Planted
from tests.tools.azure.team import Team, team

# What somebody in a hurry reads: these lines below the headline, or what a telephone shows of the page.
LINES: Final = 3
LETTERS: Final = 600
FORMS: Final[dict[str, Any]] = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
_BETWEEN: Final = re.compile(r" → | (?:added|created): | (?:deleted|removed) \(was |: ")
RULE: Final = {"access": "write", "ask": "caller"}

every_one = Sweep("planted", [*BAD, *GOOD], ids=lambda one: one.name, every=2)


def _azure(planted: Planted) -> FakeAzure:
    azure = FakeAzure()
    if planted.locked:
        azure.tags_and_locks.lock(planted.locked, "CanNotDelete", "keep")
    if planted.what_if is not None:
        answer = {"status": "Succeeded", "properties": {"changes": list(planted.what_if)}}
        azure.places["/whatIf"] = troubles.answering(200, json.dumps(answer).encode())
    return azure


async def _page(them: Team, words: str) -> str:
    change = await them.change(words)
    ledger = them.approvals.kept()
    shown: dict[str, Any] = {
        "sight": ShownChange.of(change, await ledger.shown(change), ledger.clock()),
        "waits": True,
        "stale": "",
        "why_not": "",
        "is_own": True,
        "is_laptop": False,
        "person": ANONYMOUS,
        "ticket": "",
        "problem": "",
        "now": ledger.clock(),
    }
    return text_of(page("change.html", **shown))


def _first_lines(told: str) -> str:
    headline, *lines = told.removeprefix("Nothing was done yet. ").splitlines()
    return "\n".join([headline, *lines[:LINES]])


def _missing_on_page(planted: Planted, text: str) -> list[str]:
    """What its first screen lacks of what has to be told; a value before stands apart from one after there."""
    first = text.partition("Waiting ")[2][:LETTERS]
    parts = [part for one in planted.told for part in _BETWEEN.split(one.rstrip(")"))]
    return [part for part in parts if part not in first]


@every_one
async def test_what_matters_is_within_the_first_lines(planted: Planted) -> None:
    async with team(_azure(planted), RULE) as them:
        ada = them.member("ada")
        words = await refused(ada, planted.tool, **planted.arguments)
        call = {"name": planted.tool, "arguments": dict(planted.arguments), "_meta": FORMS}
        asked = await ada.result("tools/call", call)
        shown = await _page(them, words)
    # Where another person has to agree, there is no form.
    [form] = [one["params"]["message"] for one in asked.get("inputRequests", {}).values()] or [words]
    assert [one for one in planted.told if one not in _first_lines(words)] == []
    assert _first_lines(form) == _first_lines(words)
    assert _missing_on_page(planted, shown) == []


async def test_what_is_only_created_is_not_said_to_overwrite_anything() -> None:
    planted = next(one for one in BAD if one.name == "an opened port by its path")
    async with team(_azure(planted), RULE) as them:
        words = await refused(them.member("ada"), planted.tool, **planted.arguments)
    assert "deletes or overwrites" not in words


def test_there_are_twenty_of_which_ten_hide_something() -> None:
    assert (len(BAD), len(GOOD)) == (10, 10)
