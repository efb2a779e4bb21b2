"""How a change can be undone, as its preview says it: judged by sending the call that it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from changes.approval_request import RequiredApprover
from changes.approvals import Approvals
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules
from changes.summary import Summary
from tests.fakes.numbering import Numbering
from tests.mcp_server.caller import Caller
from tests.mcp_server.endpoints import approving
from tools import TOOLSETS

Json = dict[str, Any]
TOOLS: Final = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
# What a fake remembers of requests, what it computes when it is first asked for, what changes with each write, and what
# a service adds by itself.
_VOLATILE: Final = re.compile(
    r"asked|bills|metrics|work|pushes|evaluated|_?etag|(System\.)?rev|revision|version|tag|.*(changed|modified|updated|created|deleted)(date|at|by|on|time|timeutc)?"
    r"|_rid|_ts|_self|slotSwapStatus|alwaysOn|.*/config/slotConfigNames|maxSizeInMegabytes|provisioningState|family|compatibilityLevel|requiresPreprocessing|(minimum|instantMaximum|softAllowedMaximum)Throughput",
    re.IGNORECASE,
)
_EMPTY: Final[tuple[object, ...]] = (None, "", [], {}, False)


def asking() -> Approvals:
    """Whatever changes something is shown to its caller first."""
    return approving(rules=Rules([Rule(RequiredApprover.CALLER)]), is_laptop=True)


def check(preview: Preview) -> None:
    """That a preview says it, and that a call that it names is one of a tool that there is."""
    undo = preview.undo
    assert undo.line
    assert undo.line in Summary(preview).text
    if undo.tool:
        TOOLS[undo.tool].check(dict(undo.arguments))


def call_in(line: str) -> tuple[str, Json]:
    """The call that a line tells, as somebody reads it who sees nothing else."""
    tool, _, rest = line.partition(": ")[2].partition("(")
    arguments, decoder = {}, json.JSONDecoder()
    while not rest.startswith(")"):
        name, _, rest = rest.removeprefix(", ").partition("=")
        arguments[name], end = decoder.raw_decode(rest)
        rest = rest[end:]
    return tool, arguments


async def applied(caller: Caller, approvals: Approvals, tool: str, arguments: Mapping[str, Any]) -> Preview:
    """What was shown of a call, which then was approved and done."""
    words = await caller.told(tool, **arguments)
    request = await approvals.kept().find(words.rpartition("/changes/")[2])
    assert request, words
    shown = await approvals.kept().shown(request)
    await caller.approve(words)
    result = await caller.call(tool, **arguments)
    assert not result.get("isError"), result["content"][0]["text"]
    return shown.preview


async def undone(
    caller: Caller, approvals: Approvals, tool: str, arguments: Mapping[str, Any], fake: object
) -> tuple[list[str], list[str]]:
    """What a change makes different, and what of that still is after the call that its preview names."""
    before = state_of(fake)
    preview = await applied(caller, approvals, tool, arguments)
    assert preview.can_be_undone, preview.undo.line
    changed = list(differences(before, state_of(fake)))
    await applied(caller, approvals, *call_in(preview.undo.line))
    return changed, list(differences(before, state_of(fake)))


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            yield from differences(one.get(name), other.get(name), f"{where}/{name}")
    elif one != other:
        yield f"{where}: {one!r} → {other!r}"


def state_of(fake: object) -> Any:
    """What a fake keeps, without when it was changed and how often."""
    return _kept(fake, set())


def _kept(value: object, seen: set[int]) -> Any:
    if isinstance(value, str | int | float | bytes | None):
        return value
    if isinstance(value, datetime | Numbering) or callable(value):
        return None
    if isinstance(value, Mapping):
        told = {str(name): _kept(_last(name, one), seen) for name, one in value.items()}
        return {name: one for name, one in told.items() if one not in _EMPTY and not _VOLATILE.fullmatch(name)}
    if isinstance(value, list | tuple | set | frozenset):
        # Links stand in the order in which they were made.
        return sorted((_kept(one, seen) for one in value), key=repr)
    return _parts_of(value, seen)


def _parts_of(value: object, seen: set[int]) -> Any:
    """The parts of a fake share what they are about, which is told once."""
    if id(value) in seen:
        return None
    seen.add(id(value))
    slots = getattr(type(value), "__slots__", ())
    return _kept({**getattr(value, "__dict__", {}), **{name: getattr(value, name) for name in slots}}, seen)


def _last(name: object, value: object) -> object:
    """Of revisions, the last is what there is."""
    if name != "revisions" or not isinstance(value, Mapping):
        return value
    return {number: one[-1] if isinstance(one, list) else one for number, one in value.items()}
