"""When a rule is already in a file, and when it only looks so."""

import pytest

from firewall.document import add_rule
from firewall.rule import Rule

pytestmark = pytest.mark.usefixtures("parser")

RULE = Rule("payments", "10.0.0.0/24", "52.1.2.3")


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
    change = add_rule(text, RULE)
    assert (change.action, change.text) == ("duplicate_detected", text)


@pytest.mark.parametrize("spelling", ["2001:db8::1", "'2001:DB8:0::1'", "2001:0db8::0001/128", '"2001:db8::0.0.0.1"'])
def test_equal_addresses_in_another_spelling_are_the_same_rule(spelling: str) -> None:
    text = f"rules:\n- {{team: ops, source: {spelling}, destination: 10.0.0.1/32}}\n"
    assert add_rule(text, Rule("ops", "2001:DB8::1", "10.0.0.1")).action == "duplicate_detected"


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
        "{? [a] : 1, team: payments}",
    ],
)
def test_an_odd_entry_is_no_duplicate_and_no_error(odd: str) -> None:
    old = f"rules:\n- {odd}\n"
    change = add_rule(old, RULE)
    assert change.action == "updated"
    assert change.text.startswith(old)


def test_a_number_is_not_the_team_with_the_same_digits() -> None:
    text = "rules:\n- {team: 123, source: 10.0.0.1, destination: 10.0.0.2}\n"
    assert add_rule(text, Rule("123", "10.0.0.1", "10.0.0.2")).action == "updated"
