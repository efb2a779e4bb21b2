"""Tools for watches: saved searches of Azure updates that send news to a team's channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

from clients.answers import Json
from mcp_server.declarations.field import Field
from mcp_server.declarations.secret import Secret
from mcp_server.declarations.toolset import Access, Part
from mcp_server.http.messages import origin_of
from mcp_server.visit import Context, Visit
from mcp_server.wording import alternatives
from notifying.forms import CHANNELS
from refusal import Refusal
from tools.azure_updates import toolset as azure_updates
from tools.azure_updates.tools import StandingFilters, search_azure_updates
from tools.watches.access import WatchesHere
from tools.watches.documents import notice_document, watch_document
from tools.watches.watch_changes import (
    ChannelAddress,
    NoticeResend,
    WatchCreation,
    WatchDeletion,
    WatchRenewal,
    WatchUpdate,
    moved,
    with_search,
)
from tools.watches.watch_test import WatchTest
from updates.searching.search import SearchFilters
from watching.watch import FEED, Watch, WatchDestination, WatchPace

part = Part()

When = Literal["immediately", "daily", "weekly"]
Name = Annotated[str, Field(max_length=100, description="Name of the watch")]
Url = Annotated[Secret[str], Field(max_length=2000, description="Address of the channel; never shown again")]
_MOST_PLACES: Final = 10
Affects = Annotated[
    list[str] | None,
    Field(
        max_length=_MOST_PLACES,
        description="Subscriptions or groups to watch for retirements; not with query or filters",
    ),
]
SigningSecret = Annotated[
    Secret[str], Field(max_length=200, description="Signs requests to a webhook; 24 bytes or more, never shown again")
]
To = Annotated[
    str,
    Field(
        max_length=100,
        description=f"feed; one of `places` in list_watches; or, with url: {alternatives(CHANNELS)}",
    ),
]
Query = Annotated[str | None, Field(max_length=2000, description="As in search_azure_updates")]
Filters = Annotated[StandingFilters | None, Field(description="As in search_azure_updates")]
_SECRETS: Final = ("url", "secret")
_HARMLESS: Final = ("name", "to", "when")


@part.change(Access.WRITE, secret=_SECRETS, harmless=_HARMLESS)
async def create_watch(
    context: Context,
    here: WatchesHere,
    name: Annotated[str, Field(max_length=100, description="Lowercase letters, digits and hyphens")],
    to: To,
    query: Query = None,
    filters: Filters = None,
    affects: Affects = None,
    when: Annotated[When, Field(description="How often news is sent")] = "daily",
    url: Url | None = None,
    secret: SigningSecret | None = None,
) -> WatchCreation:
    """Create a watch of Azure updates, which sends new, edited, rescheduled and withdrawn updates to a channel. Without
    query and filters: all updates; with affects: retirements of your resources. Expires after 90 days unless renewed.
    """
    visit = context.visit
    _refuse_without_search(visit)
    _refuse_two_kinds(affects, query, filters, when)
    watch = Watch(
        tenant=visit.caller.tenant,
        name=name,
        owner=visit.caller.name or visit.caller.subject,
        destination=WatchDestination(to=to),
        pace=WatchPace(when),
        query=query or "",
        filters=_filters(filters) or SearchFilters(),
        scopes=await _readable(context, affects or ()),
    )
    return await WatchCreation.of(here.watches, watch, origin_of(visit.headers), ChannelAddress.of(url, secret, to))


@part.tool(Access.READ, open_world=False)
async def list_watches(context: Context, here: WatchesHere) -> Json:
    """List the watches of Azure updates, and the `places` to which they can send news."""
    visit = context.visit
    now, watches = here.watches.clock(), await here.watches.all_of(visit.caller.tenant)
    places = [{"name": name, "form": place.form} for name, place in sorted(here.watches.destinations.places.items())]
    return {"watches": [watch_document(watch, now) for watch in watches], "places": places}


@part.tool(Access.READ, open_world=False, harmless=["name"])
async def show_watch(context: Context, here: WatchesHere, name: Name) -> Json:
    """Show a watch of Azure updates, with its newest notices and their delivery status."""
    watch = await _named(context, here, name)
    notices = [notice_document(notice) for notice in await here.watches.notices(watch)]
    return {**watch_document(watch, here.watches.clock()), "notices": notices}


@part.change(Access.WRITE, idempotent=True, secret=_SECRETS, harmless=_HARMLESS)
async def update_watch(
    context: Context,
    here: WatchesHere,
    name: Name,
    query: Query = None,
    filters: Filters = None,
    to: To | None = None,
    when: Annotated[When | None, Field(description="How often news is sent")] = None,
    url: Url | None = None,
    secret: SigningSecret | None = None,
    new_feed_address: Annotated[bool, Field(description="Give the feed a new URL; the old one stops working")] = False,
) -> WatchUpdate:
    """Change the search, destination or frequency of a watch of Azure updates, or revoke a feed's URL."""
    visit = context.visit
    _refuse_without_search(visit)
    watch = await _named(context, here, name)
    _refuse_two_kinds(watch.scopes, query, filters, when)
    await _refuse_strangers(context, watch)
    if new_feed_address and watch.destination.to != FEED:
        raise Refusal("Only a feed has a URL to replace. To send to a new feed, pass to=feed.")
    after, address = moved(here.watches, watch, to, ChannelAddress.of(url, secret, to))
    after = with_search(after, query, _filters(filters))
    after = replace(after, pace=WatchPace(when)) if when else after
    return WatchUpdate(here.watches, watch, after, address, origin_of(visit.headers), new_feed_address)


