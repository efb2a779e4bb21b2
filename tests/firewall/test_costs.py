"""What reading a file of many rules costs, in counts of what is made and done for each of its values."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType

import pytest

from firewall.document import add_rules
from firewall.rule import FirewallRule
from firewall.yaml_node import YamlNode
from firewall.yaml_text import read_tree
from refusal import Refusal
from tests.shifts import Steps

RULES = 500
TEXT = "rules:\n" + "".join(
    f"  - team: payments\n    source: 10.0.{n // 250}.{n % 250}\n    destination: 52.1.2.3\n    port: 443\n"
    for n in range(RULES)
)
SCALARS = 8 * RULES


def nodes(root: YamlNode) -> Iterator[YamlNode]:
    left = [root]
    while left:
        node = left.pop()
        yield node
        left += node.children


def test_only_lists_and_mappings_have_containers_of_their_own() -> None:
    root = read_tree(TEXT).root
    assert root is not None
    scalars = [node for node in nodes(root) if not node.children]
    assert len(scalars) == SCALARS + 1
    for field in ("children", "members", "rule_fields"):
        assert len({id(getattr(node, field)) for node in scalars}) == 1


def test_the_type_of_a_value_is_looked_for_at_most_once() -> None:
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _argument: object) -> None:
        calls[frame.f_code.co_name] += event == "call"

    sys.setprofile(count)
    try:
        changed = add_rules(TEXT, FirewallRule("payments", "10.9.0.0/24", "52.1.2.3"))
    finally:
        sys.setprofile(None)
    assert changed.added == 1
    assert SCALARS / 2 < calls["tag_of"] <= SCALARS


def test_others_have_a_turn_all_the_while_that_a_file_is_read() -> None:
    shifts = Steps()
    assert shifts.do(add_rules, TEXT, FirewallRule("payments", "10.9.0.0/24", "52.1.2.3")).added == 1
    # Its values are read twice, before and after the change, and its rules are looked at in between.
    assert shifts.pauses > 2 * SCALARS / 50 + RULES


def test_others_have_a_turn_before_a_file_is_refused() -> None:
    shifts = Steps()
    with pytest.raises(Refusal, match="as a key"):
        shifts.do(
            add_rules, "a: [" + "b, " * 5_000 + "{? [c] : d}]", FirewallRule("payments", "10.9.0.0/24", "52.1.2.3")
        )
    assert shifts.pauses > 5_000 / 50
