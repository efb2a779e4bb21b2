"""Parses YAML into events, and interprets them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any, cast

import yaml
from yaml.events import Event, NodeEvent, ScalarEvent
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from shifts import give_way

TEXT_TAG = "tag:yaml.org,2002:str"
NULL_TAG = "tag:yaml.org,2002:null"
WHOLE_NUMBER_TAG = "tag:yaml.org,2002:int"
MERGE_TAG = "tag:yaml.org,2002:merge"

Meaning = tuple[object, ...]

_RESOLVER: Any = Resolver()
_KEY_LENGTH = 16
# The number of events between two pauses. Parsing this many events takes less than a millisecond.
_EVENTS_OF_A_STEP = 32


def events_of(text: str) -> Iterator[Event]:
    """Parse a text into YAML events. Uses libyaml if PyYAML was built with libyaml.

    Raises:
        YAMLError: The text is not valid YAML.
    """
    return chain.from_iterable(_steps(text))


def _steps(text: str) -> Iterator[Iterable[Event]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    events = iter(loader.get_event, None)
    try:
        for first in events:
            give_way()
            yield chain((first,), islice(events, _EVENTS_OF_A_STEP - 1))
    finally:
        loader.dispose()


def tag_of(scalar: ScalarEvent) -> str:
    """The YAML 1.1 type of a scalar."""
    if scalar.tag is None or scalar.tag == "!":
        # Cache only short texts, such as keys, because these are often repeated.
        resolve = _resolved_again if len(scalar.value) <= _KEY_LENGTH else _resolved
        return resolve(scalar.value, scalar.implicit)
    return scalar.tag


def _resolved(value: str, implicit: tuple[bool, bool]) -> str:
    return str(_RESOLVER.resolve(ScalarNode, value, implicit))


_resolved_again = lru_cache(maxsize=1024)(_resolved)


def meaning(event: Event) -> Meaning:
    """The meaning of a YAML event, regardless of its position and spelling."""
    if isinstance(event, ScalarEvent):
        return ScalarEvent, event.anchor, tag_of(event), event.value
    if isinstance(event, NodeEvent):
        return type(event), event.anchor, getattr(event, "tag", None)
    return (type(event),)


def are_written_alike(one: Event, other: object) -> bool:
    """Whether two scalars have the same spelling. Comparing spellings is faster than comparing meanings."""
    return (
        type(one) is ScalarEvent
        and type(other) is ScalarEvent
        and one.value == other.value
        and one.implicit == other.implicit
        and one.tag == other.tag
        and one.anchor == other.anchor
    )


def start_of(event: Event) -> yaml.Mark:
    return cast("yaml.Mark", event.start_mark)


def end_of(event: Event) -> yaml.Mark:
    return cast("yaml.Mark", event.end_mark)
