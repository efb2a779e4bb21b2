"""Lists and operations that would go on for ever are left, and what was begun is not begun again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from clients.azure.cloud import CLOUDS
from clients.azure.failures import AzureRefusal
from clients.azure.long_operations import FailedOperationRefusal, StillAtItRefusal, Waiting
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.azure.paging import at_address, collected
from refusal import Refusal

MANAGER = CLOUDS["public"].manager
POLL = f"{MANAGER.base_url}/subscriptions/a/operationresults/b?api-version=2024-01-01"
BEGIN = AzureRequest("POST /subscriptions/a/begin", version="2024-01-01")


@dataclass
class Polled:
    """Answers with these, the last of them for ever, and lets no time pass."""

    answers: list[AzureAnswer]
    asked: list[AzureRequest] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def send(self, request: AzureRequest) -> AzureAnswer:
        self.asked.append(request)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if found.status >= 300:
            raise AzureRefusal("Azure is not available.", found.status, "")
        return found

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def outcome(self, first: AzureAnswer) -> AzureAnswer:
        return await Waiting(self.send, self.sleep, MANAGER, 60.0).outcome(BEGIN, first)


def answer(status: int, body: object = None, headers: Mapping[str, str] | None = None) -> AzureAnswer:
    content = b"" if body is None else json.dumps(body).encode()
    return AzureAnswer(status, {"Content-Type": "application/json", **(headers or {})}, content)


@pytest.mark.parametrize("after", ["0", "-5", "Mon, 01 Jan 2024 00:00:00 GMT", "0.001", "soon", "99999999"])
async def test_an_operation_is_left_in_time_whatever_it_says_of_when_to_come_again(after: str) -> None:
    polled = Polled([answer(202, None, {"Location": POLL, "Retry-After": after})])
    with pytest.raises(Refusal, match="still working on the operation"):
        await polled.outcome(answer(202, None, {"Location": POLL, "Retry-After": after}))
    assert all(1 <= wait <= 15 for wait in polled.waits)
    assert sum(polled.waits) + 15 > 55
    assert len(polled.asked) <= 60


async def test_whoever_waited_in_vain_is_told_that_it_was_begun() -> None:
    polled = Polled([answer(503)])
    with pytest.raises(AzureRefusal, match="had already started"):
        await polled.outcome(answer(202, None, {"Location": POLL}))
    assert [request.method for request in polled.asked] == ["GET"]


async def test_the_outcome_of_an_action_is_read_where_it_is() -> None:
    result = f"{MANAGER.base_url}/subscriptions/a/results/c?api-version=2024-01-01"
    polled = Polled(
        [answer(200, {"status": "Running"}), answer(200, {"status": "Succeeded"}), answer(200, {"made": 1})]
    )
    found = await polled.outcome(answer(202, None, {"Azure-AsyncOperation": POLL, "Location": result}))
    assert found.document == {"made": 1}
    assert [request.path for request in polled.asked][-1] == "/subscriptions/a/results/c"


async def test_a_list_of_few_and_huge_entries_is_left_before_it_fills_the_memory() -> None:
    asked: list[AzureRequest] = []

    async def send(request: AzureRequest) -> AzureAnswer:
        asked.append(request)
        link = f"{MANAGER.base_url}/subscriptions?page={len(asked)}"
        # Its secrets may be shown: to look for them in so much takes longer than all the rest.
        return replace(answer(200, {"value": [{"text": "a" * 8_000_000}], "nextLink": link}), gives_secrets=True)

    page = await collected(send, MANAGER, AzureRequest("GET /subscriptions"), 1000)
    assert page.has_more
    assert len(asked) <= 6


def test_a_usual_port_and_further_slashes_lead_to_the_same_place() -> None:
    for link in (
        "https://management.azure.com:443/subscriptions/a?x=1",
        "https://MANAGEMENT.azure.com//subscriptions/a/?x=1",
    ):
        assert at_address(MANAGER, link, BEGIN).path == "/subscriptions/a"


@pytest.mark.parametrize(
    "link",
    [
        *("http://management.azure.com/x", "https://management.azure.com:444/x", "https://u@management.azure.com/x"),
        *("https://[/x", "https://management.azure.com.evil.example/x", "//management.azure.com/x", "/x", "x" * 40_000),
    ],
)
def test_a_link_to_somebody_else_is_not_followed(link: str) -> None:
    with pytest.raises(Refusal, match="another host"):
        at_address(MANAGER, link, BEGIN)


def page(*entries: object, following: str = "") -> AzureAnswer:
    link = {"nextLink": f"{MANAGER.base_url}/subscriptions?page={following}"} if following else {}
    return answer(200, {"value": list(entries), **link})


async def listed(answers: list[AzureAnswer], limit: int) -> tuple[list[object], bool, int]:
    polled = Polled(answers)
    found = await collected(polled.send, MANAGER, AzureRequest("GET /subscriptions"), limit)
    return [entry["n"] for entry in found.items], found.has_more, len(polled.asked)


async def test_a_list_is_read_until_it_has_as_many_entries_as_are_wanted() -> None:
    first, second = page({"n": 1}, "text", {"n": 2}, following="2"), page({"n": 3})
    assert await listed([first], 1) == ([1], True, 1)
    assert await listed([first], 2) == ([1, 2], True, 1)
    assert await listed([first, second], 3) == ([1, 2, 3], False, 2)
    assert await listed([first, second], 4) == ([1, 2, 3], False, 2)
    assert await listed([answer(200, {})], 4) == ([], False, 1)
    assert await listed([answer(200, [{"n": 1}])], 4) == ([1], False, 1)


async def test_a_list_has_up_to_a_hundred_pages() -> None:
    pages = [page({"n": number}, following=str(number + 1)) for number in range(101)]
    assert (await listed([*pages[:99], page({"n": 99})], 1000))[1:] == (False, 100)
    items, has_more, asked = await listed(pages, 1000)
    assert (len(items), has_more, asked) == (100, True, 100)


async def test_a_list_that_links_to_itself_is_left() -> None:
    with pytest.raises(Refusal, match="keeps returning the same page"):
        await listed([page({"n": 1}, following="2"), page({"n": 2}, following="2")], 10)


async def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(Refusal, match="contains no list"):
        await listed([answer(200, {"value": "a"})], 10)


def test_a_link_has_up_to_32_kilobytes() -> None:
    start = f"{MANAGER.base_url}/subscriptions?page="
    assert at_address(MANAGER, start.ljust(32 * 1024, "a"), BEGIN)
    with pytest.raises(Refusal, match="another host"):
        at_address(MANAGER, start.ljust(32 * 1024 + 1, "a"), BEGIN)


def test_a_link_keeps_what_it_says_and_what_was_asked() -> None:
    asked = AzureRequest(
        "POST /subscriptions",
        body={"a": 1},
        version="1",
        is_read=True,
        gives_secrets=True,
        only_names=True,
        is_ready_made=True,
    )
    made = at_address(MANAGER, f"{MANAGER.base_url}/subscriptions/a%2Fb?API-Version=2&c=&d=e", asked)
    assert (made.method, made.path, made.query, made.version) == (
        "POST",
        "/subscriptions/a/b",
        {"c": "", "d": "e"},
        "2",
    )
    assert (made.body, made.is_read, made.gives_secrets, made.only_names) == ({"a": 1}, True, True, True)
    assert made.is_ready_made
    assert at_address(MANAGER, f"{MANAGER.base_url}/subscriptions", asked).version is None


@pytest.mark.parametrize(("after", "waited"), [("1", 1.0), ("14", 14.0), ("15", 15.0), ("16", 15.0), ("", 2.0)])
async def test_the_next_look_comes_when_azure_says_within_bounds(after: str, waited: float) -> None:
    polled = Polled([answer(200)])
    headers = {"Location": POLL, **({"Retry-After": after} if after else {})}
    await polled.outcome(answer(202, None, headers))
    assert polled.waits == [waited]


async def test_an_operation_is_waited_for_as_long_as_there_is_time() -> None:
    polled = Polled([answer(202, None, {"Location": POLL, "Retry-After": "15"})])
    with pytest.raises(Refusal, match="still working on the operation"):
        await polled.outcome(answer(202, None, {"Location": POLL, "Retry-After": "15"}))
    assert polled.waits == [15.0] * 4


@pytest.mark.parametrize("state", ["Failed", "CANCELED", "cancelled"])
async def test_an_operation_that_ended_badly_says_why(state: str) -> None:
    body = {"status": state, "error": {"code": "QuotaExceeded", "message": "Too many."}}
    polled = Polled([answer(200, body)])
    with pytest.raises(
        FailedOperationRefusal, match=r"could not complete the operation \(QuotaExceeded\). It says .*Too many"
    ):
        await polled.outcome(answer(202, None, {"Azure-AsyncOperation": POLL}))
    polled = Polled([answer(200, {"status": state})])
    with pytest.raises(FailedOperationRefusal, match=rf"could not complete the operation \({state.lower()}\)"):
        await polled.outcome(answer(202, None, {"Azure-AsyncOperation": POLL}))


@pytest.mark.parametrize("status", [400, 409, 412, 422, 404, 500])
async def test_a_failure_that_is_told_by_its_status_is_one_of_the_operation(status: int) -> None:
    with pytest.raises(AzureRefusal) as refused:
        await Polled([answer(status)]).outcome(answer(202, None, {"Location": POLL}))
    is_its_own = status in {400, 409, 412, 422}
    assert isinstance(refused.value, FailedOperationRefusal) == is_its_own
    assert ("had already started" in str(refused.value)) == (not is_its_own)


async def test_an_operation_without_a_place_to_look_is_over_unless_it_only_began() -> None:
    done = answer(200, {"made": 1})
    assert await Polled([]).outcome(done) is done
    with pytest.raises(StillAtItRefusal, match="did not say where"):
        await Polled([]).outcome(answer(202))


@pytest.mark.parametrize(
    ("status", "header", "asked"),
    [(201, "Location", 1), (202, "Location", 1), (200, "Location", 0), (200, "Azure-AsyncOperation", 1)],
)
async def test_where_to_look_is_said_by_the_first_answer(status: int, header: str, asked: int) -> None:
    polled = Polled([answer(204)])
    await polled.outcome(answer(status, None, {header: POLL}))
    assert len(polled.asked) == asked


async def test_the_place_to_look_may_change() -> None:
    other = POLL.replace("/b?", "/c?")
    polled = Polled([answer(202, None, {"Location": other}), answer(202), answer(200, {"status": "succeeded"})])
    await polled.outcome(answer(202, None, {"Location": POLL}))
    assert [request.path[-1] for request in polled.asked] == ["b", "c", "c"]
