"""Where a rule goes in a rules file, and how it is written there."""

import subprocess
import sys
from pathlib import Path

import pytest

from firewall.document import add_rules
from firewall.rule import FirewallRule
from tests.firewall.judges import complaints, entry, read_1_1, read_1_2, same, with_rule
from tests.sweeps import Sweep

pytestmark = pytest.mark.usefixtures("parser")

RULE = FirewallRule("payments", "10.0.0.0/24", "52.1.2.3")
IPV6_RULE = FirewallRule("ops", "::1", "2001:db8::/32", 8080)

NEW_FILE = """\
---
rules:
  - team: payments
    source: 10.0.0.0/24
    destination: 52.1.2.3
    port: 443
"""

# Each shows where the rule went by lines that start with >, which the file did not have before.
ADDED = {
    "after the last rule and before the comment of the next key": """\
# Reviewed by security
owner: network
rules:
  - team: search
    source: 10.1.0.0/24
    destination: 52.1.2.4
    port: 80  # until spring
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443

# Who to ask
contact: ops
""",
    "at the indentation of the dash, of the keys and of their values": """\
rules:
    -   team:        search
        source:      10.1.0.0/24
        destination: 52.1.2.4
        port:        80
>    -   team:        payments
>        source:      10.0.0.0/24
>        destination: 52.1.2.3
>        port:        443
""",
    "without indentation where the file has none": """\
rules:
- team: search
  source: 10.1.0.0/24
  destination: 52.1.2.4
  port: 80
>- team: payments
>  source: 10.0.0.0/24
>  destination: 52.1.2.3
>  port: 443
other: 1
""",
    "in the order and the quotes of the last rule": """\
rules:
  - team: a
    port: 1
  - port: "80"
    destination: '52.1.2.4'
    note: kept
    'team': "search"
>  - port: 443
>    destination: '52.1.2.3'
>    'team': "payments"
>    source: 10.0.0.0/24
""",
    "below a blank line where the rules are apart": """\
rules:

  - team: a
    source: 10.1.0.0/24

  # the second
  - team: b
    source: 10.1.0.0/24
>
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443

other: 1
""",
    "close to the last rule where only groups are apart": """\
rules:
  - team: a

  - team: b
  # the third
  - team: c
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
    "after comments inside the last rule and before those at its dash": """\
rules:
  - team: search
    # a note on search

    # another
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
  # - team: retired
""",
    "in braces where the last rule is": """\
rules:
  - { team: search, source: 10.1.0.0/24, 'port': 80 }
>  - { team: payments, source: 10.0.0.0/24, 'port': 443, destination: 52.1.2.3 }
""",
    "after a list, a text, a null and an alias": """\
base: &base
  team: search
rules:
  - [a, b]
  - text
  -
  - *base
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
    "as the last rule written out, not as an alias after it": """\
base: &base {team: search}
rules:
  - &one
      &key source: '10.1.0.0/24'
      team: &name search
      destination:
        52.1.2.4
  - *base
>  -   source: '10.0.0.0/24'
>      team: payments
>      destination: 52.1.2.3
>      port: 443
""",
    "after a block of text and the blank lines that belong to it": """\
rules:
  - team: search
    note: |+
      kept

>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
# end
""",
    "next to its dash where the last rule stands too close below it": """\
rules:
-
 team: search
>- team: payments
>  source: 10.0.0.0/24
>  destination: 52.1.2.3
>  port: 443
""",
    "below a key in quotes": """\
"rules":
  - team: search
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
    "below a key with a question mark": """\
? rules
: - team: search
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
    "before the end of the document": """\
%YAML 1.2
---
rules:
  - team: search
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
...
# end
""",
    "as the first below a key without a value": """\
rules:  # none yet
  # add yours here
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
# next
other: 1
""",
    "as the first, indented like the rest of the file": """\
contacts:
    - ops
rules:
>    - team: payments
>      source: 10.0.0.0/24
>      destination: 52.1.2.3
>      port: 443
""",
    "below a new key at the end": """\
owner: network
tags:
- a
# end
>rules:
>- team: payments
>  source: 10.0.0.0/24
>  destination: 52.1.2.3
>  port: 443
""",
    "below a new key after a key with a question mark": """\
? owner
: network
>rules:
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
    "below a new key after a list with an anchor": """\
tags: &tags
  - a
all:
    - *tags
>rules:
>    - team: payments
>      source: 10.0.0.0/24
>      destination: 52.1.2.3
>      port: 443
""",
    "below a new key before the end of the document": """\
 owner: network
> rules:
>   - team: payments
>     source: 10.0.0.0/24
>     destination: 52.1.2.3
>     port: 443
...
""",
    "below a new key in a document that holds nothing": """\
---
# Firewall rules
>rules:
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
    "in a new document after nothing but comments": """\
# Firewall rules
>---
>rules:
>  - team: payments
>    source: 10.0.0.0/24
>    destination: 52.1.2.3
>    port: 443
""",
}

REPLACED = {
    "rules: []\n": "rules:\n",
    "rules: [ ]  # none\nother: 1\n": "rules:  # none\n",
    "rules: ~ # none\n  # add yours here\n": "rules: # none\n  # add yours here\n",
    "rules: null\n": "rules:\n",
    "rules:\n  []\n": "rules:\n",
}

