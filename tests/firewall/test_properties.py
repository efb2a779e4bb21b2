"""What holds for every rule, for files in every style, and for any text at all."""

import os
import re
from collections.abc import Iterable
from functools import reduce
from ipaddress import IPv4Address, IPv6Address, ip_network

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from firewall.address import ADDRESS_PATTERN
from firewall.document import add_rules
from firewall.rule import FIELDS, TEAM_PATTERN, FirewallRule
from refusal import Refusal
from tests.firewall.judges import complaints, entry, read_1_1, read_1_2, same, with_rule

# The nightly workflow tries many more.
few = settings(
    max_examples=int(os.environ.get("FUZZ_RULES_FILES", "20")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

teams = (
    st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="'\"\\") | st.just(" "), min_size=1)
    .map(lambda text: text.strip()[:64].strip())
    .filter(bool)
) | st.sampled_from(["payments", "on", "0x1F", "a: b", "- x", "it's", '"x" \\', "~", "1:30"])


@st.composite
def addresses(draw: st.DrawFn) -> str:
    # Drawn as numbers: `st.ip_addresses` takes most of the time that a file takes to draw.
    address = draw(st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address))
    block = ip_network((address, draw(st.integers(0, address.max_prefixlen))), strict=False)
    spelling = draw(st.sampled_from([str(address), address.exploded, str(block), block.exploded]))
    return draw(st.sampled_from([spelling, spelling.upper()]))


rules = st.builds(FirewallRule, teams, addresses(), addresses(), st.integers(1, 65535))

comments = st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), max_size=10).map(
    lambda text: f"# {text}"
)


@st.composite
def scalars(draw: st.DrawFn, value: str | int) -> str:
    if isinstance(value, int):
        return draw(st.sampled_from([str(value), f"'{value}'", f'"{value}"']))
    double = yaml.dump(value, default_style='"', allow_unicode=True, width=1000).strip()
    return draw(st.sampled_from([double, "'" + value.replace("'", "''") + "'"]))


@st.composite
def entries(draw: st.DrawFn, dash: int, gap: int) -> list[str]:
    """One rule as lines: fields in any order, with any of them missing, other keys, comments, or all in braces."""
    values = entry(draw(rules)) | {"note": draw(teams)}
    names = draw(st.permutations([*FIELDS, "note"]))[: draw(st.integers(1, 5))]
    space = " " * draw(st.integers(1, 3))
    fields = [f"{name}:{space}{draw(scalars(values[name]))}" for name in names]
    if draw(st.integers(0, 5)) == 0:
        return [" " * dash + "-" + " " * gap + "{" + ", ".join(fields) + "}"]
    indent = " " * (dash + 1 + gap)
    lines = [indent + field + draw(st.just("") | comments.map(lambda text: "  " + text)) for field in fields]
    lines[0] = " " * dash + "-" + " " * gap + lines[0].lstrip(" ")
    return lines + draw(st.just([]) | st.lists(comments.map(lambda text: indent + text), max_size=1))


@st.composite
def blocks(draw: st.DrawFn, name: str) -> list[str]:
    """Another key of the file, with a value of some type."""
    values = [
        "1",
        "2026-01-01",
        "{a: [1, .nan], b: ~}",
        f"&{name} x",
        "'# no'",
        "|\n  text\n\n",
        "\n  - a\n  - b: 1",
        "\n# c",
    ]
    return f"{name}: {draw(st.sampled_from(values))}".split("\n")


@st.composite
def files(draw: st.DrawFn) -> str:
    dash, gap = draw(st.integers(0, 4)), draw(st.integers(1, 3))
    between: list[str] = draw(st.sampled_from([[], [""], [" " * dash + "# next"], ["", "# far"]]))
    lines = [*draw(st.sampled_from([[], ["---"], ["# top", "---"]])), *draw(st.just([]) | blocks("before"))]
    lines.append(draw(st.sampled_from(["rules:", "'rules':", "rules:  # all"])))
    for number in range(draw(st.integers(1, 3))):
        lines += [*(between if number else []), *draw(entries(dash, gap))]
    lines += [*draw(st.sampled_from([[], ["# end"], ["", "# end", ""]])), *draw(st.just([]) | blocks("after"))]
    line_ends = st.sampled_from(draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"]])))
    text = "".join(line + draw(line_ends) for line in lines)
    return draw(st.sampled_from(["", "\ufeff"])) + draw(st.sampled_from([text, text.rstrip()]))


@st.composite
def damaged_files(draw: st.DrawFn) -> str:
    text = draw(files())
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        piece = draw(
            st.text(max_size=3) | st.sampled_from([": ", "- ", "\n", "\t", "*x", "&x ", "!x ", "---\n", "...\n"])
        )
        text = text[:start] + piece + text[start + draw(st.integers(0, 5)) :]
    return text


def added_one_by_one(text: str, several: Iterable[FirewallRule]) -> tuple[str, list[FirewallRule]]:
    """A file to which one rule after another was added, and those of them that it did not have."""
    new = []
    for rule in several:
        change = add_rules(text, rule)
        text = change.text
        new += [rule] * change.added
    return text, new


def keeps_every_character(old: str, new: str) -> bool:
    """Whether the new text is the old one with something put in at one place."""
    kept = next((place for place, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    return new.endswith(old[kept:])


@few
@given(st.lists(rules, min_size=1, max_size=3))
def test_a_new_file_is_clean_while_it_grows_and_says_the_same_in_every_version_of_yaml(
    several: list[FirewallRule],
) -> None:
    text, new = added_one_by_one("", several)
    assert complaints(text) == []
    assert read_1_1(text) == read_1_2(text) == {"rules": [entry(rule) for rule in new]}


@few
@given(files(), st.lists(rules, min_size=1, max_size=3))
def test_rules_are_added_at_one_place_of_a_file_in_any_style_at_once_or_one_by_one_and_only_once(
    old: str, several: list[FirewallRule]
) -> None:
    at_once, (one_by_one, new) = add_rules(old, *several), added_one_by_one(old, several)
    assert at_once.added == len(new)
    assert keeps_every_character(old, at_once.text)
    wanted = reduce(with_rule, new, read_1_1(old))
    assert same(read_1_1(at_once.text), wanted)
    assert same(read_1_1(one_by_one), wanted)
    assert same(read_1_2(at_once.text), reduce(with_rule, new, read_1_2(old)))
    again = add_rules(at_once.text, *several)
    assert (again.action, again.text) == ("duplicate_detected", at_once.text)


@few
@given(damaged_files() | st.text(), rules)
@example("? \n", FirewallRule("a", "::", "::"))
@example("rules:\n- note: |\n    text", FirewallRule("a", "::", "::"))
def test_any_text_is_refused_or_keeps_what_it_said(old: str, rule: FirewallRule) -> None:
    try:
        change = add_rules(old, rule)
    except Refusal:
        return
    try:
        known = read_1_1(old) if old.strip() else None
    except (yaml.YAMLError, ValueError):
        # It stands on the parser's level, but is more than PyYAML can construct, such as a key that is a list.
        return
    if change.action == "duplicate_detected":
        assert change.text == old
    else:
        assert same(read_1_1(change.text), with_rule(known, rule))


@few
@given(addresses(), teams)
def test_the_patterns_let_through_whatever_a_rule_takes(address: str, team: str) -> None:
    assert re.search(ADDRESS_PATTERN, address)
    assert re.search(TEAM_PATTERN, team)
