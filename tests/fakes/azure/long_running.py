"""Work that goes on after its request was answered, told in the four ways in which the services tell it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from tests.fakes.azure.people import invented_id
from tests.fakes.azure.routes import Asked, AzureError, Json, Reply, Route


class Style(Enum):
    ASYNC_OPERATION = auto()  # Azure-AsyncOperation: 200 with a status
    LOCATION = auto()  # Location: 202 until it is done
    BOTH = auto()
    STATE = auto()  # provisioningState in the resource itself


@dataclass
class Work:
    """`finish` is called when it is done, and gives what is read then: a document, or nothing."""

    name: str
    finish: Callable[[], Json | None]
    polls_left: int
    error: Json | None = None
    result: Json | None = None
    is_done: bool = False

    def poll(self) -> bool:
        """Whether it is over."""
        self.polls_left -= 1
        if self.polls_left <= 0 and not self.is_done:
            self.is_done = True
            self.result = None if self.error else self.finish()
        return self.is_done


@dataclass
class LongRunning:
    """Work takes so many polls. `never_ends` is for all that begins from now on."""

    polls: int = 2
    retry_after: str = "1"
    never_ends: bool = False
    works: dict[str, Work] = field(default_factory=dict)

    @property
    def routes(self) -> list[Route]:
        results = "GET /subscriptions/{subscription}/operationresults/{work}"
        statuses = (
            "GET /subscriptions/{subscription}/providers/{namespace}/locations/{location}/operationStatuses/{work}"
        )
        return [Route(results, self._result), Route(statuses, self._status)]

    def begin(self, finish: Callable[[], Json | None], error: Json | None = None) -> Work:
        work = Work(invented_id("work", str(len(self.works))), finish, self._polls, error)
        self.works[work.name] = work
        return work

    @property
    def _polls(self) -> Any:
        return float("inf") if self.never_ends else self.polls

    def headers(self, asked: Asked, work: Work, subscription: str, style: Style, namespace: str) -> dict[str, str]:
        base = f"{asked.origin}/subscriptions/{subscription}"
        location = f"{base}/operationresults/{work.name}?api-version={asked.version}"
        where = f"{base}/providers/{namespace}/locations/westeurope/operationStatuses/{work.name}"
        status = f"{where}?api-version={asked.version}"
        by_style = {
            Style.ASYNC_OPERATION: {"Azure-AsyncOperation": status},
            Style.LOCATION: {"Location": location},
            Style.BOTH: {"Azure-AsyncOperation": status, "Location": location},
            Style.STATE: {},
        }
        return {**by_style[style], **({"Retry-After": self.retry_after} if style is not Style.STATE else {})}

    def _work(self, asked: Asked) -> Work:
        work = self.works.get(asked.places["work"])
        if work is None:
            raise AzureError(404, "OperationNotFound", f"The operation '{asked.places['work']}' could not be found.")
        return work

    def _result(self, asked: Asked) -> Reply:
        work = self._work(asked)
        if not work.poll():
            again = f"{asked.origin}{asked.path}?api-version={asked.version}"
            return Reply(status=202, headers={"Location": again, "Retry-After": self.retry_after})
        if work.error:
            return Reply({"error": work.error}, 409)
        return Reply(work.result)

    def _status(self, asked: Asked) -> Reply:
        work = self._work(asked)
        if not work.poll():
            return Reply({"name": work.name, "status": "InProgress"}, headers={"Retry-After": self.retry_after})
        if work.error:
            return Reply({"name": work.name, "status": "Failed", "error": work.error})
        return Reply({"name": work.name, "status": "Succeeded"})
