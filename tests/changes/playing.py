"""Whatever people, programs, clocks and storages do in the yard, played step by step and held against the oracle."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mcp_types import CLIENT_CAPABILITIES_META_KEY

from changes.approval_request import ApprovalRequest, By
from changes.approvals import Approvals
from changes.ledger import Ledger
from changes.rules import Rules
from changes.rules_file import rules_in
from identity.roles import Roles
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.catalog.narrowing import confirmed
from mcp_server.http import rest
from mcp_server.http.endpoint import Endpoint
from refusal import Refusal
from tests.changes.oracle import Call, House, Wanted
from tests.changes.yard import CALLERS, OPENED, THE_YARD, TOOLS, FailingStorage, Tree, door_of, yard
from tests.mcp_server.caller import MODERN, Era, Json, code_in, message, post
from tests.mcp_server.endpoints import endpoint_of
from tests.mcp_server.records import Records

SECONDS: Final = 3600
AGREED: Final[Json] = {"action": "accept", "content": {"agree": True}}


@dataclass(frozen=True)
class Manner:
    """How a call is made: by which era, way and name, with which capability, and with what beside it."""

    era: Era = MODERN
    # direct, further, qualified, learned, alone or rest
    way: str = "direct"
    capability: Json = None
    # Which question of those asked before is answered, counted from the last, and how; which code is repeated.
    answers: int | None = None
    answer: Json = None
    confirms: int | None = None

    @property
    def shows_forms(self) -> bool:
        is_able = self.capability is not None and ("form" in self.capability or "url" not in self.capability)
        return is_able and self.era == MODERN and self.way != "rest"


@dataclass(frozen=True)
class Seen:
    """A change, as it was when it was first heard of."""

    name: str
    call: Call
    trees: Sequence[Tree]
    wanted: Wanted
    at: float


@dataclass
class Play:
    """What was heard and said so far. `broken` tells whether the storage failed in the step that is played."""

    folder: Path
    house: House
    now: float = 1_790_000_000.0
    seen: dict[str, Seen] = field(default_factory=dict)
    agreed: dict[str, set[str]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    # Questions of forms and codes, with the changes that they are about.
    states: list[tuple[str, str]] = field(default_factory=list)
    codes: list[tuple[str, str]] = field(default_factory=list)
    is_broken: bool = False
    # Changes in whose steps the storage failed, so that nobody can tell how far they got.
    unsure: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        THE_YARD.begin()
        self.storage = FailingStorage(self.folder)
        self.ledger = Ledger(lambda: self.storage, SECONDS, lambda: self.now)
        self.records = Records()
        self.opened()

    def opened(self) -> None:
        """Begin to serve by the rules of the house, as after a deployment."""
        text = json.dumps({**OPENED, "changes": list(self.house.rules)})
        roles = Roles.read(text, "roles.yaml", TOOLS)
        door = door_of(roles)
        rules = rules_in(text, "roles.yaml", TOOLS, roles.roles) if self.house.rules else ()
        self.approvals = Approvals(
            rules=Rules(rules, ["yard"] if self.house.is_waived else []),
            ledger=self.ledger,
            page="{}/changes/{}".format,
            by_argument=self.house.by_argument,
            is_laptop=self.house.is_laptop,
            grants_of=roles.grants_of,
            has_to_ask=(lambda _: False) if self.house.is_laptop else roles.has_to_ask,
        )
        offered = [confirmed(yard)] if self.house.by_argument else [yard]
        self.endpoint: Endpoint = endpoint_of(Catalogs(Catalog(offered, [])), door, approvals=self.approvals)

    @contextmanager
    def failing(self, failure: tuple[int, bool] | None) -> Iterator[None]:
        """A step during which the storage fails at some time, and is well again afterwards."""
        self.storage.fails_in, self.storage.is_done_first = failure or (None, False)
        try:
            yield
        finally:
            self.is_broken = self.storage.fails_in is not None and self.storage.fails_in < 0
            self.storage.fails_in = None

    async def call(self, name: str, call: Call, manner: Manner) -> Json:
        """Call it, and hear what is answered; whoever looks at the change later knows it from here."""
        given = self._given(call, manner)
        way = "learned" if manner.way in {"learned", "alone"} else manner.way
        headers = {"x-who": name} | ({"x-mcp-tools": "azure"} if manner.way == "alone" else {})
        tool = {"further": "remove_trunk", "qualified": f"yard_{call.tool}"}.get(manner.way, call.tool)
        if way == "rest":
            body = json.dumps({"tool": tool, "arguments": given}).encode()
            return json.loads((await rest.execute(self.endpoint, post(body, headers))).body)
        params: Json = {"name": tool, "arguments": given}
        if way == "learned":
            inner = {"tool": "yard", "command": tool, "parameters": given}
            params = {"name": "azure" if manner.way == "alone" else "azure_change", "arguments": inner}
        params |= self._beside(manner)
        sent = message("tools/call", params, manner.era, headers)
        answer = await self.endpoint.handle(sent, "yard" if way != "learned" else None)
        return json.loads(answer.body)

    def _given(self, call: Call, manner: Manner) -> dict[str, Any]:
        given = dict(call.arguments)
        if manner.way == "further":
            given = {"trunk": given["tree"]}
        if manner.confirms is not None and self.codes:
            given["confirm"] = _from_the_end(self.codes, manner.confirms)[0]
        return given

    def _beside(self, manner: Manner) -> Json:
        if manner.era != MODERN:
            return {}
        beside: Json = {}
        if manner.capability is not None:
            beside["_meta"] = {CLIENT_CAPABILITIES_META_KEY: {"elicitation": manner.capability}}
        if manner.answers is not None and self.states:
            state, _ = _from_the_end(self.states, manner.answers)
            beside |= {"requestState": state, "inputResponses": {"consent": manner.answer}}
        return beside

    def hear(self, name: str, call: Call, record: Mapping[str, Any], answer: Json) -> None:
        """Note what was asked in a call."""
        change = record.get("change")
        if not change:
            return
        if change not in self.seen:
            self.seen[change] = Seen(name, call, call.shown, self.house.wanted(name, call), self.now)
        result = answer.get("result") or {}
        if isinstance(result, dict) and (state := result.get("requestState")):
            self.states.append((state, change))
        told = json.dumps(result).replace('\\"', '"') if result else str(answer)
        if "confirm: '" in told:
            self.codes.append((code_in(told), change))

    def check(self, name: str, call: Call, manner: Manner, record: Mapping[str, Any]) -> None:
        """Whether what was done was agreed to as it has to be."""
        wanted = self.house.wanted(name, call)
        if wanted.ask == "nobody":
            return
        change = record.get("change", "")
        seen = self.seen.get(change)
        assert seen is not None, "it was done without having been asked for"
        assert record["decided"] == "yes"
        assert (seen.name, seen.call, seen.trees, seen.wanted) == (name, call, call.shown, wanted)
        assert self.now < seen.at + SECONDS, "it was done after its time"
        assert change not in self.used, "one agreement did for two"
        assert change not in self.denied, "it was denied"
        self.used.add(change)
        self._check_how(change, name, call, manner, record)

    def _check_how(self, change: str, name: str, call: Call, manner: Manner, record: Mapping[str, Any]) -> None:
        by = record["by"]
        approvers = self.agreed.get(change, set())
        if by in {"page", "laptop"}:
            assert any(_whose(who) == record["decided_by"] for who in approvers), "nobody agreed at the page"
            return
        assert self.house.wanted(name, call).ask == "caller"
        assert self.house.counts(by, name, call)
        assert record["decided_by"] == _whose(name)
        if change in self.agreed and by in self.agreed[change]:
            return  # said in an earlier call, which the storage or a limit then kept from going on
        assert self._says(by, change, manner), "nobody agreed in the call"

    def _says(self, by: str, change: str, manner: Manner) -> bool:
        if by == "form":
            answered = _from_the_end(self.states, manner.answers)[1] if manner.answers is not None else ""
            return answered == change and manner.answer == AGREED and manner.shows_forms
        return manner.confirms is not None and _from_the_end(self.codes, manner.confirms)[1] == change

    def said(self, name: str, call: Call, manner: Manner) -> None:
        """Note an agreement that a call brings, of which it is not sure that it gets as far as being used."""
        for by in ("form", "model"):
            told = self.states if by == "form" else self.codes
            index = manner.answers if by == "form" else manner.confirms
            if index is None or not told:
                continue
            change = _from_the_end(told, index)[1]
            seen = self.seen.get(change)
            if seen and (seen.name, seen.call) == (name, call) and self._says(by, change, manner):
                self.agreed.setdefault(change, set()).add(by)

    def decider(self, change: str) -> str:
        """Somebody who may decide it, if anybody may."""
        seen = self.seen[change]
        return next((one for one in CALLERS if self.house.may_decide(one, seen.name, seen.wanted)), "nobody")

    async def decide(self, approver: str, change: str, *, is_yes: bool) -> None:
        """Decide at the page. What the storage did not take for sure may still hold."""
        seen, by = self.seen[change], By.LAPTOP if self.house.is_laptop else By.PAGE
        may = self.house.may_decide(approver, seen.name, seen.wanted)
        try:
            found: ApprovalRequest | None = await self.ledger.find(change)
            if found is None:
                return
            await self.approvals.decide(CALLERS[approver], found, is_yes=is_yes, by=by)
        except Refusal:
            if self.storage.fails_in is not None and self.storage.fails_in < 0 and may and is_yes:
                self.agreed.setdefault(change, set()).add(approver)
                self.unsure.add(change)
            return
        assert may, f"{approver} decided what {seen.name} asked for"
        if is_yes:
            self.agreed.setdefault(change, set()).add(approver)
        else:
            self.denied.add(change)

    def is_sure(self, name: str, call: Call) -> bool:
        """Whether it has to be done if it is called now: nobody is asked, or somebody agreed to the last of it."""
        wanted = self.house.wanted(name, call)
        if wanted.ask == "nobody":
            return True
        alike = [(change, seen) for change, seen in self.seen.items() if (seen.name, seen.call) == (name, call)]
        if not alike or alike[-1][0] in self.unsure:
            return False
        change, seen = alike[-1]
        is_there = (seen.trees, seen.wanted) == (call.shown, wanted) and self.now < seen.at + SECONDS
        return is_there and bool(self.agreed.get(change, set()) & CALLERS.keys()) and change not in self.used

    def redeployed(self, **changed: Any) -> None:
        self.house = replace(self.house, **changed)
        self.opened()


def _from_the_end(told: Sequence[tuple[str, str]], index: int) -> tuple[str, str]:
    return told[-1 - index % len(told)]


def _whose(name: str) -> str:
    caller = CALLERS.get(name)
    if caller is None:
        return ""
    return f"{caller.tenant}/{caller.subject}" if caller.subject else str(caller.acts)


async def at_once(*calls: Any) -> list[Json]:
    return list(await asyncio.gather(*calls))
