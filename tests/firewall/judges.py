"""Other readers of YAML, which say what a text means without the code under test."""

from typing import Any

import yaml
from ruamel.yaml import YAML
from yamllint import config, linter  # type: ignore[import-untyped]  # it ships no types

from firewall.rule import FirewallRule

_DEFAULT_RULES = config.YamlLintConfig("extends: default")


def read_1_1(text: str) -> Any:
    return yaml.safe_load(text)


def read_1_2(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def same(one: object, other: object) -> bool:
    """Whether two constructed documents are equal, counting one not-a-number as equal to another."""
    return yaml.safe_dump(one) == yaml.safe_dump(other)


def entry(rule: FirewallRule) -> dict[str, str | int]:
    return {"team": rule.team, "source": rule.source, "destination": rule.destination, "port": rule.port}


def with_rule(document: Any, rule: FirewallRule) -> dict[str, object]:
    known = document or {}
    return {**known, "rules": [*(known.get("rules") or []), entry(rule)]}


def complaints(text: str) -> list[str]:
    """What yamllint has against a text by its default rules."""
    return [str(problem) for problem in linter.run(text, _DEFAULT_RULES)]
