"""Real clients of the handshake versions ask their users in the middle of a call, over the local host."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import pytest

from tests.e2e.visits import CLIENTS, Json, Step, Visit, Visitor
from tests.npm import Packages

FORM: Final = {"action": "accept", "content": {"agree": True}}
OPENED: Final = {"action": "accept"}
CLIENTS_THAT_ASK: Final = [name for name, (era, _) in CLIENTS.items() if era == "legacy" and name != "inspector"]


@pytest.fixture(params=CLIENTS_THAT_ASK)
def visitor(request: pytest.FixtureRequest, packages: Packages) -> Visitor:
    return CLIENTS[request.param][1](packages)


def change(command: str, **parameters: Json) -> Step:
    arguments = {"tool": "shelves", "command": command, "parameters": parameters}
    return ("tools/call", {"name": "azure_change", "arguments": arguments})


def told(result: Json) -> str:
    text: str = result["content"][0]["text"]
    return text


@pytest.fixture
def uri(request: pytest.FixtureRequest) -> str:
    """Of a resource that no other test has."""
    return f"file:///{quote(request.node.name, safe='')}.txt"


def written_and_deleted(uri: str) -> list[Step]:
    return [change("write_resource", uri=uri, text="hello"), change("delete_resource", uri=uri)]


def test_a_form_is_shown_within_the_call_which_goes_on_with_the_answer(
    app_url: str, visitor: Visitor, uri: str
) -> None:
    steps = written_and_deleted(uri)
    seen = visitor(Visit(f"{app_url}/mcp", steps, answers={"form": FORM, "url": OPENED}))
    assert [one["message"].splitlines()[0] for one in seen.asked] == [
        f"Delete {uri}. This change deletes or overwrites data."
    ]
    assert not seen.results[1].get("isError")
    assert f'"deleted":"{uri}"' in told(seen.results[1])


def test_who_declines_is_obeyed(app_url: str, visitor: Visitor, uri: str) -> None:
    steps = [*written_and_deleted(uri), change("write_resource", uri=uri, text="again")]
    seen = visitor(Visit(f"{app_url}/mcp", steps, answers={"form": {"action": "decline"}}))
    assert len(seen.asked) == 1
    assert "did not agree to delete_resource; nothing was done" in told(seen.results[1])
    # It is there still.
    assert seen.results[2]["isError"]


@pytest.mark.parametrize("name", ["client 2", "sdk 1"])
def test_a_client_that_only_opens_pages_is_asked_to(app_url: str, packages: Packages, name: str, uri: str) -> None:
    # The Python client always declares forms as well.
    seen = CLIENTS[name][1](packages)(Visit(f"{app_url}/mcp", written_and_deleted(uri), answers={"url": OPENED}))
    [asked] = seen.asked
    assert asked["mode"] == "url"
    assert asked["elicitationId"]
    assert "/changes/" in asked["url"]
    # To have opened it decides nothing.
    assert "must approve at the URL below" in told(seen.results[1])


def test_a_client_that_declares_nothing_is_told_the_page(app_url: str, visitor: Visitor, uri: str) -> None:
    seen = visitor(Visit(f"{app_url}/mcp", written_and_deleted(uri)))
    assert seen.asked == []
    assert "must approve at the URL below" in told(seen.results[1])
