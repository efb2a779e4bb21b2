"""Who has to agree to what is done in the yard, worked out from the documentation and from nothing of the server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from changes.preview import names_of
from identity.caller import Caller, CallerKind
from tests.changes.yard import CALLERS, THE_YARD, Tree

Rule = Mapping[str, Any]
_LEVELS: Final = {"write": 1, "destroy": 2}
UNASKED: Final = "an agent that need not ask"


@dataclass(frozen=True)
class Call:
    """A call by the tool's own name, with all that it is given."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def trees(self) -> list[Tree]:
        named = self.arguments.get("trees", [self.arguments.get("tree")])
        return [THE_YARD.trees[name] for name in named]

    @property
    def destroys(self) -> bool:
        if self.tool == "trim":
            return bool(self.arguments["hard"]) and self.trees[0].height > 5
        return self.tool in {"fell", "fell_all"}

    @property
    def takes_confirm(self) -> bool:
        return self.tool in {"fell", "fell_all", "trim"}

    @property
    def shown(self) -> list[Tree]:
        """What is looked up of it before it is agreed to."""
        return self.trees if self.is_previewed else []

    @property
    def is_previewed(self) -> bool:
        return self.tool != "paint"


@dataclass(frozen=True)
class Wanted:
    """Whose agreement is wanted: `nobody`, `caller` or `another`, of which roles."""

    ask: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class House:
    """How a deployment has it: its rules, and where it runs."""

    rules: Sequence[Rule] = ()
    is_waived: bool = False
    by_argument: bool = False
    is_laptop: bool = False

    def wanted(self, name: str, call: Call) -> Wanted:
        caller = CALLERS[name]
        wanted = self._by_rules(call)
        if wanted.ask == "nobody" and is_for_a_person(caller) and not self.is_laptop and name != UNASKED:
            wanted = Wanted("caller")
        if wanted.ask == "nobody":
            return wanted
        if self.is_laptop:
            return replace(wanted, ask="caller")
        is_unknown = call.is_previewed and any(tree.is_hidden for tree in call.trees)
        if wanted.ask == "caller" and (
            is_unknown or (is_program(caller) and not (self.by_argument and call.is_previewed))
        ):
            return replace(wanted, ask="another")
        return wanted

    def _by_rules(self, call: Call) -> Wanted:
        for rule in self.rules:
            if _is_about(rule, call) and all(_is_there(rule, name, call) for name in rule.get("in", {})):
                return Wanted(rule["ask"], tuple(rule.get("of", ())))
        if not call.destroys or self.is_waived:
            return Wanted("nobody")
        return Wanted("another" if any(tree.grave for tree in call.trees) else "caller")

    def may_decide(self, approver: str, asker: str, wanted: Wanted) -> bool:
        """Whether somebody may decide at the page what was asked for."""
        who, whose = CALLERS[approver], CALLERS[asker]
        if self.is_laptop:
            return True
        if not is_person(who):
            return False
        is_same = (who.tenant, who.subject) == (whose.tenant, whose.subject)
        if wanted.ask == "caller":
            return is_same
        return not is_same and bool(who.roles & set(wanted.of or ["Worker"]))

    def counts(self, by: str, name: str, call: Call) -> bool:
        """Whether the caller can agree within the call in this way."""
        caller = CALLERS[name]
        if by == "form":
            return is_person(caller) or caller.kind in {CallerKind.KEY, CallerKind.ANONYMOUS}
        comes_to_page = self.is_laptop or is_person(caller)
        return self.by_argument and call.takes_confirm and not (is_for_a_person(caller) or comes_to_page)


def is_person(caller: Caller) -> bool:
    return caller.kind is CallerKind.USER and caller.agent is None


def is_for_a_person(caller: Caller) -> bool:
    return caller.kind is CallerKind.USER and caller.agent is not None and not caller.is_agents_account


def is_program(caller: Caller) -> bool:
    return caller.kind is CallerKind.APP or caller.is_agents_account


def _is_about(rule: Rule, call: Call) -> bool:
    level = _LEVELS["destroy" if call.destroys else "write"]
    is_named = "tools" not in rule or bool({"yard", f"yard/{call.tool}"} & set(rule["tools"]))
    return is_named and level >= _LEVELS[rule.get("access", "write")]


def _is_there(rule: Rule, place: str, call: Call) -> bool:
    is_strict, patterns = bool(rule["ask"] != "nobody"), rule["in"][place]
    if place != "project":
        # It is in Azure DevOps, where there are environments, of which nothing tells, and no tags.
        return is_strict and place == "environment"
    if not call.is_previewed:
        return is_strict
    if any(tree.project is None for tree in call.trees):
        return is_strict
    projects = [one for tree in call.trees for names in names_of(tree.project) for one in names]
    found = [any(_fits(pattern, one) for pattern in patterns) for one in projects]
    return any(found) if is_strict else bool(found) and all(found)


def _fits(pattern: str, text: str) -> bool:
    return bool(re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.IGNORECASE))
