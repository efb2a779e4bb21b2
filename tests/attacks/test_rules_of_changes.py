"""Rules that are not quite written as they have to be: each is refused at the start, and none weakens another."""

from __future__ import annotations

import pytest

from changes.approval_request import RequiredApprover
from changes.plan import Plan
from changes.preview import Preview
from changes.rules import Rules
from changes.rules_file import rules_in
from identity.access import Access
from refusal import Refusal
from tests.changes.yard import TOOLS

ROLES = ["Worker", "Keeper"]

REFUSED = {
    "a word in capitals": "- {ask: Another}",
    "a word with a blank": '- {ask: "another "}',
    "a word of another alphabet": "- {ask: \u0430nother}",
    "no word": "- {ask: }",
    "nothing": "- {ask: null}",
    "two words": "- {ask: [another, nobody]}",
    "a truth": "- {ask: false}",
    "a word twice": "- {ask: another, ask: nobody}",
    "no one who is asked": "- {tools: [yard]}",
    "a misspelt name": "- {ask: another, tool: [yard]}",
    "a name in capitals": "- {ask: another, In: {project: Park}}",
    "a name twice": "- {ask: another, tools: [yard/fell], tools: [yard/paint]}",
    "a tool that is no list": "- {ask: another, tools: yard}",
    "no tools": "- {ask: another, tools: []}",
    "a tool that there is not": "- {ask: another, tools: [yard/fel]}",
    "a toolset that there is not": "- {ask: another, tools: [yards]}",
    "a pattern of tools": "- {ask: another, tools: [yard/*]}",
    "a tool that is an object": "- {ask: another, tools: [{yard: fell}]}",
    "an access that there is not": "- {ask: another, access: read}",
    "two accesses": "- {ask: another, access: [write, destroy]}",
    "an access in capitals": "- {ask: another, access: Destroy}",
    "a place that there is not": "- {ask: another, in: {projects: Park}}",
    "a place in capitals": "- {ask: another, in: {Project: Park}}",
    "a place without a name": "- {ask: another, in: {project: }}",
    "a place with an empty list": "- {ask: another, in: {project: []}}",
    "a place with an object": "- {ask: another, in: {project: {name: Park}}}",
    "a place twice": "- {ask: another, in: {project: Park, project: Street}}",
    "places that are a list": "- {ask: another, in: [project]}",
    "places that are a text": "- {ask: another, in: Park}",
    "a role that there is not": "- {ask: another, of: [Keepers]}",
    "a role in small letters": "- {ask: another, of: [keeper]}",
    "no role": "- {ask: another, of: []}",
    "a role that is no list": "- {ask: another, of: Keeper}",
    "a role for whoever asks": "- {ask: caller, of: [Keeper]}",
    "a role for nobody": "- {ask: nobody, of: [Keeper]}",
    "a text": "another",
    "an object": "{ask: another}",
    "a list in a list": "- - {ask: another}",
    "a merged object": "- &a {ask: nobody}\n- {<<: *a, tools: [yard]}",
    "an object of a program": "- !!python/object/apply:os.system ['true']",
    "two hundred and one": "\n".join(["- {ask: another}"] * 201),
    "what is no YAML": "- {ask: another",
}


@pytest.mark.parametrize("rule", REFUSED.values(), ids=REFUSED)
def test_what_is_no_rule_is_refused(rule: str) -> None:
    indented = "\n".join(f"  {line}" for line in rule.splitlines())
    with pytest.raises(Refusal, match=r"roles\.yaml"):
        rules_in(f"changes:\n{indented}\n", "roles.yaml", TOOLS, ROLES)


@pytest.mark.parametrize(
    "text",
    [
        "changes:\n- {ask: another}\nchanges:\n- {ask: nobody}\n",
        "Changes:\n- {ask: another}\n",
        "changes:\n- {ask: another}\n---\nchanges:\n- {ask: nobody}\n",
    ],
    ids=["twice", "in capitals", "in two documents"],
)
def test_rules_stand_once_where_they_have_to(text: str) -> None:
    with pytest.raises(Refusal, match=r"roles\.yaml"):
        rules_in(text, "roles.yaml", TOOLS, ROLES)


HOLD = {
    "a quoted word": '- {"ask": "another"}',
    "an anchor": "- &a {ask: another}",
    "a name that is a number": "- {ask: another, in: {project: 7}}",
    "a name that is a truth": "- {ask: another, in: {project: yes}}",
    "a name that is a date": "- {ask: another, in: {project: 2026-01-01}}",
    "a name with a bracket": "- {ask: another, in: {project: 'Park [north]'}}",
    "a name with a star": "- {ask: another, in: {project: 'Park*'}}",
}
NAMED = {"7": "7", "yes": "yes", "2026-01-01": "2026-01-01", "[north]": "Park [north]"}


@pytest.mark.parametrize("rule", HOLD.values(), ids=HOLD)
def test_what_stands_there_is_what_holds(rule: str) -> None:
    rules = Rules(rules_in(f"changes:\n{rule}\n", "roles.yaml", TOOLS, ROLES))
    project = next((name for part, name in NAMED.items() if part in rule), "Park")
    plan = Plan.of("yard", "fell", "destroy", {}, Preview(what="it", places={"project": project}))
    assert rules.need(plan, Access.DESTROY).asks is RequiredApprover.ANOTHER
