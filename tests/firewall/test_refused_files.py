"""Rules files to which no rule is added, and what the caller is told."""

import re

import pytest

from firewall.document import add_rules
from firewall.rule import FirewallRule
from firewall.yaml_text import MAX_BYTES
from refusal import Refusal

pytestmark = pytest.mark.usefixtures("parser")

RULE = FirewallRule("payments", "10.0.0.0/24", "52.1.2.3")

BILLION = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{below}'] * 9)}]\n" for below, name in zip("abcdefgh", "bcdefghi", strict=True)
)

# The places that both parsers give alike; their words for what is wrong differ.
BROKEN = {
    "a: [b\n": "line 2, column 1",
    "rules:\n  - team: a\n   port: 1\n": "line 3, column 4",
    "rules:\n- team: a: b\n": "line 2, column 10",
    'a: "b\n': "line 2, column 1",
    "a: 'b\n": "line 2, column 1",
    "rules:\n- &a\n  team: %x\n": "line 3, column 9",
    "a: |x\n b\n": "line 1, column 5",
    "@\n": "line 1, column 1",
    "a: !<x\n": "line 1, column",
    'a: "\\q"\n': "line 1, column",
    "rules:\n\t- team: a\n": "line 2, column 1: a tab where only spaces are allowed",
}

UNSAFE = {
    "- team: a\n": "contains a list from line 1 on. The file needs a line 'rules:'",
    "# c\n{}\n": "contains a mapping in braces from line 2 on",
    '{"rules": []}\n': "contains a mapping in braces from line 1 on",
    "text\n": "contains the value 'text' from line 1 on",
    "--- ~\n": "contains the value '~' from line 1 on",
    "--- &a\n": "contains a value with the anchor &a from line 1 on",
    "a: 1\n---\nb: 1\n": "second YAML document starts at line 2",
    "rules:\n- team: a\n---\n": "second YAML document starts at line 3",
    "x: 1\nrules: [{team: a}]\n": "`rules` of the rules file contains a list in brackets at line 2",
    "rules: [ # none\n]\n": "contains a list in brackets at line 1",
    "rules: {team: a}\n": "contains a mapping in braces at line 1",
    "rules:\n  team: a\n": "contains a mapping at line 2",
    "rules: none\n": "contains the value 'none' at line 1",
    'rules: ""\n': "contains the value '' at line 1",
    "rules: 'null'\n": "contains the value 'null' at line 1",
    "a: &a []\nrules: *a\n": "contains the alias *a at line 2",
    "rules: &a\n- team: a\ncopy: *a\n": "contains a value with the anchor &a at line 1",
    "rules: &a\ncopy: *a\n": "contains a value with the anchor &a at line 1",
    "rules: !!seq\n- team: a\n": "contains a value with a tag at line 1",
    "rules: !!null\n": "contains a value with a tag at line 1",
    "base: &base {rules: []}\n<<: *base\n": "Line 2 of the rules file merges another mapping",
    "a: 1\nb: 2\na: 3\n": "Lines 1 and 3 of the rules file have the same key, 'a',",
    "rules: []\n'rules': []\n": "Lines 1 and 2 of the rules file have the same key, 'rules',",
    "rules:\n- {team: a, team: b}\n": "Lines 2 and 2 of the rules file have the same key, 'team',",
    "x: [{&a y: 1, *a : 2}]\n": "the same key, 'y',",
    "? [a]\n: 1\n": "Line 1 of the rules file has a list or a mapping as a key",
    "a: 1\n? - a\n: 2\n": "Line 2 of the rules file has a list or a mapping as a key",
    "rules:\n- {? {a: 1} : 1, team: payments}\n": "Line 2 of the rules file has a list or a mapping as a key",
    "a: &a [1]\n*a : 2\n": "Line 2 of the rules file has a list or a mapping as a key",
    "? " * 49 + "{" + "a: 1," * 20_000 + "}\n": "Line 1 of the rules file has a list or a mapping as a key",
    "%TAG !a! b\n" * 11 + "---\n": "more than 10 lines that start with %",
    "a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n": "Lines 3 and 4 of the rules file have the same key, '<<',",
    "a: *b\n": "alias *b at line 1 of the rules file refers to an anchor that is not defined before the alias",
    "a: *b\nb: &b 1\n": "alias *b at line 1 of the rules file refers to an anchor that is not defined before the alias",
    "a: &a\n  b: [*a]\n": "alias *a at line 2 of the rules file refers to itself",
    BILLION: "more than 15,000 keys and values, including the targets of aliases",
    "-\n" * 15_001: "more than 15,000 keys and values",
    "a: " + "[" * 50_000: "Line 1 of the rules file is nested more than 50 levels deep",
    "{a: " * 20_000: "nested more than 50 levels deep",
    "- " * 50_000: "nested more than 50 levels deep",
    "".join(" " * level + "a:\n" for level in range(100)): "Line 51 of the rules file is nested more than 50 levels",
    "rules:\n- team: a\n# c\n- note: |\n    cut off": "after line 5 would change the meaning of lines that",
    "k: 1\nrules: []# none\n": "after line 2 would change the meaning of lines that",
    "note: >\n  cut off": "after line 2 would change the meaning of lines that",
    "# \u00e9\na: \x00\n": "Line 2 of the rules file has the character U+0000",
    "a: 1\r\nb: \x1b[0m\r\n": "Line 2 of the rules file has the character U+001B",
    "a: \x7f\n": "U+007F",
    "a: \ud800\n": "U+D800",
    "a: b\u0085c\n": "U+0085",
    "# a\u2028rules: []\n": "U+2028",
    "a: 1\n\ufeffb: 2\n": "Line 2 of the rules file has the character U+FEFF",
    "a: \uffff\n": "U+FFFF",
    "#" * (MAX_BYTES + 1): "contains 131,073 bytes; at most 131,072 are allowed",
    "#" + "é" * (64 * 1024): "contains 131,073 bytes",
    "#" * MAX_BYTES: "contains 131,166 bytes",
}

