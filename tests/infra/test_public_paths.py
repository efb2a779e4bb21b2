"""What the app serves to people without a sign-in is what App Service authentication lets through."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Final

from tests.infra.chosen import PLATFORM, Chosen
from tests.infra.deployed import INFRA
from tests.warm import read_by_python
from tests.warm.app import WARM

# An extension that users sign in to, so that the app serves all of its paths.
EXTENSIONS: Final = """
extensions:
  docs: {description: Docs., url: 'https://docs.example.com/mcp', sign-in: {kind: consent}}
"""
# Answers that are public, but that nobody needs before a sign-in: the list of paths, and files of the pages.
NEEDLESS: Final = {"/", "/{*elsewhere}", "/assets/{file}"}
# Prints each route whose page is public, or opens with a personal address alone.
_ASK: Final = """
import asyncio, json, os, re, sys
from types import SimpleNamespace
sys.path.insert(0, os.getcwd())
import azure.functions as func
import function_app
from mcp_server.http.messages import HttpAnswer
from mcp_server.http.pages import Pages

shown = []
async def handle(self, request, page):
    shown.append(page)
    return HttpAnswer(200, b"", {})
Pages.handle = handle
context = SimpleNamespace(invocation_id="1", trace_context=SimpleNamespace(trace_parent=""))

async def is_public(function, route):
    shown.clear()
    url = f"https://{os.environ['WEBSITE_HOSTNAME']}/{route}"
    filled = dict.fromkeys(re.findall(r"{[*]?(\\w+)", route), "x")
    request = func.HttpRequest(method="GET", url=url, body=b"", route_params=filled)
    await function.get_user_function()(request, context)
    return any(not page.shows or page.is_only_personal for page in shown)

async def public():
    for function in function_app.app.get_functions():
        route = function.get_trigger().get_dict_repr().get("route")
        if route is not None and await is_public(function, route):
            yield f"/{route}"

async def main():
    print(json.dumps([route async for route in public()]), flush=True)
asyncio.run(main())
os._exit(0)
"""


def test_every_path_without_a_sign_in_is_let_through_by_app_service(tmp_path: Path) -> None:
    chosen = Chosen(PLATFORM)
    (tmp_path / "extensions.yaml").write_text(EXTENSIONS, encoding="utf-8")
    (tmp_path / "ask.py").write_text(_ASK, encoding="utf-8")
    own = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    variables = {**read_by_python(os.environ), **own, **chosen.given, "EXTENSIONS_FILE": f"{tmp_path}/extensions.yaml"}
    asked = WARM.run([sys.executable, tmp_path / "ask.py"], cwd=INFRA.parent, env=variables)
    assert asked.returncode == 0, asked.stderr
    public = {path.replace("{ignored:maxlength(0)?}", "") for path in json.loads(asked.stdout.splitlines()[-1])}
    assert public >= NEEDLESS
    assert public - NEEDLESS == set(chosen.authentication["globalValidation"]["excludedPaths"])
