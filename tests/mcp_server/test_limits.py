"""The last that is allowed passes, and the first that is not is refused or shortened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from mcp_server.bounds import bounded, excess, excess_of_text
from mcp_server.calls.sampling import ModelQuestion
from mcp_server.catalog.right_call import next_told
from mcp_server.http.choosing import TOOLS, TOOLSETS, selection_of
from mcp_server.http.gate import Gate, RejectedError, check_json
from mcp_server.select.evaluation import Missed
from mcp_server.select.expression import parsed
from mcp_server.select.fields import missing, overview
from refusal import Refusal
from tests.mcp_server.caller import post


def nested(levels: int) -> Any:
    document: Any = 1
    for _ in range(levels):
        document = [document]
    return document


@pytest.mark.parametrize(
    ("fitting", "larger", "said"),
    [
        (dict.fromkeys(map(str, range(500))), dict.fromkeys(map(str, range(501))), "501 names; at most 500"),
        ({"n" * 1000: 1}, {"n" * 1001: 1}, "longer than 1000 characters"),
        ([0] * 10_000, [0] * 10_001, "more than 10000 values"),
        ([[0] * 4_999, [0] * 4_999], [[0] * 4_999, [0] * 5_000], "more than 10000 values"),
        (nested(32), nested(33), "deeper than 32 levels"),
        ({"a": nested(31)}, {"a": nested(32)}, "deeper than 32 levels"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_document_has_so_many_names_values_and_levels(fitting: Any, larger: Any, said: str) -> None:
    assert excess(fitting) == ""
    assert said in excess(larger)


@pytest.mark.parametrize(
    ("fitting", "larger"),
    [
        (b"[" + b"0," * 19_999, b"[" + b"0," * 20_000),
        (b"{" * 20_000, b"{" * 20_001),
        (b'"' + b"," * 20_001 + b'"' + b'""' * 20_000, b'"' + b"," * 20_001 + b'"' + b'""' * 20_001),
        (rb'["\\\"' + b"," * 30_000 + b'"]', rb'["\\"' + b"," * 30_000 + b"]"),
    ],
    ids=["commas", "braces", "quotes", "escapes"],
)
def test_a_text_is_not_parsed_if_it_has_too_many_values(fitting: bytes, larger: bytes) -> None:
    assert excess_of_text(fitting) == ""
    assert excess_of_text(larger) == "The JSON has more than 10000 values."


def test_a_long_message_is_shortened() -> None:
    assert bounded("a" * 20_000) == "a" * 20_000
    assert bounded("a" * 20_001) == f"{'a' * 20_000} …"


def test_a_question_to_a_model_has_up_to_100_000_characters() -> None:
    assert ModelQuestion("a" * 40_000, "b" * 60_000, 5).longest_answer == 40
    with pytest.raises(Refusal, match="limit of 100000 characters"):
        ModelQuestion("a" * 40_000, "b" * 60_001, 5)


def test_an_expression_has_up_to_1000_characters_and_50_levels() -> None:
    assert parsed("a".ljust(1000))
    with pytest.raises(Refusal, match="is 1001 characters long; the limit is 1000"):
        parsed("a".ljust(1001))
    deep = [levels for levels in range(40, 60) if _is_parsed("!" * levels + "a")]
    assert deep == list(range(40, 50))


def _is_parsed(expression: str) -> bool:
    try:
        return bool(parsed(expression))
    except Refusal:
        return False


@pytest.mark.parametrize("name", [TOOLSETS, TOOLS])
def test_a_selection_has_up_to_8192_characters(name: str) -> None:
    assert selection_of({name: "a".ljust(8192)})
    with pytest.raises(Refusal, match="8192"):
        selection_of({name: "a".ljust(8193)})
    assert selection_of({}, "a".ljust(8192))
    with pytest.raises(Refusal, match="8192"):
        selection_of({}, "a".ljust(8193))


def shown(document: Mapping[str, Any]) -> str:
    return overview(document)


def test_a_field_is_named_by_up_to_60_characters_of_its_name() -> None:
    assert shown({"a" * 60: 1}) == f"The answer has {'a' * 60}."
    assert shown({"a" * 61: 1}) == f'The answer has "{"a" * 60}…".'
    assert shown({}) == "The answer has no fields."


def test_of_a_list_the_fields_of_the_first_twenty_entries_are_named() -> None:
    entries: list[Any] = [{"a": 1}, *[5] * 18, {"b": 1}, {"c": 1}]
    assert shown({"rows": entries, "none": []}) == "The answer has rows[] (a, b), none."


def test_what_is_missing_is_said_of_three_fields_in_800_characters() -> None:
    place = {"here": 1}
    said = missing([Missed(f"f{number}", place, is_compared=False) for number in range(4)])
    assert [f"f{number}" in said for number in range(4)] == [True, True, True, False]
    many = {f"{number:03}{'x' * 57}": 1 for number in range(40)}
    long = missing([Missed("f", many, is_compared=False)])
    assert (len(long), long[-2:]) == (802, " …")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({}, ". No fields are available."),
        ({"a": 1}, ". Available: a."),
        ([{"a": 1}], ": this is a list, so write [] after it. Available in its entries: a."),
        ([], ": this is a list, so write [] after it. No fields are available in its entries."),
        ("x", ": this is a string, which has no fields."),
        (True, ": this is a boolean, which has no fields."),
        (1, ": this is a number, which has no fields."),
        (1.5, ": this is a number, which has no fields."),
        (None, ": this is a value, which has no fields."),
    ],
)
def test_what_is_there_instead_of_a_field_is_said(place: Any, said: str) -> None:
    assert missing([Missed("f", place, is_compared=False)]) == f"Field f not found{said}"
    assert missing([Missed("f", place, is_compared=True)]) == f"Field f not found{said} Put strings in single quotes."


def test_a_field_that_has_the_name_of_a_function_is_said_to_be_one() -> None:
    assert missing([Missed("length", {"a": 1}, is_compared=True)]) == (
        "Field length not found. Available: a. length(@) is a function."
    )


def test_a_call_of_up_to_2000_characters_is_suggested() -> None:
    frame = len(next_told({"a": ""}))
    fitting = {"a": "b" * (2000 + len(" Next: ") - frame)}
    assert next_told(fitting).startswith(" Next: ")
    assert next_told({"a": f"{fitting['a']}b"}) == ""
    assert next_told({}) == ""


def test_a_body_has_as_many_bytes_as_the_gate_lets_in() -> None:
    gate = Gate.of([], [], 10)
    gate.check_size(post(b"x" * 10))
    with pytest.raises(RejectedError, match="larger than 10 bytes") as rejected:
        gate.check_size(post(b"x" * 11))
    assert rejected.value.http_status == 413


@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [
        ("bakery.example.com", True),
        ("BAKERY.example.com:443", True),
        ("bakery.example.com:8443", False),
        ("localhost:5173", True),
        ("localhost", True),
        ("localhost:port", False),
        ("localhost:\u0665", False),
        ("localhost:", False),
        ("evil.example.com", False),
        ("", False),
    ],
)
def test_a_host_may_have_any_port_where_that_is_allowed(host: str, is_allowed: bool) -> None:
    gate = Gate.of(["bakery.example.com", "localhost:*"], [])
    request = post(b"", {"host": host})
    if is_allowed:
        gate.check_host(request)
    else:
        with pytest.raises(RejectedError) as rejected:
            gate.check_host(request)
        assert rejected.value.http_status == 421


@pytest.mark.parametrize("body", [b"\0", b'{"a": "\0"}', '"a"'.encode("utf-16-le")])
def test_a_body_with_a_nul_is_no_json(body: bytes) -> None:
    check_json(b"{}")
    with pytest.raises(RejectedError, match="must be JSON in UTF-8"):
        check_json(body)
    with pytest.raises(RejectedError, match="more than 10000 values"):
        check_json(b"[" + b"0," * 40_000)


def test_json_is_what_the_tests_say() -> None:
    assert json.loads(rb'["\\\"' + b'"]') == ['\\"']
