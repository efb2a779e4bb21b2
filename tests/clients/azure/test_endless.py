"""Lists and operations that would go on for ever are left, and what was begun is not begun again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from clients.azure.cloud import CLOUDS
from clients.azure.failures import AzureRefusal
from clients.azure.long_operations import Waiting
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
    with pytest.raises(Refusal, match="still working on it"):
        await polled.outcome(answer(202, None, {"Location": POLL, "Retry-After": after}))
    assert all(1 <= wait <= 15 for wait in polled.waits)
    assert sum(polled.waits) + 15 > 55
    assert len(polled.asked) <= 60


async def test_whoever_waited_in_vain_is_told_that_it_was_begun() -> None:
    polled = Polled([answer(503)])
    with pytest.raises(AzureRefusal, match="had already started: do not repeat it"):
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
        return answer(200, {"value": [{"text": "a" * 8_000_000}], "nextLink": link})

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
