"""Kills the server, and measures how soon a client can continue with its session, a file and a task."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from local_host.process import LISTENING, start
from scripts import environment
from scripts.long_load import Feed

LONGEST: Final = 5.0
TIMES: Final = 10
_CHOICE: Final = {"client_id": "cut off", "toolsets": ["tasks", "shelves", "azure-updates"]}
_NOTE: Final = {"uri": "file:///note.md", "text": "What was measured."}
_SECONDS_BETWEEN_TRIES: Final = 0.02


class KilledHost:
    """A host that the script kills and restarts on the same port. The host stores its data in a folder."""

    def __init__(self, folder: str, updates: str) -> None:
        folders = {"STORAGE_FOLDER": f"{folder}/storage", "RESOURCES_FOLDER": f"{folder}/shelf"}
        self._settings = {**folders, "UPDATES_API_URL": updates, "MCP_REQUEST_STATE_KEY": "k" * 32}
        Path(folders["RESOURCES_FOLDER"]).mkdir()
        self.url = self._begin("0")

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def kill_and_begin_anew(self) -> None:
        """Kill the host and start it again, without waiting until it has started. The client must detect when the
        server is available.
        """
        self.kill()
        self._process = self._started(self.url.rpartition(":")[2])

    def _begin(self, port: str) -> str:
        self._process = self._started(port)
        lines = map(bytes.decode, self._process.stdout or ())
        return next(line for line in lines if line.startswith(LISTENING)).removeprefix(LISTENING).strip()

    def _started(self, port: str) -> subprocess.Popen[bytes]:
        arguments, quiet = ["--port", port], subprocess.DEVNULL
        return start(environment.ROOT, arguments, settings=self._settings, stdout=subprocess.PIPE, stderr=quiet)


@contextmanager
def _hosting(folder: str) -> Iterator[KilledHost]:
    with Feed() as feed:
        host = KilledHost(folder, feed.url)
        try:
            yield host
        finally:
            host.kill()


def measured(folder: str) -> list[float]:
    """For each kill, return the seconds until the client has resumed everything."""
    with _hosting(folder) as host:
        client = _Client(host.url)
        client.begin()
        return [_resume(host, client) for _ in range(TIMES)]


def _resume(host: KilledHost, client: _Client) -> float:
    began = time.perf_counter()
    host.kill_and_begin_anew()
    client.go_on()
    return time.perf_counter() - began


class _Client:
    """A client with a session, a file and a running task."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._session = self._task = ""

    def begin(self) -> None:
        self._session = self._posted("/mcp/initialize", _CHOICE)["session_id"]
        self._called("write_resource", _NOTE)
        self._task = self._called("refresh_azure_updates", {"full": True})["task"]

    def go_on(self) -> None:
        """Use the same session, file and task on the restarted server."""
        while not self._is_there():
            time.sleep(_SECONDS_BETWEEN_TRIES)
        found = self._called("read_resource", {"uri": _NOTE["uri"]}), self._called("get_task", {"id": self._task})
        if _NOTE["text"] not in json.dumps(found) or self._task not in json.dumps(found):
            raise RuntimeError(f"The client could not resume: {found}")

    def _is_there(self) -> bool:
        try:
            return bool(self._answered("GET", "/mcp/tools"))
        except ConnectionError:
            return False

    def _called(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._posted("/tools/execute", {"tool": tool, "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        return result

    def _posted(self, path: str, document: Mapping[str, Any]) -> dict[str, Any]:
        return self._answered("POST", path, json.dumps(document))

    def _answered(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        headers = {"content-type": "application/json"} | ({"session-id": self._session} if self._session else {})
        with closing(HTTPConnection(urlsplit(self._url).netloc, timeout=60)) as connection:
            connection.request(method, path, body, headers)
            document: dict[str, Any] = json.loads(connection.getresponse().read())
        return document
