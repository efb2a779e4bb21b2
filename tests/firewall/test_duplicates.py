"""When a rule is already in a file, and when it only looks so."""

import pytest

from firewall.document import add_rules
from firewall.rule import FirewallRule
from firewall.rules_file import PlacedRule

pytestmark = pytest.mark.usefixtures("parser")

RULE = FirewallRule("payments", "10.0.0.0/24", "52.1.2.3")


@pytest.mark.parametrize(
    "text",
    [
        "---\nrules:\n  - team: payments\n    source: 10.0.0.0/24\n    destination: 52.1.2.3\n    port: 443\n",
        "rules: [{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3}]",
        "rules:\n- destination: '52.1.2.3/32'\n  team: |-\n    payments\n  source: 10.0.0.0/24\n  port: '443'\n",
        "rules:\n- destination: 52.1.2.3\n  team: payments\n  source: 10.0.0.0/24\n  note: x\n- team: other\n",
        "rules:\n- {team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, port: ~}\n",
        "rules: &all\n- &one {team: payments, source: &s 10.0.0.0/24, destination: 52.1.2.3}\ncopy: *all\n",
        "all: &all\n- {team: payments, source: 10.0.0.0/24, destination: 52.1.2.3}\nrules: *all\n",
        "a: &a {team: payments, port: 1}\nb: &b {port: 443, source: 10.0.0.0/24}\n"
        "rules:\n- <<: [*b, *a]\n  destination: 52.1.2.3\n",
        "a: &a {port: 1}\nb: &b {<<: *a, port: 443}\n"
        "rules:\n- {team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, <<: *b}\n",
        "base: &base {team: payments, source: 10.0.0.0/24, destination: 52.1.2.3}\nrules:\n- *base\n",
        "t: &t payments\nrules:\n- {team: *t, source: 10.0.0.0/24, destination: 52.1.2.3}\n",
    ],
)
def test_a_rule_that_is_there_leaves_every_byte(text: str) -> None:
    change = add_rules(text, RULE)
    assert (change.action, change.text) == ("duplicate_detected", text)


@pytest.mark.parametrize("spelling", ["2001:db8::1", "'2001:DB8:0::1'", "2001:0db8::0001/128", '"2001:db8::0.0.0.1"'])
def test_equal_addresses_in_another_spelling_are_the_same_rule(spelling: str) -> None:
    text = f"rules:\n- {{team: ops, source: {spelling}, destination: 10.0.0.1/32}}\n"
    assert add_rules(text, FirewallRule("ops", "2001:DB8::1", "10.0.0.1")).action == "duplicate_detected"


@pytest.mark.parametrize(
    "odd",
    [
        "{}",
        "[payments, 10.0.0.0/24, 52.1.2.3, 443]",
        "payments",
        "null",
        "{team: payments, source: 10.0.0.0/24}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, port: 80}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, port: https}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, port: [443]}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, port: 443.0}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, port: " + "9" * 5000 + "}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.300}",
        "{team: payments, source: 10.0.0.0/255.255.255.0, destination: 52.1.2.3}",
        "{team: payments, source: 10.0.0.1/24, destination: 52.1.2.3}",
        "{team: payments, source: [10.0.0.0/24], destination: 52.1.2.3}",
        "{team: payments, source: 52.1.2.3, destination: 10.0.0.0/24}",
        "{team: Payments, source: 10.0.0.0/24, destination: 52.1.2.3}",
        "{team: [payments], source: 10.0.0.0/24, destination: 52.1.2.3}",
        "{team: payments, Source: 10.0.0.0/24, destination: 52.1.2.3}",
        "{team: payments, source: 10.0.0.0/24, destination: 52.1.2.3, <<: 1, port: 1}",
    ],
)
def test_an_odd_entry_is_no_duplicate_and_no_error(odd: str) -> None:
    old = f"rules:\n- {odd}\n"
    change = add_rules(old, RULE)
    assert change.action == "updated"
    assert change.text.startswith(old)


def test_a_number_is_not_the_team_with_the_same_digits() -> None:
    text = "rules:\n- {team: 123, source: 10.0.0.1, destination: 10.0.0.2}\n"
    assert add_rules(text, FirewallRule("123", "10.0.0.1", "10.0.0.2")).action == "updated"


@pytest.mark.parametrize(
    ("entry", "team"),
    [
        ("{team: billing, source: 10.0.0.0/24, destination: 52.1.2.3/32, port: 443}", "billing"),
        ("{source: 10.0.0.0/24, destination: 52.1.2.3}", None),
        ("{team: 123, source: 10.0.0.0/24, destination: 52.1.2.3}", None),
    ],
)
def test_an_equal_flow_for_another_team_or_none_is_told_with_its_line(entry: str, team: str | None) -> None:
    change = add_rules(f"rules:\n- {entry}\n", RULE)
    assert (change.action, change.added, change.others) == ("updated", 1, (PlacedRule(team, 2),))


def test_a_rule_that_is_there_is_still_told_of_other_teams() -> None:
    flow = "source: 10.0.0.0/24, destination: 52.1.2.3"
    change = add_rules(f"rules:\n- {{team: payments, {flow}}}\n- {{team: billing, {flow}}}\n", RULE)
    assert (change.action, change.others) == ("duplicate_detected", (PlacedRule("billing", 3),))


def test_of_several_rules_each_is_added_once_and_those_that_are_there_not_at_all() -> None:
    first = add_rules("", RULE).text
    other = FirewallRule("payments", "10.0.0.0/24", "52.1.2.4")
    change = add_rules(first, other, RULE, FirewallRule("payments", "10.0.0.0/24", "52.1.2.4/32"))
    assert (change.action, change.added) == ("updated", 1)
    assert change.text == add_rules(first, other).text
