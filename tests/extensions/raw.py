"""Asks an MCP server as plainly as can be: JSON over a pipe or over HTTP, in either era, with no client of anybody."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any, Final

from tests.fakes.extensions.peer import NOW, THEN

Json = dict[str, Any]
_MOST_LINES: Final = 10_000
_SECONDS: Final = 60
_OF_NOW: Final = {
    "io.modelcontextprotocol/protocolVersion": NOW,
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Raw:
    """What it answers is a result as it came."""

    def __init__(self, era: str) -> None:
        self.era = era
        # As this server says of itself at a laptop: some servers offer tools only to who can be asked.
        self.able: Json = {"elicitation": {}, "sampling": {}, "roots": {}}
        self._ids = count(1)

    def begin(self) -> None:
        if self.era == THEN:
            about = {"name": "raw", "version": "1"}
            self.ask("initialize", protocolVersion=THEN, capabilities=self.able, clientInfo=about)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: Any) -> Json:
        said = {**params, **({"_meta": _OF_NOW} if self.era == NOW else {})}
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": said}
        for answer in self.send(message):
            if answer.get("id") == message["id"] and "method" not in answer:
                assert "result" in answer, answer
                result: Json = answer["result"]
                return result
        raise AssertionError(f"There was no answer to {method}.")

    def call(self, name: str, arguments: Json) -> Json:
        return self.ask("tools/call", name=name, arguments=arguments)

    def tools(self) -> dict[str, Json]:
        return {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}

    def send(self, message: Json) -> list[Json]:
        """What comes for a message, until its answer is there; nothing for one that has none."""
        raise NotImplementedError


class RawOverHttp(Raw):
    def __init__(self, era: str, url: str) -> None:
        super().__init__(era)
        self._url = url
        self._session: dict[str, str] = {}

    def send(self, message: Json) -> list[Json]:
        method, params = message["method"], message.get("params", {})
        routing = {"Mcp-Method": method, "Mcp-Name": str(params.get("name", ""))} if self.era == NOW else {}
        headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": self.era,
            **{name: value for name, value in routing.items() if value},
            **self._session,
        }
        request = urllib.request.Request(self._url, json.dumps(message).encode(), headers)  # noqa: S310 - a loopback
        with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310
            if session := response.headers.get("Mcp-Session-Id"):
                self._session = {"Mcp-Session-Id": session}
            text = response.read().decode()
        is_stream = response.headers.get_content_type() == "text/event-stream"
        return [json.loads(data) for data in (_events(text) if is_stream else [text]) if data]


class RawOverPipe(Raw):
    def __init__(self, era: str, process: subprocess.Popen[str]) -> None:
        super().__init__(era)
        self._process = process

    def send(self, message: Json) -> list[Json]:
        assert self._process.stdout
        self._write(message)
        came: list[Json] = []
        while "id" in message and len(came) < _MOST_LINES:
            line = self._process.stdout.readline()
            assert line, "It has ended."
            if line.startswith("{"):
                came.append(json.loads(line))
                self._decline(came[-1])
            if came and came[-1].get("id") == message["id"] and "method" not in came[-1]:
                break
        return came

    def _decline(self, message: Json) -> None:
        """As this server does whose caller can be asked nothing."""
        if "method" in message and "id" in message:
            self._write(
                {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Nobody is here."}}
            )

    def _write(self, message: Json) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def _events(text: str) -> Iterator[str]:
    for event in text.replace("\r\n", "\n").split("\n\n"):
        data = [line.removeprefix("data:").strip() for line in event.split("\n") if line.startswith("data:")]
        yield "\n".join(data)


@contextmanager
def piped(era: str, command: Sequence[str], variables: Mapping[str, str]) -> Iterator[Raw]:
    """A server as a process of its own."""
    with subprocess.Popen(
        command,
        env=dict(variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        too_late = threading.Timer(_SECONDS, process.kill)
        too_late.start()
        try:
            yield RawOverPipe(era, process)
        finally:
            too_late.cancel()
            process.kill()


@contextmanager
def listening(port: int, command: Sequence[str], variables: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that listens at a port."""
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(command, env=dict(variables), stdout=nowhere, stderr=nowhere) as process:
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    """Nothing tells when a server of others listens, but that it does."""
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise AssertionError("It never listened.")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
