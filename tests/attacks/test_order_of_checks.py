"""Requests that are wrong in several ways at once: what is told first, and what counts against the limit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.attacks.front import Front
from tests.attacks.place import Place, attacked
from tests.mcp_server.records import Records

pytestmark = pytest.mark.anyio

MOST: Final = 3
MANY: Final = "&".join(f"a{number}=1" for number in range(21))
# Each with a request that is malformed beyond its headers.
INTERFACES: Final[Mapping[str, tuple[str, str, bytes]]] = {
    "mcp": ("POST", "/mcp", b"{\0"),
    "mcp of toolsets": ("POST", "/mcp/x/all", b"{\0"),
    "initialize": ("POST", "/mcp/initialize", b"{"),
    "tools": ("GET", f"/tools?{MANY}", b""),
    "tools as mcp": ("GET", f"/mcp/tools?{MANY}", b""),
    "execute": ("POST", "/tools/execute", b"{"),
    "execute as mcp": ("POST", "/mcp/tools/execute", b"\xff"),
    "a tool": ("POST", "/tools/whoami", b"[]"),
    "resources": ("GET", f"/resources?{MANY}", b""),
    "a resource": ("GET", "/resources/a?uri=b", b""),
    "writing a resource": ("PUT", "/resources?else=1", b"x"),
    "deleting a resource": ("DELETE", "/resources?uri=file:///a", b""),
    "OpenAPI": ("GET", "/openapi.json?version=9", b""),
}
STAGES: Final = ("host", "origin", "limit", "sign-in", "body")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with attacked(tmp_path, RATE_LIMIT_PER_ADDRESS=str(MOST)) as built:
        yield built


@pytest.mark.parametrize(("method", "url", "body"), INTERFACES.values(), ids=INTERFACES)
async def test_one_order_of_checks_holds_on_all_interfaces(place: Place, method: str, url: str, body: bytes) -> None:
    front, told = Front(place.app), []
    for stage in range(len(STAGES)):
        wrong = place.bearing(roles=["Admin"]) if stage == STAGES.index("body") else wrong_from(stage)
        address = f"198.51.100.{stage}"
        if stage <= 2:
            for _ in range(MOST):
                await front.send("GET", "/health", address=address)
        told.append((await front.send(method, url, body, wrong, address)).status)
    assert told[:4] == [421, 403, 429, 401]
    assert told[4] in {400, 428}


def wrong_from(stage: int) -> dict[str, str]:
    headers = {"host": "evil.example", "origin": "https://evil.example"}
    return {name: value for at, (name, value) in enumerate(headers.items()) if at >= stage}


REJECTED: Final[Mapping[str, tuple[int, str, str, bytes, dict[str, str | None]]]] = {
    "a wrong host": (421, "POST", "/mcp", b"{}", {"host": "evil.example"}),
    "a host that can be none": (421, "POST", "/mcp", b"{}", {"host": "[::1"}),
    "no host": (421, "POST", "/mcp", b"{}", {"host": None}),
    "a wrong host for REST": (421, "GET", "/tools", b"", {"host": "evil.example"}),
    "a wrong host for a page": (421, "GET", "/health", b"", {"host": "evil.example"}),
    "a wrong host for changes": (421, "GET", "/changes", b"", {"host": "evil.example"}),
    "a wrong origin": (403, "POST", "/mcp", b"{}", {"origin": "https://evil.example"}),
    "a wrong origin for REST": (403, "POST", "/tools/whoami", b"{}", {"origin": "https://evil.example"}),
    "a wrong origin for a file": (403, "GET", "/updates.csv", b"", {"origin": "https://evil.example"}),
    "no method of MCP": (405, "GET", "/mcp", b"", {}),
    "a session that is deleted": (405, "DELETE", "/mcp", b"", {}),
    "no method of a page": (405, "POST", "/health", b"{}", {}),
    "no method of changes": (405, "DELETE", "/changes", b"", {}),
    "no sign-in": (401, "POST", "/mcp", b"{}", {}),
    "no sign-in for REST": (401, "POST", "/tools/execute", b"{", {}),
    "a large body": (401, "POST", "/mcp", b" " * 5_000_000, {}),
    "a large body for REST": (401, "POST", "/tools/execute", b" " * 5_000_000, {}),
    "no length": (401, "POST", "/mcp", b"", {"content-length": None}),
    "an unknown address": (404, "GET", "/nowhere", b"", {}),
    "a preflight": (204, "OPTIONS", "/mcp", b"", {}),
}


@pytest.mark.parametrize(("status", "method", "url", "body", "headers"), REJECTED.values(), ids=REJECTED)
async def test_every_rejected_request_counts_against_the_limit(
    place: Place, status: int, method: str, url: str, body: bytes, headers: dict[str, str | None]
) -> None:
    front = Front(place.app)
    for _ in range(MOST):
        assert (await front.send(method, url, body, headers)).status == status
    for probe in ("/health", "/tools", "/updates.csv"):
        answer = await front.send("GET", probe)
        assert answer.status == 429
        assert int(answer.headers["retry-after"]) > 0
    assert (await front.send("GET", "/health", address="203.0.113.9")).status == 200


async def test_a_flood_of_rejected_requests_leaves_no_records(place: Place) -> None:
    front = Front(place.app)
    with Records.kept() as records:
        for status, method, url, body, headers in REJECTED.values():
            if status in {421, 403, 405}:
                await front.send(method, url, body, headers)
    assert records.attempts == []


LARGE: Final = {
    "mcp": ("POST", "/mcp"),
    "execute": ("POST", "/tools/execute"),
    "a tool": ("POST", "/tools/whoami"),
    "initialize": ("POST", "/mcp/initialize"),
    "a resource": ("PUT", "/resources?uri=file:///a"),
}


@pytest.mark.parametrize(("method", "url"), LARGE.values(), ids=LARGE)
async def test_bodies_are_bounded_alike_everywhere(place: Place, method: str, url: str) -> None:
    front, ada = Front(place.app), place.bearing(roles=["Admin"])
    large = await front.send(method, url, b" " * (4 * 1024 * 1024 + 1), ada)
    missing = await front.send(method, url, b"", {"content-length": None, **ada})
    assert (large.status, missing.status) == (413, 411)
    assert b"no Content-Length" in missing.body


@pytest.mark.parametrize("url", ["/changes", "/changes/x", "/extensions/x"])
async def test_a_large_form_is_rejected_after_the_sign_in(place: Place, url: str) -> None:
    answer = await Front(place.app).send("POST", url, b"x" * 100_000)
    assert answer.status in {400, 404, 405}
