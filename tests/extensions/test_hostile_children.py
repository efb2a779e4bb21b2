"""Processes that mean harm: whatever they do, a call ends with an answer or in words, and nothing of them stays."""

from __future__ import annotations

import asyncio
import ctypes
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from extensions.upstream.child import ChildWire
from extensions.upstream.circuit import Circuit
from extensions.upstream.process import Command
from extensions.upstream.question import Json, ServerRequest
from extensions.upstream.upstream import Era, UpstreamServer
from extensions.upstream.watched import protect_this_process
from refusal import Refusal
from tests.extensions.processes import all_gone
from tests.sweeps import Sweep

ROOT: Final = Path(__file__).parents[2]
LARGEST: Final = 200_000
# Each begins with this, and goes on when it is called.
BEGINNING: Final = """
import json, os, signal, subprocess, sys, threading, time

def note(pid):
    with open(sys.argv[1], "a") as pids:
        pids.write(f"{pid}\\n")

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

def answer():
    say(json.dumps({"jsonrpc": "2.0", "id": ID, "result": {"content": []}}))

def stay():
    while True:
        time.sleep(600)

def question(method, number):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {}})

WATCHDOG = os.getppid()
note(os.getpid())
"""
CALLED: Final = 'ID = json.loads(sys.stdin.readline())["id"]'
SLEEPING: Final = '[sys.executable, "-c", "import time; time.sleep(600)"]'
# What one does, and the words in which its call is refused; none where it answers.
CHILDREN: Final[dict[str, tuple[str, str]]] = {
    "ignores every signal and the end of its input": (
        f"""
        for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(one, signal.SIG_IGN)
        {CALLED}
        answer()
        stay()
        """,
        "",
    ),
    "leaves one behind that holds the pipe": (
        f"""
        {CALLED}
        note(subprocess.Popen({SLEEPING}).pid)
        """,
        "ended its answer",
    ),
    "leaves one behind in a session of its own": (
        f"""
        {CALLED}
        note(subprocess.Popen({SLEEPING}, start_new_session=True).pid)
        answer()
        """,
        "",
    ),
    "forks again and again": (
        f"""
        {CALLED}
        for _ in range(30):
            if os.fork() == 0:
                os.setsid()
                note(os.getpid())
                if os.fork() == 0:
                    note(os.getpid())
                stay()
        answer()
        stay()
        """,
        "",
    ),
    "kills its watchdog": (
        f"""
        {CALLED}
        if os.fork() == 0:
            os.setsid()
            for _ in range(3):
                if os.fork() == 0:
                    os.setsid()
                    note(os.getpid())
                    if os.fork():
                        stay()
                    note(os.getpid())
                    stay()
            note(os.getpid())
            answer()
            os.kill(WATCHDOG, signal.SIGKILL)
            stay()
        stay()
        """,
        "",
    ),
    "goes into the background": (
        f"""
        {CALLED}
        if os.fork():
            os._exit(0)
        os.setsid()
        note(os.getpid())
        stay()
        """,
        "ended its answer",
    ),
    "floods its standard error without a line": (
        f"""
        {CALLED}
        def flood():
            while True:
                os.write(2, b"x" * 65_536)
        threading.Thread(target=flood, daemon=True).start()
        answer()
        stay()
        """,
        "",
    ),
    "floods with what is no message": (
        f"""
        {CALLED}
        for _ in range(50_000):
            sys.stdout.write("Loading ... {{[\\n")
        answer()
        """,
        "",
    ),
    "floods with how far it is": (
        f"""
        {CALLED}
        about = {{"progressToken": ID, "progress": 1}}
        for _ in range(5_000):
            sys.stdout.write(json.dumps({{"method": "notifications/progress", "params": about}}) + "\\n")
        answer()
        """,
        "",
    ),
    "asks without end": (
        f"""
        {CALLED}
        while True:
            say(question("sampling/createMessage", 7))
        """,
        "asks too many questions",
    ),
    "asks a little, and hears that nobody can be asked": (
        f"""
        {CALLED}
        for number, method in enumerate(("sampling/createMessage", "roots/list", "elicitation/create")):
            say(question(method, number))
            assert json.loads(sys.stdin.readline())["error"]["message"] == "This server does not pass on questions."
        answer()
        """,
        "",
    ),
    "says what is no text": (
        f"""
        {CALLED}
        os.write(1, b"\\xff\\xfe{{\\x00\\n[\\xff]\\n{{\\"a\\": NaN}}\\n" + b"[" * 100_000 + b"\\n")
        answer()
        """,
        "",
    ),
    "answers in a batch": (
        f"""
        {CALLED}
        say(json.dumps([7, None, {{"id": "x", "result": {{}}}}, {{"id": ID, "result": {{"content": []}}}}]))
        """,
        "",
    ),
    "answers many times": (
        f"""
        {CALLED}
        for _ in range(1_000):
            answer()
        """,
        "",
    ),
    "answers with a line without end": (
        f"""
        {CALLED}
        while True:
            os.write(1, b"{{" * 65_536)
        """,
        "ended its answer",
    ),
    "closes what it says and stays": (
        f"""
        {CALLED}
        os.close(1)
        stay()
        """,
        "ended its answer",
    ),
    "stops itself": (
        f"""
        {CALLED}
        os.kill(os.getpid(), signal.SIGSTOP)
        """,
        "did not answer within",
    ),
    "never listens": ("stay()", "did not answer within"),
    "has closed its input": ("os.close(0); stay()", "has ended"),
    "is killed": (f"{CALLED}; os.kill(os.getpid(), signal.SIGKILL)", "ended its answer"),
    "was never there": ("", "ended its answer|has ended"),
}