# Teams that YAML would read as something else, or not at all, if they stood there without quotes.
TEAMS = [
    *"on off yes No y N true FALSE null Null ~ 123 1e3 1_000 0x1F 0o17 017 0b1 1.5 .5 .inf -.INF .nan 1:30".split(),
    *"190:20:30 2026-01-01 2026-01-01T00:00:00Z = << <<< * *a & &a ! !x !!str | > % %x @ @x ` `x - -- --- ...".split(),
    *"? : :x x: a:b # #x a#b [ [] ] { {} } , a,b ' '' it's a/b a.b Müller 支付 😀".split(),
    *('"', '""', '"a"', "\\", "a\\b", "- x", "a: b", "a :b", "a #b", "? a", "a, b", "a  b"),
    *(character * 64 for character in "x'\"\\"),
]


def before(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(">"))


def after(text: str) -> str:
    return "".join(line.removeprefix(">") for line in text.splitlines(keepends=True))


@pytest.mark.parametrize("blank", ["", "\n", " \t\r\n\n"])
def test_blank_text_becomes_a_new_file(blank: str) -> None:
    change = add_rules(blank, RULE)
    assert (change.action, change.text) == ("created", NEW_FILE)
    assert complaints(change.text) == []


def test_a_byte_order_mark_stays_at_the_start() -> None:
    assert add_rules("\ufeff", RULE).text == "\ufeff" + NEW_FILE
    assert add_rules("\ufeff" + NEW_FILE, IPV6_RULE).text.startswith("\ufeff" + NEW_FILE)
    assert add_rules("\ufeff" + NEW_FILE, RULE).action == "duplicate_detected"


@Sweep("line_end", ["\n", "\r\n", "\r"], every=2)
@pytest.mark.parametrize("text", ADDED.values(), ids=ADDED)
def test_a_rule_is_added(text: str, line_end: str) -> None:
    old, new = (part.replace("\n", line_end) for part in (before(text), after(text)))
    change = add_rules(old, RULE)
    assert (change.action, change.text) == ("updated", new)
    assert same(read_1_1(new), with_rule(read_1_1(old), RULE))
    assert same(read_1_2(new), with_rule(read_1_2(old), RULE))


@pytest.mark.parametrize(("old", "start"), REPLACED.items())
def test_an_empty_list_and_a_null_make_room_for_the_first_rule(old: str, start: str) -> None:
    change = add_rules(old, RULE)
    assert change.action == "updated"
    assert change.text.startswith(start + "  - team: payments\n")
    assert same(read_1_1(change.text), with_rule(read_1_1(old), RULE))


def test_a_file_without_a_last_line_break_gets_none() -> None:
    assert add_rules(NEW_FILE.rstrip(), IPV6_RULE).text == add_rules(NEW_FILE, IPV6_RULE).text.rstrip()
    assert add_rules("rules:", RULE).text == NEW_FILE.removeprefix("---\n").rstrip()
    assert add_rules("# c", RULE).text == "# c\n" + NEW_FILE.rstrip()


def test_where_line_ends_are_mixed_the_new_lines_end_like_the_last_rule() -> None:
    old = "rules:\n- team: a\n  port: 1\r\nother: 1\n"
    new = add_rules(old, RULE).text
    assert new.startswith("rules:\n- team: a\n  port: 1\r\n- team: payments\r\n")
    assert new.endswith("\r\n  port: 443\r\n  source: 10.0.0.0/24\r\n  destination: 52.1.2.3\r\nother: 1\n")


def test_addresses_stay_as_they_are_spelled_and_ipv6_is_quoted() -> None:
    text = add_rules("", FirewallRule("ops", "2001:DB8:0:0::1", "1:2:3:4:5:6:7:8")).text
    assert '    source: "2001:DB8:0:0::1"\n    destination: "1:2:3:4:5:6:7:8"\n' in text


def test_a_value_that_needs_quotes_gets_those_the_last_rule_uses() -> None:
    assert "  source: '::1'\n" in add_rules("rules:\n- team: 'x'\n  source: 10.0.0.1\n", IPV6_RULE).text
    assert '  source: "::1"\n' in add_rules('rules:\n- team: "x"\n  source: 10.0.0.1\n', IPV6_RULE).text


@pytest.mark.parametrize("start", ["", "rules:\n- team: 'x'\n", 'rules:\n- team: "x"\n', "rules:\n- {team: x}\n"])
@Sweep("team", TEAMS, every=4)
def test_a_team_is_read_back_as_the_same_text(team: str, start: str) -> None:
    rule = FirewallRule(team, "::1", "1::")
    text = add_rules(start, rule).text
    assert read_1_1(text)["rules"][-1] == entry(rule)
    assert read_1_2(text)["rules"][-1] == entry(rule)
    assert start or complaints(text) == []
    assert add_rules(text, rule).action == "duplicate_detected"


def test_other_values_of_every_type_survive() -> None:
    old = (
        "date: 2026-01-01\nnumber: [1, 0x1F, 1e3, .nan, .inf, 1:30]\nkey: {1: a, true: b, ~: c}\n"
        "safe: !vault x\n? !x a\n: 1\n? !y a\n: 2\n"
    )
    assert add_rules(old, RULE).text == old + NEW_FILE.removeprefix("---\n")


def test_nothing_that_reads_yaml_is_imported_before_a_rule_is_added() -> None:
    program = "import sys, firewall.document, firewall.schema; print('yaml' in sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
