"""A host of archives, and the registry of azd that names them; archives may hold whatever a stranger puts into one."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import sys
import tarfile
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aiohttp import web

from extensions.registries.machines import machine
from tests.fakes.extension_sources.registries import PYTHON_PEER

ID: Final = "example.bakery"
PROGRAM: Final = "bin/bakery"
# What it says also tells what is in its environment.
PEER: Final = f"#!{sys.executable} -IS\nimport os\n" + (
    PYTHON_PEER.replace('"argv": sys.argv[1:]', '"argv": sys.argv[1:], "environment": dict(os.environ)') + "\nmain()\n"
)


def tar_of(*entries: tuple[str, bytes | tarfile.TarInfo], form: int = tarfile.GNU_FORMAT) -> bytes:
    """Each with its content, or with what else it is."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", format=form, compresslevel=1) as archive:
        for name, entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                entry.name = name
                archive.addfile(entry)
            else:
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(entry), 0o4777
                archive.addfile(info, io.BytesIO(entry))
    return made.getvalue()


def other(kind: bytes, leads_to: str = "", **more: Any) -> tarfile.TarInfo:
    """What is no file: a link, a device, a pipe."""
    info = tarfile.TarInfo()
    info.type, info.linkname = kind, leads_to
    for name, value in more.items():
        setattr(info, name, value)
    return info


def zip_of(*entries: tuple[str, bytes], mode: int = stat.S_IFREG | 0o777, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo("x")
            info.filename, info.external_attr, info.compress_type = name, mode << 16, method
            archive.writestr(info, content)
    return made.getvalue()


GOOD: Final = ((PROGRAM, PEER.encode()), ("bin/words.txt", b"bread\n"), ("./README", b"Read me.\n"))


@dataclass
class Bakery:
    """By path: an archive, or where it leads to."""

    folder: Path
    files: dict[str, bytes | str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    versions: Sequence[dict[str, Any]] = ()
    url: str = ""

    @property
    def source(self) -> str:
        return str(self.folder / "azd.json")

    def offer(self, content: bytes, path: str = "bakery.tar.gz", version: str = "1.0.0", **artifact: Any) -> None:
        """Name it in the registry as the one for this machine."""
        self.files[path] = content
        checksum = {"algorithm": "sha256", "value": hashlib.sha256(content).hexdigest()}
        here = {"url": f"{self.url}/{path}", "checksum": checksum, "entryPoint": PROGRAM, **artifact}
        self.write([{"version": version, "artifacts": {machine(): here}}])

    def write(self, versions: Sequence[dict[str, Any]]) -> None:
        self.versions = versions
        server = {"capabilities": ["mcp-server"], "mcp": {"server": {"args": ["serve"], "env": ["OVEN=hot"]}}}
        listed = {"extensions": [{"id": ID, "versions": [{**server, **version} for version in versions]}]}
        self.folder.mkdir(exist_ok=True)
        Path(self.source).write_text(json.dumps(listed), encoding="utf-8")

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.lstrip("/")
        self.asked.append(path)
        there = self.files.get(path)
        if there is None:
            return web.Response(status=404)
        if isinstance(there, str):
            return web.Response(status=302, headers={"Location": there})
        return web.Response(body=there)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        app = web.Application()
        app.router.add_get("/{path:.*}", self.answer)
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield
        finally:
            await runner.cleanup()
