"""The start page: new Azure updates, the next retirements, and change requests that await the visitor's decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from changes.approval_request import ApprovalRequest
from changes.approvals import Approvals
from changes.overview import overview_for
from exploring.address import PageAddress
from exploring.guests import Guest, ToolName
from exploring.listed_update import ListedUpdate
from exploring.searching import PATH as UPDATES
from exploring.searching import Libraries
from mcp_server.http.messages import HttpAnswer, HttpRequest
from refusal import Refusal
from updates.searching.parameters import parameters_for
from updates.searching.search import SearchFilters, UpdateSearch
from updates.searching.statistics import RETIREMENT

if TYPE_CHECKING:
    from updates.library import Health
    from updates.searching.index import UpdatesIndex

PATH: Final = "/"
_LISTED: Final = 6
_WAITING_LISTED: Final = 5
_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class SearchCount:
    """The number of updates that a search finds, and the URL of the page that lists them."""

    total: int
    url: str

    @classmethod
    def of(cls, index: UpdatesIndex, search: UpdateSearch) -> SearchCount:
        return cls(_count(index, search), PageAddress(UPDATES, parameters_for(search)).url)


@dataclass(frozen=True, slots=True)
class News:
    """New Azure updates, and the time of the last sync."""

    total: int
    health: Health
    is_sample: bool
    newest: Sequence[ListedUpdate]
    announced: SearchCount
    this_week: SearchCount
    changed: SearchCount
    retiring: Sequence[ListedUpdate]
    retiring_soon: int

    @classmethod
    def of(cls, index: UpdatesIndex, health: Health, today: date) -> News:
        since = str(today - _WEEK)
        soon = SearchFilters(availability_ring=RETIREMENT, date_from=f"{today:%Y-%m}", date_to=_in_months(today, 3))
        retiring = UpdateSearch(filters=soon, sort_by="availability:asc", limit=_LISTED)
        announced = UpdateSearch(sort_by="created:desc", limit=_LISTED)
        this_week = replace(announced, filters=SearchFilters(date_from=since, date_field="created"))
        return cls(
            total=index.facts.total,
            health=health,
            is_sample=index.is_sample,
            newest=_rows(index, announced, today),
            announced=SearchCount.of(index, announced),
            this_week=SearchCount.of(index, this_week),
            changed=SearchCount.of(index, UpdateSearch(filters=SearchFilters(changed_since=since))),
            retiring=_rows(index, retiring, today),
            retiring_soon=_count(index, retiring),
        )


@dataclass(frozen=True)
class Overviews:
    library: Libraries
    approvals: Approvals
    searches: ToolName
    finds_here: ToolName

    async def show(self, guest: Guest, request: HttpRequest) -> HttpAnswer:
        waiting = await self._waiting(guest)
        news, problem = await self._news(guest)
        return guest.page(
            "overview.html",
            here=PATH,
            news=news,
            problem=problem,
            finds_here=guest.may(self.finds_here),
            waiting=waiting and waiting[:_WAITING_LISTED],
            more_waiting=max(0, len(waiting or ()) - _WAITING_LISTED),
            address=f"{request.origin}/mcp",
        )

    async def _news(self, guest: Guest) -> tuple[News | None, str]:
        """Return the new updates if the visitor may search updates, and the reason if updates are unavailable."""
        if not guest.may(self.searches):
            return None, ""
        library = await self.library()
        try:
            return News.of(await library.index(), await library.health(), datetime.now(UTC).date()), ""
        except Refusal as refusal:
            return None, str(refusal)

    async def _waiting(self, guest: Guest) -> Sequence[ApprovalRequest] | None:
        """Return the change requests that await this visitor's decision, or None if there is no page for approvals."""
        if self.approvals.page is None:
            return None
        return (await overview_for(guest.person, self.approvals)).waiting


def _rows(index: UpdatesIndex, request: UpdateSearch, today: date) -> Sequence[ListedUpdate]:
    return [ListedUpdate.of(found, today) for found in index.search(request).results]


def _count(index: UpdatesIndex, search: UpdateSearch) -> int:
    return index.search(replace(search, limit=1)).total


def _in_months(today: date, months: int) -> str:
    count = today.year * 12 + today.month - 1 + months
    return f"{count // 12}-{count % 12 + 1:02}"
