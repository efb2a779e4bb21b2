"""Finds missing dependencies. Bicep infers no dependency from a resource name that the template computes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from bicep_checker.expressions import Expression, If, Unary
from bicep_checker.known import Asked, Id, Thing, Value, said, ways
from bicep_checker.reached import Place, condition
from bicep_checker.template import Declaration
from bicep_checker.walking import at, values

PlacedProblems = Iterator[tuple[Place, int, str, str]]
_BROUGHT = re.compile(r"\bown[A-Z]")
_ASSIGNMENT = "microsoft.authorization/roleassignments"
_RUN_AS_AN_IDENTITY = {"microsoft.web/sites", "microsoft.app/containerapps"}


def check(root: Place, things: list[Thing]) -> PlacedProblems:
    order = _Order({place.way: place for place in root.places()})
    yield from order.before_use(things)
    yield from order.nowhere_made(things)
    yield from order.made_twice(things)
    yield from order.roles_first(things)
    for place in order.places.values():
        yield from _deployments(place)


@dataclass(frozen=True)
class _Order:
    places: Mapping[tuple[str, ...], Place]

    def before_use(self, things: list[Thing]) -> PlacedProblems:
        """Report modules that use a resource of another module, but may be deployed before that module."""
        made = {_key(thing): thing for thing in things if not thing.existing}
        for thing in things:
            other = made.get(_key(thing)) if thing.existing and len(thing.way) > 1 else None
            if other and (meeting := self._meeting(thing, other)):
                place, mine, its = meeting
                if its not in _reach(place, mine):
                    line = place.template.symbols[mine].line
                    yield place, line, "order", f"{mine} uses a resource that {its} creates, so it must depend on {its}"

    def nowhere_made(self, things: list[Thing]) -> PlacedProblems:
        """Report references to resources that the template does not create, although the template creates resources
        of the same type.

        The operator's own resources are exempt: their names come from parameters that start with `own`.
        """
        made = {_key(thing) for thing in things if not thing.existing}
        kinds = {thing.kind.lower() for thing in things if not thing.existing and thing.parent is None}
        for thing in things:
            is_looked_for = thing.existing and len(thing.way) > 1 and thing.kind.lower() in kinds
            if is_looked_for and _key(thing) not in made and not _is_brought(thing):
                text = f"the template does not create the {thing.kind} {said(thing.name)} that it refers to"
                yield self.places[thing.way[:-1]], thing.line, "order", text

    def made_twice(self, things: list[Thing]) -> PlacedProblems:
        """Report each resource that two modules create, unless one of the modules depends on the other."""
        by_key: dict[str, list[Thing]] = {}
        for thing in things:
            if not thing.existing and thing.name is not None:
                by_key.setdefault(_key(thing), []).append(thing)
        for same in by_key.values():
            for one, other in combinations(same, 2):
                if meeting := self._meeting(one, other):
                    yield from self._unordered(*meeting)
                elif one.way[:-1] == other.way[:-1]:
                    place = self.places[one.way[:-1]]
                    yield place, other.line, "order", f"{_symbol(other.way[-1])} creates the same resource twice"

    def _unordered(self, place: Place, mine: str, its: str) -> PlacedProblems:
        one, other = place.template.symbols[mine], place.template.symbols[its]
        if its in _reach(place, mine) or mine in _reach(place, its) or _never_both(one, other):
            return
        yield place, other.line, "order", f"{mine} and {its} create the same resource: one must depend on the other"

    def roles_first(self, things: list[Thing]) -> PlacedProblems:
        """Report apps that may start before roles are assigned to their identity."""
        given = [(thing, _principals(thing)) for thing in things if thing.kind.lower() == _ASSIGNMENT]
        for app in (thing for thing in things if thing.kind.lower() in _RUN_AS_AN_IDENTITY and not thing.existing):
            identities = set(_identities(app, things))
            for assignment, principals in given:
                meeting = self._meeting(app, assignment) if identities & principals else None
                if meeting and meeting[2] not in _reach(meeting[0], meeting[1]):
                    place, mine, its = meeting
                    line = place.template.symbols[mine].line
                    yield place, line, "order", f"{mine} needs roles that {its} assigns, so it must depend on {its}"

    def _meeting(self, one: Thing, other: Thing) -> tuple[Place, str, str] | None:
        """Follow the module paths of two resources to the last file that they share. Return this file and, for each
        path, the symbol of the next step in the file.
        """
        shared = 0
        while shared < min(len(one.way), len(other.way)) and one.way[shared] == other.way[shared]:
            shared += 1
        place = self.places.get(one.way[:shared])
        if place is None or shared >= min(len(one.way), len(other.way)):
            return None
        mine, its = (_symbol(thing.way[shared]) for thing in (one, other))
        top = {name: found.parent for name, found in place.template.resources.items()}
        return (place, mine, its) if mine != its and not top.get(mine) and not top.get(its) else None


def _symbol(step: str) -> str:
    return step.partition("[")[0]


def _key(thing: Thing) -> str:
    return f"{thing.kind.lower()} {said(list(thing.names))} {said(thing.scope)}"


def _principals(assignment: Thing) -> set[str]:
    """Return the identities that get a role from a role assignment."""
    found = [one.value for one in at(assignment, "properties.principalId")]
    return {value.identity for value in found if isinstance(value, Asked)}


def _identities(app: Thing, things: list[Thing]) -> Iterator[str]:
    by_id = {said(thing.id): thing.identity for thing in things if not thing.existing}
    given = app.body.get("identity")
    named = given.get("userAssignedIdentities") if isinstance(given, dict) else None
    for key in named if isinstance(named, dict) else ():
        if key in by_id:
            yield by_id[key]
    for _, found in values(app):
        if isinstance(found.value, Id) and "identities" in found.value.kind.lower() and said(found.value) in by_id:
            yield by_id[said(found.value)]


def _reach(place: Place, name: str) -> set[str]:
    """Return the resources and modules on which a symbol in the same file depends, directly or indirectly."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        declared = place.template.symbols.get(waiting.pop())
        more = place.template.depends_on(declared) - found if declared else set()
        found |= more
        waiting += more
    return found


