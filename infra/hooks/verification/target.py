"""The server to verify: how to call it, with which identity, and the azd environment of its deployment."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import azd
from cannot_go_on import CannotGoOnError
from hook import Deployment
from waiting import Clock
from web import Web, WebAnswer

METADATA = "/.well-known/oauth-protected-resource/mcp"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
LOCAL = ("localhost", "127.0.0.1", "::1")
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@dataclass
class Target:
    """A server to verify. `deployment` is the server's azd environment, or None if the server has none, for example on
    a laptop.
    """

    url: str
    web: Web
    clock: Clock
    deployment: Deployment | None = None
    # A trace ID that is sent with each call, to find the call in the audit log.
    trace: str = ""
    _tokens: dict[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def is_local(self) -> bool:
        return urlsplit(self.url).hostname in LOCAL

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | Iterator[bytes] | None = None,
    ) -> WebAnswer:
        return self.web.send(method, f"{self.url}{path}", headers, body)

    def metadata(self) -> Mapping[str, Any]:
        """The metadata that tells clients how to sign in. Empty without sign-in."""
        answer = self.ask("GET", METADATA)
        return answer.content if answer.is_good else {}

    def token(self) -> str:
        """The user's token for this server, from azd's sign-in. The token is empty if the server requires no sign-in,
        or if azd returns no token.
        """
        scopes = self.metadata().get("scopes_supported") or [""]
        scope = str(scopes[0])
        if scope and scope not in self._tokens:
            try:
                self._tokens[scope] = azd.token(scope)
            except CannotGoOnError:
                self._tokens[scope] = ""
        return self._tokens.get(scope, "")

    def mcp(self, method: str, params: Mapping[str, Any], path: str = "/mcp", **how: Any) -> WebAnswer:
        """Send a request in the current version of the MCP protocol, by default with the user's token."""
        token = how["token"] if "token" in how else self.token()
        meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {"elicitation": {"form": {}}}}
        document = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta, **params}}
        routing = {"mcp-protocol-version": MODERN, "mcp-method": method}
        if name := params.get("name"):
            routing["mcp-name"] = str(name)
        signed = {"authorization": f"Bearer {token}"} if token else {}
        traced = {"traceparent": f"00-{self.trace}-0000000000000001-01"} if self.trace else {}
        return self.ask("POST", path, {**JSON, **routing, **signed, **traced}, json.dumps(document).encode())

    def initialize(self, body: bytes | Iterator[bytes]) -> WebAnswer:
        """Send the first request of a client that uses the previous version of the MCP protocol. `body` contains
        `INITIALIZE`, either whole or in chunks.
        """
        token = self.token()
        return self.ask("POST", "/mcp", {**JSON, **({"authorization": f"Bearer {token}"} if token else {})}, body)


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "scripts/verify", "version": "1"},
        },
    }
).encode()
