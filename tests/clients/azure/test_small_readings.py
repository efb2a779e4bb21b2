"""How values, texts, lists and series of Azure are read, at the bounds of what is read."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from clients.azure.apps.deployments import AppDeployment
from clients.azure.change_reading import is_noise, is_noisy, of_resource, plain_value, said, settings_of, when
from clients.azure.client import Azure
from clients.azure.cosmos.contents import CosmosPart, part_now, throughput
from clients.azure.cost.steps import CostStep, step_in
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.storage.decoding import message_text, text_of
from clients.azure.storage.listing import listed
from clients.azure.storage.tables import EntityQuery, entities, tables
from clients.azure.storage.xml import Element, parsed
from refusal import Refusal
from tests.clients.azure.estate import SHOP


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        ("null", None),
        ("", ""),
        ("a" * 200, "a" * 200),
        ("a" * 201, f"{'a' * 200}…"),
        (5, 5),
        ({"a": "ä" * 190}, {"a": "ä" * 190}),
        ({"a": "ä" * 193}, f'{{"a": "{"ä" * 193}…'),
    ],
)
def test_a_value_of_a_change_is_told_in_200_characters(value: Any, plain: Any) -> None:
    assert plain_value(value) == plain


def test_a_change_says_when_it_was_and_what_it_changed() -> None:
    row = {
        "at": "then",
        "properties": {
            "changeType": "Update",
            "changes": {"properties.provisioningState": {}, "systemData.x": 1},
            "changeAttributes": {"timestamp": "now"},
        },
    }
    assert (when(row), when({"at": "then"}), when({})) == ("now", "then", "")
    assert settings_of(row) == {"properties.provisioningState": {}, "systemData.x": 1}
    assert (settings_of({}), settings_of({"properties": {"changes": []}})) == ({}, {})
    assert is_noise(row)
    assert (is_noisy("tags.etag"), is_noisy("SYSTEMDATA.by"), is_noisy("tags.x")) == (True, True, False)
    others: list[dict[str, Any]] = [{"changes": {}}, {"changeType": "Create"}, {"changes": {"etag": 1, "tags.x": 1}}]
    for other in others:
        assert not is_noise({"properties": {**row["properties"], **other}})  # type: ignore[dict-item]  # it is one
    assert (said("Unspecified"), said("x")) == (None, "x")


def test_the_changes_of_a_resource_are_those_in_it_too() -> None:
    place = f"/subscriptions/{SHOP}/resourceGroups/web"
    assert of_resource(place) == f'(what =~ "{place}" or what startswith "{place}/")'
    assert of_resource("web") == 'what contains "web"'


@pytest.mark.parametrize(
    ("course", "step"),
    [
        ([1, 1, 5], None),
        ([1, 1, 5, 5], CostStep(2, 1, 5)),
        ([1, 5, 5, 5, 5], CostStep(1, 1, 5)),
        ([1, 1, 1, 1, 5], CostStep(4, 1, 5)),
        ([5, 5, 1, 1], None),
        ([5, 5, 5, 5], None),
        ([10, 10, 12, 12], None),
        ([10, 10, 12.1, 12.1], CostStep(2, 10, 12.1)),
        ([1, 9, 1, 9, 1, 9, 1, 9], None),
        ([0, 0, 4, 4], CostStep(2, 0, 4)),
    ],
)
def test_a_rise_of_more_than_a_fifth_that_explains_half_of_the_course_is_a_step(
    course: list[float], step: CostStep | None
) -> None:
    found = step_in(course)
    if step is None:
        assert found is None
    else:
        assert found is not None
        assert (found.place, found.before, found.since) == pytest.approx((step.place, step.before, step.since))


def read(content: bytes, kind: str = "", *, beginning: bytes = b"", start: bool = True, end: bool = True) -> Any:
    found = text_of(content, kind, beginning or content, is_end=end, is_start=start)
    return found and (found.text, found.charset, found.skipped, found.used)


@pytest.mark.parametrize(
    ("content", "how", "found"),
    [
        (b"abc", {}, ("abc", "utf-8", 0, 3)),
        ("aä".encode(), {}, ("aä", "utf-8", 0, 3)),
        ("aä".encode()[:2], {"end": False}, ("a", "utf-8", 0, 1)),
        ("aä".encode()[:2], {}, ("aÃ", "cp1252", 0, 2)),
        ("€a".encode()[1:], {"start": False}, ("a", "utf-8", 2, 3)),
        ("\U0001f600a".encode()[1:], {"start": False}, ("a", "utf-8", 3, 4)),
        (b"\x80" * 4 + b"a", {"start": False}, ("€€€€a", "cp1252", 0, 5)),
        (b"\xe4b", {}, ("äb", "cp1252", 0, 2)),
        (b"\xe4\x01", {}, None),
        (b"a\x01", {}, ("a\x01", "utf-8", 0, 2)),
        (b"a" * 7999 + b"\0", {}, None),
        (b"a" * 8000 + b"\0", {}, ("a" * 8000 + "\0", "utf-8", 0, 8001)),
        (codecs.BOM_UTF8 + b"a", {}, ("a", "utf-8", 0, 4)),
        (codecs.BOM_UTF16_LE + "aä".encode("utf-16-le"), {}, ("aä", "utf-16-le", 0, 6)),
        (codecs.BOM_UTF16_BE + "aä".encode("utf-16-be"), {}, ("aä", "utf-16-be", 0, 6)),
        (codecs.BOM_UTF32_LE + "aä".encode("utf-32-le"), {}, ("aä", "utf-32-le", 0, 12)),
        (codecs.BOM_UTF32_BE + "aä".encode("utf-32-be"), {}, ("aä", "utf-32-be", 0, 12)),
        ("ab".encode("utf-16-le"), {"beginning": codecs.BOM_UTF16_LE, "start": False}, ("ab", "utf-16-le", 0, 4)),
        (b"\xe4", {"kind": "text/plain; charset=iso-8859-1"}, ("ä", "iso8859-1", 0, 1)),
        (b"\xe4", {"kind": "text/plain; charset=utf-8"}, ("\ufffd", "utf-8", 0, 1)),
        (b"abc", {"kind": "text/plain; charset=base64"}, ("abc", "utf-8", 0, 3)),
        (b"abc", {"kind": "text/plain; charset=none"}, ("abc", "utf-8", 0, 3)),
    ],
)
def test_a_part_of_a_blob_is_read_without_halves_of_characters(content: bytes, how: dict[str, Any], found: Any) -> None:
    assert read(content, **how) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("aGVsbG8gdGhlcmU=", ("hello there", True)),
        ("YQpiCWMNCg==", ("a\nb\tc\r\n", True)),
        ("abcd", ("abcd", False)),
        ("abcdef==", ("abcdef==", False)),
        ("AAAAAAAA", ("AAAAAAAA", False)),
        ("gICAgICA", ("gICAgICA", False)),
        ("hello there", ("hello there", False)),
        ("", ("", False)),
    ],
)
def test_a_message_may_be_in_base64(text: str, found: tuple[str, bool]) -> None:
    assert message_text(text) == found


@pytest.mark.parametrize(
    "content", [b"", b"text", b"<a>", b"<a></b>", b"<!DOCTYPE a><a/>", b'<?xml version="1.0" encoding="x-none"?><a/>']
)
def test_what_is_no_plain_xml_is_refused(content: bytes) -> None:
    with pytest.raises(Refusal, match="is not XML"):
        parsed(content)


def test_an_answer_has_up_to_150_000_elements() -> None:
    assert len(parsed(b"<a>" + b"<b/>" * 149_998 + b"</a>")) == 149_998
    with pytest.raises(Refusal, match="too large"):
        parsed(b"<a>" + b"<b/>" * 149_999 + b"</a>")


@dataclass
class Stored:
    """Answers with these, the last of them for ever."""

    answers: list[Any]
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    async def element(self, request: AzureRequest) -> Element:
        self.asked.append(dict(request.query))
        entries, marker = self._next()
        inner = "".join(f"<Blob><Name>{name}</Name></Blob>" for name in entries)
        return parsed(f"<List><Prefix/><Blobs>{inner}</Blobs><NextMarker>{marker}</NextMarker></List>".encode())

    async def send(self, request: AzureRequest) -> AzureAnswer:
        self.asked.append({name: value for name, value in request.query.items() if value is not None})
        entries, following = self._next()
        headers = {f"x-ms-continuation-{name}": value for name, value in following.items()}
        return AzureAnswer(200, headers, json.dumps({"value": entries}).encode())

    def _next(self) -> Any:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


Read = tuple[list[Any], str, list[Any]]


async def names(answers: Sequence[Any], limit: int, marker: str | None = None) -> Read:
    stored = Stored([*answers])
    found = await listed(stored, AzureRequest("GET /"), limit, marker)  # type: ignore[arg-type]  # what it needs
    return [entry.findtext("Name") for entry in found.entries], found.following, stored.asked


async def test_a_list_of_storage_is_read_until_there_is_enough() -> None:
    first, second = (["a", "b"], "m"), (["c"], "")
    assert await names([first], 2) == (["a", "b"], "m", [{"maxresults": 2}])
    assert await names([first, second], 3, "l") == (
        ["a", "b", "c"],
        "",
        [{"maxresults": 3, "marker": "l"}, {"maxresults": 1, "marker": "m"}],
    )
    assert (await names([first, second], 1001))[2][0] == {"maxresults": 1000}
    assert len((await names([([], str(number)) for number in range(21)], 5))[2]) == 20
    with pytest.raises(Refusal, match="keeps returning the same page"):
        await names([first], 5)
    with pytest.raises(Refusal, match="keeps returning the same page"):
        await names([([], "l")], 5, "l")


async def rows(answers: Sequence[Any], limit: int, following: str | None = None) -> Read:
    stored = Stored([*answers])
    found = await entities(stored, EntityQuery("t", "a eq 1", ("a", "b")), limit, following)  # type: ignore[arg-type]
    return [*found.rows], found.following, stored.asked


ASKED = {"$filter": "a eq 1", "$select": "a,b"}


async def test_a_table_of_storage_is_read_until_there_is_enough() -> None:
    first: Any = ([{"a": 1}, "text", {"a": 2}], {"NextPartitionKey": "p", "NextRowKey": ""})
    second: Any = ([{"a": 3}], {})
    following = "NextPartitionKey=p&NextRowKey="
    assert await rows([first], 2) == ([{"a": 1}, {"a": 2}], following, [{**ASKED, "$top": 2}])
    assert await rows([first], 1) == ([{"a": 1}], following, [{**ASKED, "$top": 1}])
    place = {"NextPartitionKey": "p", "NextRowKey": ""}
    assert await rows([second], 5, following) == ([{"a": 3}], "", [{**ASKED, **place, "$top": 5}])
    assert (await rows([first, second], 5))[2][1] == {**ASKED, **place, "$top": 3}
    assert len((await rows([([], {"NextRowKey": str(number)}) for number in range(11)], 5))[2]) == 10
    with pytest.raises(Refusal, match="keeps returning the same page"):
        await rows([first], 50)


@pytest.mark.parametrize("following", ["x=y", "NextRowKey=a&x=y", "nonsense"])
async def test_a_marker_that_is_none_is_refused(following: str) -> None:
    with pytest.raises(Refusal, match="Invalid `next`"):
        await rows([([], {})], 5, following)


async def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(Refusal, match="contains no table"):
        await tables(Stored([({"a": 1}, {})]), 5, None)  # type: ignore[arg-type]  # what it needs


class Refusing:
    """Azure, which answers each request with this status."""

    def __init__(self, status: int) -> None:
        self._status = status

    async def json(self, _request: AzureRequest) -> Any:
        raise AzureRefusal("Refused.", self._status, "Code")


@pytest.mark.parametrize("status", [403, 404, 429, 500])
async def test_only_what_is_not_found_is_taken_as_absent(status: int) -> None:
    azure = cast("Azure", Refusing(status))
    part = CosmosPart(ResourceId.of(f"/subscriptions/{SHOP}/resourceGroups/web"), {})
    for reading in (part_now(azure, part), throughput(azure, part.id)):
        if status == 404:
            assert await reading is None
        else:
            with pytest.raises(AzureRefusal, match="Refused"):
                await reading


@pytest.mark.parametrize(
    ("status", "state"),
    [(0, "pending"), (4, "succeeded"), (6, "partially succeeded"), (7, "7"), (-1, "-1"), ("Odd", "Odd"), (None, "")],
)
def test_a_deployment_has_a_state_in_words(status: object, state: str) -> None:
    assert AppDeployment.of_site({"properties": {"status": status}}).state == state


@pytest.mark.parametrize(
    ("message", "who", "commit"),
    [
        ('{"actor": "ada", "sha": "abc"}', "ada", "abc"),
        (' {"author": "ada", "commitId": "abc"}', "ada", "abc"),
        ("{not JSON", "eve", "f" * 40),
        ("{" * 100_000, "eve", "f" * 40),
        ("[1]", "eve", "f" * 40),
        ("fix {it}", "eve", "f" * 40),
        (None, "eve", "f" * 40),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_deployment_says_who_deployed_which_commit(message: object, who: str, commit: str) -> None:
    found = AppDeployment.of_site({"name": "f" * 40, "properties": {"message": message, "author": "eve"}})
    assert (found.who, found.commit, found.message) == (who, commit, message or "")
