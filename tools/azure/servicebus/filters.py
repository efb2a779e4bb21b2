"""Shows and changes the rules of a subscription.

The rules select which of the topic's messages the subscription gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from changes.preview import Edit, Fact, Preview
from changes.undo import Undo, by_call, by_hand
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest, of_id
from clients.azure.servicebus.entities import NAMESPACE, Entity, below, entity, namespace_called
from clients.azure.servicebus.entities import rules as rules_of
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.servicebus.entity_parameters import OF_NAMESPACE, NamespaceName
from tools.azure.shared.answers import Json, at
from tools.azure.shared.applying import SECONDS, Judge, gone, holding
from tools.azure.shared.inspecting import Inspected
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.resource_change import ResourceChange, Shows

part = Part()

_MOST: Final = 100
_DEFAULT: Final = "$Default"
_ALL: Final = "1=1"
# System properties that a rule can compare. All other names refer to a message's custom properties.
_OWN: Final = {
    "label": "label",
    "subject": "label",
    "contentType": "contentType",
    "correlationId": "correlationId",
    "messageId": "messageId",
    "to": "to",
    "replyTo": "replyTo",
    "sessionId": "sessionId",
    "replyToSessionId": "replyToSessionId",
}

Topic = Annotated[str, Field(min_length=1, max_length=260, description="Its name")]
OfTopic = Annotated[str, Field(min_length=1, max_length=50, description="Its subscription")]
Rule = Annotated[str, Field(pattern=r"^[$A-Za-z0-9][A-Za-z0-9_.-]{0,49}$", description="Its name")]
Sql = Annotated[str | None, Field(min_length=1, max_length=1024, description="SQL filter, e.g. weight > 500")]
Equals = Annotated[
    dict[str, Annotated[str, Field(max_length=1024)]] | None,
    Field(min_length=1, max_length=30, description="Required values of subject, correlationId, ... or properties"),
]
Action = Annotated[str | None, Field(min_length=1, max_length=1024, description="SQL action on matching messages")]

_HARMLESS: Final = (*OF_NAMESPACE, "topic", "topic_subscription", "rule")


@part.change(Access.WRITE, interrupts=True, harmless=_HARMLESS, seconds=SECONDS)
async def set_servicebus_rule(
    azure: Arm,
    namespace: NamespaceName,
    topic: Topic,
    topic_subscription: OfTopic,
    rule: Rule,
    sql: Sql = None,
    equals: Equals = None,
    action: Action = None,
    subscription: Subscription = None,
) -> ResourceChange:
    """Create or replace a rule (filter) that selects topic messages for a subscription. Other rules still apply."""
    body = _body(sql, equals, action)
    one, found = await _rules(azure, namespace, topic, topic_subscription, subscription)
    before, after = _rule_in_words(found.get(rule, {})), _rule_in_words(body)
    names = sorted({*before, *after})
    edits = [Edit(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]
    verb = "Replace" if rule in found else "Create"
    undo = (
        _set_again(one, rule, found[rule])
        if rule in found
        else by_call("delete_servicebus_rule", **_entity_arguments(one), rule=rule)
    )
    shown = _shows(one, rule, found, verb, edits, undo)
    request = of_id("PUT", _place(one, rule), body=body, version=NAMESPACE.version)
    note = f"The rule {_DEFAULT} still matches all messages." if _lets_all(found, rule) else None
    answers = {"rule": rule, "of": one.path, "namespace": one.namespace, "beware": note}
    change = _change(azure, request, one, found.get(rule), holding(body, found.get(rule)), shown, answers)
    return replace(change, is_no_op=rule in found and not edits)


@part.change(Access.DESTROY, harmless=_HARMLESS, seconds=SECONDS)
async def delete_servicebus_rule(
    azure: Arm,
    namespace: NamespaceName,
    topic: Topic,
    topic_subscription: OfTopic,
    rule: Rule,
    subscription: Subscription = None,
) -> ResourceChange:
    """Delete a rule of a Service Bus subscription. Without rules, the subscription gets no messages."""
    one, found = await _rules(azure, namespace, topic, topic_subscription, subscription)
    own = _rule_of(found, rule, one)
    edits = [Edit(name, value, None) for name, value in sorted(_rule_in_words(own).items())]
    shown = _shows(one, rule, found, "Delete", edits, _set_again(one, rule, own))
    request = of_id("DELETE", _place(one, rule), version=NAMESPACE.version)
    return _change(azure, request, one, own, gone, shown, {"deleted": rule, "of": one.path, "namespace": one.namespace})


def _change(
    azure: Azure,
    request: AzureRequest,
    one: Entity,
    before: Json | None,
    judge: Judge,
    shows: Shows,
    answers: Mapping[str, Any],
) -> ResourceChange:
    """Build a change to a rule. Locks on the rule's subscription apply to the rule, too."""
    place = ResourceId.of(request.path)
    return ResourceChange(
        azure,
        request,
        on=one.id,
        before=before,
        looking=of_id("GET", place, version=NAMESPACE.version),
        judge=judge,
        call=f"show_servicebus_entity({_arguments(one)})",
        shows=shows,
        answers=answers,
    )


