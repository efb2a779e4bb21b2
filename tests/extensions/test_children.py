"""Servers that are processes of this machine: started when needed, bare, bounded, and never left behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.build import App
from extensions.entries_file import entries_in
from extensions.upstream.child import ChildWire
from extensions.upstream.circuit import Circuit
from extensions.upstream.failures import ServerUnreachableError
from extensions.upstream.process import Command
from extensions.upstream.question import Json, ServerRequest
from extensions.upstream.upstream import UpstreamServer
from refusal import Refusal
from tests.extensions.place import app_at, child_of, running
from tests.extensions.processes import all_gone, gone, is_there
from tests.mcp_server.caller import Caller

PEER = str(Path(__file__).with_name("child_peer.py"))
ERAS = pytest.mark.parametrize("era", ["current", "handshake"])


@asynccontextmanager
async def child(era: str = "handshake", **how: Any) -> AsyncIterator[tuple[UpstreamServer, ChildWire]]:
    command = Command(words=(sys.executable, PEER, era), environment={"COLOUR": "red"})
    wire = ChildWire("The child", command, 1_000_000, **how)
    upstream = UpstreamServer(wire, Circuit("The child"))
    try:
        yield upstream, wire
    finally:
        await upstream.close()


async def told(upstream: UpstreamServer, tool: str = "tell", seconds: float = 10) -> Json:
    question = ServerRequest(method="tools/call", params={"name": tool, "arguments": {}})
    answer: Json = (await upstream.ask(question, seconds=seconds))["structuredContent"]
    return answer


@ERAS
async def test_it_is_one_process_for_all_calls_with_a_bare_environment(era: str) -> None:
    async with child(era) as (upstream, _):
        answers = await asyncio.gather(*(told(upstream) for _ in range(5)))
    assert len({answer["pid"] for answer in answers}) == 1
    assert {name for name in answers[0]["environment"] if name not in {"LC_CTYPE", "PWD"}} == {"COLOUR"}
    assert answers[0]["group"] == answers[0]["pid"]
    await gone(answers[0]["pid"])


async def test_it_runs_in_the_folder_that_its_entry_names(tmp_path: Path) -> None:
    more = f"folder: {tmp_path}\ntools: {{'*': read}}"
    async with running(app_at(tmp_path, child_of([sys.executable, PEER, "current"], more))) as app:
        answer = await Caller(app.endpoint, "stage").call("stage_tell")
    assert answer["structuredContent"]["folder"] == str(tmp_path)


@ERAS
async def test_one_that_dies_is_told_and_started_anew(era: str) -> None:
    async with child(era) as (upstream, wire):
        first = await told(upstream)
        with pytest.raises(ServerUnreachableError, match="The child"):
            await told(upstream, "die")
        assert "it was too much" in wire.errors
        assert (await told(upstream))["pid"] != first["pid"]
        with pytest.raises(ServerUnreachableError):
            await told(upstream, "die")
        with pytest.raises(ServerUnreachableError, match=r"has ended. Try again in \d seconds"):
            await told(upstream)
        wire.clock = lambda: 1e12
        await told(upstream)


@ERAS
async def test_what_it_started_ends_with_it_whatever_it_did_to_leave(era: str) -> None:
    async with child(era) as (upstream, _):
        grandchild = (await told(upstream, "fork"))["pid"]
        assert is_there(grandchild)
    await gone(grandchild)


HOST = """
import asyncio, sys
from extensions.upstream.child import ChildWire
from extensions.upstream.circuit import Circuit
from extensions.upstream.process import Command
from extensions.upstream.question import ServerRequest
from extensions.upstream.upstream import UpstreamServer

async def main():
    wire = ChildWire("The child", Command(words=(sys.executable, sys.argv[1], "handshake"), environment={}), 100_000)
    upstream = UpstreamServer(wire, Circuit("The child"))
    told = [await upstream.ask(call(tool), seconds=10) for tool in ("tell", "fork")]
    hanging = asyncio.create_task(upstream.ask(call("hang"), seconds=600))
    while "hanging" not in wire.errors:
        await asyncio.sleep(0.01)
    for answer in told:
        print(answer["structuredContent"]["pid"], flush=True)
    await hanging

def call(tool):
    return ServerRequest(method="tools/call", params={"name": tool, "arguments": {}})

