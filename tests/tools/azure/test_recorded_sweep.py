"""Recorded answers of the real service, through every tool that asks for them: all understood, no secret shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.mcp_server.caller import Caller
from tests.sweeps import Sweep
from tests.tools.azure.data import with_data
from tests.tools.azure.golden import Scripted
from tests.tools.azure.recorded_sweep import SECRET, Play, plays, readings
from tools.azure.shared.answers import Json

pytestmark = with_data

PLAYS: Final = plays()
READINGS: Final = list(readings())
BROKEN: Final = "failed on the server"
NAMES: Final = frozenset({"name", "id", "type", "location", "resourceGroup", "group", "region", "idsBeginWith"})


@Sweep("play", PLAYS, every=8, ids=[play.name for play in PLAYS])
async def test_a_tool_understands_recorded_answers(play: Play, scripted: Scripted, player: Caller) -> None:
    check(play, await played(play, scripted, player))


@Sweep("play", READINGS, every=8, ids=[play.recording.place for play in READINGS])
async def test_whatever_was_read_is_shown(play: Play, scripted: Scripted, player: Caller) -> None:
    result = await played(play, scripted, player)
    check(play, result)
    assert result["isError"] == play.recording.has_failed, result["content"][0]["text"]


async def played(play: Play, scripted: Scripted, player: Caller) -> Json:
    scripted.play(play.case)
    result: Json = await player.call(play.case.tool, **play.case.arguments)
    return result


def check(play: Play, result: Json) -> None:
    text = result["content"][0]["text"]
    assert BROKEN not in text, text
    assert SECRET not in text
    if result["isError"]:
        return
    told = result["structuredContent"]
    assert not [name for name in names_in(told) if "withheld" in name]
    if play.entries is not None and "more" not in told:
        assert told["count"] == play.entries


def names_in(told: Any) -> Iterator[str]:
    if isinstance(told, list):
        for one in told:
            yield from names_in(one)
    if isinstance(told, dict):
        yield from (value for name, value in told.items() if name in NAMES and isinstance(value, str))
        for one in told.values():
            yield from names_in(one)


def test_recordings_reach_many_tools() -> None:
    assert len({play.case.tool for play in PLAYS}) > 80
    assert len({play.recording.place for play in [*PLAYS, *READINGS]}) > 300
