"""Firewall rules, written as YAML that a team reviews in a pull request."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, Field

from firewall.document import Action, add_rule
from firewall.rule import DEFAULT_PORT, HIGHEST_PORT, Rule
from firewall.schema import RULES_FILE_SCHEMA
from mcp_server.declarations.toolset import Access, Toolset

FILENAME: Final = "azure-firewall-rules.yaml"
SCHEMA_URI: Final = "mcp://azure-firewall/schema"

toolset = Toolset("firewall", "Write Azure Firewall rules as reviewable YAML.", is_public=True)

# Rough forms, which cost a model few tokens. `Rule` has the exact ones, and says what is wrong with a value.
_ADDRESS: Final[dict[str, Any]] = {"pattern": "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$"}
_TEAM: Final[dict[str, Any]] = {"pattern": r"^\S(.*\S)?$"}

Team = Annotated[str, Field(json_schema_extra=_TEAM, description="Team that needs it, such as payments")]
Source = Annotated[str, Field(json_schema_extra=_ADDRESS, description="IPv4, IPv6 or CIDR, such as 10.0.0.0/24")]
Destination = Annotated[str, Field(json_schema_extra=_ADDRESS, description="IPv4, IPv6 or CIDR, such as 52.1.2.3")]


def _number(value: object) -> object:
    """Take `443` and "443", but not what only Python takes for a number: true, "4_43"."""
    if isinstance(value, bool) or (isinstance(value, str) and not value.isdecimal()):
        raise ValueError(f"must be a whole number from 1 to {HIGHEST_PORT}.")
    return value


Port = Annotated[int, BeforeValidator(_number), Field(ge=1, le=HIGHEST_PORT, description="Destination port")]
ExistingYaml = Annotated[str, Field(description="The file's content, if any")]


class WrittenRules(BaseModel):
    yaml_content: str
    filename: str
    action: Action
    message: str


@toolset.tool(Access.READ, title="Add firewall rule", open_world=False)
def new_azure_firewall_rules(
    team: Team,
    source: Source,
    destination: Destination,
    port: Port = DEFAULT_PORT,
    existing_yaml: ExistingYaml = "",
) -> WrittenRules:
    """Add a rule to a repository's firewall rules file, keeping every byte there. Writes nothing itself.

    Find the repository root (ask if several), read azure-firewall-rules.yaml there if it exists, pass its
    content, and write yaml_content back unless action is duplicate_detected. Ask for missing values; never guess.
    """
    rule = Rule(team, source, destination, port)
    change = add_rule(existing_yaml, rule)
    return WrittenRules(
        yaml_content=change.text, filename=FILENAME, action=change.action, message=_MESSAGES[change.action]
    )


_MESSAGES: Final = {
    "created": f"Write this to {FILENAME} in the root of the repository, and open a pull request.",
    "updated": f"Write this back to {FILENAME}, and open a pull request. Only the rule was added.",
    "duplicate_detected": "The rule is there already. Nothing was changed, and nothing needs to be written.",
}


@toolset.resource(SCHEMA_URI, name="Azure Firewall Rule Schema", mime_type="application/schema+json")
def firewall_rule_schema() -> str:
    """JSON Schema (2020-12) of azure-firewall-rules.yaml."""
    return json.dumps(RULES_FILE_SCHEMA, separators=(",", ":"))


@toolset.prompt(title="Add a firewall rule")
def add_firewall_rule(
    team: Annotated[str, Field(description="The team that needs the rule")] = "",
    source: Annotated[str, Field(description="Where traffic comes from: an address or CIDR")] = "",
    destination: Annotated[str, Field(description="Where it goes: an address or CIDR")] = "",
    port: Annotated[str, Field(description="Destination port; 443 if you do not say")] = "",
) -> str:
    """Walk through adding a rule to the firewall rules file and opening a pull request."""
    given = {"team": team, "source": source, "destination": destination, "port": port}
    known = "\n".join(f"- {name}: {value}" for name, value in given.items() if value)
    missing = ", ".join(name for name in ("team", "source", "destination") if not given[name])
    return "\n".join(filter(None, (_WALK, "\nKnown so far:\n" + known if known else "", _ask_for(missing))))


_WALK: Final = f"""Add a rule to the team's Azure Firewall rules.

1. Find the root of the repository. If there are several repositories, ask me which one.
2. Read {FILENAME} there. If there is none, go on with empty content.
3. Call new_azure_firewall_rules with team, source, destination, port and that content as existing_yaml.
4. If action is created or updated, write yaml_content to the file exactly as it is, and show me the difference.
   If it is duplicate_detected, tell me that the rule is there already, and stop.
5. Ask me whether to commit it on a branch and open a pull request."""


def _ask_for(missing: str) -> str:
    return f"\nAsk me for {missing} before step 3; do not guess." if missing else ""
