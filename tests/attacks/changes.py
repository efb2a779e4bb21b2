"""The yard under attack: somebody asks, somebody agrees, and somebody tries to make more of that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from changes.approval_request import ApprovalRequest, By
from identity.caller import Caller
from refusal import Refusal
from tests.changes.oracle import Call, House
from tests.changes.playing import Manner, Play
from tests.changes.yard import CALLERS, THE_YARD
from tests.mcp_server.caller import Json, code_in
from tests.mcp_server.records import Records

OAK: Final = Call("fell", {"tree": "oak", "notes": None})
ELM: Final = Call("fell", {"tree": "elm", "notes": None})
ANOTHER: Final = {"ask": "another"}
FORM: Final = Manner(capability={"form": {}})
PAGE: Final = Manner()


def felling(notes: Any, tree: str = "oak") -> Call:
    return Call("fell", {"tree": tree, "notes": notes})


@dataclass
class Told:
    """What came of a call."""

    answer: Json
    record: Json

    @property
    def change(self) -> str:
        return str(self.record.get("change", ""))

    @property
    def state(self) -> str:
        return str((self.answer.get("result") or {}).get("requestState", ""))

    @property
    def words(self) -> str:
        return json.dumps(self.answer, ensure_ascii=False)

    @property
    def code(self) -> str:
        content = (self.answer.get("result") or {}).get("content") or [{"text": ""}]
        words: str = content[0]["text"]
        return code_in(words) if "confirm: '" in words else ""


@dataclass
class Siege:
    play: Play
    records: Records = field(default_factory=Records)

    @property
    def done(self) -> list[Any]:
        return THE_YARD.done

    async def calls(self, name: str, call: Call = OAK, manner: Manner = PAGE) -> Told:
        with Records.kept() as records:
            answer = await self.play.call(name, call, manner)
        return Told(answer, records.all[-1] if records.all else {})

    async def answers(self, name: str, call: Call, state: str, answer: Json, manner: Manner = FORM) -> Told:
        self.play.states = [(state, "")]
        return await self.calls(name, call, replace(manner, answers=0, answer=answer))

    async def confirms(self, name: str, call: Call, code: Any, manner: Manner = PAGE) -> Told:
        self.play.codes = [(code, "")]
        return await self.calls(name, call, replace(manner, confirms=0))

    async def decides(self, who: str | Caller, change: str, *, is_yes: bool = True, by: By = By.PAGE) -> bool:
        """Whether it was taken."""
        caller = CALLERS[who] if isinstance(who, str) else who
        try:
            await self.play.approvals.decide(caller, await self.found(change), is_yes=is_yes, by=by)
        except Refusal:
            return False
        return True

    async def found(self, change: str) -> ApprovalRequest:
        found = await self.play.ledger.find(change)
        assert found is not None
        return found

    async def approved(self, name: str = "ada", call: Call = OAK, approver: str = "bea") -> str:
        """The id of a change that this caller may apply now."""
        change = (await self.calls(name, call)).change
        assert await self.decides(approver, change)
        return change


@contextmanager
def besieged(folder: Path, *rules: Any, **house: Any) -> Iterator[Siege]:
    yield Siege(Play(folder, House(list(rules), **house)))
