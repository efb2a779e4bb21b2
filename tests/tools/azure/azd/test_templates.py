"""The public gallery of azd templates: searched, kept for an hour, and honest when it is away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import pytest

from clients.azd_gallery import Fetch, Gallery
from refusal import Refusal
from tests.fakes.azd_gallery import TEMPLATES, invented_gallery
from tests.fakes.transport import HastyTransport
from tests.tools.azure.calling import calling
from tools.azure.settings import AzureSettings

AWAY: Final = "raw.githubusercontent.com did not answer within 10 seconds. Try again later."


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Fetching:
    """Gives what it is told to, and counts."""

    def __init__(self, *contents: bytes | Refusal) -> None:
        self.contents, self.count = list(contents), 0

    async def __call__(self) -> bytes:
        self.count += 1
        found = self.contents.pop(0)
        if isinstance(found, Refusal):
            raise found
        return found


async def found(fetch: Fetch, **arguments: Any) -> dict[str, Any]:
    async with calling(HastyTransport(), AzureSettings(), fetch=fetch) as caller:
        result: dict[str, Any] = await caller.call("list_azd_templates", **arguments)
        return result


def names(result: dict[str, Any]) -> Sequence[str]:
    return [one["name"] for one in result["structuredContent"]["items"]]


async def test_templates_are_found_by_service_language_and_words() -> None:
    assert names(await found(invented_gallery, words="python")) == ["Bread ovens on Functions"]
    assert names(await found(invented_gallery, words="functions")) == ["Bread ovens on Functions", "Cake shop"]
    assert names(await found(invented_gallery, words="react shop")) == ["Cake shop"]
    assert names(await found(invented_gallery)) == ["Bread ovens on Functions", "Cake shop"]


async def test_what_azd_could_not_get_is_left_out() -> None:
    assert len(TEMPLATES) == 5
    text = json.dumps(await found(invented_gallery))
    assert "rm -rf" not in text
    assert "extension" not in text


async def test_the_public_command_lists_all() -> None:
    async with calling(HastyTransport(), AzureSettings()) as caller:
        assert len((await caller.call("template_list"))["structuredContent"]["items"]) == 2


async def test_a_gallery_that_is_away_is_told_so() -> None:
    result = await found(Fetching(Refusal(AWAY)))
    assert result["isError"]
    assert (
        "Cannot read the public gallery of azd templates: raw.githubusercontent.com did not answer"
        in result["content"][0]["text"]
    )


@pytest.mark.parametrize("content", [b"", b"<html>", b"{}", b"null", b"[" * 100_000, b"\xff\xfe[]"])
async def test_something_else_than_templates_is_told_so(content: bytes) -> None:
    result = await found(Fetching(content))
    assert "not a list of templates" in result["content"][0]["text"]


ODD: Final[list[Any]] = [
    None,
    1,
    [],
    {},
    {"title": 1, "source": 2},
    {"title": "x", "source": ["https://github.com/a/b"]},
]


async def test_odd_entries_are_passed_over_and_long_ones_shortened() -> None:
    long = {
        "title": "L" * 9000,
        "description": "d" * 9000,
        "source": "https://github.com/a/b",
        "tags": [1, None, "x" * 900],
    }
    result = await found(Fetching(json.dumps([*ODD, long]).encode()))
    (item,) = result["structuredContent"]["items"]
    assert (len(item["name"]), item["repository"]) == (400, "a/b")
    assert len(json.dumps(result)) < 4000


async def test_it_is_read_once_an_hour_and_what_was_read_serves_while_it_is_away() -> None:
    clock, again = Clock(), await invented_gallery()
    fetching = Fetching(again, Refusal(AWAY), again)
    gallery = Gallery(fetching, clock)
    for _ in range(3):
        assert len((await gallery.templates())[0]) == 2
    assert fetching.count == 1
    clock.now += 3601
    templates, old = await gallery.templates()
    assert (len(templates), "may be outdated" in old) == (2, True)
    assert (await gallery.templates())[1] == ""