asyncio.run(main())
"""


def test_it_and_what_it_started_end_with_a_host_that_is_killed() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", HOST, PEER], stdout=subprocess.PIPE, text=True, cwd=root) as host:
        assert host.stdout
        pids = [int(host.stdout.readline()) for _ in range(2)]
        assert all(map(is_there, pids))
        host.kill()
    asyncio.run(all_gone(pids))


async def test_floods_are_kept_short_and_a_line_without_end_ends_it() -> None:
    async with child() as (upstream, wire):
        await told(upstream, "flood")
        assert 0 < len(wire.errors) <= 4000
        with pytest.raises(ServerUnreachableError):
            await told(upstream, "shout")
        assert "longer than 1000000 bytes" in wire.errors


async def test_one_that_hangs_is_given_up_and_does_not_outlive_us() -> None:
    async with child() as (upstream, _):
        pid = (await told(upstream))["pid"]
        with pytest.raises(ServerUnreachableError, match="did not answer within"):
            await told(upstream, "hang", seconds=0.05)
    await gone(pid)


async def test_answers_to_nobody_harm_nobody() -> None:
    async with child() as (upstream, _):
        pid = (await told(upstream, "babble"))["pid"]
        assert (await told(upstream))["pid"] == pid


async def test_a_question_of_its_own_is_declined() -> None:
    async with child() as (upstream, _):
        assert (await told(upstream, "ask"))["answer"]["error"]["message"] == "This server does not pass on questions."


async def test_one_that_nobody_needs_is_stopped_and_started_again() -> None:
    async with child(idle=0.01) as (upstream, _):
        first = (await told(upstream))["pid"]
        await gone(first)
        assert (await told(upstream))["pid"] != first


@pytest.mark.parametrize(
    ("words", "folder", "why"),
    [
        (["/nowhere/at-all"], "/", r"The child (has ended|ended its answer before it was complete)\."),
        ([sys.executable], "/nowhere/at-all", r"The child cannot be started \(FileNotFoundError\)\."),
    ],
)
async def test_one_that_is_not_there_is_away(words: list[str], folder: str, why: str) -> None:
    wire = ChildWire("The child", Command(words=words, environment={}, folder=folder), 1000)
    upstream = UpstreamServer(wire, Circuit("The child"))
    with pytest.raises(ServerUnreachableError, match=why):
        await told(upstream)
    await upstream.close()


async def test_a_stopped_one_is_not_started_again() -> None:
    async with child() as (upstream, wire):
        pid = (await told(upstream))["pid"]
        await wire.close()
        with pytest.raises(ServerUnreachableError, match="The child has been stopped"):
            await told(upstream)
    await gone(pid)


async def test_its_tools_are_had_like_any_others(tmp_path: Path) -> None:
    entry = child_of([sys.executable, PEER, "handshake"], "environment: {COLOUR: blue}\ntools: {'*': read}")
    async with running(app_at(tmp_path, entry)) as app:
        caller = Caller(app.endpoint, "stage")
        assert "stage_tell" in await caller.tool_names()
        answer = (await caller.call("stage_tell"))["structuredContent"]
        assert answer["environment"]["COLOUR"] == "blue"
        assert "server of the extension 'stage'" in await caller.told("stage_die")
        shown = (await operators(app).call("list_extensions"))["structuredContent"]["extensions"][0]
        assert "it was too much" in shown["errors"]


def operators(app: App) -> Caller:
    return Caller(app.endpoint, "extensions")


COMMAND = "extensions:\n  docs:\n    description: Words.\n    command: [sh, -c, exit]\n"


def test_what_it_gets_is_what_the_file_names() -> None:
    text = f"{COMMAND}    environment: {{A: one}}\n    passed: [B, MISSING]\n"
    command = entries_in(text, "extensions.yaml", [], {"B": "two", "SECRET": "three"})[0].command
    assert command
    assert command.environment == {"A": "one", "B": "two"}
    assert Path(command.words[0]).is_absolute()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (COMMAND.replace("sh", "no-such-program"), "line 4: program 'no-such-program' not found"),
        (COMMAND.replace("[sh, -c, exit]", "sh"), "line 4: must be a list of 1 to 50 words"),
        (f"{COMMAND}    environment: {{a-b: c}}", "line 5: 'a-b' is not a valid variable name"),
        (f"{COMMAND}    passed: ['=']", "line 5: '=' is not a valid variable name"),
        (f"{COMMAND}    url: https://a.example.com", "line 3: docs must have exactly one of url, command, package"),
    ],
)
def test_what_is_wrong_of_a_command_is_named_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Refusal, match=told.replace("[", r"\[")):
        entries_in(text, "extensions.yaml", [], {})


def test_where_no_process_may_be_started_none_can_be_named() -> None:
    with pytest.raises(Refusal, match="line 4: processes may be started only"):
        entries_in(COMMAND, "extensions.yaml", [])
