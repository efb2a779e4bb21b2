"""A host of MCP Apps out of the reference bridge, and the second origin in which it puts apps."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from tests.fakes.serving import serving_locally
from tests.npm import installed

_HERE: Final = Path(__file__).parent / "app_host"
# What hosts let an app do that asks for nothing more.
_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " frame-src 'self' about: data:; connect-src 'none'; base-uri 'none'"
)


@dataclass(frozen=True)
class AppHost:
    url: str

    def showing(self, server: str, tool: str, arguments: dict[str, Any], **more: str) -> str:
        """The address at which the host calls this tool, and shows the app of it."""
        elsewhere = f"http://localhost:{urlsplit(self.url).port}/sandbox.html"
        asked = {"server": server, "tool": tool, "arguments": json.dumps(arguments), "sandbox": elsewhere, **more}
        return f"{self.url}/?{urlencode(asked)}"


@asynccontextmanager
async def hosting() -> AsyncIterator[AppHost]:
    script = _bundle()

    async def host(_request: web.Request) -> web.StreamResponse:
        return web.FileResponse(_HERE / "host.html")

    async def sandbox(_request: web.Request) -> web.StreamResponse:
        return web.FileResponse(_HERE / "sandbox.html", headers={"content-security-policy": _POLICY})

    async def bundled(_request: web.Request) -> web.StreamResponse:
        return web.Response(text=script, content_type="text/javascript")

    application = web.Application()
    application.add_routes([web.get("/", host), web.get("/sandbox.html", sandbox), web.get("/host.js", bundled)])
    async with serving_locally(application) as url:
        yield AppHost(url)


def _bundle() -> str:
    packages = installed(_HERE)
    script = (_HERE / "host.mjs").read_text(encoding="utf-8")
    bundled = packages.run("esbuild", "--bundle", "--format=esm", script=script)
    assert bundled.returncode == 0, bundled.stderr
    return bundled.stdout
