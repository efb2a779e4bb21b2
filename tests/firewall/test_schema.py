"""The JSON Schema of the rules file against files that are right and files that are wrong."""

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from firewall.document import add_rules
from firewall.rule import FirewallRule
from firewall.schema import RULES_FILE_SCHEMA

VALIDATOR = Draft202012Validator(RULES_FILE_SCHEMA)

GOOD_RULE = {"team": "payments", "source": "10.0.0.0/24", "destination": "2001:db8::1", "port": 443}

GOOD = [
    {"rules": []},
    {"rules": [GOOD_RULE]},
    {"rules": [{**GOOD_RULE, "ticket": 7}], "owner": "network"},
    {"rules": [{key: value for key, value in GOOD_RULE.items() if key != "port"}]},
]

BAD = [
    [],
    {},
    {"rules": None},
    {"rules": GOOD_RULE},
    {"rules": ["payments"]},
    *({"rules": [{key: value for key, value in GOOD_RULE.items() if key != gone}]} for gone in ("team", "source")),
    *({"rules": [{**GOOD_RULE, "team": team}]} for team in ("", " a", "a ", "a\nb", "a\u200bb", "x" * 65, 1, None)),
    *({"rules": [{**GOOD_RULE, "source": source}]} for source in ("10.0.0.256", "10.0.0.1/33", "010.0.0.1", "x", 1)),
    *({"rules": [{**GOOD_RULE, "destination": to}]} for to in ("fe80::1%eth0", "::1/129", "10.0.0.0/255.0.0.0", "")),
    *({"rules": [{**GOOD_RULE, "port": port}]} for port in (0, 65536, "443", 1.5, None)),
]


def test_the_schema_is_a_2020_12_schema_with_its_address() -> None:
    Draft202012Validator.check_schema(RULES_FILE_SCHEMA)
    assert RULES_FILE_SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert RULES_FILE_SCHEMA["$id"] == "mcp://azure-firewall/schema"


def test_every_part_of_the_schema_has_a_title_and_a_description() -> None:
    rules = RULES_FILE_SCHEMA["properties"]["rules"]
    for part in (RULES_FILE_SCHEMA, rules, rules["items"], *rules["items"]["properties"].values()):
        assert part["title"]
        assert part["description"]


@pytest.mark.parametrize(
    "rule",
    [
        FirewallRule("payments", "10.0.0.0/24", "52.1.2.3"),
        FirewallRule("on", "::1", "1:2:3:4:5:6:7:8", 1),
        FirewallRule("Müller & Söhne", "0.0.0.0/0", "::ffff:10.0.0.1/128", 65535),
    ],
)
def test_created_and_extended_files_are_valid(rule: FirewallRule) -> None:
    created = add_rules("", rule).text
    extended = add_rules(created, FirewallRule("other", "::/0", "10.0.0.1")).text
    VALIDATOR.validate(yaml.safe_load(created))
    VALIDATOR.validate(yaml.safe_load(extended))


@pytest.mark.parametrize("document", GOOD)
def test_a_good_file_is_valid(document: Any) -> None:
    VALIDATOR.validate(document)


@pytest.mark.parametrize("document", BAD)
def test_a_bad_file_is_not_valid(document: Any) -> None:
    assert not VALIDATOR.is_valid(document)
