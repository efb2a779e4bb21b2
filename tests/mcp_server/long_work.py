"""An office in which some work takes longer than a call, done by this process under a clock of the test."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mcp_types import CLIENT_CAPABILITIES_META_KEY

from changes.approval_request import ApprovalRequest, By, Decision, Who
from changes.approvals import Approvals
from changes.preview import Preview
from clients.folder_storage import FolderStorage
from identity.access import Access
from identity.caller import Caller as Person
from identity.caller import CallerKind
from identity.denial import Denial
from identity.door import OPEN_DOOR, Door
from mcp_server.calls.long_work import EXTENSION
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.narrowing import confirmed
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import LOCAL_HOSTS, LOCAL_ORIGINS, Gate
from mcp_server.http.messages import HttpAnswer
from mcp_server.http.reception import Reception
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Context, Means
from tasks.keeping import TaskStore
from tasks.sending import Sending
from tasks.task import Task, owner_of
from tasks.tasks import Tasks
from tasks.work import HopelessError, OwnerQuestions, StepDone, StepOutcome, Work, WorkStep
from tasks.worker import Worker
from tests.folders import new_folder
from tests.mcp_server import office
from tests.mcp_server.caller import MODERN, Caller, Json, message
from tests.mcp_server.endpoints import approving
from tools import tasks

QUESTION: Final = {"method": "elicitation/create", "params": {"message": "Which?", "requestedSchema": {}}}
archive = Toolset("archive", "Copy and shred the archive, which takes long.")
# How far the move is that somebody else does, which is only looked at here.
elsewhere: dict[str, str] = {}
# What is only shown after a new sign-in.
locked: set[str] = set()


@archive.tool(Access.READ)
async def copy_archive(context: Context, pages: int) -> dict[str, Any] | Task:
    """Copy the archive."""
    visit = context.visit
    return await visit.tasks.begin("copy", owner_of(visit.caller), {"pages": pages}, "Copying the archive")


@archive.tool(Access.READ)
async def copy_torn_page(context: Context) -> dict[str, Any] | Task:
    """Copy what cannot be copied."""
    visit = context.visit
    return await visit.tasks.begin("tear", owner_of(visit.caller), {}, "Copying a torn page")


@archive.tool(Access.READ, asks_later=True)
async def sort_archive(context: Context) -> dict[str, Any] | Task:
    """Sort the archive, and ask about it later."""
    visit = context.visit
    return await visit.tasks.begin("sort", owner_of(visit.caller), {}, "Sorting")


@archive.tool(Access.READ)
async def look_at_move(name: str) -> dict[str, Any]:
    """Tell how far a move is."""
    return {"state": elsewhere.get(name, "moving"), "name": name}


@archive.tool(Access.READ)
async def follow_move(context: Context, name: str) -> dict[str, Any] | Task:
    """Follow a move."""
    visit = context.visit
    look = {"toolset": "archive", "tool": "look_at_move", "arguments": {"name": name}, "until": "state == 'moved'"}
    return await visit.tasks.follow(owner_of(visit.caller), look, "Moving the archive")


@archive.tool(Access.READ)
async def follow_nothing(context: Context) -> dict[str, Any] | Task:
    """Follow what nobody can look at."""
    visit = context.visit
    look = {"toolset": "archive", "tool": "gone", "arguments": {}, "until": "state"}
    return await visit.tasks.follow(owner_of(visit.caller), look, "Nothing")


async def what_is_burnt() -> Preview:
    """What burns, told to whoever has signed in lately."""
    if "archive" in locked:
        raise Denial("Sign in anew.")
    return Preview(what="The archive", facts={"pages": 7})


@archive.tool(Access.DESTROY, previewed=office.what_goes_with_the_door, secret=["code"])
async def blow_up_door(room: str, code: str) -> str:
    """Blow up a door with a secret code."""
    return f"{room} is blown up with {len(code)} letters"


@archive.tool(Access.DESTROY, previewed=what_is_burnt)
async def burn_archive() -> str:
    """Burn the archive."""
    return "It is burnt"


async def copy(step: WorkStep) -> StepOutcome:
    return StepDone({"copied": step.arguments["pages"]})


async def tear(_: WorkStep) -> StepOutcome:
    raise HopelessError("The page is torn. Mend it first.")


async def sort(step: WorkStep) -> StepOutcome:
    if step.number == 0:
        return OwnerQuestions({"order": QUESTION, "color": QUESTION})
    return StepDone({name: answer["content"] for name, answer in step.answers.items()})


_KINDS: Final = {name: Work(name, step) for name, step in {"copy": copy, "tear": tear, "sort": sort}.items()}


@dataclass
class QueueThatWaits:
    """Brings its messages to the worker when the test says so."""

    worker: Callable[[], Worker]
    sent: list[str] = field(default_factory=list)

    async def prepare(self) -> None:
        """There is nothing to prepare."""

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        self.sent.append(text)

    async def waiting(self) -> int:
        return len(self.sent)

    async def settled(self) -> None:
        while self.sent:
            await self.worker().do(self.sent.pop(0))

    async def close(self) -> None:
        """There is nothing to close."""


@dataclass
class Site:
    """An endpoint with tasks, which are done when the test has the queue settle."""

    door: Door = OPEN_DOOR
    notice: str = ""
    approvals: Approvals = field(default_factory=lambda: approving(by_argument=False))
    toolsets: Sequence[Toolset] = (*office.TOOLSETS, archive, tasks.toolset)
    now: float = 1_800_000_000.0

    def __post_init__(self) -> None:
        folder = new_folder()
        queue = QueueThatWaits(lambda: worker)
        tasks = self.tasks = Tasks(TaskStore(lambda: FolderStorage(folder)), Sending(queue, lambda: self.now), _KINDS)
        worker = Worker(tasks, _KINDS)
        self.queue = queue
        server = McpServer(ServerInfo("office", "Office", "1.2.3", "An office.", self.notice), nullcontext, ["k" * 32])
        reception = Reception(Gate.of([*LOCAL_HOSTS], LOCAL_ORIGINS), self.door)
        means = Means(lambda: self.approvals, lambda: self.tasks)
        offered = [confirmed(one) for one in self.toolsets] if self.approvals.by_argument else self.toolsets
        catalogs = Catalogs(Catalog(offered, office.SURFACE))
        self.endpoint = Endpoint(server, catalogs, reception, means=means)

    def client(self, who: str = "", toolsets: str = "all", **more: Any) -> Client:
        return Client(Caller(self.endpoint, toolsets, {"x-who": who} if who else {}), **more)

    async def decide(self, *, is_yes: bool, why: str = "") -> ApprovalRequest:
        """Have somebody decide the newest change, at the page."""
        ledger = self.approvals.kept()
        change = (await ledger.newest(10))[0]
        who = Who.of(Person(CallerKind.USER, "office", "grace", "desk", "issuer"))
        return await ledger.decide(change, Decision(is_yes=is_yes, who=who, by=By.PAGE, at=ledger.clock(), why=why))


@dataclass
class Client:
    """A client that knows tasks, unless it `declares` nothing."""

    caller: Caller
    declares: bool = True
    more: Json = field(default_factory=dict)

    async def send(self, method: str, params: Json, headers: Json | None = None) -> HttpAnswer:
        extensions: Json = {"extensions": {EXTENSION: {}}} if self.declares else {}
        meta = {CLIENT_CAPABILITIES_META_KEY: {**extensions, **self.more}}
        request = message(method, {**params, "_meta": meta}, MODERN, {**self.caller.headers, **(headers or {})})
        return await self.caller.endpoint.handle(request, self.caller.toolsets)

    async def result(self, method: str, params: Json) -> Json:
        document = json.loads((await self.send(method, params)).body)
        assert "result" in document, document
        return document["result"]

    async def error(self, method: str, params: Json, headers: Json | None = None) -> Json:
        document = json.loads((await self.send(method, params, headers)).body)
        assert "error" in document, document
        return document["error"]

    async def call(self, name: str, /, **arguments: Json) -> Json:
        return await self.result("tools/call", {"name": name, "arguments": arguments})

    async def get(self, task: str) -> Json:
        return await self.result("tasks/get", {"taskId": task})

    def undeclared(self) -> Client:
        return replace(self, declares=False)


async def begun(client: Client, name: str = "copy_archive", /, **arguments: Json) -> str:
    told = await client.call(name, **({"pages": 7} if name == "copy_archive" else arguments))
    assert told["resultType"] == "task", told
    return str(told["taskId"])


def text_of(result: Json) -> str:
    return str(result["content"][0]["text"])
