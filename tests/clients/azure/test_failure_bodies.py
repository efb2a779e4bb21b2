"""The code and the words of a failure are found wherever a service puts them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clients.azure.failure_bodies import Failure
from clients.azure.messages import AzureAnswer


def nested(levels: int) -> dict[str, Any]:
    error: dict[str, Any] = {"code": "Inner"}
    for _ in range(levels):
        error = {"code": "Outer", "innererror": error}
    return {"error": error}


@pytest.mark.parametrize(
    ("document", "code", "message", "codes"),
    [
        ({"error": {"code": "A", "message": "m"}}, "A", "m", ("A",)),
        ({"Error": {"Code": "A", "Message": "m"}}, "A", "m", ("A",)),
        ({"odata.error": {"code": "A", "message": {"lang": "en", "value": "m"}}}, "A", "m", ("A",)),
        ({"code": "A", "message": "m"}, "A", "m", ("A",)),
        ({"error": {"code": "A", "message": 5}}, "A", "", ("A",)),
        ({"error": {"code": "a" * 61, "message": "m" * 20_001}}, "a" * 60, "m" * 20_000, ("a" * 60,)),
        ({"error": {"message": "m"}}, "", "m", ()),
        ({"error": {"code": "A", "message": "m", "innererror": {"code": "B"}}}, "B", "m", ("A", "B")),
        ({"error": {"code": "A", "innerError": {"code": "B", "message": "n"}}}, "B", "n", ("A", "B")),
        ({"error": {"code": "A", "InnerError": {"message": "n"}}}, "A", "n", ("A",)),
        ({"error": {"code": "A", "details": [{"code": "B", "message": "n"}]}}, "B", "n", ("A", "B")),
        ({"error": {"code": "A", "Details": ["x", {"code": "Unspecified"}, {"code": "B"}]}}, "B", "", ("A", "B")),
        (
            {"error": {"code": "A", "details": [{"code": "InvalidQuery"}], "innererror": {"code": "B"}}},
            "B",
            "",
            ("A", "B"),
        ),
        ({"error": {"code": "A", "details": {"code": "B"}}}, "A", "", ("A",)),
        (
            {"error": {"code": "A", "message": 'It says {"error": {"code": "B", "message": "n"}} there'}},
            "B",
            "n",
            ("A", "B"),
        ),
        ({"error": {"code": "A", "message": "It says {not JSON"}}, "A", "It says {not JSON", ("A",)),
        ({"error": "invalid_grant", "error_description": "n"}, "invalid_grant", "n", ("invalid_grant",)),
        ({"error": "e" * 61, "message": "n" * 20_001}, "e" * 60, "n" * 20_000, ("e" * 60,)),
        ({"error": ["A"]}, "", "", ()),
        ([{"error": {"code": "A"}}], "", "", ()),
        (nested(9), "Inner", "", (*["Outer"] * 9, "Inner")),
        (nested(10), "Outer", "", ("Outer",) * 10),
    ],
    ids=lambda value: str(value)[:50],
)
def test_the_innermost_failure_of_a_document_counts(
    document: Any, code: str, message: str, codes: tuple[str, ...]
) -> None:
    found = Failure.in_document(document)
    assert (found.code, found.message, found.codes) == (code, message, codes)
    assert found.is_called("Z", *codes) == bool(codes)
    assert not found.is_called("Z")


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"line": 2, "characterPositionInLine": 7}, "The error is in line 2 after 7 characters."),
        (
            {"line": 2, "characterPositionInLine": 0, "token": 'a  "b'},
            'The error is in line 2 after 0 characters, at "a \'b".',
        ),
        (
            {"line": 2, "characterPositionInLine": 7, "token": "x" * 61},
            f'The error is in line 2 after 7 characters, at "{"x" * 60}".',
        ),
        ({"line": 2}, ""),
        ({"characterPositionInLine": 7}, ""),
        ({"line": "2", "characterPositionInLine": 7}, ""),
    ],
)
def test_where_a_query_is_wrong_is_told(more: dict[str, Any], place: str) -> None:
    assert Failure.in_document({"error": {"code": "A", "innererror": {"code": "B", **more}}}).place == place


def test_the_policies_that_refuse_it_are_named_once() -> None:
    def violation(**info: str) -> dict[str, Any]:
        return {"type": "PolicyViolation", "info": info}

    entries = [
        violation(policyAssignmentDisplayName="A", policyDefinitionDisplayName="x"),
        violation(policyDefinitionDisplayName="B", policyAssignmentName="x"),
        violation(policyAssignmentName="C", policyAssignmentDisplayName=""),
        violation(policyAssignmentName="C"),
        {"type": "Other", "info": {"policyAssignmentName": "D"}},
        {"type": "PolicyViolation", "info": "E"},
        "F",
    ]
    assert Failure.in_document({"error": {"code": "A", "additionalInfo": entries}}).policies == ("A", "B", "C")
    assert Failure.in_document({"error": {"code": "A", "additionalInfo": {"type": "PolicyViolation"}}}).policies == ()


@pytest.mark.parametrize(
    ("content", "header", "code", "message"),
    [
        ("<Error><Code>A</Code><Message>m</Message><Code>B</Code></Error>", "", "A", "m"),
        (f"<code>{'a' * 61}</code>", "", "a" * 60, ""),
        (f"{' ' * 19_992}<Code>A</Code>", "", "", ""),
        ("<html>Sign in</html>", "", "", ""),
        ("{", "", "", ""),
        ("[", "Named", "Named", ""),
        ("x" * 301, "", "", "x" * 300),
        ("", "n" * 61, "n" * 60, ""),
        (json.dumps({"error": {"message": "m"}}), "Named", "Named", "m"),
        (json.dumps({"error": {"code": "A", "message": "m"}}), "Named", "A", "m"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_failure_may_be_in_a_text_or_a_header(content: str, header: str, code: str, message: str) -> None:
    headers = {"x-ms-error-code": header} if header else {}
    found = Failure.of(AzureAnswer(400, headers, content.encode()))
    assert (found.code, found.message) == (code, message)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("It failed.\nRequestId:1-2\nTime:3", "It failed."),
        ("It failed. Tracking ID: 5", "It failed."),
        ("It failed.\n   at System.Web(x)", "It failed."),
        ("RequestId: 1", ""),
    ],
)
def test_what_only_developers_need_is_left_out(message: str, words: str) -> None:
    assert Failure(message=message).words == words
