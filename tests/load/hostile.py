"""What strangers do who mean ill: each request costs the server as much as they can make it cost.

`scripts/load --hostile` starts a server for it. Bodies are made once, so that the clients cost little beside it.
"""

from __future__ import annotations

import json
import os
import random
import socket
import sys
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from locust import FastHttpUser, between, events, task

# The handshake versions ask for the fewest headers, so that what is wrong with a message is found as late as possible.
HEADERS: Final = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-11-25",
}
# About how many seconds somebody pauses between two requests.
PAUSE: Final = float(os.environ.get("LOAD_PAUSE", "1"))
# As little below the largest body that is read where nobody signs in, of 1 MiB, as keeps an envelope around it.
NEARLY_TOO_LARGE: Final = 1024 * 1024 - 1024
BYTES_OF_A_SLOW_BODY: Final = 10


def message(method: str, params: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, separators=(",", ":")).encode()


def call(tool: str, arguments: Mapping[str, Any]) -> bytes:
    return message("tools/call", {"name": tool, "arguments": arguments})


def rule_in(existing: str) -> bytes:
    rule = {"team": "load", "source": "10.0.0.0/24", "destination": "52.1.2.3"}
    return call("new_azure_firewall_rules", {**rule, "existing_yaml": existing})


OVERSIZED: Final = call("search_azure_updates", {"query": "a" * 5 * 1024 * 1024})
_DEPTH: Final = NEARLY_TOO_LARGE // 2
DEEP: Final = call("search_azure_updates", {"filters": 0}).replace(b"0}}", b"[" * _DEPTH + b"]" * _DEPTH + b"}}")
_MANY: Final = {f"k{number:06}": 0 for number in range(NEARLY_TOO_LARGE // len('"k000000":0,'))}
MANY_ARGUMENTS: Final = [
    call("search_azure_updates", {"filters": _MANY}),
    call("search_azure_updates", _MANY),
    call("search_azure_updates", {"filters": {"products": [""] * (NEARLY_TOO_LARGE // len('"",'))}}),
]
LONG_QUERY: Final = call("search_azure_updates", {"query": "azure " * (NEARLY_TOO_LARGE // 6)})
# Each within the bounds of the firewall tool for the size of a file, but for what its aliases stand for.
BOMBS: Final = [
    rule_in("? " * 40 + "{" + "a: 1," * 20_000 + "}\n"),
    rule_in(
        "a: &a [1,1,1,1,1,1,1,1,1]\n"
        + "".join(
            f"{name}: &{name} [{','.join([f'*{below}'] * 9)}]\n"
            for below, name in zip("abcdefgh", "bcdefghi", strict=True)
        )
    ),
    rule_in(
        "rules:\n"
        + "".join(
            f"- {{team: a, source: 10.{n // 256}.{n % 256}.1, destination: 52.1.2.3, port: 1}}\n" for n in range(1_600)
        )
    ),
]
COMMAS: Final = message(
    "completion/complete",
    {
        "ref": {"type": "ref/prompt", "name": "whats_new"},
        "argument": {"name": "products", "value": "," * NEARLY_TOO_LARGE},
    },
)
MALFORMED: Final = [
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'{"jsonrpc":"2.0","id":1,"method":["tools/list"]}',
    b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}',
    b"[" + b'{"jsonrpc":"2.0","id":1,"method":"tools/list"},' * 20_000 + b"0]",
]
LIST: Final = message("tools/list", {})
WRONG_HEADERS: Final[list[dict[str, str]]] = [
    {"Accept": "image/png"},
    {"Content-Type": "text/plain; charset=utf-7"},
    {"Content-Encoding": "gzip"},
    {"MCP-Protocol-Version": "9" * 4000},
    {"Mcp-Method": "tools/call", "Mcp-Name": "azure"},
    {"Origin": "https://example.com"},
    {"Host": "example.com"},
    {"Authorization": "Bearer " + "a" * 8000},
    {"X-MCP-Readonly": "perhaps"},
]


@events.test_start.add_listener
def tell_that_clients_begin(**_: object) -> None:
    sys.stdout.write("Clients begin.\n")
    sys.stdout.flush()


class Stranger(FastHttpUser):
    wait_time = between(PAUSE / 2, PAUSE * 3 / 2)

    @task
    def send_too_much(self) -> None:
        self._ask("oversized body", OVERSIZED)

    @task
    def nest_deeply(self) -> None:
        self._ask("deep JSON", DEEP)

    @task
    def give_many_arguments(self) -> None:
        self._ask("many arguments", random.choice(MANY_ARGUMENTS))

    @task
    def search_at_length(self) -> None:
        self._ask("long query", LONG_QUERY)

    @task
    def send_a_bomb(self) -> None:
        self._ask("YAML bomb", random.choice(BOMBS))

    @task
    def export_everything(self) -> None:
        # Nearly: nobody may have asked for the same before.
        form, limit = random.choice(("csv", "ics", "rss")), random.randint(9_000, 10_000)
        self._ask("export", path=f"/updates.{form}?limit={limit}")

    @task
    def complete_commas(self) -> None:
        self._ask("completion of commas", COMMAS)

    @task
    def select_many_names(self) -> None:
        headers = {"X-MCP-Toolsets": f"firewall,{_names(8000)}", "X-MCP-Tools": f"azure,{_names(8000)}"}
        self._ask("many names in headers", LIST, headers=headers)

    @task
    def call_unknown_tool(self) -> None:
        self._ask("unknown tool", call(random.randbytes(30_000).hex(), {}))

    @task
    def send_no_message(self) -> None:
        self._ask("malformed JSON-RPC", random.choice(MALFORMED))

    @task
    def send_wrong_headers(self) -> None:
        self._ask("wrong headers", LIST, headers=random.choice(WRONG_HEADERS))

    @task
    def send_slowly(self) -> None:
        """A body that takes seconds, byte by byte."""
        start = time.perf_counter()
        problem = _problem_of_a_slow_request(self.host)
        taken = (time.perf_counter() - start) * 1000
        self.environment.events.request.fire(
            request_type="POST",
            name="slow client",
            response_time=taken,
            response_length=0,
            exception=problem,
            context={},
        )

    def _ask(
        self, kind: str, body: bytes | None = None, *, path: str = "/mcp", headers: Mapping[str, str] | None = None
    ) -> None:
        told = {**HEADERS, "X-Forwarded-For": _address(), **(headers or {})}
        method = "POST" if body else "GET"
        with self.client.request(method, path, name=kind, data=body, headers=told, catch_response=True) as answer:
            if answer.status_code in {429, 503} and "retry-after" in answer.headers:
                answer.request_meta["name"] = f"{kind}, told to come later"
                answer.success()
            elif 0 < answer.status_code < 500:
                answer.success()
            else:
                answer.failure(f"{answer.status_code}: {answer.error or answer.text[:200]}")


def _address() -> str:
    """Another each time, as of one of many machines, so that no limit by address takes work from the server."""
    return ".".join(str(random.randint(1, 254)) for _ in range(4))


def _names(length: int) -> str:
    """Names that nothing has, in so many characters or a few less."""
    digits = random.randbytes(length // 2).hex()
    return ",".join(digits[start : start + 6] for start in range(0, length * 6 // 7 - 6, 6))


def _problem_of_a_slow_request(url: str) -> Exception | None:
    try:
        status = _answered_slowly(url)
    except (OSError, ValueError, IndexError) as failure:
        return failure
    return ConnectionError(f"answered {status}") if status >= 500 else None


def _answered_slowly(url: str) -> int:
    """The status of the answer."""
    parts = urlsplit(url)
    headers = {**HEADERS, "Host": parts.netloc, "Content-Length": str(BYTES_OF_A_SLOW_BODY), "Connection": "close"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode())
        for _ in range(BYTES_OF_A_SLOW_BODY):
            time.sleep(PAUSE / 2)
            connection.sendall(b" ")
        return int(connection.makefile().readline().split()[1])
