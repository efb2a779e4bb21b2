"""Rules of a subscription: which messages of its topic it gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from changes.preview import Edit, Fact, Preview
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import of_id
from clients.azure.servicebus.entities import NAMESPACE, Entity, below, entity, namespace_called
from clients.azure.servicebus.entities import rules as rules_of
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.provider import Arm
from tools.azure.servicebus.shared import OF_NAMESPACE, NamespaceName
from tools.azure.shared.answers import Json, at
from tools.azure.shared.doing import SECONDS, Look, change, gone, holding
from tools.azure.shared.parameters import Subscription
from tools.azure.shared.previews import look_at

part = Part()

_MOST: Final = 100
_DEFAULT: Final = "$Default"
_ALL: Final = "1=1"
# What a rule may compare by its own name; everything else is a property of the message.
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
Sql = Annotated[str | None, Field(min_length=1, max_length=1024, description="SQL filter, such as weight > 500")]
Equals = Annotated[
    dict[str, Annotated[str, Field(max_length=1024)]] | None,
    Field(min_length=1, max_length=30, description="Instead: subject, correlationId, ... or properties, by value"),
]
Action = Annotated[str | None, Field(min_length=1, max_length=1024, description="SQL that changes what passes")]

_HARMLESS: Final = (*OF_NAMESPACE, "topic", "topic_subscription", "rule")


async def _setting(
    azure: Arm,
    namespace: NamespaceName,
    topic: Topic,
    topic_subscription: OfTopic,
    rule: Rule,
    sql: Sql = None,
    equals: Equals = None,
    action: Action = None,
    subscription: Subscription = None,
) -> Preview:
    after = _told(_body(sql, equals, action))
    one, found = await _rules(azure, namespace, topic, topic_subscription, subscription)
    before = _told(found.get(rule, {}))
    names = sorted({*before, *after})
    edits = [Edit(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)]
    others = {name: own for name, own in found.items() if name != rule}
    what = f"Rule {rule} of {one.path} in {one.namespace}"
    return await _preview(azure, one, rule, what, others, edits=edits, destroys=rule in found)


@part.tool(Access.WRITE, previewed=_setting, harmless=_HARMLESS, seconds=SECONDS)
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
) -> Json:
    """Create or replace a rule (filter): which messages of its topic a subscription gets, besides other rules."""
    body = _body(sql, equals, action)
    one, found = await _rules(azure, namespace, topic, topic_subscription, subscription)
    place = _place(one, rule)
    look = Look(of_id("GET", place, version=NAMESPACE.version), holding(body, found.get(rule)), _call(one))
    done = await change(azure, of_id("PUT", place, body=body, version=NAMESPACE.version), look)
    note = f"The rule {_DEFAULT} lets everything through, still." if _lets_all(found, rule) else None
    return done.told(rule=rule, of=one.path, namespace=one.namespace, beware=note)


async def _removing(
    azure: Arm,
    namespace: NamespaceName,
    topic: Topic,
    topic_subscription: OfTopic,
    rule: Rule,
    subscription: Subscription = None,
) -> Preview:
    one, found = await _rules(azure, namespace, topic, topic_subscription, subscription)
    own = _known(found, rule, one)
    others = {name: each for name, each in found.items() if name != rule}
    edits = [Edit(name, value, None) for name, value in sorted(_told(own).items())]
    return await _preview(azure, one, rule, f"Rule {rule} of {one.path} in {one.namespace}", others, edits=edits)


@part.tool(Access.DESTROY, previewed=_removing, harmless=_HARMLESS, seconds=SECONDS)
async def delete_servicebus_rule(
    azure: Arm,
    namespace: NamespaceName,
    topic: Topic,
    topic_subscription: OfTopic,
    rule: Rule,
    subscription: Subscription = None,
) -> Json:
    """Delete a rule of a subscription of Service Bus. Without any rule it gets nothing."""
    one, found = await _rules(azure, namespace, topic, topic_subscription, subscription)
    _known(found, rule, one)
    place = _place(one, rule)
    look = Look(of_id("GET", place, version=NAMESPACE.version), gone, _call(one))
    done = await change(azure, of_id("DELETE", place, version=NAMESPACE.version), look)
    return done.told(deleted=rule, of=one.path, namespace=one.namespace)


async def _preview(azure: Azure, one: Entity, rule: str, what: str, others: Mapping[str, Json], **more: Any) -> Preview:
    known = await look_at(azure, one.id, seen=[dict(one.record)])
    known.refuse_locked("change")
    facts: dict[str, Fact] = {
        "subscription": one.path,
        "its status": str(one.properties.get("status") or ""),
        "other rules": [f"{name}: {_in_short(own)}" for name, own in sorted(others.items())],
        "without other rules": None if others else "what this rule says is all that it gets",
        "beware": f"{_DEFAULT} lets everything through" if _lets_all(others, rule) else None,
    }
    return Preview(what=what, facts=facts, places=known.places, missing=known.missing, **more)


async def _rules(
    azure: Azure, namespace: str, topic: str, topic_subscription: str, subscription: str | None
) -> tuple[Entity, dict[str, Json]]:
    """The subscription, and its rules by their names."""
    owner = ResourceId.of(str((await namespace_called(azure, namespace, subscription)).get("id")))
    one = await entity(azure, below(below(owner, "topics", topic), "subscriptions", topic_subscription))
    page = await rules_of(azure, one, _MOST)
    return one, {str(each.get("name")): each for each in page.items}


def _known(found: Mapping[str, Json], rule: str, one: Entity) -> Json:
    if rule not in found:
        raise Refusal(f"{one.path} has no rule {rule!r}. It has {', '.join(sorted(found)) or 'none'}.")
    return found[rule]


def _body(sql: str | None, equals: Mapping[str, str] | None, action: str | None) -> Json:
    if (sql is None) == (equals is None):
        raise Refusal("A rule has either `sql` or `equals`.")
    acting = {"action": {"sqlExpression": action}} if action else {}
    if sql is not None:
        return {"properties": {"filterType": "SqlFilter", "sqlFilter": {"sqlExpression": sql}, **acting}}
    given = equals or {}
    own = {_OWN[name]: value for name, value in given.items() if name in _OWN}
    rest = {name: value for name, value in given.items() if name not in _OWN}
    compared = {**own, **({"properties": rest} if rest else {})}
    return {"properties": {"filterType": "CorrelationFilter", "correlationFilter": compared, **acting}}


def _told(record: Mapping[str, Any]) -> dict[str, str]:
    """What a rule says, in a line for each part."""
    correlation = at(record, "properties.correlationFilter") or {}
    of_message = dict(correlation.get("properties") or {})
    own = {name: one for name, one in correlation.items() if name in _OWN.values()}
    compared = {f"{name} is": str(one) for name, one in {**own, **of_message}.items()}
    sql = {"filter": at(record, "properties.sqlFilter.sqlExpression")}
    acting = {"action": at(record, "properties.action.sqlExpression")}
    return {name: str(one) for name, one in {**sql, **compared, **acting}.items() if one}


def _in_short(record: Mapping[str, Any]) -> str:
    return "; ".join(f"{name} {value}" for name, value in _told(record).items())


def _lets_all(found: Mapping[str, Json], rule: str) -> bool:
    return rule != _DEFAULT and at(found.get(_DEFAULT), "properties.sqlFilter.sqlExpression") == _ALL


def _place(one: Entity, rule: str) -> ResourceId:
    return ResourceId((*one.id.segments, "rules", rule))


def _call(one: Entity) -> str:
    namespace = ResourceId(one.id.segments[:8]).text
    return f"show_servicebus_entity(namespace={namespace!r}, entity={one.topic!r}, topic_subscription={one.name!r})"
