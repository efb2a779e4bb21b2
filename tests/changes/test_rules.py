"""Who has to agree: rules of the roles file, in their order, and what holds where none fits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from changes.approval_request import RequiredApprover
from changes.approvals import Approvals
from changes.effects import Effect
from changes.plan import Plan
from changes.preview import Preview
from changes.rule import Rule
from changes.rules import Rules
from changes.rules_file import rules_in
from changes.undo import UNSAID, Undo, by_call, by_hand, never
from identity.access import Access
from identity.caller import ANONYMOUS, Agent, Caller, CallerKind
from refusal import Refusal

TOOLSETS = {"devops-git": ["delete_branch", "push_changes"], "devops-wiki": ["delete_wiki_page"], "storage": ["x"]}
ROLES = ["Admin", "Lead"]
ADA = Caller(CallerKind.USER, "home", "ada")


def rules(text: str) -> Rules:
    return Rules(rules_in(text, "roles.yaml", TOOLSETS, ROLES))


def asked(
    rules: Rules, tool: str = "delete_branch", access: Access = Access.DESTROY, **preview: Any
) -> RequiredApprover:
    told = Preview(**{"what": "it", "places": {"project": "Web", "branch": "main"}, **preview})
    return rules.need(Plan.of("devops-git", tool, access.label, {}, told), access).asks


def test_without_rules_what_destroys_asks_the_caller_and_what_is_grave_another() -> None:
    assert asked(Rules()) is RequiredApprover.CALLER
    assert asked(Rules(), grave="It is the default branch.") is RequiredApprover.ANOTHER
    assert asked(Rules(), access=Access.WRITE) is RequiredApprover.NOBODY
    assert asked(Rules(waived=("devops",))) is RequiredApprover.NOBODY
    assert asked(Rules(waived=("devops",)), grave="It is.") is RequiredApprover.NOBODY


@pytest.mark.parametrize(
    ("rule", "asks"),
    [
        ("{ask: nobody}", RequiredApprover.NOBODY),
        ("{ask: another}", RequiredApprover.ANOTHER),
        ("{tools: [devops], ask: another}", RequiredApprover.ANOTHER),
        ("{tools: [storage], ask: another}", RequiredApprover.CALLER),
        ("{tools: [devops-git/delete_branch], ask: another}", RequiredApprover.ANOTHER),
        ("{tools: [devops-git/push_changes], ask: another}", RequiredApprover.CALLER),
        ("{access: write, ask: another}", RequiredApprover.ANOTHER),
        ("{in: {branch: main}, ask: another}", RequiredApprover.ANOTHER),
        ("{in: {branch: [release/*, MAIN]}, ask: another}", RequiredApprover.ANOTHER),
        ("{in: {branch: mai}, ask: another}", RequiredApprover.CALLER),
        ("{in: {branch: ma*, project: Shop}, ask: another}", RequiredApprover.CALLER),
        # Nobody said in which environment it is, so it may be there.
        ("{in: {environment: production}, ask: another}", RequiredApprover.ANOTHER),
        ("{in: {environment: production}, ask: nobody}", RequiredApprover.CALLER),
        # What is in a project of Azure DevOps is in no resource group.
        ("{in: {resource-group: production}, ask: another}", RequiredApprover.CALLER),
        ("{in: {'tag:env': production}, ask: another}", RequiredApprover.CALLER),
        ("{effect: [destroys], ask: another}", RequiredApprover.ANOTHER),
        ("{effect: [interrupts, bulk], ask: another}", RequiredApprover.CALLER),
        ("{preset: open}", RequiredApprover.CALLER),
        ("{in: {project: '*'}, ask: nobody}", RequiredApprover.NOBODY),
    ],
)
def test_a_rule_is_about_what_it_names(rule: str, asks: RequiredApprover) -> None:
    assert asked(rules(f"changes: [{rule}]")) is asks


def because(rule: str, **preview: Any) -> str:
    told = Preview(**{"what": "it", "places": {"project": "Web", "branch": ["main", ("a", "b")]}, **preview})
    plan = Plan.of("devops-git", "delete_branch", "destroy", {}, told)
    return (rules(f"changes: [{rule}]") if rule else Rules()).need(plan, Access.DESTROY).because


def test_why_another_person_has_to_agree_is_said_with_the_places_of_the_rule() -> None:
    assert because("{ask: another}") == "An approval rule requires this approval."
    assert (
        because("{in: {branch: main}, ask: another}")
        == "An approval rule requires this approval (branch: main, a or b)."
    )
    assert because("{in: {branch: main, environment: prod}, ask: another}") == (
        "An approval rule requires this approval (branch: main, a or b, environment: unknown)."
    )
    assert because("{ask: caller}") == ""
    assert because("", grave="It is the default branch.") == "It is the default branch."
    assert because("{ask: another}", grave="It is the default branch.") == "An approval rule requires this approval."


@pytest.mark.parametrize("asks", RequiredApprover)
def test_a_rule_that_says_only_who_is_asked_selects_everything(asks: RequiredApprover) -> None:
    assert rules(f"changes: [{{ask: {asks}}}]").rules == (Rule(asks),)


@pytest.mark.parametrize(
    ("rule", "one", "other", "alike"),
    [
        ("{ask: another}", ("devops-git", "delete_branch"), ("storage", "x"), True),
        ("{ask: another}", ("storage", "x"), ("devops-git", "delete_branch"), True),
        ("{tools: [devops], ask: another}", ("devops-git", "delete_branch"), ("storage", "x"), False),
        ("{tools: [devops], ask: another}", ("devops-git", "delete_branch"), ("devops-wiki", "delete_wiki_page"), True),
        (
            "{tools: [devops-git/delete_branch], ask: nobody}",
            ("devops-git", "a"),
            ("devops-git", "delete_branch"),
            False,
        ),
    ],
)
def test_two_tools_are_asked_about_alike_if_the_same_rules_are_about_them(
    rule: str, one: tuple[str, str], other: tuple[str, str], alike: bool
) -> None:
    made = rules(f"changes: [{rule}]")
    assert made.ask_alike(one, other, Access.DESTROY) == alike
    waiving = replace(made, waived=("storage",))
    assert waiving.ask_alike(one, other, Access.DESTROY) == (alike and (one[0] == "storage") == (other[0] == "storage"))


def test_a_rule_may_concern_a_call_by_its_tool_its_access_and_its_effects() -> None:
    tool, effects = ("devops-git", "delete_branch"), frozenset({Effect.BULK})
    for rule, access, of, concerns in (
        ("{ask: another}", Access.READ, frozenset(), True),
        ("{access: destroy, ask: another}", Access.WRITE, effects, False),
        ("{access: destroy, ask: another}", Access.DESTROY, frozenset(), True),
        ("{access: write, ask: another}", Access.DESTROY, frozenset(), True),
        ("{access: write, ask: another}", Access.WRITE, frozenset(), True),
        ("{effect: [bulk], ask: another}", Access.WRITE, effects, True),
        ("{effect: [bulk], ask: another}", Access.WRITE, frozenset(), False),
        ("{effect: [bulk, grave], ask: another}", Access.WRITE, effects, True),
    ):
        (made,) = rules(f"changes: [{rule}]").rules
        assert made.may_concern(*tool, access, frozenset(of)) == concerns, rule


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ("{ask: another}", True),
        ("{ask: another, fresh: 5}", True),
        ("{tools: [devops], ask: another}", False),
        ("{tools: [devops-git/delete_branch], ask: another}", False),
        ("{access: destroy, ask: another}", False),
        ("{effect: [bulk], ask: another}", False),
        ("{in: {branch: main}, ask: another}", False),
    ],
)
def test_a_rule_that_selects_nothing_fits_all(rule: str, fits: bool) -> None:
    assert rules(f"changes: [{rule}]").rules[0].fits_all == fits


def test_a_waived_toolset_has_the_rules_of_the_file_and_no_preset() -> None:
    made = replace(rules("changes: [{in: {branch: main}, ask: another}]"), waived=("devops",))
    assert asked(made) is RequiredApprover.ANOTHER
    assert asked(made, places={"branch": "mend"}) is RequiredApprover.NOBODY


@pytest.mark.parametrize(
    ("name", "places", "asks"),
    [
        ("'tag:Env'", {"tag:env": "prod"}, RequiredApprover.ANOTHER),
        ("'tag:Env'", {"tag:env": "test"}, RequiredApprover.CALLER),
        ("'tag:env'", {"tag:env": "test"}, RequiredApprover.CALLER),
        # Any tag: it is not known.
        ("'tag:env'", {"tag:": None}, RequiredApprover.ANOTHER),
        ("name", {"tag:": None}, RequiredApprover.ANOTHER),
        ("name", {"tag:": ()}, RequiredApprover.ANOTHER),
        ("branch", {"tag:": None}, RequiredApprover.CALLER),
        ("branch", {"tag:env": "prod"}, RequiredApprover.CALLER),
        ("'tag:env'", {"subscription": "Shop"}, RequiredApprover.ANOTHER),
        ("'tag:env'", {"branch": "main"}, RequiredApprover.CALLER),
        ("'tag:env'", {}, RequiredApprover.ANOTHER),
        ("branch", {"branch": []}, RequiredApprover.CALLER),
        ("branch", {"branch": None}, RequiredApprover.ANOTHER),
    ],
)
def test_a_place_is_found_by_its_kind(name: str, places: dict[str, Any], asks: RequiredApprover) -> None:
    assert asked(rules(f"changes: [{{in: {{{name}: prod}}, ask: another}}]"), places=places) is asks


def test_no_place_at_all_is_not_where_nobody_is_asked() -> None:
    assert asked(rules("changes: [{in: {branch: '*'}, ask: nobody}]"), places={"branch": []}) is RequiredApprover.CALLER


@pytest.mark.parametrize("text", ["roles: {}", "changes:"])
def test_a_file_may_have_no_rules(text: str) -> None:
    assert rules(text).rules == ()


def test_a_file_has_up_to_200_rules() -> None:
    assert len(rules(f"changes: [{', '.join(['{ask: nobody}'] * 200)}]").rules) == 200
    with pytest.raises(Refusal, match="at most 200 rules"):
        rules(f"changes: [{', '.join(['{ask: nobody}'] * 201)}]")


@pytest.mark.parametrize("places", [(), ("chat", "mail")])
def test_the_places_that_are_notified_are_known(places: tuple[str, ...]) -> None:
    text = "changes: [{ask: another, notify: [mail]}]"
    if places:
        (rule,) = rules_in(text, "roles.yaml", TOOLSETS, ROLES, places)
        assert rule.notify == ("mail",)
    with pytest.raises(Refusal, match=r"The channels are chat, mail" if places else "NOTIFY_PLACES is empty"):
        rules_in(text.replace("mail", "pigeon"), "roles.yaml", TOOLSETS, ROLES, places)
    with pytest.raises(Refusal, match="so it requires ask: another"):
        rules_in(text.replace("another", "caller"), "roles.yaml", TOOLSETS, ROLES, places)


def test_the_first_rule_that_fits_decides() -> None:
    text = "changes: [{in: {branch: main}, ask: another}, {ask: nobody}]"
    assert asked(rules(text)) is RequiredApprover.ANOTHER
    assert asked(rules(text), places={"branch": "mend"}) is RequiredApprover.NOBODY


def test_what_is_not_known_counts_for_whoever_asks_and_against_who_does_not() -> None:
    places = {"environment": None}
    assert asked(rules("changes: [{in: {environment: prod}, ask: another}]"), places=places) is RequiredApprover.ANOTHER
    assert asked(rules("changes: [{in: {environment: test}, ask: nobody}]"), places=places) is RequiredApprover.CALLER


def test_of_several_places_one_is_enough_to_ask_and_all_are_needed_not_to() -> None:
    places = {"project": ["Sandbox", "Web"]}
    assert asked(rules("changes: [{in: {project: Web}, ask: another}]"), places=places) is RequiredApprover.ANOTHER
    assert asked(rules("changes: [{in: {project: Sandbox}, ask: nobody}]"), places=places) is RequiredApprover.CALLER
    assert (
        asked(rules("changes: [{in: {project: [Sandbox, W*]}, ask: nobody}]"), places=places) is RequiredApprover.NOBODY
    )


def test_a_rule_about_writing_asks_for_what_no_default_asks() -> None:
    text = "changes: [{tools: [devops-git/push_changes], ask: caller}]"
    assert rules(text).may_concern("devops-git", "push_changes", Access.WRITE, frozenset())
    assert asked(rules(text), "push_changes", Access.WRITE) is RequiredApprover.CALLER


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("changes: {ask: nobody}", "line 1: changes must be a list"),
        ("changes: [{tools: [devops-git]}]", "line 1: a rule requires `ask`"),
        ("changes: [{ask: everybody}]", "line 1: ask must be one of nobody, caller, another"),
        ("changes: [{ask: another, when: now}]", "line 1: unknown key 'when'. A rule can have"),
        ("changes:\n- {ask: nobody}\n- {ask: caller, access: read}", "line 3: access must be one of write, destroy"),
        ("changes: [{ask: another, tools: [nope]}]", "unknown toolset 'nope'"),
        ("changes: [{ask: another, tools: [devops-git/nope]}]", "has no tool 'nope'"),
        ("changes: [{ask: another, tools: []}]", "tools must be a non-empty list"),
        ("changes: [{ask: another, in: {planet: Mars}}]", "unknown place 'planet'"),
        ("changes: [{ask: another, in: {branch: []}}]", "branch must be a non-empty list"),
        ("changes: [{ask: another, of: [Boss]}]", "unknown role 'Boss'. The roles are Admin, Lead"),
        ("changes: [{ask: caller, of: [Admin]}]", "so it requires ask: another"),
        ("changes: [{ask: another, ask: nobody}]", "duplicate key 'ask'"),
        ("changes: [{ask: [another]}]", "ask must be one of nobody, caller, another"),
        ("changes: [{ask: another, tools: devops}]", "tools must be a non-empty list"),
        ("changes: [{ask: another, tools: ['']}]", "tools must be a list of names"),
        ("changes: [{ask: another, tools: [[devops]]}]", "tools must be a list of names"),
        ("changes: [{ask: another, in: {branch: ''}}]", "branch must be a non-empty list"),
        ("changes: [{ask: another, in: {'Branch': main}}]", "unknown place 'Branch'"),
        ("changes: [{ask: another, in: {'TAG:x': main}}]", "unknown place 'TAG:x'"),
        ("changes: [{preset: open, ask: another}]", "must be the only key of its rule"),
        ("changes: [{ask: nobody, fresh: 5}]", "cannot be combined with ask: nobody"),
        *(
            (f"changes: [{{ask: caller, fresh: {said}}}]", "number of minutes from 1 to 480")
            for said in ("0", "481", "-1", "5.5", "five", "[5]", "''", "'\u0665'", "1000000000", "4800000000")
        ),
    ],
)
def test_a_rule_that_is_not_valid_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        rules_in(text, "roles.yaml", TOOLSETS, ROLES)
    assert told in str(refused.value)


def need(caller: Caller, access: Access = Access.DESTROY, **how: Any) -> RequiredApprover:
    preview = Preview(what="it", missing=how.pop("missing", []), undo=how.pop("undo", UNSAID))
    plan = Plan.of("devops-git", "delete_branch", access.label, {}, preview)
    return Approvals(**how).need(caller, plan, access).asks


def test_a_program_has_no_agreement_of_its_own_to_give() -> None:
    agent = Agent("agent")
    programs = [
        Caller(CallerKind.APP, "home", "app"),
        Caller(CallerKind.APP, "home", "agent", agent=agent),
        Caller(CallerKind.USER, "home", "account", agent=agent, is_agents_account=True),
    ]
    assert [need(program) for program in programs] == [RequiredApprover.ANOTHER] * 3
    assert [need(program, by_argument=True, undo=by_call("create_branch")) for program in programs] == [
        RequiredApprover.CALLER
    ] * 3
    for final in (
        UNSAID,
        never("it goes for good"),
        by_call("create_branch").but("it is empty then"),
        by_hand("create_branch() with what was there"),
        Undo.of("create_branch()"),
    ):
        assert [need(program, by_argument=True, undo=final) for program in programs] == [RequiredApprover.ANOTHER] * 3
    assert need(ADA) is RequiredApprover.CALLER


def test_whatever_an_agent_changes_for_a_person_that_person_agrees_to() -> None:
    agent = Caller(CallerKind.USER, "home", "ada", agent=Agent("agent"))
    assert need(agent, Access.WRITE) is RequiredApprover.CALLER
    assert need(agent, Access.WRITE, has_to_ask=lambda _: False) is RequiredApprover.NOBODY
    assert need(agent, Access.DESTROY, has_to_ask=lambda _: False) is RequiredApprover.CALLER
    assert need(ADA, Access.WRITE) is RequiredApprover.NOBODY


def test_what_is_not_told_completely_another_person_looks_at_except_on_a_laptop() -> None:
    assert need(ADA, missing=["the policies"]) is RequiredApprover.ANOTHER
    assert need(ANONYMOUS, missing=["the policies"], is_laptop=True) is RequiredApprover.CALLER
    assert need(ANONYMOUS, missing=["x"], is_laptop=True, laptop_keeps_rules=True) is RequiredApprover.ANOTHER


@pytest.mark.parametrize(("said", "minutes"), [("1", 1), ("10", 10), ("'480'", 480)])
def test_a_rule_may_ask_for_a_recent_sign_in(said: str, minutes: int) -> None:
    for asks in ("caller", "another"):
        (rule,) = rules_in(f"changes: [{{ask: {asks}, fresh: {said}}}]", "roles.yaml", TOOLSETS, ROLES)
        assert rule.fresh == minutes


@pytest.mark.parametrize(
    "said", ["0", "481", "-5", "1.5", "ten", "''", "[10]", "{a: 1}", "1_0", "010", "٣", "9" * 5000]
)
def test_a_recent_sign_in_is_a_number_of_minutes(said: str) -> None:
    with pytest.raises(Refusal, match="fresh must be a number of minutes from 1 to 480"):
        rules(f"changes: [{{ask: another, fresh: {said}}}]")


def test_nobody_has_signed_in_lately_where_nobody_is_asked() -> None:
    with pytest.raises(Refusal, match="cannot be combined with ask: nobody"):
        rules("changes: [{ask: nobody, fresh: 5}]")


def test_a_recent_sign_in_stays_asked_for_when_another_person_is_needed_besides() -> None:
    said = rules("changes: [{ask: caller, fresh: 5}]")
    plan = Plan.of("devops-git", "delete_branch", "destroy", {}, Preview(what="it", missing=["x"]))
    need = Approvals(rules=said).need(ADA, plan, Access.DESTROY)
    assert (need.asks, need.fresh) == (RequiredApprover.ANOTHER, 5)
    assert Approvals(rules=said, is_laptop=True).need(ANONYMOUS, plan, Access.DESTROY).fresh == 0


@pytest.mark.parametrize("places", [{}, {"project": None}, {"project": "Web"}], ids=["unnamed", "unknown", "named"])
@pytest.mark.parametrize("missing", [[], ["the policies"]], ids=["complete", "incomplete"])
@pytest.mark.parametrize("toolset", ["devops-git", "an-extension"])
@pytest.mark.parametrize(
    "caller",
    [
        ADA,
        Caller(CallerKind.APP, "home", "app"),
        Caller(CallerKind.USER, "home", "ada", agent=Agent("agent")),
        Caller(CallerKind.USER, "home", "account", agent=Agent("agent"), is_agents_account=True),
    ],
    ids=["person", "program", "agent for a person", "account of an agent"],
)
@pytest.mark.parametrize(
    "rule",
    [
        "{in: {project: Web}, ask: another, of: [Admin], fresh: 10}",
        "{in: {project: Web}, ask: caller, fresh: 10}",
    ],
    ids=["another", "caller"],
)
def test_who_agrees_and_how_fresh_stays_as_a_rule_says(
    rule: str, caller: Caller, toolset: str, missing: list[str], places: dict[str, Any]
) -> None:
    plan = Plan.of(toolset, "x", "write", {}, Preview(what="it", places=places, missing=missing))
    found = Approvals(rules(f"changes: [{rule}, {{preset: production}}]")).need(caller, plan, Access.WRITE)
    assert found.asks is not RequiredApprover.NOBODY
    assert found.fresh == 10
    assert found.of == (("Admin",) if "Admin" in rule else ())
