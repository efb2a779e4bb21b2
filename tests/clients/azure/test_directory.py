"""People and groups are found by their ids and names, and one of several is not guessed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from clients.azure import directory
from clients.azure.apps.settings import Current, current, of_document, without_values
from clients.azure.client import Azure
from clients.azure.cloud import CLOUDS, Service
from clients.azure.directory import DirectoryEntry, Members
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureAnswer, AzureRequest
from refusal import Refusal
from tests.clients.azure.estate import SHOP, token

ID: Final = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
ADA: Final = {"id": ID, "displayName": "Ada", "userPrincipalName": "ada@example.com"}
TEAM: Final = {"@odata.type": "#microsoft.graph.group", "id": ID, "displayName": "Team"}


@dataclass
class Graph:
    """Answers everything alike."""

    document: Any = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any], Any]] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """No time passes here."""

    async def admit(self, service: Service) -> None:
        """Everybody is let in."""

    async def send(
        self, _service: Service, request: AzureRequest, _authorization: str, _largest: int | None = None
    ) -> AzureAnswer:
        self.asked.append((f"{request.method} {request.path}", dict(request.query), request.body))
        return AzureAnswer(self.status, self.headers, json.dumps(self.document).encode())

    @property
    def azure(self) -> Azure:
        return Azure(self, CLOUDS["public"], token).looking_up(people=True)


async def test_a_person_and_a_group_are_read_by_their_id() -> None:
    graph = Graph(ADA)
    assert await directory.person(graph.azure, ID) == DirectoryEntry(ID, "Ada", "ada@example.com")
    graph.document = TEAM
    assert await directory.group(graph.azure, ID) == DirectoryEntry(ID, "Team", is_group=True)
    assert [line for line, _, _ in graph.asked] == [f"GET /v1.0/users/{ID}", f"GET /v1.0/groups/{ID}"]
    for ask in (directory.person, directory.group, directory.members):
        with pytest.raises(Refusal, match="Invalid object id"):
            await ask(graph.azure, "me")
    assert len(graph.asked) == 2


async def test_up_to_a_thousand_are_looked_up_together() -> None:
    graph = Graph({"value": [{**ADA, "id": ID.upper()}, "text"]})
    found = await directory.by_ids(graph.azure, [str(number) for number in range(1001)])
    assert found == {ID: DirectoryEntry(ID.upper(), "Ada", "ada@example.com")}
    ((_, _, body),) = graph.asked
    assert body["ids"] == [str(number) for number in range(1000)]
    assert await directory.by_ids(Graph().azure, ["x"]) == {}


async def test_an_app_is_found_or_not() -> None:
    assert await directory.app_of(Graph({"value": [{"id": "x", "displayName": "App"}]}).azure, ID) == DirectoryEntry(
        "x", "App"
    )
    assert await directory.app_of(Graph({"value": []}).azure, ID) is None


@pytest.mark.parametrize("more", [{}, {"@odata.nextLink": "x"}])
async def test_the_people_of_a_group_are_told_without_its_groups(more: dict[str, str]) -> None:
    graph = Graph({"value": [ADA, TEAM, "text"], **more})
    assert await directory.members(graph.azure, ID) == Members(
        [DirectoryEntry(ID, "Ada", "ada@example.com")], bool(more)
    )
    assert graph.asked[0][1]["$top"] == "100"


@pytest.mark.parametrize(
    ("ask", "longest", "wrong"),
    [
        (directory.group_called, "a" * 256, ["a" * 257, "a\nb"]),
        (directory.signed_in_as, "a@".ljust(113, "a"), ["a@".ljust(114, "a"), "ada", "a@b\n"]),
    ],
)
async def test_a_name_has_an_end_and_means_one(ask: Any, longest: str, wrong: list[str]) -> None:
    graph = Graph({"value": [ADA]})
    assert (await ask(graph.azure, longest)).name == "Ada"
    for name in wrong:
        with pytest.raises(Refusal, match="Pass a "):
            await ask(graph.azure, name)
    assert len(graph.asked) == 1
    await ask(graph.azure, " o'hara@x ")
    assert "'o''hara@x'" in graph.asked[-1][1]["$filter"]
    for found, said in (([], r"No (group|one) has this"), ([ADA, ADA], r"Several (groups|people) have this")):
        with pytest.raises(Refusal, match=said):
            await ask(Graph({"value": found}).azure, longest)


APP: Final = ResourceId.of(f"/subscriptions/{SHOP}/resourceGroups/web/providers/Microsoft.Web/sites/s")


class TestSettings:
    async def test_they_are_read_with_their_version(self) -> None:
        found = await current(Graph({"properties": {"B": 1, "A": "x"}}, headers={"ETag": "e"}).azure, APP)
        assert (found.names, dict(found.values), found.etag) == (["A", "B"], {"B": "1", "A": "x"}, "e")
        assert of_document({"etag": "own"}, "other") == Current({}, "own", {"etag": "own"})
        assert (await current(Graph(["x"]).azure, APP)).names == []

    async def test_two_are_the_same_if_all_their_values_are(self) -> None:
        one, other = Current({"A": "1", "B": "2"}), Current({"B": "2", "A": "1"})
        assert one.mark == other.mark
        assert one.mark != Current({"A": "1"}).mark

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 499, 500])
    async def test_what_a_failure_says_is_repeated_only_if_it_says_nothing_of_them(self, status: int) -> None:
        graph = Graph({"error": {"code": "X", "message": "The value marked is wrong."}}, status)
        with pytest.raises(Refusal) as refused:
            await current(graph.azure, APP)
        is_repeated = status in {401, 403, 404, 409, 429, 500}
        assert ("did not return the settings" in str(refused.value)) == (not is_repeated)
        assert is_repeated or "marked" not in str(refused.value)

    @pytest.mark.parametrize(("value", "is_told"), [("abc", True), ("abcd", False), ("a b  c-d", False)])
    def test_a_refusal_that_has_a_value_is_not_repeated(self, value: str, is_told: bool) -> None:
        refusal = AzureRefusal("It refused.", 400, "Bad", f"Wrong: {value.lower()}.")
        found = without_values(refusal, Current({"A": value}), Current({"B": "other"}))
        assert (found is refusal) == is_told
        if not is_told:
            assert str(found).startswith("Azure rejected the settings (400 Bad). Azure's message contains a value")
        assert str(without_values(Refusal("abcd"), Current({"A": "abcd"}))).startswith(
            "Azure rejected the settings. Azure's message"
        )
