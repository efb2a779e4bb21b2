"""What becomes of the answer of a function, or of its failure."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from aiohttp import ClientSession


async def test_a_text_is_an_answer(client: ClientSession) -> None:
    async with client.get("/text") as response:
        assert (response.status, response.content_type, await response.text()) == (200, "text/plain", "just text")


async def test_no_answer_is_no_content(client: ClientSession) -> None:
    async with client.get("/nothing") as response:
        assert (response.status, await response.read()) == (204, b"")


async def test_an_answer_by_parameter_is_given(client: ClientSession) -> None:
    async with client.get("/out") as response:
        assert (response.status, await response.text()) == (202, "by parameter")


@pytest.mark.parametrize(("status", "body"), [(200, b"body"), (418, b"body"), (204, b""), (304, b""), (503, b"body")])
async def test_a_status_is_passed_on(client: ClientSession, status: int, body: bytes) -> None:
    async with client.get(f"/status/{status}") as response:
        assert (response.status, await response.read()) == (status, body)


async def test_a_head_request_is_answered_without_the_body(client: ClientSession) -> None:
    async with client.head("/status/200") as response:
        assert (response.headers["Content-Length"], await response.read()) == ("4", b"")


async def test_every_cookie_is_set(client: ClientSession) -> None:
    async with client.get("/cookies") as response:
        assert sorted(response.headers.getall("Set-Cookie")) == ["one=1; HttpOnly; Path=/", "two=2"]


async def test_headers_that_frame_the_message_are_the_hosts(client: ClientSession) -> None:
    async with client.get("/wrong_length") as response:
        assert (response.headers["Content-Length"], response.headers["X-Kept"]) == ("5", "yes")
        assert "Transfer-Encoding" not in response.headers


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("boom", "ValueError: a secret of the server"),
        ("sync_boom", "ValueError: a secret of a thread"),
        ("wrong_answer", "TypeError: unable to encode"),
        ("leaving", "SystemExit: 3"),
        ("sync_leaving", "KeyboardInterrupt"),
        ("cancelled", "CancelledError"),
    ],
)
async def test_a_failure_is_in_the_log_only(
    client: ClientSession, logged: Callable[[], str], path: str, failure: str
) -> None:
    async with client.get(f"/{path}") as response:
        assert (response.status, await response.read()) == (500, b"")
    records = re.split(r"^\[[\d:.]+ ", logged(), flags=re.MULTILINE)
    (record,) = [record for record in records if re.match(rf"ERROR local_host [0-9a-f]{{8}}\] {path} failed\n", record)]
    assert "Traceback" in record
    assert [record for record in records if failure in record] == [record]


@pytest.mark.parametrize("status", [99, 1000])
async def test_a_status_that_http_does_not_have_is_a_failure(client: ClientSession, status: int) -> None:
    async with client.get(f"/status/{status}") as response:
        assert (response.status, await response.read()) == (500, b"")


async def test_a_log_line_says_when_how_grave_who_and_in_which_invocation(
    client: ClientSession, logged: Callable[[], str]
) -> None:
    async with client.get("/log/loudly") as response:
        invocation = await response.json()
    line = rf"^\[\d\d:\d\d:\d\d\.\d{{3}} INFO sample {invocation[:8]}\] heard loudly$"
    assert re.search(line, logged(), re.MULTILINE)


async def test_a_synchronous_function_runs_in_a_thread_with_its_invocation(
    client: ClientSession, logged: Callable[[], str]
) -> None:
    async with client.get("/thread") as response:
        in_main_thread, invocation = await response.json()
    assert not in_main_thread
    assert f"INFO sample {invocation[:8]}] in a thread" in logged()


async def test_requests_are_not_logged_unless_asked_for(client: ClientSession, logged: Callable[[], str]) -> None:
    async with client.get("/echo/quietly"):
        assert "quietly" not in logged()