@part.change(Access.WRITE, harmless=["name"], open_world=False)
async def renew_watch(context: Context, here: WatchesHere, name: Name) -> WatchRenewal:
    """Keep a watch of Azure updates for another 90 days, or start an expired one again."""
    return WatchRenewal(here.watches, await _named(context, here, name))


@part.change(Access.DESTROY, harmless=["name"], open_world=False)
async def delete_watch(context: Context, here: WatchesHere, name: Name) -> WatchDeletion:
    """Delete a watch of Azure updates, with its notices and its feed."""
    return WatchDeletion(here.watches, await _named(context, here, name))


@part.change(Access.WRITE, harmless=["name"])
async def send_test(context: Context, here: WatchesHere, name: Name) -> WatchTest:
    """Send a test notice to the destination of a watch, and report whether it arrived, or why not."""
    visit = context.visit
    return WatchTest(here, await _named(context, here, name), visit.caller.principal)


@part.change(Access.WRITE, harmless=["name"])
async def resend_notices(context: Context, here: WatchesHere, name: Name) -> NoticeResend:
    """Resend the notices of a watch that could not be delivered."""
    visit = context.visit
    watch = await _named(context, here, name)
    return NoticeResend(here.watches, watch, await here.watches.set_aside(watch), visit.tasks)


async def _named(context: Context, here: WatchesHere, name: str) -> Watch:
    return await here.watches.named(context.visit.caller.tenant, name)


def _refuse_without_search(visit: Visit) -> None:
    """Reject a caller who cannot read the updates that the watch would send."""
    if not visit.grants.allow(azure_updates.name, search_azure_updates.__name__, Access.READ):
        raise Refusal(
            "Watches search Azure updates, but your roles do not give access to them. Ask an administrator for access."
        )


def _refuse_two_kinds(
    affects: Sequence[str] | None, query: str | None, filters: StandingFilters | None, when: str | None
) -> None:
    if affects and (query is not None or filters is not None):
        raise Refusal("A watch has either `affects` or a search by `query` and `filters`. Create two watches.")
    if affects and when == WatchPace.IMMEDIATELY:
        raise Refusal("Resources are checked once a day. Set `when` to daily or weekly.")


async def _refuse_strangers(context: Context, watch: Watch) -> None:
    """Refuse a new destination for a watch if the caller cannot read the resources that the watch reports on."""
    await _readable(context, watch.scopes)


async def _readable(context: Context, places: Sequence[str]) -> tuple[str, ...]:
    """Check that the caller may read all resources in these Azure scopes, and return the scopes' IDs."""
    if not places:
        return ()
    from tools.watches.scopes import scopes_for  # noqa: PLC0415 - few watch resources

    return await scopes_for(context, places)


def _filters(given: StandingFilters | None) -> SearchFilters | None:
    return given.as_filters() if given is not None else None