@asynccontextmanager
async def child(folder: Path, script: str) -> AsyncIterator[UpstreamServer]:
    file, pids = folder / "child.py", folder / "pids"
    file.write_text(f"{BEGINNING}\n{dedent(script)}", encoding="utf-8")
    pids.touch()
    wire = ChildWire("It", Command(words=(sys.executable, str(file), str(pids)), environment={}), LARGEST)
    upstream = UpstreamServer(wire, Circuit("It"), Era.CURRENT)
    try:
        yield upstream
    finally:
        await upstream.close()
        await all_gone([int(pid) for pid in pids.read_text(encoding="ascii").split()])
        assert len(wire.errors) <= 4_000


@Sweep("how", CHILDREN, every=2)
async def test_whatever_it_does_the_call_ends_and_nothing_of_it_stays(tmp_path: Path, how: str) -> None:
    script, told = CHILDREN[how]
    seconds = 0.2 if "did not answer" in told else 20
    params: Json = {"name": "echo", "arguments": {"text": "x" * 500_000}}
    async with child(tmp_path, script) as upstream:
        async with asyncio.timeout(10):
            assert re.search(told or "^$", await refused(upstream, params, seconds))


async def refused(upstream: UpstreamServer, params: Json, seconds: float) -> str:
    try:
        await upstream.ask(ServerRequest(method="tools/call", params=params), seconds=seconds)
    except Refusal as refusal:
        return str(refusal)
    return ""


SPY: Final = """
import os, sys
for name in ("environ", "mem"):
    try:
        open(f"/proc/{sys.argv[1]}/{name}", "rb").read(0)
        print(name, "opened")
    except PermissionError:
        print(name, "closed")
"""
# Root gives up what lets it read every process (CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_PERFMON); others do not have it.
WITHOUT_PRIVILEGE: Final = """
import ctypes, os, sys
for capability in (19, 21, 38):
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""
SERVER: Final = f"""
import asyncio, os, subprocess, sys
from asyncio.subprocess import DEVNULL, PIPE
from extensions.upstream.watched import WatchedProgram
SPY = [sys.executable, "-c", {SPY!r}, str(os.getpid())]

async def main():
    print(subprocess.check_output(SPY, text=True).split())
    program = await WatchedProgram.start(SPY, {{}}, "/", stdin=DEVNULL, stdout=PIPE)
    out, _ = await program.process.communicate()
    program.end()
    await program.wait()
    print(out.decode().split())

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux can close a process to others of its user.")
async def test_a_child_cannot_read_the_environment_or_memory_of_the_server() -> None:
    words = [sys.executable, "-c", WITHOUT_PRIVILEGE, SERVER]
    server = await asyncio.create_subprocess_exec(*words, stdout=PIPE, cwd=ROOT)
    out, _ = await server.communicate()
    before, after = out.decode().splitlines()
    assert before == "['environ', 'opened', 'mem', 'opened']"
    assert after == "['environ', 'closed', 'mem', 'closed']"


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux has these settings of a process.")
def test_this_process_is_closed_to_its_children_and_adopts_what_escapes_them() -> None:
    protect_this_process()
    prctl, is_subreaper = ctypes.CDLL(None).prctl, ctypes.c_int()
    get_dumpable, get_child_subreaper = 3, 37
    assert prctl(get_dumpable, 0, 0, 0, 0) == 0
    assert prctl(get_child_subreaper, ctypes.byref(is_subreaper), 0, 0, 0) == 0
    assert is_subreaper.value == 1
