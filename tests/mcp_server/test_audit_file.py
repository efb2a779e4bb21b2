"""The file of records keeps all of them, in their order and each once, whatever happens to the disk or the process."""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from mcp_server.calls.audit_file import AuditFile
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import new_endpoint
from tests.mcp_server.recording_process import shed
from tests.mcp_server.records import Records
from tests.sweeps import examples

pytestmark = pytest.mark.anyio

ROOT: Final = Path(__file__).parents[2]
Json = Any
Keep = Callable[..., AuditFile]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "audit.jsonl"


@pytest.fixture
def keep(records: Records) -> Iterator[Keep]:
    """Keeps records in a file, until the end of the test."""
    kept: list[AuditFile] = []

    def begin(file: Path, **bounds: int) -> AuditFile:
        kept.append(AuditFile(file, **bounds))
        logging.getLogger("audit").addHandler(kept[-1])
        return kept[-1]

    yield begin
    for one in kept:
        logging.getLogger("audit").removeHandler(one)
        one.close()


def bar(file: Path) -> None:
    """Make it impossible to write the file."""
    file.mkdir(parents=True)


def unbar(file: Path) -> None:
    file.rmdir()


def is_cut_off(file: Path) -> bool:
    return not file.read_bytes().endswith(b"\n")


def size_of(file: Path) -> int:
    return file.stat().st_size


def wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.01)


def lines_of(file: Path) -> list[Json]:
    text = file.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def numbers_of(file: Path, tool: str = "") -> list[int]:
    return [line["arguments"]["number"] for line in lines_of(file) if tool in ("", line["tool"])]


def shed_caller() -> Caller:
    return Caller(new_endpoint(toolsets=[shed]), "all")


async def call(caller: Caller, tool: str, number: int) -> Json:
    return await caller.result("tools/call", {"name": tool, "arguments": {"number": number}})


async def test_of_thousands_of_calls_at_once_each_is_kept_in_order(keep: Keep, file: Path, records: Records) -> None:
    kept, caller, calls = keep(file), shed_caller(), examples(10_000)

    async def client(first: int) -> None:
        for number in range(first, first + 100):
            await call(caller, "look", number)

    await asyncio.gather(*(client(first) for first in range(0, calls, 100)))
    kept.flush()
    assert lines_of(file) == records.all
    assert sorted(numbers_of(file)) == list(range(calls))


async def test_a_change_is_on_disk_before_its_caller_is_answered(keep: Keep, file: Path) -> None:
    keep(file)
    caller = shed_caller()
    await call(caller, "look", 1)
    await call(caller, "put", 2)
    assert numbers_of(file) == [1, 2]


async def test_what_only_reads_is_on_disk_soon(keep: Keep, file: Path) -> None:
    keep(file)
    await call(shed_caller(), "look", 1)
    await asyncio.to_thread(wait_for, file)
    assert numbers_of(file) == [1]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_is_ended_half_way_has_kept_each_change(file: Path, number: int) -> None:
    command = [sys.executable, "-m", "tests.mcp_server.recording_process", str(file)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as process:
        assert process.stdout
        told = [process.stdout.readline() for _ in range(200)]
        process.send_signal(number)
        told += process.stdout.readlines()
    answered = [int(line) for line in told if line.endswith("\n")]
    changes = numbers_of(file, "put")
    assert changes == list(range(len(changes)))
    assert len(changes) >= len(answered) >= 200
    # What was read before a change came to the disk with it.
    assert numbers_of(file, "look")[: len(changes)] == changes


async def test_what_cannot_be_written_waits_until_it_can(
    keep: Keep, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bar(file)
    kept, caller = keep(file), shed_caller()
    for number in range(20):
        assert not (await call(caller, ["look", "put"][number % 2], number)).get("isError")
    told = [entry for entry in caplog.records if entry.name == "mcp_server.calls.audit_file"]
    assert [entry.levelname for entry in told] == ["ERROR"]
    unbar(file)
    await call(caller, "put", 20)
    assert numbers_of(file) == list(range(21))
    assert kept.problem == ""


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """No file of this process gets larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_of_a_record_that_was_half_written_the_other_half_follows(keep: Keep, file: Path) -> None:
    kept, caller = keep(file), shed_caller()
    await call(caller, "put", 0)
    with disk_of(size_of(file) + 100):
        for number in range(1, 5):
            await call(caller, "put", number)
        assert is_cut_off(file)
    kept.flush()
    assert numbers_of(file) == list(range(5))


async def test_when_too_much_waits_nothing_more_is_done(keep: Keep, file: Path, records: Records) -> None:
    bar(file)
    kept = keep(file, most_waiting=1000)
    caller = shed_caller()
    results = [await call(caller, "put", number) for number in range(6)]
    done = [number for number, result in enumerate(results) if not result.get("isError")]
    assert done == list(range(len(done)))
    assert 0 < len(done) < 6
    assert results[-1]["content"][0]["text"] == (
        "The audit file cannot be written (Is a directory), so nothing was done. Ask an operator to free disk"
        " space, or to make the file writable."
    )
    assert [record["outcome"] for record in records.all[len(done) :]] == ["refused"] * (6 - len(done))
    unbar(file)
    kept.flush()
    assert numbers_of(file) == done
    assert not (await call(caller, "put", 6)).get("isError")


async def test_a_file_that_has_become_large_is_put_aside_between_two_records(keep: Keep, file: Path) -> None:
    keep(file, largest=2000)
    caller = shed_caller()
    for number in range(9):
        await call(caller, "put", number)
    aside = numbers_of(file.with_name("audit.jsonl.1"))
    assert [*aside, *numbers_of(file)] == list(range(9))[-len(aside) - len(numbers_of(file)) :]
    assert size_of(file) <= 2000


def test_its_thread_ends_with_it(file: Path) -> None:
    before = {*threading.enumerate()}
    kept = AuditFile(file)
    (writing,) = {*threading.enumerate()} - before
    kept.close()
    writing.join(10)
    assert not writing.is_alive()
