"""Writes firewall rules as YAML that a team reviews in a pull request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from firewall.address import SHORT_ADDRESS_PATTERN
from firewall.document import Action, RulesChange, add_rules
from firewall.rule import DEFAULT_PORT, HIGHEST_PORT, FirewallRule
from firewall.schema import RULES_FILE_SCHEMA
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from shifts import SHIFTS

FILENAME: Final = "azure-firewall-rules.yaml"
SCHEMA_URI: Final = "mcp://azure-firewall/schema"

part = Part()

# Parsing a file takes CPU time and continues after its call has ended, so only one file is parsed at a time.
_ONE_FILE_AT_A_TIME: Final = ThreadPoolExecutor(1, "firewall")
_OTHERS_TOLD: Final = 5

# A rough pattern that clients can check before they call the tool. `FirewallRule` validates values exactly, and
# explains errors.
_ADDRESS: Final[dict[str, Any]] = {"pattern": SHORT_ADDRESS_PATTERN}
Team = Annotated[str, Field(description="The rule's team")]
Source = Annotated[str, Field(description="IP or CIDR, such as 10.0.0.0/24", json_schema_extra=_ADDRESS)]
Destination = Annotated[str, Field(description="IP or CIDR, such as 52.1.2.3", json_schema_extra=_ADDRESS)]


def _number(value: object) -> object:
    """Accept `443` and "443". Reject values that only Python accepts as numbers, such as true and "4_43"."""
    if isinstance(value, bool) or (isinstance(value, str) and not value.isdecimal()):
        raise ValueError(f"must be a whole number from 1 to {HIGHEST_PORT}.")
    return value


# The limits must come before the validator. Otherwise, the schema would not contain them in standard fields.
Port = Annotated[int, Field(ge=1, le=HIGHEST_PORT, description="Destination port"), BeforeValidator(_number)]
ExistingYaml = Annotated[str, Field(description="The file's content, if any")]


class FurtherRule(BaseModel):
    model_config = ConfigDict(extra="forbid")

    team: str | None = None
    source: str
    destination: str
    port: Annotated[int, Field(ge=1, le=HIGHEST_PORT), BeforeValidator(_number)] = DEFAULT_PORT


# The schema of the items is omitted, because it would cost as many tokens as the rest of the tool. Errors explain
# invalid items.
_RULE: Final[dict[str, Any]] = {"type": "object"}
More = Annotated[
    list[Annotated[FurtherRule, WithJsonSchema(_RULE)]],
    Field(max_length=50, description="Further rules: {source, destination, port?, team?}"),
]


class WrittenRules(BaseModel):
    yaml_content: str
    filename: str
    action: Action
    message: str


@part.tool(Access.READ, title="Add firewall rule", open_world=False)
async def new_azure_firewall_rules(
    team: Team,
    source: Source,
    destination: Destination,
    port: Port = DEFAULT_PORT,
    more: More | None = None,
    existing_yaml: ExistingYaml | None = None,
) -> WrittenRules:
    """Add rules to a firewall rules file, keeping every existing byte. Writes nothing itself.

    Addresses only, no names (FQDN). Never guess values from the project: ask the user for what is missing.
    Find the repository root (ask the user if there are several), read azure-firewall-rules.yaml there if it exists,
    pass its content as existing_yaml, and write yaml_content back to it unless action is duplicate_detected.
    """
    rules = [FirewallRule(team, source, destination, port), *_further(more or (), team)]
    add = partial(SHIFTS.do, add_rules, existing_yaml or "", *rules)
    change = await asyncio.get_running_loop().run_in_executor(_ONE_FILE_AT_A_TIME, add)
    message = " ".join((_MESSAGES[change.action], *_notes(change, len(rules))))
    return WrittenRules(yaml_content=change.text, filename=FILENAME, action=change.action, message=message)


def _further(more: Iterable[FurtherRule], team: str) -> Iterator[FirewallRule]:
    for number, rule in enumerate(more):
        try:
            yield FirewallRule(team if rule.team is None else rule.team, rule.source, rule.destination, rule.port)
        except Refusal as refusal:
            raise Refusal(f"more[{number}]: {refusal}") from None


_MESSAGES: Final = {
    "created": f"Write yaml_content to {FILENAME} in the root of the repository, and open a pull request.",
    "updated": f"Write yaml_content back to {FILENAME}, and open a pull request. Nothing else was changed.",
    "duplicate_detected": "All these rules already exist. Nothing changed, so do not write the file.",
}


def _notes(change: RulesChange, asked: int) -> Iterator[str]:
    """Yield facts that a person should know before approving the change."""
    if change.added and asked > 1:
        yield f"{change.added} of {asked} rules were added; the others already existed or were repeated."
    for other in change.others[:_OTHERS_TOLD]:
        whose = "without a team" if other.team is None else f"of team {other.team!r}"
        yield f"Check line {other.line}: a rule {whose} already allows this traffic."
    if (rest := len(change.others) - _OTHERS_TOLD) > 0:
        yield f"{rest} more rules already allow this traffic."


@part.resource(SCHEMA_URI, name="Azure Firewall Rule Schema", mime_type="application/schema+json")
def firewall_rule_schema() -> str:
    """JSON Schema (2020-12) of azure-firewall-rules.yaml."""
    return json.dumps(RULES_FILE_SCHEMA, separators=(",", ":"))


@part.prompt(title="Add a firewall rule")
def add_firewall_rule(
    team: Annotated[str, Field(description="The team that needs the rule")] = "",
    source: Annotated[str, Field(description="Where traffic comes from: an address or CIDR")] = "",
    destination: Annotated[str, Field(description="Where it goes: an address or CIDR")] = "",
    port: Annotated[str, Field(description="Destination port; default 443")] = "",
) -> str:
    """Walk through adding a rule to the firewall rules file and opening a pull request."""
    given = {"team": team, "source": source, "destination": destination, "port": port}
    known = "\n".join(f"- {name}: {value}" for name, value in given.items() if value)
    missing = ", ".join(name for name in ("team", "source", "destination") if not given[name])
    return "\n".join(filter(None, (_WALK, "\nKnown so far:\n" + known if known else "", _ask_for(missing))))


_WALK: Final = f"""Add a rule to the team's Azure Firewall rules.

1. Find the root of the repository. If there are several repositories, ask me which one.
2. Read {FILENAME} there. If it does not exist, continue with empty content.
3. Call new_azure_firewall_rules with team, source, destination, port and that content as existing_yaml. Pass further
   rules in `more`.
4. If `action` is created or updated, write yaml_content to the file exactly as it is, and show me the difference.
   If it is duplicate_detected, tell me that the rule already exists, and stop.
5. Ask me whether to commit it on a branch and open a pull request."""


def _ask_for(missing: str) -> str:
    return f"\nAsk me for {missing} before step 3; do not guess." if missing else ""
