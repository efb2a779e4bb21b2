"""Registries of npm and of Python packages, as their own clients ask them; what they serve may be changed meanwhile."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

# The one server that there is in both.
NPM: Final = "npm:@example/peer@1.0.0"
PYPI: Final = "pypi:example-peer==1.0.0"
NODE_PEER: Final = """
const lines = require('readline').createInterface({input: process.stdin});
const say = (id, result) => console.log(JSON.stringify({jsonrpc: '2.0', id, result}));
lines.on('line', line => {
  const {id, method} = JSON.parse(line);
  if (method === 'initialize') say(id, {protocolVersion: '2025-11-25', capabilities: {tools: {}}});
  else if (method === 'tools/list') say(id, {tools: [{name: 'tell', inputSchema: {type: 'object'}}]});
  else if (method === 'tools/call')
    say(id, {content: [], structuredContent: {environment: process.env, place: process.argv[1]}});
  else if (id !== undefined) console.log(JSON.stringify({jsonrpc: '2.0', id, error: {code: -32601, message: 'no'}}));
});
"""
PYTHON_PEER: Final = """
import json, sys
def main():
    for line in sys.stdin:
        message = json.loads(line)
        told = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}},
            "tools/list": {"tools": [{"name": "tell", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [], "structuredContent": {"path": sys.path, "argv": sys.argv[1:]}},
        }.get(message.get("method"))
        outcome = {"result": told} if told else {"error": {"code": -32601, "message": "no"}}
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)
"""


def tarball(files: Mapping[str, str], *, links: Mapping[str, str] | None = None) -> bytes:
    """What npm unpacks; every name is put below `package/`, as it stands."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text.encode()), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return made.getvalue()


def wheel(name: str, version: str, files: Mapping[str, str], *, needs: str = "", starts: str = "") -> bytes:
    """What pip unpacks."""
    about = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + (
        f"Requires-Dist: {needs}\n" if needs else ""
    )
    everything = {
        **files,
        f"{about}/METADATA": metadata,
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: fake\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **({f"{about}/entry_points.txt": f"[console_scripts]\n{starts}\n"} if starts else {}),
    }
    lines = [f"{path},{_hash(text.encode())},{len(text.encode())}" for path, text in everything.items()]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in everything.items():
            archive.writestr(path, text)
        archive.writestr(f"{about}/RECORD", "\n".join([*lines, f"{about}/RECORD,,"]) + "\n")
    return made.getvalue()


def _hash(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


@dataclass
class FakeRegistries:
    """`npm` is by name: what `package.json` says, and its archive. `pypi` is by name: files by their names."""

    npm: dict[str, tuple[dict[str, Any], bytes]] = field(default_factory=dict)
    pypi: dict[str, dict[str, bytes]] = field(default_factory=dict)
    # What is served in place of an archive, whatever was said of it.
    swapped: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    url: str = ""
    # Archives are served once this is set.
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    awaited: asyncio.Event = field(default_factory=asyncio.Event)

    def add_npm(self, of: str, *, version: str = "1.0.0", content: bytes = b"", **about: Any) -> None:
        self.npm[of] = ({"name": of, "version": version, **about}, content)

    def add_pypi(self, name: str, **files: bytes) -> None:
        self.pypi.setdefault(name, {}).update(files)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.lstrip("/")
        self.asked.append(path)
        if path.startswith("simple/"):
            return self._listed(path.split("/")[1])
        if path.startswith("files/"):
            return await self._archive(path.removeprefix("files/"))
        if path in self.npm:
            about, content = self.npm[path]
            digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
            dist = {"tarball": f"{self.url}/files/{path.replace('/', '+')}.tgz", "integrity": f"sha512-{digest}"}
            version = {"dist": dist, **about}
            return web.json_response(
                {"name": path, "dist-tags": {"latest": about["version"]}, "versions": {about["version"]: version}}
            )
        return web.json_response({"error": "Not found"}, status=404)

    def _listed(self, name: str) -> web.Response:
        if name not in self.pypi:
            return web.Response(status=404)
        links = [
            f'<a href="{self.url}/files/{file}#sha256={hashlib.sha256(content).hexdigest()}">{file}</a>'
            for file, content in self.pypi[name].items()
        ]
        return web.Response(text=f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>", content_type="text/html")

    async def _archive(self, file: str) -> web.Response:
        self.awaited.set()
        await self.opened.wait()
        of_npm = {f"{name.replace('/', '+')}.tgz": content for name, (_, content) in self.npm.items()}
        of_pypi = {file: content for files in self.pypi.values() for file, content in files.items()}
        content = {**of_npm, **of_pypi, **self.swapped}.get(file)
        return web.Response(status=404) if content is None else web.Response(body=content)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[FakeRegistries]:
        self.opened.set()
        app = web.Application()
        app.router.add_get("/{path:.*}", self.answer)
        runner = web.AppRunner(app, shutdown_timeout=0, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()


def registries(*, needs: str = "", **about: Any) -> FakeRegistries:
    fake = FakeRegistries()
    said = {"name": "@example/peer", "version": "1.0.0", "bin": {"peer": "peer.js"}, **about}
    fake.add_npm("@example/peer", content=tarball({"package.json": json.dumps(said), "peer.js": NODE_PEER}), **said)
    made = wheel("example_peer", "1.0.0", {"peer.py": PYTHON_PEER}, needs=needs, starts="peer = peer:main")
    fake.add_pypi("example-peer", **{"example_peer-1.0.0-py3-none-any.whl": made})
    return fake
