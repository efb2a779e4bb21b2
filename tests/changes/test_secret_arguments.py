"""An argument that is marked as secret is used, and is nowhere else: neither shown, kept, recorded nor repeated."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changes.approval_request import ApprovalState
from changes.ledger import Ledger
from changes.preview import Preview
from changes.seal import sealed, seals
from changes.undo import by_call
from clients.folder_storage import FolderStorage
from deciding.showing import ShownChange
from identity.access import Access
from mcp_server.declarations.function_tool import further_name
from mcp_server.declarations.toolset import Toolset
from refusal import Refusal
from tests.mcp_server.caller import Caller, code_in
from tests.mcp_server.endpoints import approving, new_endpoint
from tests.mcp_server.records import Records
from tests.sweeps import examples

WORD = "correct horse battery staple"


@dataclass
class Safe:
    """What was put into it; and the folder in which changes of it are kept."""

    folder: Path
    put: list[str] = field(default_factory=list)
    state: str = "empty"

    def __post_init__(self) -> None:
        toolset = Toolset("safes", "Put words into a safe.")

        async def told(safe: str) -> Preview:
            """What the safe holds."""
            return Preview(what=f"The safe {safe}", facts={"state": self.state}, undo=by_call("take_word"))

        def stash(place: str, words: str) -> dict[str, Any]:
            """Stash words."""
            return {"safe": place, "word": words}

        @toolset.tool(
            Access.DESTROY,
            previewed=told,
            harmless=("safe",),
            secret=("word",),
            further_names=[further_name(stash, harmless=("place",), secret=("words",))],
        )
        async def put_word(safe: str, word: str) -> str:
            """Put a word into a safe."""
            if safe == "full":
                raise Refusal("It is full.")
            self.put.append(word)
            return "done"

        @toolset.tool(Access.DESTROY, previewed=Preview, secret=("word",))
        async def burn_word(word: str) -> str:
            """Burn a word."""
            raise RuntimeError("no fire")

        @toolset.tool(Access.WRITE, secret=("word",))
        async def whisper(word: str, to: str = "all") -> str:
            """Whisper a word."""
            self.put.append(word)
            return to

        self.ledger = Ledger(lambda: FolderStorage(self.folder))
        approvals = approving(ledger=self.ledger)
        self.caller = Caller(new_endpoint(toolsets=[toolset], approvals=approvals), "safes")
        self.learner = Caller(self.caller.endpoint)

    @property
    def all_kept(self) -> bytes:
        return b"".join(
            str(file).encode() + file.read_bytes() for file in sorted(self.folder.rglob("*")) if file.is_file()
        )


@pytest.fixture
def safe(tmp_path: Path) -> Safe:
    return Safe(tmp_path)


@pytest.fixture
def records() -> Iterator[Records]:
    with Records.kept() as kept:
        yield kept


async def test_what_was_agreed_to_is_done_with_the_secret_and_keeps_none(
    safe: Safe, records: Records, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shown = await safe.caller.told("put_word", safe="left", word=WORD)
    done = await safe.caller.call("put_word", safe="left", word=WORD, confirm=code_in(shown))
    assert (done["isError"], safe.put) == (False, [WORD])
    (change,) = await safe.ledger.newest(10)
    assert change.state is ApprovalState.APPLIED
    assert (await safe.ledger.shown(change)).arguments == {"safe": "left", "word": "…"}
    assert records.all[-1]["arguments"] == {"safe": "left", "word": None, "confirm": None}
    for text in (shown, safe.all_kept.decode(errors="replace"), caplog.text, str(records.all)):
        assert WORD not in text


async def test_an_agreement_is_for_that_secret_alone(safe: Safe) -> None:
    code = code_in(await safe.caller.told("put_word", safe="left", word=WORD))
    other = await safe.caller.told("put_word", safe="left", word="another", confirm=code)
    assert ("Nothing was done" in other or "nothing was done" in other, safe.put) == (True, [])
    # What was agreed to before is outdated, also for the word that it was about.
    assert "nothing was done" in await safe.caller.told("put_word", safe="left", word=WORD, confirm=code)
    assert safe.put == []


async def test_by_a_further_name_it_is_secret_as_well(safe: Safe, records: Records) -> None:
    shown = await safe.caller.told("stash", place="left", words=WORD)
    done = await safe.caller.call("put_word", safe="left", word=WORD, confirm=code_in(shown))
    assert (done["isError"], safe.put) == (False, [WORD])
    assert WORD not in shown + str(records.all) + safe.all_kept.decode(errors="replace")


async def test_a_tool_without_a_preview_of_it_does_not_show_it(tmp_path: Path) -> None:
    safe = Safe(tmp_path)
    # Under a rule that asks for everything, as for agents.
    told = await asked_for_everything(safe).told("whisper", word=WORD)
    assert "word: …" in told
    assert WORD not in told + safe.all_kept.decode(errors="replace")


def asked_for_everything(safe: Safe) -> Caller:
    approvals = approving(ledger=safe.ledger, has_to_ask=lambda _: True)
    toolset = Toolset("mouths", "Whisper.")

    @toolset.tool(Access.WRITE, secret=("word",))
    async def whisper(word: str) -> str:
        """Whisper a word."""
        return "done"

    return Caller(new_endpoint(toolsets=[toolset], approvals=approvals), "mouths")


async def test_the_right_call_is_told_without_it(safe: Safe) -> None:
    told = await safe.learner.told("azure", tool="safes", command="whisper", parameters={"word": WORD, "to": "left"})
    assert '"parameters":{"word":"<word>","to":"left"}' in told
    assert WORD not in told


async def test_a_defect_does_not_tell_it(safe: Safe, caplog: pytest.LogCaptureFixture) -> None:
    shown = await safe.caller.told("burn_word", word=WORD)
    failed = await safe.caller.told("burn_word", word=WORD, confirm=code_in(shown))
    assert "failed on the server" in failed
    assert WORD not in shown + failed + caplog.text + safe.all_kept.decode(errors="replace")


# Each has a sign that stands nowhere else.
words = st.builds("{}ŵ{}".format, st.text(max_size=30), st.text(max_size=30))


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(word=words)
async def test_whatever_it_is_nothing_kept_or_answered_has_it(tmp_path_factory: Any, word: str) -> None:
    safe = Safe(tmp_path_factory.mktemp("safe"))
    with Records.kept() as records:
        shown = await safe.caller.told("put_word", safe="left", word=word)
        refused = await safe.caller.told("put_word", safe="full", word=word)
        done = await safe.caller.call("put_word", safe="left", word=word, confirm=code_in(shown))
    told = "".join([shown, refused, str(done), str(records.all), safe.all_kept.decode(errors="replace")])
    assert ("ŵ" in told, "\\u0175" in told, safe.put) == (False, False, [word])


async def test_the_page_shows_that_there_is_one_and_not_what_it_is(safe: Safe) -> None:
    await safe.caller.told("put_word", safe="left", word=WORD)
    (change,) = await safe.ledger.newest(10)
    sight = ShownChange.of(change, await safe.ledger.shown(change), change.created)
    assert [(one.name, one.value) for one in sight.arguments] == [("safe", "left"), ("word", "…")]


async def test_seals_of_one_secret_differ_and_each_is_its_own() -> None:
    secret, other = {"word": WORD}, {"word": "another"}
    first, second = await sealed(secret), await sealed(secret)
    assert first != second
    assert [await seals(first, one) for one in (secret, other, {})] == [True, False, False]
    assert [await seals("", one) for one in (secret, {})] == [False, True]
    assert await sealed({}) == ""


async def test_a_long_one_makes_no_plan_that_nobody_can_read(safe: Safe) -> None:
    await safe.caller.told("put_word", safe="left", word="x" * 300_000)
    (change,) = await safe.ledger.newest(10)
    assert (await safe.ledger.shown(change)).preview.is_complete


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ({"secret": ["wrd"]}, "say has marks for parameters that do not exist: wrd. Its parameters are: word"),
        ({"secret": ["word"], "harmless": ["word"]}, "say marks word as harmless and as secret"),
    ],
)
def test_marks_that_contradict_or_mark_nothing_are_refused(marks: Any, told: str) -> None:
    def say(word: str) -> None:
        """Say a word."""

    with pytest.raises(TypeError, match=told):
        Toolset("doors", "Doors.").tool(Access.WRITE, **marks)(say)


def test_a_further_name_that_takes_others_says_which_of_them_are_secret() -> None:
    def say(word: str) -> None:
        """Say a word."""

    def utter(term: str) -> dict[str, Any]:
        """Utter a word."""
        return {"word": term}

    with pytest.raises(TypeError, match="utter must mark which of its parameters are secret"):
        Toolset("doors", "Doors.").tool(Access.WRITE, secret=["word"], further_names=[further_name(utter)])(say)
