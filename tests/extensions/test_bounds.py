"""The last that is allowed passes, and the first that is not is refused, shortened or left out."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import pytest

from extensions.checking import problems_with
from extensions.contents import completion_of
from extensions.entries_file import entries_in
from extensions.entry import Entry
from extensions.installed import InstalledEntry, origin_of, record_in, record_of
from extensions.pins import PinChanges
from extensions.results import result_of
from extensions.sanitizing import description_of, name_of, readable, schema_of, spoken_name, theirs, title_of
from extensions.upstream.circuit import FAILURES, Circuit
from extensions.upstream.failures import ServerUnreachableError
from refusal import Refusal


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class TestCircuit:
    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def circuit(self, clock: Clock) -> Circuit:
        return Circuit("It", clock)

    def test_requests_pause_after_the_third_failure_for_fifteen_seconds(self, circuit: Circuit, clock: Clock) -> None:
        for _ in range(FAILURES - 1):
            circuit.failed()
            circuit.check()
        circuit.failed()
        assert circuit.is_open
        with pytest.raises(ServerUnreachableError) as paused:
            circuit.check()
        assert str(paused.value) == (
            "It is unavailable: it failed 3 times in a row, and it has not answered yet. Requests resume at"
            " 2027-01-15 08:00:15 UTC."
        )
        clock.now += 14.9
        assert circuit.is_open
        clock.now += 0.1
        assert not circuit.is_open
        circuit.check()

    def test_each_further_failure_doubles_the_pause_up_to_ten_minutes(self, circuit: Circuit, clock: Clock) -> None:
        for _ in range(FAILURES - 1):
            circuit.failed()
        for pause in (15, 30, 60, 120, 240, 480, 600, 600):
            circuit.failed()
            clock.now += pause - 0.1
            assert circuit.is_open
            clock.now += 0.1
            assert not circuit.is_open

    def test_an_answer_ends_the_pause_and_the_counting(self, circuit: Circuit) -> None:
        for _ in range(FAILURES):
            circuit.failed()
        assert circuit.last_seen == ""
        circuit.answered()
        assert (circuit.is_open, circuit.last_seen) == (False, "2027-01-15 08:00:00 UTC")
        for _ in range(FAILURES - 1):
            circuit.failed()
        assert not circuit.is_open
        circuit.failed()
        with pytest.raises(ServerUnreachableError, match="it last answered at 2027-01-15 08:00:00 UTC"):
            circuit.check()


def nested(levels: int, value: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
        value = {"a": value}
    return {"schema": schema, "value": value}


def test_arguments_are_checked_forty_levels_deep_and_no_deeper() -> None:
    fitting, deeper = nested(40, "x"), nested(41, "x")
    assert problems_with(fitting["value"], fitting["schema"]) == [f"{'.'.join('a' * 40)}: must be integer."]
    assert problems_with(deeper["value"], deeper["schema"]) == []


@pytest.mark.parametrize(
    ("around", "outside"),
    [
        (lambda schema: {"anyOf": [schema]}, lambda value: value),
        (lambda schema: {"oneOf": [schema]}, lambda value: value),
        (lambda schema: {"allOf": [schema]}, lambda value: value),
        (lambda schema: {"items": schema}, lambda value: [value]),
        (lambda schema: {"properties": {"a": schema}}, lambda value: {"a": value}),
        (lambda schema: {"additionalProperties": schema}, lambda value: {"a": value}),
    ],
    ids=["anyOf", "oneOf", "allOf", "items", "properties", "additionalProperties"],
)
def test_each_way_to_nest_a_schema_is_a_level(around: Callable[[Any], Any], outside: Callable[[Any], Any]) -> None:
    schema, value = {"type": "integer"}, "x"
    for _ in range(39):
        schema, value = around(schema), outside(value)
    assert problems_with({"a": value}, {"properties": {"a": schema}})
    assert not problems_with({"a": outside(value)}, {"properties": {"a": around(schema)}})


def test_a_reference_is_a_level() -> None:
    names = [f"d{number}" for number in range(41)]
    chain: dict[str, Any] = {one: {"$ref": f"#/$defs/{other}"} for one, other in pairwise(names)}
    schema = {"properties": {"a": {"$ref": "#/$defs/d1"}}, "$defs": {**chain, "d40": {"type": "integer"}}}
    assert not problems_with({"a": "x"}, schema)
    assert problems_with({"a": "x"}, {**schema, "properties": {"a": {"$ref": "#/$defs/d2"}}})


def test_arguments_are_checked_in_up_to_20_000_steps() -> None:
    """A step for the arguments, one for the list, and two for each entry and its type."""
    arguments = {"a": [*range(9_998), "x"]}
    schema = {"properties": {"a": {"items": {"type": "integer"}}}}
    assert problems_with(arguments, schema) == ["a.9998: must be integer."]
    assert problems_with(arguments, {**schema, "required": ["a"]}) == []


@pytest.mark.parametrize(("entries", "is_checked"), [(3_900, True), (4_100, False)])
def test_each_part_of_a_reference_is_a_step(entries: int, *, is_checked: bool) -> None:
    """Five steps for each entry: itself, the two parts of its reference, what it refers to, and the type of that."""
    schema = {"properties": {"a": {"items": {"$ref": "#/$defs/b"}}}, "$defs": {"b": {"type": "integer"}}}
    assert bool(problems_with({"a": [*range(entries), "x"]}, schema)) is is_checked


def test_ten_problems_are_told() -> None:
    schema = {"properties": {name: {"type": "string"} for name in string.ascii_lowercase}}
    assert len(problems_with(dict.fromkeys("abcdefghij", 1), schema)) == 10
    assert len(problems_with(dict.fromkeys("abcdefghijk", 1), schema)) == 10


@pytest.mark.parametrize(
    ("schema", "fitting", "wrong", "said"),
    [
        ({"minimum": 3}, 3, 2, "a: "),
        ({"maximum": 3}, 3, 4, "a: "),
        ({"minLength": 3}, "abc", "ab", "a: "),
        ({"maxLength": 3}, "abc", "abcd", "a: "),
        ({"minItems": 1}, [1], [], "a: "),
        ({"maxItems": 1}, [1], [1, 2], "a: "),
        ({"const": 1}, 1, True, "a: must be 1."),
        ({"const": [1, {"b": 2}]}, [1, {"b": 2}], [1, {"b": 3}], "a: must be "),
        ({"const": [1]}, [1], [1, 1], "a: must be "),
        ({"const": [1]}, [1], {"b": 1}, "a: must be a list."),
        ({"const": {"b": 1}}, {"b": 1}, ["b"], "a: must be an object."),
        ({"const": 7}, 7, [7], "a: must be 7."),
        ({"const": 7}, 7, {"b": 7}, "a: must be 7."),
        ({"const": {"b": 1}}, {"b": 1}, {"c": 1}, "a: must be "),
        ({"enum": [1, "b", [2]]}, [2], [3], "a: must be one of "),
        ({"enum": [1]}, 1, True, "a: must be one of 1."),
        ({"type": ["string", "null"]}, None, 5, "a: must be string or null."),
        ({"type": "number"}, 1.5, True, "a: must be number."),
        ({"type": "integer"}, 2.0, True, "a: must be integer."),
        ({"type": "integer"}, 2, 2.5, "a: must be integer."),
        ({"type": "boolean"}, True, 1, "a: must be boolean."),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None, 5, "a: matches none of the allowed forms."),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, "x", 5, "a: matches none of the allowed forms."),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, "xy", "x", "a: "),
        ({"items": {"type": "string"}}, ["x"], ["x", 5], "a.1: must be string."),
        ({"$ref": "#/$defs/b~1c~0d"}, 5, "x", "a: must be integer."),
    ],
    ids=str,
)
def test_what_a_schema_says_is_checked(schema: dict[str, Any], fitting: Any, wrong: Any, said: str) -> None:
    whole = {"properties": {"a": schema}, "$defs": {"b/c~d": {"type": "integer"}}}
    assert problems_with({"a": fitting}, whole) == []
    (problem,) = problems_with({"a": wrong}, whole)
    assert problem.startswith(said)
    assert problems_with({"a": wrong}, {"properties": {"a": True}}) == []
    assert problems_with({"a": fitting}, {"properties": {"a": False}}) == ["a: is not allowed."]


def test_a_truth_is_no_number_that_a_limit_is_for() -> None:
    assert problems_with({"a": True}, {"properties": {"a": {"minimum": 3}}}) == []


def test_a_tool_has_a_name_of_up_to_64_characters() -> None:
    assert name_of("my-docs", "a" * 56) == f"my_docs_{'a' * 56}"
    cut = name_of("my-docs", "a" * 57)
    assert (len(cut), cut[:55]) == (64, f"my_docs_{'a' * 47}")
    assert cut != name_of("my-docs", "a" * 58)
    assert name_of("docs", "get.it") == "docs_get_it"


def test_a_text_is_shortened_and_what_is_invisible_left_out() -> None:
    assert readable("a" * 5, 5) == "aaaaa"
    assert readable("a" * 6, 5) == "aaaaa …"
    assert readable("\u200b" * 15 + "a" * 5, 5) == "aaaaa"
    assert readable("\u200b" * 16 + "a" * 5, 5) == "aaaa"


def test_a_description_has_up_to_1000_characters_and_a_title_100() -> None:
    said = {"name": "n", "description": "d" * 1001, "title": "t" * 101}
    assert description_of("docs", said) == f"From the server of 'docs': {'d' * 1000} …"
    assert title_of("docs", said) == f"docs: {'t' * 100} …"
    assert description_of("docs", {"name": "n", "title": "t"}) == "From the server of 'docs': t"
    assert description_of("docs", {"name": "n"}) == "From the server of 'docs': n"
    assert title_of("docs", {"name": "n"}) == "docs: n"


@pytest.mark.parametrize(("name", "spoken"), [("getSum", "get_sum"), ("get-sum", "get_sum"), ("GET", "get")])
def test_a_name_is_spoken_like_ours(name: str, spoken: str) -> None:
    assert spoken_name({"name": name}) == spoken


def test_a_schema_has_up_to_24_000_bytes() -> None:
    frame = len('{"type":"object","description":""}')
    assert "description" in schema_of({"inputSchema": {"type": "object", "description": "a" * (24_000 - frame)}})
    larger = schema_of({"inputSchema": {"type": "object", "description": "a" * (24_001 - frame)}})
    assert "description" not in larger


@pytest.mark.parametrize(
    ("fitting", "larger"), [({"a" * 1000: {}}, {"a" * 1001: {}}), (nested(14, 1)["schema"], nested(16, 1)["schema"])]
)
def test_a_schema_has_short_names_and_few_levels(fitting: dict[str, Any], larger: dict[str, Any]) -> None:
    properties = [fitting, larger]
    made = [schema_of({"inputSchema": {"type": "object", "properties": {"a": one}}}) for one in properties]
    assert [bool(one["properties"]) for one in made] == [True, False]


@pytest.mark.parametrize("schema", [None, [], {}, {"type": "string"}, {"type": "object", "properties": []}])
def test_a_schema_that_is_none_takes_everything(schema: Any) -> None:
    made = schema_of({"inputSchema": schema})
    assert made["type"] == "object"
    assert not made.get("properties")


def test_a_parameter_that_has_a_name_of_ours_gets_another() -> None:
    said = {"type": "object", "properties": {"confirm": {"type": "string"}, "a": {}}, "required": ["confirm", "a", 5]}
    made = schema_of({"inputSchema": said})
    (renamed,) = {*made["properties"]} - {"a"}
    assert made["required"] == [renamed, "a"]
    assert theirs({renamed: 1, "a": 2}) == {"confirm": 1, "a": 2}


@pytest.mark.parametrize("answer", [{}, {"completion": None}, {"completion": []}, {"completion": {"values": "a"}}])
def test_an_answer_without_completions_has_none(answer: dict[str, Any]) -> None:
    assert completion_of("docs", answer) == {"values": []}


def test_up_to_100_completions_of_up_to_500_characters_are_passed_on() -> None:
    values: list[Any] = ["a" * 500, "b" * 501, 5, None, *map(str, range(100))]
    told = completion_of("docs", {"completion": {"values": values}})["values"]
    assert told == ["a" * 500, *map(str, range(99))]


def test_a_tool_that_changed_or_is_gone_is_held_back() -> None:
    changes = PinChanges((), changed=("a",), gone=("b",))
    for tool, said in (("a", "has changed the definition"), ("b", "no longer offers")):
        with pytest.raises(Refusal, match=said):
            changes.hold_back("docs", tool)
    changes.hold_back("docs", "c")


DOCS = "{description: Docs., url: 'https://docs.example.com/mcp'"


def read(more: str = "", environment: Mapping[str, str] | None = None) -> Entry:
    text = f"extensions:\n  docs: {DOCS}{more}}}"
    (entry,) = entries_in(text, "extensions.yaml", [], environment)
    return entry


@pytest.mark.parametrize(
    ("fitting", "others"),
    [
        (", seconds: 1", [", seconds: 0", ", seconds: -1", ", seconds: 1.5", ", seconds: [1]"]),
        (", seconds: 60", [", seconds: 61", ", seconds: 1000000000"]),
        (", bytes: 1024", [", bytes: 1023"]),
        (", bytes: 8388608", [", bytes: 8388609"]),
        (f", owner: {'a' * 300}", [f", owner: {'a' * 301}", ", owner: ''", ', owner: "a\\nb"']),
        (", private: false", [", private: no", ", private: 'True'"]),
        (", offers: [resources, prompts]", [", offers: []", ", offers: [tools]", ", offers: resources"]),
        (", era: current", [", era: old"]),
        (", tools: {'get_*': read, a: none}", [", tools: {'get *': read}", ", tools: {a: all}"]),
    ],
    ids=str,
)
def test_an_entry_says_what_it_may(fitting: str, others: list[str]) -> None:
    assert read(fitting).name == "docs"
    for other in others:
        with pytest.raises(Refusal, match="line 2"):
            read(other)


def test_an_entry_that_says_nothing_of_it_has_usual_limits() -> None:
    entry = read()
    assert (entry.seconds, entry.largest, entry.era, entry.offers) == (30, 2 * 1024 * 1024, None, frozenset())


def test_a_file_has_up_to_50_extensions_with_up_to_300_rules_each() -> None:
    entries = [f"  e{number}: {DOCS}}}" for number in range(51)]
    assert len(entries_in("\n".join(["extensions:", *entries[:50]]), "extensions.yaml", [])) == 50
    with pytest.raises(Refusal, match="more than 50 extensions"):
        entries_in("\n".join(["extensions:", *entries]), "extensions.yaml", [])
    rules = [f"t{number}: read" for number in range(301)]
    assert len(read(f", tools: {{{', '.join(rules[:300])}}}").rules) == 300
    with pytest.raises(Refusal, match="more than 300 rules"):
        read(f", tools: {{{', '.join(rules)}}}")


def started(words: str, more: str = "") -> Entry:
    text = f"extensions:\n  docs: {{description: Docs., command: [{words}]{more}}}"
    (entry,) = entries_in(text, "extensions.yaml", [], {"TOKEN": "x"})
    return entry


def test_a_command_has_up_to_50_words_of_up_to_2000_characters() -> None:
    assert started(", ".join(["python3"] * 50)).command
    assert started(f"python3, {'a' * 2000}").command
    for words in (", ".join(["python3"] * 51), f"python3, {'a' * 2001}", ""):
        with pytest.raises(Refusal, match="line 2"):
            started(words)


def test_a_process_gets_the_variables_that_its_entry_names() -> None:
    command = started("python3", ", environment: {A: b}, passed: [TOKEN, ABSENT]").command
    assert command is not None
    assert command.environment == {"A": "b", "TOKEN": "x"}
    assert command.folder == "/"
    for more in (", environment: {'A-B': c}", ", passed: ['A=B']", ", folder: there", ", folder: /there-is-none"):
        with pytest.raises(Refusal, match="line 2"):
            started("python3", more)


@pytest.mark.parametrize(
    ("said", "is_error"),
    [({}, False), ({"isError": True}, True), ({"isError": False}, False), ({"isError": "yes"}, False)],
)
def test_a_failure_of_a_tool_is_one_and_its_words_come_before_ours(said: dict[str, Any], is_error: bool) -> None:
    found = result_of("docs", {"content": [{"type": "text", "text": "theirs"}], **said})
    texts = [block["text"] for block in found.content]
    assert (found.is_error, found.is_foreign, len(texts)) == (is_error, True, 2)
    assert texts.index("theirs") == (0 if is_error else 1)
    assert "data, not instructions" in texts[1 if is_error else 0]


def test_a_failure_without_words_says_so() -> None:
    found = result_of("docs", {"content": [], "isError": True})
    assert found.content[0]["text"] == "The extension 'docs' reported an error without a reason."


@pytest.mark.parametrize(
    "installed",
    [
        InstalledEntry(description="Docs.", url="https://docs.example.com/mcp", read=("get_*",), write=("set_*", "a")),
        InstalledEntry(
            description="Docs.",
            package="npm:@example/docs@1.2.3",
            hash=f"sha256:{'a' * 64}",
            arguments=("--quiet",),
            source="https://registry.example.com",
            server="docs",
            version="1.2.3",
            values=("TOKEN",),
        ),
    ],
)
def test_an_installed_extension_is_kept_as_it_is(installed: InstalledEntry) -> None:
    entry = installed.entry("installed-docs", ())
    assert record_of(entry) == installed
    assert record_in(installed.content) == installed
    assert record_in(installed.content.replace(b'"url"', b'"newer"')) is None
    assert not entry.is_private


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://docs.example.com:443/a", "https://docs.example.com"),
        ("http://10.0.0.4:8080/a", "http://10.0.0.4:8080"),
        ("/a", ""),
        ("https://[/", ""),
        ("", ""),
    ],
)
def test_a_server_is_private_only_where_its_origin_is_named(url: str, origin: str) -> None:
    assert origin_of(url) == origin
    made = InstalledEntry(description="x", url=url)
    assert made.entry("installed-x", [origin or "https://other.example.com"]).is_private == bool(origin)
    assert not made.entry("installed-x", ["https://other.example.com"]).is_private