def _shows(one: Entity, rule: str, found: Mapping[str, Json], verb: str, edits: Sequence[Edit], undo: Undo) -> Shows:
    others = {name: own for name, own in found.items() if name != rule}

    def shown(_rule_of: Inspected) -> Preview:
        return Preview(
            what=f"Rule {rule} of {one.path} in {one.namespace}",
            sentence=f"{verb} the rule {rule} of {one.path} in {one.namespace}",
            facts=_facts(one, rule, others),
            edits=edits,
            undo=undo,
            destroys=rule in found,
        )

    return shown


def _facts(one: Entity, rule: str, others: Mapping[str, Json]) -> dict[str, Fact]:
    return {
        "subscription": one.path,
        "its status": str(one.properties.get("status") or ""),
        "other rules": [f"{name}: {_in_short(own)}" for name, own in sorted(others.items())],
        "without other rules": None if others else "the subscription gets only messages that this rule matches",
        "beware": f"{_DEFAULT} matches all messages" if _lets_all(others, rule) else None,
    }


async def _rules(
    azure: Azure, namespace: str, topic: str, topic_subscription: str, subscription: str | None
) -> tuple[Entity, dict[str, Json]]:
    """Return the subscription, and its rules by name."""
    owner = ResourceId.of(str((await namespace_called(azure, namespace, subscription, anew=True)).get("id")))
    one = await entity(azure, below(below(owner, "topics", topic), "subscriptions", topic_subscription))
    page = await rules_of(azure, one, _MOST)
    return one, {str(each.get("name")): each for each in page.items}


def _rule_of(found: Mapping[str, Json], rule: str, one: Entity) -> Json:
    if rule not in found:
        raise Refusal(f"Rule {rule!r} not found in {one.path}. Its rules: {', '.join(sorted(found)) or 'none'}.")
    return found[rule]


def _body(sql: str | None, equals: Mapping[str, str] | None, action: str | None) -> Json:
    if (sql is None) == (equals is None):
        raise Refusal("Pass either `sql` or `equals`.")
    acting = {"action": {"sqlExpression": action}} if action else {}
    if sql is not None:
        return {"properties": {"filterType": "SqlFilter", "sqlFilter": {"sqlExpression": sql}, **acting}}
    given = equals or {}
    own = {_OWN[name]: value for name, value in given.items() if name in _OWN}
    rest = {name: value for name, value in given.items() if name not in _OWN}
    compared = {**own, **({"properties": rest} if rest else {})}
    return {"properties": {"filterType": "CorrelationFilter", "correlationFilter": compared, **acting}}


def _rule_in_words(record: Mapping[str, Any]) -> dict[str, str]:
    """Describe a rule in words: its filter or comparisons, and its action."""
    correlation = at(record, "properties.correlationFilter") or {}
    of_message = dict(correlation.get("properties") or {})
    own = {name: one for name, one in correlation.items() if name in _OWN.values()}
    compared = {f"{name} is": str(one) for name, one in {**own, **of_message}.items()}
    sql = {"filter": at(record, "properties.sqlFilter.sqlExpression")}
    acting = {"action": at(record, "properties.action.sqlExpression")}
    return {name: str(one) for name, one in {**sql, **compared, **acting}.items() if one}


def _set_again(one: Entity, rule: str, record: Json) -> Undo:
    """Return the call that restores a rule, or manual steps if set_servicebus_rule cannot express the rule."""
    given = _rule_arguments(record)
    if _rule_in_words(_body(**given) if given else {}) != _rule_in_words(record):
        return by_hand("restore it in the portal: set_servicebus_rule cannot express it")
    return by_call("set_servicebus_rule", **_entity_arguments(one), rule=rule, **given)


def _rule_arguments(record: Json) -> dict[str, Any]:
    """Return the arguments of set_servicebus_rule that create this rule, or an empty mapping if that tool cannot
    express the rule.
    """
    compared = at(record, "properties.correlationFilter") or {}
    names = {own: name for name, own in reversed(_OWN.items())}
    stray = set(compared) - {"properties", "requiresPreprocessing"} - set(names)
    texts = [*compared.get("properties", {}).values(), *(compared[name] for name in set(compared) & set(names))]
    if stray or not all(isinstance(text, str) for text in texts) or set(compared.get("properties", {})) & set(_OWN):
        return {}
    equals = {**{names[own]: compared[own] for own in compared if own in names}, **compared.get("properties", {})}
    action = at(record, "properties.action.sqlExpression")
    return {"sql": at(record, "properties.sqlFilter.sqlExpression"), "equals": equals or None, "action": action}


def _entity_arguments(one: Entity) -> dict[str, str]:
    """Return the arguments that identify a rule's subscription in tool calls."""
    return {
        "namespace": ResourceId(one.id.segments[:8]).text,
        "topic": one.topic,
        "topic_subscription": one.name,
    }


def _in_short(record: Mapping[str, Any]) -> str:
    return "; ".join(f"{name} {value}" for name, value in _rule_in_words(record).items())


def _lets_all(found: Mapping[str, Json], rule: str) -> bool:
    return rule != _DEFAULT and at(found.get(_DEFAULT), "properties.sqlFilter.sqlExpression") == _ALL


def _place(one: Entity, rule: str) -> ResourceId:
    return ResourceId((*one.id.segments, "rules", rule))


def _arguments(one: Entity) -> str:
    """Return the arguments of the call that shows a rule's subscription."""
    namespace = ResourceId(one.id.segments[:8]).text
    return f"namespace={namespace!r}, entity={one.topic!r}, topic_subscription={one.name!r}"
