"""Sends requests from many keep-alive clients. The clients run in their own process, which reads a plan and writes a
report.

Both are JSON. The plan contains the URL, the requests (headers and body), the number of clients, the duration in
seconds, and optionally the rate in requests per second. If no rate is given, each client sends its next request
when the previous answer arrives.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from scripts.benchmarks.measure import percentile


@dataclass
class LoadFigures:
    requests: int = 0
    errors: int = 0
    seconds: float = 0.0
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    latencies: list[float] = field(default_factory=list)


def main() -> None:
    json.dump(asyncio.run(carried_out(json.load(sys.stdin))), sys.stdout)


async def carried_out(plan: dict[str, Any]) -> dict[str, Any]:
    url = urlsplit(plan["url"])
    messages = [_bytes(url.netloc, url.path, **request) for request in plan["requests"]]
    report = LoadFigures()
    start = time.perf_counter()
    clients = (
        _client(url.hostname or "", url.port or 80, messages, number, plan, start, report)
        for number in range(plan["clients"])
    )
    await asyncio.gather(*clients)
    report.seconds = time.perf_counter() - start
    report.p50, report.p95, report.p99 = (percentile(report.latencies, percent) for percent in (50, 95, 99))
    report.requests = len(report.latencies)
    return {key: value for key, value in asdict(report).items() if key != "latencies"}


async def _client(  # noqa: PLR0913, PLR0917 - all that one client knows of the plan
    host: str, port: int, messages: list[bytes], number: int, plan: dict[str, Any], start: float, report: LoadFigures
) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    interval = plan["clients"] / plan["rate"] if plan["rate"] else 0.0
    turn = number
    due = start + interval * number / plan["clients"]
    while (now := time.perf_counter()) < start + plan["seconds"]:
        if interval:
            await asyncio.sleep(due - now)
        # Measure from the time when the request was due, so that the result includes the delay that earlier slow
        # answers caused.
        sent = due if interval else now
        writer.write(messages[turn % len(messages)])
        failed = (
            await _status(reader) != 200
        )  # await the status before reading the sum, because other clients change the sum
        report.errors += failed
        report.latencies.append(time.perf_counter() - sent)
        turn, due = turn + 1, due + interval
    writer.close()
    await writer.wait_closed()


async def _status(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
    await reader.readexactly(length)
    return int(head.split(" ", 2)[1])


def _bytes(host: str, path: str, headers: dict[str, str], body: str) -> bytes:
    fields = {**headers, "host": host, "content-length": str(len(body.encode())), "connection": "keep-alive"}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n{body}".encode()


if __name__ == "__main__":
    main()
