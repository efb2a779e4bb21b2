"""The services whose tools are rehearsed: their golden cases, and how they behave where these say nothing."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from changes.approvals import Approvals
from identity.access import Access
from mcp_server.declarations.toolset import Tool
from tests.changes.exact.stage import Exchange, Manners
from tests.fakes import transport
from tests.fakes.azure_devops.service import Elsewhere
from tests.mcp_server.caller import Caller
from tests.tools.azure import calling as azure
from tests.tools.azure import golden as azure_golden
from tests.tools.azure_devops import calling as devops
from tests.tools.azure_devops import golden as devops_golden
from tests.tools.azure_devops.reaching import reaching
from tests.tools.golden import Case, Sent, background_in, cases_in
from tools.azure.settings import AzureSettings

_DEVOPS_READS: Final = re.compile(
    r"/(workitemsbatch|wiql|pagesbatch|identities|commitsbatch|itemsbatch|permissionevaluationbatch)$", re.IGNORECASE
)
_AZURE_READS: Final = re.compile(
    r"(/(resources|\$batch|batch|whatif|validate|list|checkaccess|getavailablestatuses|validatemoveresources|query"
    r"|checknameavailability|exporttemplate|slotsdiffs)|microsoft\.resourcegraph/\w+)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Service:
    name: str
    tools: Sequence[Tool]
    cases: Sequence[Case]
    manners: Manners
    calling: Callable[[str, Approvals], AbstractAsyncContextManager[Caller]]

    @property
    def changing(self) -> list[Tool]:
        """Its tools that change something."""
        return [tool for tool in self.tools if tool.own_access is not Access.READ]

    def cases_of(self, tool: Tool) -> list[Case]:
        """Its golden cases that come to an end."""
        return [case for case in self.cases if case.tool == tool.name and case.told is None]


def _manners(
    folder: Path, prefix: str, others: re.Pattern[str], otherwise: Callable[[Sent, Case], Exchange]
) -> Manners:
    known: dict[str, list[Exchange]] = {}
    exchanges = [*background_in(folder), *(one for case in cases_in(folder) for one in case.exchanges)]
    for exchange in exchanges:
        # Who asks in another case may do less.
        is_of_rights = exchange["request"].lower().endswith("/microsoft.authorization/permissions")
        if exchange.get("status", 200) == 200 and not is_of_rights:
            known.setdefault(exchange["request"].lower(), []).append(exchange)

    def reads(sent: Sent) -> bool:
        return sent.method in {"GET", "HEAD"} or (sent.method == "POST" and bool(others.search(sent.path)))

    return Manners(prefix, reads, otherwise, known)


def _nothing(sent: Sent, _case: Case) -> Exchange:
    last = sent.path.rpartition("/")[2].lower()
    if last.endswith("s"):
        return {"reply": {"value": [], "count": 0}}
    message = "Nothing."
    return {"status": 404, "reply": {"message": message, "error": {"code": "ResourceNotFound", "message": message}}}


def _nothing_of_azure(sent: Sent, case: Case) -> Exchange:
    """A group, and whatever a case changes without making it, are there; nothing is locked, and all is permitted."""
    last = sent.path.rpartition("/")[2].lower()
    if last == "permissions":
        everything = {"actions": ["*"], "notActions": [], "dataActions": ["*"], "notDataActions": []}
        return {"reply": {"value": [everything]}}
    if sent.method == "GET" and (entry := azure_golden.listed(case.exchanges, sent.line)):
        return entry
    if sent.method == "GET" and _is_there(sent, case):
        path = sent.line.partition("management.azure.com")[2]
        return {"reply": {"id": path, "name": path.rpartition("/")[2], "location": "westeurope", "properties": {}}}
    return _nothing(sent, case)


def _is_there(sent: Sent, case: Case) -> bool:
    place = sent.line.partition(" ")[2].lower()
    if re.search(r"/resourcegroups/[^/]+$", place):
        return f"put {place}" not in [one["request"].lower() for one in case.exchanges]
    others = [one["request"].lower() for one in case.exchanges if not one["request"].startswith(("GET", "PUT"))]
    return any(f"{one}/".partition(" ")[2].startswith(f"{place}/") for one in others)


@asynccontextmanager
async def _of_devops(url: str, approvals: Approvals) -> AsyncIterator[Caller]:
    project = devops_golden.DEFAULT_PROJECT
    async with reaching(Elsewhere(url), approvals=approvals, ADO_PROJECT=project) as caller:
        yield caller


@asynccontextmanager
async def _of_azure(url: str, approvals: Approvals) -> AsyncIterator[Caller]:
    settings = AzureSettings(subscription=azure_golden.SUBSCRIPTION)
    sending = transport.Elsewhere(url, *azure.HOSTS)
    who = azure_golden.token(azure_golden.ADA)
    async with azure.calling(sending, settings, who=who, approvals=approvals) as caller:
        yield caller


SERVICES: Final[Sequence[Service]] = (
    Service(
        "Azure DevOps",
        devops.TOOLS,
        devops_golden.cases(),
        _manners(devops_golden.FOLDER, "/acme", _DEVOPS_READS, _nothing),
        _of_devops,
    ),
    Service(
        "Azure",
        azure.TOOLS,
        azure_golden.cases(),
        _manners(azure_golden.FOLDER, "", _AZURE_READS, _nothing_of_azure),
        _of_azure,
    ),
)

# Every tool of them that changes something.
CHANGING: Final = [(service, tool) for service in SERVICES for tool in service.changing]
NAMES: Final = [tool.name for _, tool in CHANGING]
