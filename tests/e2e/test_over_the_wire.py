"""Bytes on a socket, as no client library would send them: each is answered, clearly and without a 5xx."""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass
from http.client import HTTPMessage
from urllib.parse import urlsplit

import pytest

SECONDS = 10
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


@dataclass(frozen=True)
class Answer:
    status: int
    headers: HTTPMessage
    body: bytes


def exchange(url: str, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    connection.request(method, path, body, {**JSON, **{name.replace("_", "-"): text for name, text in headers.items()}})
    response = connection.getresponse()
    answer = Answer(response.status, response.headers, response.read())
    connection.close()
    return answer


def raw(url: str, request: bytes) -> bytes:
    address = urlsplit(url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=SECONDS) as connection:
        connection.sendall(request)
        return connection.recv(65536)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/x/firewall", "/mcp/x/all"])
def test_a_list_is_answered_at_each_address(app_url: str, path: str) -> None:
    response = exchange(app_url, "POST", path, LIST)
    assert response.status == 200
    assert response.headers["content-type"] == "application/json"


@pytest.mark.parametrize(("method", "status"), [("GET", 405), ("DELETE", 405), ("OPTIONS", 204), ("PUT", 405)])
def test_each_other_method_has_its_own_answer(app_url: str, method: str, status: int) -> None:
    response = exchange(app_url, method, "/mcp")
    assert response.status == status
    assert status == 404 or response.headers["allow"] == "POST"


def test_a_body_that_is_too_large_is_refused(app_url: str) -> None:
    assert exchange(app_url, "POST", "/mcp", b" " * (5 * 1024 * 1024)).status == 413


@pytest.mark.parametrize(
    ("path", "headers", "told"),
    [
        ("/mcp/x/nope", {}, "Unknown toolset 'nope'. Valid: all, azure-updates, watches, firewall"),
        ("/mcp/x/%6eope", {}, "Unknown toolset 'nope'"),
        ("/mcp/x/%2C", {}, "The address is empty."),
        ("/mcp", {"X_MCP_Toolsets": "nope"}, "Unknown toolset 'nope'"),
        ("/mcp", {"X_MCP_Tools": "nope"}, "Unknown tool 'nope'. Valid: azure, azure_change, search_azure_updates"),
    ],
)
def test_a_wrong_selection_is_a_400_that_lists_the_right_ones(
    app_url: str, path: str, headers: dict[str, str], told: str
) -> None:
    response = exchange(app_url, "POST", path, LIST, **headers)
    assert response.status == 400
    assert told in json.loads(response.body)["error"]["message"]


def test_a_foreign_host_and_a_foreign_page_are_refused(app_url: str) -> None:
    assert exchange(app_url, "POST", "/mcp", LIST, Host="evil.example").status == 421
    assert exchange(app_url, "POST", "/mcp", LIST, Origin="https://evil.example").status == 403


def test_a_repeated_routing_header_is_refused(app_url: str) -> None:
    host = urlsplit(app_url).netloc.encode()
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: " + host + b"\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
    )
    twice = b"MCP-Protocol-Version: 2026-07-28\r\n" * 2
    answer = raw(app_url, head + twice + f"Content-Length: {len(LIST)}\r\n\r\n".encode() + LIST)
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("form", "begins"), [("csv", "\ufeffid,title,".encode()), ("ics", b"BEGIN:VCALENDAR"), ("rss", b"<?xml")]
)
def test_updates_are_files_too(app_url: str, form: str, begins: bytes) -> None:
    answer = exchange(app_url, "GET", f"/updates.{form}?limit=3&products=Azure%20Bastion")
    assert answer.status == 200
    assert answer.body.startswith(begins)
    wrong = exchange(app_url, "GET", f"/updates.{form}?products=Bastions%20of%20old")
    assert wrong.status == 400
    assert b"No product is called" in wrong.body


@pytest.mark.parametrize("form", ["csv", "ics", "rss"])
def test_whether_there_is_news_is_asked_without_getting_it(app_url: str, form: str) -> None:
    whole = exchange(app_url, "GET", f"/updates.{form}?limit=3")
    head = exchange(app_url, "HEAD", f"/updates.{form}?limit=3")
    assert (head.status, head.body) == (200, b"")
    assert all(head.headers[name] == whole.headers[name] for name in ("etag", "content-type", "cache-control"))
    assert exchange(app_url, "HEAD", f"/updates.{form}?limit=3", if_none_match=whole.headers["etag"]).status == 304


@pytest.mark.parametrize("timer", ["sync_updates_delta", "sync_updates_reconcile"])
def test_a_sync_can_be_run_now_and_fails_without_harm_when_the_feed_is_away(app_url: str, timer: str) -> None:
    assert exchange(app_url, "POST", f"/admin/functions/{timer}", b"{}").status == 202
    assert json.loads(exchange(app_url, "GET", "/health").body)["updates"]["isSample"] is True


def test_health_tells_what_is_served(app_url: str) -> None:
    response = exchange(app_url, "GET", "/health")
    document = json.loads(response.body)
    assert document["status"] == "ok"
    assert "firewall" in document["toolsets"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/sse", 404),
        ("POST", "/", 404),
        ("GET", "/a/b/c", 404),
        ("GET", "/tools/execute", 405),
    ],
)
def test_who_comes_to_a_wrong_address_is_told_what_is_where(app_url: str, method: str, path: str, status: int) -> None:
    answer = exchange(app_url, method, path, b"" if method == "POST" else None)
    assert answer.status == status
    assert b"POST /mcp" in answer.body
