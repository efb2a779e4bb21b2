"""What stands after the question mark of an address: known names, each once, and few of them."""

from __future__ import annotations

import pytest

from mcp_server.http.messages import HttpRequest
from mcp_server.http.plain import query, tagged
from mcp_server.http.rest import Beginning
from refusal import Refusal


def asked(text: str, **headers: str) -> HttpRequest:
    return HttpRequest("GET", "/tools", {name.replace("_", "-"): value for name, value in headers.items()}, b"", text)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("", {}),
        ("code=key", {"code": "key"}),
        ("cursor=a&limit=", {"cursor": "a", "limit": ""}),
        ("&".join(["", *["cursor=a"]] + [""] * 18), {"cursor": "a"}),
    ],
)
def test_known_parameters_are_read(text: str, given: dict[str, str]) -> None:
    assert query(asked(text), "cursor", "limit") == given


@pytest.mark.parametrize(
    ("text", "names", "told"),
    [
        ("page=1", ("cursor", "limit"), "Allowed query parameters: cursor, limit, each once."),
        ("cursor=a&cursor=b", ("cursor", "limit"), "Allowed query parameters: cursor, limit, each once."),
        ("page=1", (), "Allowed query parameters: none, each once."),
        ("code=a&code=b", (), "Allowed query parameters: none, each once."),
        ("&".join(["a"] * 21), ("a",), "There are more than 20 parameters after the question mark."),
    ],
)
def test_other_parameters_are_refused(text: str, names: tuple[str, ...], told: str) -> None:
    with pytest.raises(Refusal) as refused:
        query(asked(text), *names)
    assert str(refused.value) == told


def test_an_answer_that_the_client_has_already_is_not_sent_again() -> None:
    first = tagged(asked(""), b"bread", {"content-type": "text/plain"})
    again = tagged(asked("", if_none_match=first.headers["etag"]), b"bread", {"content-type": "text/plain"})
    other = tagged(asked("", if_none_match=first.headers["etag"]), b"cake", {"content-type": "text/plain"})
    assert [(one.status, one.body) for one in (first, again, other)] == [(200, b"bread"), (304, b""), (200, b"cake")]
    assert first.headers == again.headers != other.headers


@pytest.mark.parametrize("chosen", [{"toolsets": ["a&b"]}, {"tools": ["a", "b&"]}])
def test_a_name_that_would_join_two_selections_is_refused(chosen: dict[str, list[str]]) -> None:
    beginning = Beginning(client_id="1", **chosen)
    with pytest.raises(Refusal, match="A name must not contain &"):
        _ = beginning.choice
