"""The page to search Azure updates, and the page of an update with its history."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from browsing.comparing import ComparedEdit, Comparing
from changes.preview import Edit
from exploring.address import PageAddress
from exploring.facets import HEADINGS, facets_of
from exploring.guests import Guest
from exploring.listed_update import ListedUpdate
from mcp_server.http.messages import HttpAnswer, HttpRequest
from refusal import Refusal
from text.markdown import to_markdown
from text.markdown_to_html import html_of
from updates.searching.parameters import LIMIT, LISTS, NAMES, QUERY, SORT_BY, request_of
from updates.searching.search import FoundUpdate, SearchResults, UpdateSearch
from updates.showing.exports import LABELS

if TYPE_CHECKING:
    from updates.library import UpdatesLibrary
    from updates.searching.index import UpdatesIndex

PATH: Final = "/updates"
_PARAMETERS: Final = (*(name for name in NAMES if name != LIMIT), "page")
PAGE_SIZE: Final = 20
_FURTHEST_PAGE: Final = 1000
_ORDERS: Final = {
    "": "Best match",
    "modified:desc": "Newest first",
    "created:desc": "Announced last",
    "availability:asc": "Earliest date first",
    "availability:desc": "Latest date first",
    "title:asc": "Title",
}
_DATES: Final = {"": "Date of the milestone, or last edit", "modified": "Last edit", "created": "Announcement"}
# The inputs of the search form. The form repeats all other parameters, so that a new search has the same filters.
_INPUTS: Final = (QUERY, SORT_BY, "dateFrom", "dateTo", "dateField")
# The parameters that are not shown as filters, because they only order the results or select a date.
_UNSHOWN: Final = (SORT_BY, "dateField")
_NAMED: Final = {QUERY: "Words", **HEADINGS, "dateFrom": "From", "dateTo": "Until"}
_FIELDS: Final = {
    "title": "Title",
    "description": "Description",
    "status": "Status",
    "tags": "Tags",
    "productCategories": "Categories",
    "products": "Products",
    "availabilities": "Dates",
    "created": "Announced",
    "modified": "Last edit, according to Microsoft",
}
_KINDS: Final = {
    "added": "Announced",
    "edited": "Edited",
    "withdrawn": "Withdrawn by Microsoft",
    "restored": "Published again",
}
# Headings start at level three, below the headings of the page and the section.
_HEADING: Final = re.compile(r"^#{1,2}(?=\s)", re.MULTILINE)
_CAPITAL: Final = re.compile("[A-Z]")
_IMAGE: Final = re.compile(r"!(?=\[)")
_RECENT: Final = {"Last 7 days": 7, "Last 30 days": 30}

Libraries = Callable[[], Awaitable["UpdatesLibrary"]]


@dataclass(frozen=True, slots=True)
class FilterChip:
    """An active filter as a removable chip. `url` leads to the same search without this filter."""

    name: str
    value: str
    url: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A change in the history of an update, with the old and the new value of each edit."""

    kind: str
    seen: str
    edits: Sequence[ComparedEdit]


@dataclass(frozen=True)
class SearchPages:
    """The pages of Azure updates. `proof` returns the query parameter that authorizes a visitor's downloads."""

    library: Libraries
    proof: Callable[[Guest], Mapping[str, str] | None]

    async def search(self, guest: Guest, request: HttpRequest) -> HttpAnswer:
        index, today = await (await self.library()).index(), datetime.now(UTC).date()
        address = PageAddress.of(request, _PARAMETERS)
        try:
            asked = _search_in(address)
            found, problem = index.search(asked), ""
        except Refusal as refusal:
            asked, problem = UpdateSearch(limit=PAGE_SIZE, facets=True), str(refusal)
            found, address = index.search(asked), PageAddress(PATH, {})
        return guest.page(
            "updates.html",
            400 if problem else 200,
            here=PATH,
            problem=problem,
            is_sample=index.is_sample,
            address=address,
            found=found,
            rows=[ListedUpdate.of(update, today) for update in found.results],
            chips=list(_chips(address)),
            facets=list(facets_of(index, asked, address, found.facets or {})),
            pages=_pages(found, address),
            files=list(_files(address, self.proof(guest))),
            sort_by=SORT_BY,
            orders=_ORDERS,
            dates=_DATES,
            hidden=[(name, value) for name, value in address.without("page").values.items() if name not in _INPUTS],
            recent=[(name, _recent(address, today, days)) for name, days in _RECENT.items()],
            did_you_mean=found.did_you_mean and (found.did_you_mean, address.having("query", found.did_you_mean).url),
        )

    async def update(self, update_id: str, guest: Guest, _request: HttpRequest) -> HttpAnswer:
        index, today = await (await self.library()).index(), datetime.now(UTC).date()
        try:
            found = index.find(update_id[:200])
        except Refusal as refusal:
            return guest.page("failure.html", 404, title="Not Found", message=str(refusal))
        return guest.page(
            "update.html",
            here=PATH,
            is_sample=index.is_sample,
            row=ListedUpdate.of(found, today),
            body=_body(found),
            history=list(_history(found)),
            alike=_alike(index, found, today),
        )


