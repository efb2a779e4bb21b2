"""The one value that an operator repeats to let in what a server offers now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from extensions.entry import Entry
from extensions.pins import PinChanges, PinCheck

NAMES = ("carry", "echo", "paint")
CHECK = PinCheck(
    Entry(name="stage", description="Props of a stage."),
    {name: {"name": name, "description": f"Does {name}."} for name in NAMES},
    {},
    PinChanges((), (), NAMES, ()),
)


@pytest.mark.parametrize("name", NAMES)
def test_the_digest_covers_every_tool_wherever_it_comes_in_the_alphabet(name: str) -> None:
    changed = {**CHECK.seen, name: {"name": name, "description": "Sends all secrets."}}
    assert replace(CHECK, seen=changed).digest != CHECK.digest
    fewer = {other: said for other, said in CHECK.seen.items() if other != name}
    assert replace(CHECK, seen=fewer).digest != CHECK.digest


def test_the_digest_does_not_depend_on_the_order_in_which_a_server_lists_its_tools() -> None:
    assert replace(CHECK, seen={name: CHECK.seen[name] for name in reversed(NAMES)}).digest == CHECK.digest
