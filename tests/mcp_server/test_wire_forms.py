"""The wire accepts only what the SDK accepts, and has its names, numbers and header values."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

import mcp_types
import mcp_types.version
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.shared import inbound
from mcp_types import methods

from mcp_server.http.wire.forms import HANDSHAKE_PARAMS, MODERN_PARAMS
from mcp_server.http.wire.plain_request import plain_request
from mcp_server.protocol import header_values, names
from tests.mcp_server.adapter_pair import VERSIONS, Json, methods_of, sent
from tests.mcp_server.caller import MODERN
from tests.sweeps import examples

VALUES: Final = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "a", "what_time", MODERN])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("abc"), inner, max_size=2)),
    max_leaves=4,
)
SPOILT: Final = st.tuples(st.sampled_from(range(6)), VALUES)


def spoil(document: Json, at: int, value: Json) -> Json:
    """The document with one value of it replaced, somewhere."""
    if isinstance(document, dict) and document:
        name = sorted(document)[at % len(document)]
        inner = document[name]
        whole = at % 2 or not isinstance(inner, dict)
        return {**document, name: value if whole else spoil(inner, at // 2, value)}
    return value


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(version=st.sampled_from(VERSIONS), case=st.data())
def test_what_the_wire_accepts_the_sdk_accepts(version: str, case: st.DataObject) -> None:
    method, params = case.draw(st.sampled_from(methods_of(version)))
    request = sent(method, params, version)
    at, value = case.draw(SPOILT)
    spoilt = replace(request, body=json.dumps(spoil(json.loads(request.body), at, value)).encode())
    plain = plain_request(spoilt)
    if plain is not None and plain.id is not None:
        methods.validate_client_request(plain.method, version, json.loads(spoilt.body).get("params"))


def test_each_method_has_forms_in_each_version_that_has_it() -> None:
    known = {(method, version) for method, version in methods.CLIENT_REQUESTS if method not in _ONLY_OF_THE_SDK}
    ours = {(method, version) for version in names.HANDSHAKE_VERSIONS for method in HANDSHAKE_PARAMS}
    ours |= {(method, MODERN) for method in MODERN_PARAMS if not method.startswith("tasks/")}
    assert ours == known


_ONLY_OF_THE_SDK: Final = {
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
}


def test_names_and_numbers_are_those_of_the_sdk() -> None:
    ours = {name: value for name, value in vars(names).items() if name.isupper()}
    theirs: dict[str, Json] = {
        "HANDSHAKE_VERSIONS": mcp_types.version.HANDSHAKE_PROTOCOL_VERSIONS,
        "MODERN_VERSIONS": mcp_types.version.MODERN_PROTOCOL_VERSIONS,
        "KNOWN_VERSIONS": mcp_types.version.KNOWN_PROTOCOL_VERSIONS,
        "LATEST_HANDSHAKE_VERSION": mcp_types.version.LATEST_HANDSHAKE_VERSION,
        "LATEST_MODERN_VERSION": mcp_types.version.LATEST_MODERN_VERSION,
        "DEFAULT_VERSION": mcp_types.DEFAULT_NEGOTIATED_VERSION,
        "VERSION_HEADER": inbound.MCP_PROTOCOL_VERSION_HEADER,
        "METHOD_HEADER": inbound.MCP_METHOD_HEADER,
        "NAME_HEADER": inbound.MCP_NAME_HEADER,
        "NAMED_BY": dict(inbound.NAME_BEARING_METHODS),
        "HEADER_MARK": inbound.X_MCP_HEADER_KEY,
        "VERSION_KEY": mcp_types.PROTOCOL_VERSION_META_KEY,
        "CLIENT_INFO_KEY": mcp_types.CLIENT_INFO_META_KEY,
        "CAPABILITIES_KEY": mcp_types.CLIENT_CAPABILITIES_META_KEY,
        "SERVER_INFO_KEY": mcp_types.SERVER_INFO_META_KEY,
        "PROGRESS_KEY": "progressToken",
        "PARSE_ERROR": mcp_types.PARSE_ERROR,
        "INVALID_REQUEST": mcp_types.INVALID_REQUEST,
        "METHOD_NOT_FOUND": mcp_types.METHOD_NOT_FOUND,
        "INVALID_PARAMS": mcp_types.INVALID_PARAMS,
        "INTERNAL_ERROR": mcp_types.INTERNAL_ERROR,
        "HEADER_MISMATCH": mcp_types.HEADER_MISMATCH,
        "MISSING_CAPABILITY": mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        "UNSUPPORTED_VERSION": mcp_types.UNSUPPORTED_PROTOCOL_VERSION,
        "STATUSES": dict(inbound.ERROR_CODE_HTTP_STATUS),
        "METHODS": methods.SPEC_CLIENT_METHODS,
        "NOTIFICATIONS": methods.SPEC_CLIENT_NOTIFICATION_METHODS,
    }
    assert ours == theirs


@given(st.text(max_size=20))
def test_header_values_are_read_and_written_as_the_sdk_does(value: str) -> None:
    try:
        written = inbound.encode_header_value(value)
    except UnicodeEncodeError:
        return
    assert header_values.encoded(value) == written
    assert header_values.decoded(written) == value
    assert header_values.decoded(value) == inbound.decode_header_value(value)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("=?base64?w6k=?=", "é"),
        ("=?base64?w6l=?=", None),
        ("=?base64?w6k?=", None),
        ("=?base64?w6 k=?=", None),
        ("=?base64?/w==?=", None),
        ("=?base64??=", ""),
        ("base64", "base64"),
    ],
)
def test_a_header_value_has_one_spelling(value: str, read: str | None) -> None:
    assert header_values.decoded(value) == read