def _search_in(address: PageAddress) -> UpdateSearch:
    """Parse the search in a page URL.

    Raises:
        Refusal: A value is invalid.
    """
    asked = request_of({name: value for name, value in address.values.items() if name != "page"})
    return replace(asked, limit=PAGE_SIZE, offset=(_page(address) - 1) * PAGE_SIZE, facets=True, semantic=True)


def _files(address: PageAddress, proof: Mapping[str, str] | None) -> Iterator[tuple[str, str]]:
    """Yield the name and URL of each file format in which the results of this search can be downloaded."""
    if proof is None:
        return
    wanted = address.without("page")
    for form, label in LABELS.items():
        yield label, replace(wanted, path=f"{PATH}.{form}", values={**wanted.values, **proof}).url


def _page(address: PageAddress) -> int:
    text = address["page"]
    return max(1, min(int(text), _FURTHEST_PAGE)) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


def _chips(address: PageAddress) -> Iterator[FilterChip]:
    address = address.without("page")
    for name, given in address.without(*_UNSHOWN).values.items():
        heading = _NAMED.get(name) or _in_words(name)
        if name in LISTS:
            yield from (FilterChip(heading, value, address.removing(name, value).url) for value in address.names(name))
        else:
            yield FilterChip(heading, given, address.without(name).url)


def _in_words(name: str) -> str:
    """The name of a parameter in words: `Changed since` for `changedSince`."""
    return _CAPITAL.sub(lambda letter: f" {letter[0].lower()}", name).capitalize()


def _pages(found: SearchResults, address: PageAddress) -> Mapping[str, Any]:
    number = found.offset // PAGE_SIZE + 1
    return {
        "first": found.offset + 1,
        "last": found.offset + len(found.results),
        "before": address.having("page", str(number - 1) if number > 2 else "").url if number > 1 else "",
        "after": address.having("page", str(number + 1)).url if found.has_more else "",
    }


def _recent(address: PageAddress, today: date, days: int) -> str:
    return address.without("page").having("changedSince", str(today - timedelta(days=days))).url


def _body(found: FoundUpdate) -> Markup:
    """Convert an update's description to HTML. `html_of` escapes markup. Images become links, so that the page loads
    nothing from other sites.
    """
    markdown = _IMAGE.sub("", _HEADING.sub("###", found.description))
    return Markup(html_of(f"{markdown}\n"))  # noqa: S704 - escaped by html_of


def _history(found: FoundUpdate) -> Iterator[HistoryEntry]:
    comparing = Comparing()
    for change in found.history:
        edits = [_compared(comparing, edit) for edit in change.get("edits", ())]
        yield HistoryEntry(_KINDS.get(change["change"], change["change"]), change["seen"], edits)


def _compared(comparing: Comparing, edit: Mapping[str, Any]) -> ComparedEdit:
    field = edit["field"]
    before, after = (_in_one_line(edit[side], is_html=field == "description") for side in ("before", "after"))
    return replace(comparing.compared(Edit(field, before, after)), name=_FIELDS.get(field, field), path="")


def _in_one_line(value: str | Sequence[str] | None, *, is_html: bool) -> str | None:
    """Format a value on one line, for the columns of a comparison."""
    if value is None:
        return None
    text = value if isinstance(value, str) else ", ".join(value)
    return " ".join((to_markdown(text) if is_html else text).split())


def _alike(index: UpdatesIndex, found: FoundUpdate, today: date) -> Sequence[ListedUpdate]:
    """Return a few updates that are similar to the given update."""
    results = index.search(UpdateSearch(found.title, limit=5, semantic=True)).results
    return [ListedUpdate.of(other, today) for other in results if other.id != found.id][:3]
