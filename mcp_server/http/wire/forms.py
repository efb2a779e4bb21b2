"""The forms of message parameters that this adapter supports. The SDK handles all other forms.

Each form accepts only what the SDK also accepts, so both adapters agree on which requests are valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp_server.calls.long_work import CANCEL, GET, UPDATE
from mcp_server.protocol.names import CAPABILITIES_KEY, CLIENT_INFO_KEY, PROGRESS_KEY, VERSION_KEY

Form = Callable[[Any], bool]

_LONGEST_TASK_ID: Final = 200
_RESERVED: Final = "io.modelcontextprotocol/"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_task_id(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TASK_ID


def _or_null(form: Form) -> Form:
    return lambda value: value is None or form(value)


def _each(form: Form) -> Form:
    """A form that accepts an object if the given form accepts each value in the object."""
    return lambda value: isinstance(value, dict) and all(map(form, value.values()))


def _list_of(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(map(form, value))


def _just(required: Mapping[str, Form], optional: Mapping[str, Form] | None = None) -> Form:
    """A form for objects that have all required members, may have optional members, and have no other members."""
    forms = {**(optional or {}), **required}

    def fits(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and required.keys() <= value.keys()
            and all(name in forms and forms[name](inner) for name, inner in value.items())
        )

    return fits


_ICON: Final = _just({"src": _is_text}, {"mimeType": _or_null(_is_text), "sizes": _or_null(_list_of(_is_text))})
_IMPLEMENTATION: Final = _just(
    {"name": _is_text, "version": _is_text},
    {
        "title": _or_null(_is_text),
        "description": _or_null(_is_text),
        "websiteUrl": _or_null(_is_text),
        "icons": _or_null(_list_of(_ICON)),
    },
)
_CAPABILITIES: Final = _just(
    {},
    {
        "elicitation": _just({}, {"form": _or_null(_is_object), "url": _or_null(_is_object)}),
        "sampling": _just({}, {"tools": _or_null(_is_object), "context": _or_null(_is_object)}),
        "roots": _just({}, {"listChanged": _is_truth}),
        "experimental": _each(_is_object),
        "extensions": _each(_is_object),
    },
)
_REFERENCES: Final = (
    _just({"type": "ref/prompt".__eq__, "name": _is_text}),
    _just({"type": "ref/resource".__eq__, "uri": _is_text}),
)
_LIST: Final = _just({}, {"cursor": _or_null(_is_text)})
# For each method, the form of its parameters without `_meta`. This form is the same in all protocol versions.
_PARAMS: Final[Mapping[str, Form]] = {
    "tools/list": _LIST,
    "tools/call": _just({"name": _is_text}, {"arguments": _or_null(_is_object)}),
    "resources/list": _LIST,
    "resources/templates/list": _LIST,
    "resources/read": _just({"uri": _is_text}),
    "prompts/list": _LIST,
    "prompts/get": _just({"name": _is_text}, {"arguments": _or_null(_each(_is_text))}),
    "completion/complete": _just(
        {
            "ref": lambda value: any(form(value) for form in _REFERENCES),
            "argument": _just({"name": _is_text, "value": _is_text}),
        }
    ),
}
HANDSHAKE_PARAMS: Final[Mapping[str, Form]] = {
    **_PARAMS,
    "ping": _just({}),
    "initialize": _just({"protocolVersion": _is_text, "capabilities": _CAPABILITIES, "clientInfo": _IMPLEMENTATION}),
}
MODERN_PARAMS: Final[Mapping[str, Form]] = {
    **_PARAMS,
    "server/discover": _just({}),
    GET: _just({"taskId": _is_task_id}),
    CANCEL: _just({"taskId": _is_task_id}),
    UPDATE: _just({"taskId": _is_task_id, "inputResponses": _is_object}),
}
_MODERN_META: Final[Mapping[str, Form]] = {
    VERSION_KEY: _is_text,
    CAPABILITIES_KEY: _CAPABILITIES,
    CLIENT_INFO_KEY: _or_null(_IMPLEMENTATION),
}


def is_handshake_meta(meta: Any) -> bool:
    return isinstance(meta, dict) and PROGRESS_KEY not in meta and VERSION_KEY not in meta


def is_modern_meta(meta: Any) -> bool:
    if not isinstance(meta, dict) or PROGRESS_KEY in meta or not {VERSION_KEY, CAPABILITIES_KEY} <= meta.keys():
        return False
    own = {name: value for name, value in meta.items() if name.startswith(_RESERVED)}
    return own.keys() <= _MODERN_META.keys() and all(_MODERN_META[name](value) for name, value in own.items())
