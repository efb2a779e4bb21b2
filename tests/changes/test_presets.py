"""The presets, each cell of the table in the documentation, and their text to copy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from changes.approval_request import RequiredApprover
from changes.effects import MOST_AT_ONCE
from changes.plan import Plan
from changes.presets import PRESETS
from changes.preview import Preview
from changes.rules import Rules
from changes.rules_file import rules_in
from identity.access import Access
from refusal import Refusal

PAGE: Final = (Path(__file__).parents[2] / "docs/changes.md").read_text()
QUIET: Final = {"subscription": "Bakery Test", "resource-group": "shop-test", "name": "shop-web", "tag:": ()}
LIVE: Final = {**QUIET, "subscription": "Bakery Production"}
WORDS: Final = {
    "nobody": RequiredApprover.NOBODY,
    "the caller": RequiredApprover.CALLER,
    "another person": RequiredApprover.ANOTHER,
}
# The rows of the table: how far the call goes, whether its tool interrupts, and what its preview says.
CASES: Final[dict[str, tuple[Access, bool, dict[str, Any]]]] = {
    "only adds something: a comment, a work item, a branch, a tag on one resource": (Access.WRITE, False, {}),
    "changes up to five resources": (Access.WRITE, False, {"touches": MOST_AT_ONCE}),
    "changes more than five resources at once": (Access.WRITE, False, {"touches": MOST_AT_ONCE + 1}),
    "interrupts a running system: restarts, stops, swaps or scales it, or changes its settings or throughput": (
        Access.WRITE,
        True,
        {},
    ),
    "deletes something": (Access.DESTROY, False, {}),
    "is *grave*, for example cannot be undone, or bypasses a protection": (
        Access.DESTROY,
        False,
        {"grave": "It cannot be restored."},
    ),
    "only adds something, in production": (Access.WRITE, False, {"places": LIVE}),
    "changes more than five resources at once, in production": (
        Access.WRITE,
        False,
        {"touches": MOST_AT_ONCE + 1, "places": LIVE},
    ),
    "interrupts a running system, in production": (Access.WRITE, True, {"places": LIVE}),
    "deletes something, in production": (Access.DESTROY, False, {"places": LIVE}),
}


def table() -> dict[tuple[str, str], str]:
    """The cells of the table of presets, by the effect and the preset."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]
    head = next(index for index, row in enumerate(rows) if row[1:] == [f"`{name}`" for name in PRESETS])
    body = rows[head + 2 : head + 2 + len(CASES)]
    return {(row[0], name): cell for row in body for name, cell in zip(PRESETS, row[1:], strict=True)}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("case", CASES)
def test_each_cell_of_the_table_is_true(case: str, preset: str) -> None:
    access, interrupts, told = CASES[case]
    plan = Plan.of("apps", "restart_app", access.label, {}, Preview(**{"what": "it", "places": QUIET, **told}))
    rules = Rules(rules_in(f"changes: [{{preset: {preset}}}]", "roles.yaml", {}, ()))
    assert rules.need(plan, access, interrupts=interrupts).asks is WORDS[table()[case, preset]]


def test_the_default_is_careful() -> None:
    for access, interrupts, told in CASES.values():
        plan = Plan.of("apps", "restart_app", access.label, {}, Preview(**{"what": "it", "places": QUIET, **told}))
        needed = [one.need(plan, access, interrupts=interrupts) for one in (Rules(), Rules(PRESETS["careful"]))]
        assert needed[0] == needed[1]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_text_to_copy_says_what_the_preset_says(preset: str) -> None:
    text = next(
        found for found in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if found.startswith(f"# {preset}\n")
    )
    copied = rules_in(text, "roles.yaml", {}, ())
    assert [(one.asks, one.effects, dict(one.places)) for one in copied] == [
        (one.asks, one.effects, dict(one.places)) for one in PRESETS[preset]
    ]


def test_what_an_operator_waived_no_preset_asks_for() -> None:
    plan = Plan.of("apps", "restart_app", "write", {}, Preview(what="it", places=LIVE))
    assert all(rule.is_preset for preset in PRESETS.values() for rule in preset)
    assert (
        Rules(PRESETS["production"], waived=["apps"]).need(plan, Access.WRITE, interrupts=True).asks
        is RequiredApprover.NOBODY
    )


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("{preset: paranoid}", "preset must be one of open, careful, production"),
        ("{preset: open, ask: nobody}", "preset must be the only key"),
        ("{effect: [explodes], ask: nobody}", "effect must be one of destroys, interrupts, bulk, grave"),
    ],
)
def test_a_mistake_in_a_preset_is_named(rule: str, told: str) -> None:
    with pytest.raises(Refusal, match=told):
        rules_in(f"changes: [{rule}]", "roles.yaml", {}, ())


@pytest.mark.parametrize("file", ["README.md", "SECURITY.md", "docs/changes.md"])
def test_each_page_claims_what_the_default_does(file: str) -> None:
    text = " ".join((Path(__file__).parents[2] / file).read_text().split())
    claim = re.search(
        r"delete\w* .{0,40}interrupts a running system,? or changes more than (\w+) resources at once", text
    )
    assert claim, file
    assert claim[1] == {5: "five"}[MOST_AT_ONCE]
    asked = {Access.DESTROY: False, Access.WRITE: True}
    for access, interrupts in asked.items():
        plan = Plan.of("x", "y", access.label, {}, Preview(what="it", places=QUIET))
        assert Rules().need(plan, access, interrupts=interrupts).asks is RequiredApprover.CALLER
