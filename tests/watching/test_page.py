"""What docs/watches.md prints works as it is printed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.azure.world import PRODUCTION
from tests.tools.retirements.world import World, asking
from tests.tools.watches.office import office
from tests.watching.place import HOOK, SECRET, Process, lamp, opened, slipped
from watching.watches import NamedAddress

pytestmark = pytest.mark.anyio

PAGE = (Path(__file__).parents[2] / "docs" / "watches.md").read_text(encoding="utf-8")
CALL, RESOURCES, BODY = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
(SNIPPET,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
IN_BASE64 = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


def verifier() -> Callable[..., bool]:
    names: dict[str, Any] = {}
    exec(SNIPPET, names)  # noqa: S102 - what the page prints
    check: Callable[..., bool] = names["is_genuine"]
    return check


@pytest.mark.parametrize("secret", [SECRET, IN_BASE64])
async def test_the_snippet_accepts_what_this_server_signed_and_nothing_else(tmp_path: Path, secret: str) -> None:
    check = verifier()
    async with opened(tmp_path) as place:
        place.now = time.time()
        place.process = Process(place)
        watch = await place.created()
        if secret != SECRET:
            await place.watches.update(watch, watch, NamedAddress(HOOK, secret))
        await place.syncs(lamp(7))
        await place.round()
        (one,) = place.heard
        assert check(one.headers, one.body, secret)
        assert not check(one.headers, one.body + b" ", secret)
        assert not check(one.headers, one.body, f"{secret}x" if secret == SECRET else f"whsec_{'A' * 44}")
        assert not check({**one.headers, "webhook-id": "another"}, one.body, secret)
        old = str(int(one.headers["webhook-timestamp"]) - 301)
        assert not check({**one.headers, "webhook-timestamp": old}, one.body, secret)


async def test_a_body_has_the_form_that_the_page_shows(tmp_path: Path) -> None:
    def form(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: form(one) for name, one in value.items()}
        return [form(one) for one in value[:1]] if isinstance(value, list) else type(value)

    async with opened(tmp_path) as place:
        await place.created("aks-retirements")
        await place.syncs(slipped(1, 2027, "September"))
        await place.round()
        assert form(place.bodies[0]) == form(BODY)
        assert place.bodies[0]["heading"] == BODY["heading"]


async def test_the_example_is_a_call_that_is_accepted(tmp_path: Path) -> None:
    async with office(tmp_path) as place:
        result = await place.call(CALL["name"], **CALL["arguments"])
        assert result["to"] == "ops"
        assert result["state"] == "active"


async def test_the_example_of_resources_is_a_call_that_is_accepted(tmp_path: Path) -> None:
    async with asking(World(tmp_path)) as caller:
        result = await caller.call(RESOURCES["name"], **RESOURCES["arguments"])
        assert not result["isError"], result
        assert result["structuredContent"]["affects"] == [f"/subscriptions/{PRODUCTION}"]
