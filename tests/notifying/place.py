"""Real servers in the names of Teams, Slack and Azure DevOps, an office whose changes they hear of, and its clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from aiohttp import ClientSession

from changes.approval_request import ApprovalRequest, By, Decision, RequiredApprover, Who
from changes.ledger import Ledger
from changes.plan import Plan
from changes.preview import Preview
from clients.folder_storage import FolderStorage
from notifying.approvers import NOTIFY, Approvers
from notifying.claims import Claims
from notifying.notifier import Notifier
from notifying.sending import NotificationSender
from notifying.targets import NotificationTarget, places_in
from tasks.keeping import TaskStore
from tasks.sending import Sending
from tasks.tasks import Tasks
from tasks.work import Work
from tasks.worker import Worker
from tests.fakes.watches.receiver import BOARD, HOSTS, SLACK, TEAMS, Answering, Heard, fine, receiving

PLACES: Final = (
    f"ops teams https://{TEAMS}:443/workflows/1/triggers/manual/paths/invoke?sp=%2Ftriggers&sig=s3cret;"
    f"chat slack https://{SLACK}/services/T0/B0/s3cret\n"
    f"board azure-devops https://{BOARD}/acme/Shop/_workitems/edit/42 s3crettoken"
)
KEY: Final = b"k" * 32


@dataclass
class Queue:
    """Brings each message twice, in the order in which they are due, as the clock comes to it."""

    sent: list[tuple[float, str]] = field(default_factory=list)
    now: Callable[[], float] = float

    async def prepare(self) -> None: ...

    async def send(self, text: str, after_seconds: float = 0.0) -> None:
        self.sent.append((self.now() + after_seconds, text))

    async def waiting(self) -> int:
        return len(self.sent)

    async def close(self) -> None: ...


@dataclass
class Office:
    folder: Path
    open_session: Callable[[], ClientSession]
    heard: list[Heard]
    now: float = 1_800_000_000.0
    seconds: float = 5.0
    places: dict[str, NotificationTarget] = field(default_factory=lambda: dict(places_in(PLACES, HOSTS)))

    def __post_init__(self) -> None:
        def storage() -> FolderStorage:
            return FolderStorage(self.folder)

        def clock() -> float:
            return self.now

        self.queue = Queue(now=clock)
        self.ledger = Ledger(storage, clock=clock)
        sender = NotificationSender(HOSTS, KEY, self.open_session, clock, self.seconds)
        telling = Notifier(self.places, Claims(storage), sender)
        works: dict[str, Work] = {}
        tasks = Tasks(TaskStore(storage), Sending(self.queue, clock), works)
        self.approvers = Approvers(
            telling, lambda: self.ledger, lambda: tasks, 600, lambda origin, path: f"{origin}{path}"
        )
        works[NOTIFY] = Work(NOTIFY, self.approvers.step)
        self.worker = Worker(tasks, works)
        self.ledger.watched = self.approvers.changed

    async def asked(self, what: str = "Delete the disk", *notify: str, **more: Any) -> ApprovalRequest:
        preview = Preview(what=what, facts={"size": "7 GB"}, places={"subscription": [("Shop", "id")]})
        plan = Plan.of("disks", "delete_disk", "destroy", {"disk": what, "key": "s3cret-argument"}, preview)
        who = Who("home", "ada-id", "user", name=more.pop("name", "Ada"))
        made = ApprovalRequest(
            id="",
            call=plan.call,
            digest=plan.digest,
            toolset="disks",
            tool="delete_disk",
            access="destroy",
            what=what,
            asked_by=who,
            asks=RequiredApprover.ANOTHER,
            notify=notify or ("ops",),
            origin="https://mcp.example.com",
            created=0.0,
            until=0.0,
            **more,
        )
        return await self.ledger.propose(plan, made)

    async def decided(self, change: ApprovalRequest, *, is_yes: bool = True) -> ApprovalRequest:
        found = await self.ledger.find(change.id)
        assert found
        bea = Who("home", "bea-id", "user", name="Bea")
        return await self.ledger.decide(found, Decision(self.now, bea, By.PAGE, is_yes))

    async def after(self, seconds: float) -> None:
        """Let time pass, and all be done that is due by then, each message of the queue twice."""
        end = self.now + seconds
        while due := sorted(one for one in self.queue.sent if one[0] <= end):
            moment, text = due[0]
            self.queue.sent.remove(due[0])
            self.now = max(self.now, moment)
            await self.worker.do(text)
            await self.worker.do(text)
        self.now = end


@asynccontextmanager
async def opened(folder: Path, answer: Answering = fine, addresses: list[str] | None = None) -> AsyncIterator[Office]:
    async with receiving(folder, answer, addresses) as (heard, session):
        yield Office(folder, session, heard)


def with_place(office: Office, name: str, url: str) -> None:
    office.places[name] = replace(office.places[name], url=url)
