"""Every request that one question sends is one that was agreed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from tests.fakes.azure.world import DEVELOPMENT, PRODUCTION, SHARED
from tests.tools.incidents.world import Bakery, asking, told

AGREED: Final = Path(__file__).parent / "requests.txt"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\d\d/\d\d/\d{4}")
_NAMES: Final = {PRODUCTION: "PRODUCTION", DEVELOPMENT: "DEVELOPMENT", SHARED: "SHARED"}


async def test_one_question_sends_the_requests_that_were_agreed() -> None:
    bakery = Bakery()
    async with asking(bakery) as caller:
        await told(caller)
    sent = "".join(f"{line}\n" for line in sorted(set(_lines(bakery))))
    if os.environ.get("UPDATE_SNAPSHOTS"):
        AGREED.write_text(sent, encoding="utf-8")
    assert sent == AGREED.read_text(encoding="utf-8")


def _lines(bakery: Bakery) -> Iterator[str]:
    for seen in bakery.azure.asked:
        yield _plain(f"{seen.method} {seen.path} {_query(seen.query)} {_body(seen.content)}")
    for asked in bakery.devops.asked:
        yield _plain(f"{asked.method} {asked.host}{unquote(asked.path)} {_query(asked.query)}")


def _body(content: bytes) -> str:
    document = json.loads(content) if content else {}
    return " ".join(str(document.get("query", "")).split())


def _query(query: object) -> str:
    return json.dumps(query, sort_keys=True, default=dict)


def _plain(line: str) -> str:
    for name, plain in _NAMES.items():
        line = re.sub(name, plain, line, flags=re.IGNORECASE)
    return _TIME.sub("TIME", line).rstrip()
