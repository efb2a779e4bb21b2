"""Whatever the way by which a tool is called, one record and one span tell who did what, and what came of it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from tests.fakes.issuer import TENANT, USER
from tests.fakes.metrics.ingestion import ingesting

pytestmark = pytest.mark.anyio

ROOT: Final = Path(__file__).parents[2]
# Tools, ways and outcomes, in the order of the calls.
CALLED: Final = [
    ("whoami", "direct", "done"),
    ("whoami", "learned", "done"),
    ("whoami", "rest", "done"),
    ("whoami", "rest", "done"),
    ("whoami", "rest", "done"),
    ("write_resource", "learned", "done"),
    ("write_resource", "direct", "refused"),
    ("delete_resource", "direct", "asked"),
    ("get_task", "direct", "refused"),
    ("read_resource", "direct", "done"),
    ("read_resource", "rest", "done"),
    ("write_resource", "rest", "done"),
    ("write_resource", "rest", "denied"),
]


async def test_a_call_leaves_one_record_and_one_span_in_whatever_way_it_comes() -> None:
    async with ingesting() as ingestion:
        records = await _called(ingestion.connection_string)
    assert [(one["tool"], one["way"], one["outcome"]) for one in records] == CALLED
    assert {(one["kind"], one["tenant"], one["subject"]) for one in records} == {("user", TENANT, USER)}
    spans = Counter(_of_span(span) for span in ingestion.spans() if "tool" in span["properties"])
    # What goes through `azure` or `azure_change` is a part of that call, in the same trace.
    around = Counter(span for span in spans.elements() if span[1] == "azure")
    assert {span[0] for span in around} == {one["trace"] for one in records if one["way"] == "learned"}
    assert all(one["trace"] for one in records)
    assert spans - around == Counter(map(_of_record, records))


async def _called(connection: str) -> list[dict[str, Any]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.promises.calls"),
        env={**os.environ, "TELEMETRY": connection},
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, log = await process.communicate()
    assert process.returncode == 0, log.decode()
    records: list[dict[str, Any]] = json.loads(output)
    return records


def _of_record(record: dict[str, Any]) -> tuple[str, ...]:
    return (record["trace"], *(record[name] for name in ("toolset", "tool", "access", "way", "outcome")))


def _of_span(span: dict[str, Any]) -> tuple[str, ...]:
    trace = span["tags"]["ai.operation.id"]
    return (trace, *(span["properties"][name] for name in ("toolset", "tool", "access", "way", "outcome")))