TABS = [
    "rules:\n- team:\ta\n",
    "rules:\n-\tteam: a\n",
    "a: 1\t# c\n",
    "a: b\tc\n",
    "a: b#c\td\n",
    "a: [1,\t2]\n",
    "a: 'x'\t\n",
    "a: 1\n\t\n",
]

KEPT_TABS = [
    "# a\tb\n",
    "a: 1  #\tc\n",
    "a: 'x\ty'\n",
    'a: "x\ty" # \t\n',
    "a: |\n  x\ty\nb: >-\n  z\n  \ty\n",
    "a: b#c # \t\n",
]


def refusal_of(text: str) -> str:
    with pytest.raises(Refusal) as refused:
        add_rules(text, RULE)
    return str(refused.value)


@pytest.mark.parametrize(("text", "place"), BROKEN.items(), ids=range(len(BROKEN)))
def test_broken_yaml_is_refused_with_its_place(text: str, place: str) -> None:
    told = refusal_of(text)
    assert told.startswith("The rules file is not valid YAML at line ")
    assert place in told
    assert told.endswith("Correct the file there and try again.")


def test_an_escape_out_of_range_is_refused() -> None:
    assert refusal_of('a: "\\UFFFFFFFF"\n').startswith("The rules file is not valid YAML")
    assert refusal_of('a: "\\U00110000"\n').startswith("The rules file is not valid YAML")
    assert refusal_of("%YAML 1." + "1" * 5000 + "\n---\na: b\n").startswith("The rules file is not valid YAML")


@pytest.mark.parametrize(("text", "reason"), UNSAFE.items(), ids=range(len(UNSAFE)))
def test_a_file_that_no_rule_can_be_added_to_safely_is_refused_with_the_reason(text: str, reason: str) -> None:
    told = refusal_of(text)
    assert reason in told
    assert len(told) < 400


@pytest.mark.parametrize("text", TABS)
def test_a_tab_that_readers_may_differ_about_is_refused(text: str) -> None:
    assert re.search(r"line \d.* tab", refusal_of(text), re.IGNORECASE)


@pytest.mark.parametrize("text", KEPT_TABS)
def test_a_tab_in_a_comment_in_quotes_or_in_a_block_of_text_is_kept(text: str) -> None:
    assert add_rules(text, RULE).text.startswith(text)


def test_a_file_of_the_greatest_size_is_read() -> None:
    rules = add_rules("", RULE).text
    padding = "#" * (MAX_BYTES - len(rules) - 1) + "\n"
    assert add_rules(padding + rules, RULE).action == "duplicate_detected"


def test_a_long_file_with_a_few_aliases_is_read() -> None:
    text = "a: [" + "1," * 14_000 + "]\nb: &b [1]\nc: [*b, *b]\n"
    assert add_rules(text, RULE).text.startswith(text)


def test_a_file_of_a_thousand_rules_is_read() -> None:
    text = "".join(
        f"  - team: team-{number}\n    source: 10.{number % 256}.{number // 256}.0/24\n    destination: 52.1.2.3\n"
        f"    port: {number + 1}\n"
        for number in range(1_000)
    )
    assert add_rules(f"rules:\n{text}", RULE).text.startswith(f"rules:\n{text}")
