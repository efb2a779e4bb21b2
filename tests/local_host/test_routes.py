"""Route templates, their order, and the function that a request goes to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_host.cannot_start import CannotStartError
from local_host.routes import Route, Routes, RouteTemplate

WORDS = st.text("abcdefgh-_.~ é中", min_size=1, max_size=8).filter(lambda word: word.strip("."))


def routes(*templates: str, prefix: str = "", methods: Sequence[str] = ()) -> Routes:
    """Functions that are named by their templates."""
    return Routes(Route.of(template, prefix, template, methods) for template in templates)


def winner(of: Routes, path: str, method: str = "GET") -> str | None:
    found = of.find(method, path)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("template", "path", "values"),
    [
        ("mcp", "/mcp", {}),
        ("mcp", "/MCP", {}),
        ("mcp", "/mcp/", {}),
        ("mcp", "/mcp//", None),
        ("mcp", "//mcp", None),
        ("mcp", "/mcp/x", None),
        ("mcp", "/mc", None),
        ("a.b", "/axb", None),
        (".well-known/oauth", "/.well-known/oauth", {}),
        ("items/{id}", "/items/7", {"id": "7"}),
        ("Items/{ID}", "/items/Seven", {"ID": "Seven"}),
        ("items/{id}", "/items/", None),
        ("items/{id}", "/items/7/8", None),
        ("items/{id}", "/items/a b\n%2F", {"id": "a b\n%2F"}),
        ("items/{id?}", "/items", {}),
        ("items/{id?}", "/items/", {}),
        ("items/{id?}", "/items/7", {"id": "7"}),
        ("items/{id=all}", "/items", {"id": "all"}),
        ("items/{id:int=1}", "/items", {"id": "1"}),
        ("{a=x}/{b?}", "/", {"a": "x"}),
        ("{a=x}/{b?}", "/y/z", {"a": "y", "b": "z"}),
        ("{a=x}/end", "/end", None),
        ("{a=x}/end", "/", None),
        ("{a=x}/end", "/y/end", {"a": "y"}),
        ("files/{*path}", "/files", {}),
        ("files/{*path}", "/files/", {}),
        ("files/{*path}", "/files/a//b/", {"path": "a//b/"}),
        ("files/{*path}", "/files/a\nb", {"path": "a\nb"}),
        ("files/{**path}", "/files/a/b", {"path": "a/b"}),
        ("{name}.{extension}", "/a.b.c", {"name": "a.b", "extension": "c"}),
        ("v{version:int}/x", "/v12/x", {"version": "12"}),
        ("v{version:int}/x", "/vv/x", None),
        ("{code:regex(^\\d{{2}}/?$)}", "/42", {"code": "42"}),
        ("{code:regex(^(a|b)$):length(1)}/{n}", "/b/1", {"code": "b", "n": "1"}),
    ],
)
def test_a_template_takes_its_values_from_a_path(template: str, path: str, values: Mapping[str, str] | None) -> None:
    assert RouteTemplate(template).match(path) == values


@pytest.mark.parametrize(
    ("constraint", "fits", "fails"),
    [
        ("int", "-2147483648 0 +7", "2147483648 1.0 x \u0661 " + "9" * 5000),
        ("long", "9223372036854775807", "9223372036854775808 1e3"),
        ("bool", "true FALSE", "1 yes"),
        ("alpha", "aZ", "a1 é"),
        ("guid", "01234567-89ab-CDEF-0123-456789abcdef 0123456789abcdef0123456789abcdef", "01234567-89ab 0-1"),
        ("decimal", "1 -1.5 .5", "1e5 x 1.2.3"),
        ("double", "1 -1.5e-7", "x e5"),
        ("float", "1.5", "one"),
        ("required", "x", ""),
        ("minlength(2)", "ab abc", "a"),
        ("maxlength(2)", "a ab", "abc"),
        ("length(2)", "ab", "a abc"),
        ("length(1,2)", "a ab", "abc"),
        ("min(5)", "5 6", "4 x"),
        ("max(5)", "-9 5", "6 x"),
        ("range(1,3)", "1 3", "0 4"),
        ("regex(^a+$)", "aa A", "ab"),
        ("INT", "1", "x"),
        ("int:min(3)", "3", "2"),
    ],
)
def test_a_constraint_decides_what_fits(constraint: str, fits: str, fails: str) -> None:
    template = RouteTemplate(f"{{value:{constraint}}}")
    assert [value for value in fits.split() if template.match(f"/{value}") is None] == []
    assert [value for value in fails.split() if template.match(f"/{value}") is not None] == []


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{id:number}", "unknown constraint 'number'. Valid: alpha, bool, decimal"),
        ("{id:min}", "'min'"),
        ("{id:min(x)}", "'min(x)'"),
        ("{id:range(1)}", "'range(1)'"),
        ("{id:int(1)}", "'int(1)'"),
        ("{id:regex(()}", "'regex(()'"),
        ("{id", "cannot be parsed at {"),
        ("id}", "cannot be parsed at }"),
        ("a?b", "cannot be parsed at ?"),
        ("{1st}", "cannot be parsed"),
        ("a//b", "empty segment"),
        ("{id}/{ID}", "twice"),
        ("{*rest}/more", "must be at the end"),
        ("x{*rest}", "a whole segment"),
        ("x{id?}", "a whole segment"),
        ("admin/x", "'admin' or 'runtime'"),
        ("/Runtime", "'admin' or 'runtime'"),
    ],
)
def test_a_route_that_cannot_be_served_is_refused_with_its_function(template: str, problem: str) -> None:
    with pytest.raises(CannotStartError, match=f"^do_it: .*{re.escape(problem)}"):
        Route.of("do_it", "", template, ["GET"])


@pytest.mark.parametrize(
    ("templates", "path", "expected"),
    [
        ("items/{id} items/recent", "/items/recent", "items/recent"),
        ("items/{id} items/{id:int}", "/items/7", "items/{id:int}"),
        ("{a} {b:int}", "/7", "{b:int}"),
        ("items/{id} items/{id:int}", "/items/x", "items/{id}"),
        ("items/{*rest} items/{id}", "/items/7", "items/{id}"),
        ("items/{*rest} items/{id}", "/items/7/8", "items/{*rest}"),
        ("{*rest} {*rest:int}", "/7", "{*rest:int}"),
        ("{a}/b a/{b}", "/a/b", "a/{b}"),
        ("{a}/{b} x{a}/{b}", "/xy/z", "x{a}/{b}"),
        ("items/{id?} items", "/items", "items"),
        ("{*rest} mcp", "/other", "{*rest}"),
        ("mcp", "/other", None),
    ],
)
def test_the_more_specific_route_takes_the_request(templates: str, path: str, expected: str | None) -> None:
    both = templates.split()
    assert winner(routes(*both), path) == expected
    assert winner(routes(*reversed(both)), path) == expected


def test_a_route_answers_to_its_methods_only() -> None:
    of = Routes(
        [Route.of("read", "", "x", ["get", "HEAD"]), Route.of("write", "", "x", ["POST"]), Route.of("all", "", "y", [])]
    )
    assert [winner(of, "/x", method) for method in ("GET", "HEAD", "POST", "DELETE")] == ["read", "read", "write", None]
    assert winner(of, "/y", "PATCH") == "all"


def test_the_prefix_stands_before_every_route() -> None:
    of = routes("x", prefix="api")
    assert (winner(of, "/api/x"), winner(of, "/x")) == ("x", None)


def test_a_leading_slash_is_taken_without_a_prefix_and_refused_with_one() -> None:
    assert winner(routes("/x"), "/x") == "/x"
    with pytest.raises(CannotStartError, match="empty segment"):
        routes("/x", prefix="api")


def test_two_functions_with_the_same_route_and_method_are_refused() -> None:
    with pytest.raises(CannotStartError, match="one and two have the same route"):
        Routes([Route.of("one", "", "x/{id}", ["GET", "POST"]), Route.of("two", "", "X/{id}", ["POST"])])


def test_a_route_that_azure_gives_to_another_function_is_told() -> None:
    def hidden(specific: str, general: str, methods: str = "GET") -> bool:
        return bool(
            Routes(
                [Route.of(specific, "", "items/recent", ["GET"]), Route.of(general, "", "items/{id}", [methods])]
            ).hidden_on_azure()
        )

    assert hidden("Recent", "item")
    assert not hidden("list_recent", "of_id")
    assert not hidden("recent", "item", methods="POST")


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_each_parameter_gets_its_own_segment(words: list[str]) -> None:
    template = RouteTemplate("/".join(f"{{p{index}}}" for index in range(len(words))))
    assert template.match("/" + "/".join(words)) == {f"p{index}": word for index, word in enumerate(words)}


@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_a_literal_route_is_never_hidden(words: list[str], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.sampled_from(["{a}", "{a:minlength(1)}", "{*a}", "x{a}"]), unique=True))
    tail = words[1:]
    literal = "/".join(words)
    rivals = [other if other == "{*a}" else "/".join([other, *tail]) for other in others]
    assert winner(routes(*rivals, literal), f"/{literal}") == literal


@given(st.text(max_size=30), st.sampled_from(["GET", "POST"]))
def test_any_path_is_answered_by_a_route_or_by_none(path: str, method: str) -> None:
    of = routes("mcp", "items/{id:int}", "files/{*rest}", "{a}-{b}", methods=["GET"])
    assert (of.find(method, f"/{path}") or ("", {}))[0] in {"", "mcp", "items/{id:int}", "files/{*rest}", "{a}-{b}"}