def _never_both(one: Declaration, other: Declaration) -> bool:
    """Check whether the condition of one declaration negates the condition of the other. The two are then never
    deployed together.
    """
    mine, its = condition(one), condition(other)
    return bool(mine and its) and (_opposite(mine, its) or _opposite(its, mine))


def _opposite(one: If | None, other: If | None) -> bool:
    if one is None or other is None or not isinstance(one.condition, Unary):
        return False
    return one.condition.operator == "!" and _plain(one.condition.of) == _plain(other.condition)


def _plain(value: Expression) -> str:
    return said(
        [type(part).__name__ + str(getattr(part, "name", getattr(part, "function", ""))) for part in value.everything()]
    )


def _deployments(place: Place) -> PlacedProblems:
    """Report deployments that would overwrite each other, because they have the same name and the same scope."""
    seen: dict[str, Declaration] = {}
    for declared, called in place.modules():
        if called.name is None:
            continue
        key = f"{said(called.name)} in {_scope(called.scope)}"
        if key in seen and not _never_both(seen[key], declared):
            code = "BCP122" if not str(called.scope).startswith("resourceGroup(") else "order"
            yield place, declared.line, code, f"{declared.name} and {seen[key].name} are deployments with the same name"
        seen[key] = declared


def _scope(value: Value) -> str:
    return " or ".join(way.identity if isinstance(way, Thing) else said(way) for way in ways(value))


def _is_brought(thing: Thing) -> bool:
    """Check whether a resource belongs to the operator: each possible name must be empty, or must come from a
    parameter for the operator's own resources.
    """
    return all(name == "''" or _BROUGHT.search(name) for name in said(thing.name).split(" or "))
