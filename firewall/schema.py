"""The JSON Schema of a rules file."""

from typing import Any

from firewall.address import ADDRESS_PATTERN
from firewall.rule import DEFAULT_PORT, HIGHEST_PORT, TEAM_LENGTH, TEAM_PATTERN

_ADDRESS_EXAMPLES = ["10.0.0.4", "10.0.0.0/24", "2001:db8::1", "2001:db8::/32"]

_RULE: dict[str, Any] = {
    "type": "object",
    "title": "Firewall rule",
    "description": "Lets a team reach a destination from a source.",
    "required": ["team", "source", "destination"],
    "properties": {
        "team": {
            "type": "string",
            "title": "Team",
            "description": "The team that needs the rule.",
            "minLength": 1,
            "maxLength": TEAM_LENGTH,
            "pattern": TEAM_PATTERN,
            "examples": ["payments"],
        },
        "source": {
            "type": "string",
            "title": "Source",
            "description": "Where connections come from: an IPv4 or IPv6 address, or a CIDR block without host bits.",
            "pattern": ADDRESS_PATTERN,
            "examples": _ADDRESS_EXAMPLES,
        },
        "destination": {
            "type": "string",
            "title": "Destination",
            "description": "Where connections go to: an IPv4 or IPv6 address, or a CIDR block without host bits.",
            "pattern": ADDRESS_PATTERN,
            "examples": _ADDRESS_EXAMPLES,
        },
        "port": {
            "type": "integer",
            "title": "Port",
            "description": "The port that connections go to.",
            "minimum": 1,
            "maximum": HIGHEST_PORT,
            "default": DEFAULT_PORT,
        },
    },
}

RULES_FILE_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "mcp://azure-firewall/schema",
    "type": "object",
    "title": "Azure Firewall rules file",
    "description": "Firewall rules of a team, in YAML. Other keys stay unchanged.",
    "required": ["rules"],
    "properties": {
        "rules": {
            "type": "array",
            "title": "Rules",
            "description": "One entry for each rule. New rules are added at the end.",
            "items": _RULE,
        },
    },
}
