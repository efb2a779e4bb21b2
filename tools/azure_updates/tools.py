"""Searches and shows Azure updates, with retirements, dates and silent edits."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from changes.undo import never
from identity.caller import CallerKind
from identity.personal_addresses import PersonalAddresses
from mcp_server.declarations.change import StatedChange
from mcp_server.declarations.resource import APP_TYPE
from mcp_server.declarations.toolset import Access, Part
from mcp_server.http.messages import origin_of
from mcp_server.http.pages import PERSONAL
from mcp_server.protocol.results import JsonText
from mcp_server.visit import Context, Visit
from refusal import Refusal
from tasks.task import Task, owner_of
from tools.azure_updates.accepting import Accepting
from tools.azure_updates.access import UPDATES
from tools.azure_updates.injected import Addresses, Updates, updates_of
from tools.azure_updates.settings import FULL_SYNC
from tools.azure_updates.syncing import sync_answer
from updates.history import changelog_document
from updates.report import SyncKind
from updates.searching.search import SearchFilters, UpdateSearch
from updates.showing.answer import answer_of
from updates.showing.guide import document_of, freshness_of, guide_of, statistics_document
from updates.showing.invented import noticed

if TYPE_CHECKING:
    from updates.showing.report.contents import RetirementReport

APP: Final = "ui://azure-updates/explorer"
_APP_FILE: Final = Path(__file__).with_name("app.html")
_MINUTE_IN_MS: Final = 60 * 1000
_CHANGES: Final = 100
_RUNS: Final = 5
_IDS: Final = 100
_LONGEST_REPORT: Final = 120.0
# The URL parameter for each kind of caller that is not a user. These callers get no personal token.
_NOT_PERSONAL: Final = {CallerKind.ANONYMOUS: "", CallerKind.KEY: "code=<your function key>"}
_MOST_FILTERS: Final = 20

UpdatesContext = Context

part = Part()


# A factory keeps the default value out of the schema, where it would cost tokens without adding information.
Names = Annotated[list[str], Field(default_factory=list, max_length=50)]


class StandingFilters(BaseModel):
    """Search filters that do not depend on the time of the search."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    tags: Names
    product_categories: Names
    products: Names
    status: str | None = None
    availability_ring: Annotated[str | None, Field(description="Such as Retirement; dates then refer to this ring")] = (
        None
    )
    date_from: Annotated[str | None, Field(description="YYYY-MM-DD or YYYY-MM")] = None
    date_to: Annotated[str | None, Field(description="Inclusive")] = None
    date_field: Literal["modified", "created", "availability"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _are_few(cls, given: object) -> object:
        # Without this limit, thousands of unknown filters would cause thousands of errors in one answer.
        if isinstance(given, Mapping) and len(given) > _MOST_FILTERS:
            valid = ", ".join(map(to_camel, cls.model_fields))
            raise ValueError(f"has {len(given)} filters, which is too many. Valid filters: {valid}.")
        return given

    def as_filters(self) -> SearchFilters:
        given = self.model_dump().items()
        chosen: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in given}
        return SearchFilters(**chosen)


class UpdateFilters(StandingFilters):
    changed_since: Annotated[str | None, Field(description="Changed since this date; shows edits")] = None


@part.tool(Access.READ, title="Search Azure updates", app=APP)
async def search_azure_updates(
    updates: Updates,
    query: Annotated[str | None, Field(description='Words, "phrases", -excluded')] = None,
    id: Annotated[str | None, Field(description="Show this update and its edits")] = None,
    filters: Annotated[UpdateFilters | None, Field(description="All must match; see azure-updates://guide")] = None,
    sortBy: Annotated[
        str | None, Field(description="relevance, modified, created, availability or title, then :asc or :desc")
    ] = None,
    limit: Annotated[int, Field(ge=1, le=100, description="Page size")] = 50,
    offset: Annotated[int, Field(ge=0, description="Results to skip")] = 0,
    detail: Annotated[Literal["brief", "summary", "full"], Field(description="How much")] = "summary",
    facets: Annotated[bool, Field(description="Count values")] = False,
    semantic: Annotated[bool, Field(description="By meaning")] = True,
) -> dict[str, Any] | JsonText:
    """Search what changes in Azure: launches, previews, retirements and their dates.

    Best match first; without a query, newest first.
    """
    index = await updates.index()
    if id is not None:
        return noticed(document_of(index.find(id)), is_sample=index.is_sample)
    chosen = filters.as_filters() if filters else SearchFilters()
    request = UpdateSearch(query or "", chosen, sortBy, limit, offset, detail, facets, semantic)
    return JsonText(answer_of(index.search(request), request, is_sample=index.is_sample))


@part.tool(Access.READ, title="Check Azure updates health")
async def check_azure_updates_health(updates: Updates) -> dict[str, Any]:
    """Show how fresh the updates are, and how the last syncs went."""
    health = await updates.health()
    runs = await updates.runs(_RUNS) if health.failure is None else []
    told = {"totalUpdates": health.total, **freshness_of(health), "runs": [str(run) for run in runs]}
    return noticed(told, is_sample=health.is_sample)


@part.change(
    Access.WRITE,
    title="Refresh Azure updates",
    idempotent=True,
    undo=never("a sync only reads the feed again and marks missing updates as withdrawn"),
)
async def refresh_azure_updates(
    context: UpdatesContext,
    updates: Updates,
    full: Annotated[
        bool, Field(description="Start a task that compares all updates, to find silent edits and withdrawals")
    ] = False,
) -> StatedChange[dict[str, Any] | Task]:
    """Sync Azure updates now, and report what changed, or that another sync is already running."""

    async def apply() -> dict[str, Any] | Task:
        if full:
            visit = context.visit
            return await visit.tasks.begin(FULL_SYNC, owner_of(visit.caller), {}, "Comparing all Azure updates")
        await context.report_progress(0, 1, "Reading the feed")
        report = await updates.sync(SyncKind.DELTA)
        await context.report_progress(1, 1, str(report))
        return sync_answer(report)

    return StatedChange(apply)


@part.change(Access.DESTROY)
async def accept_reading(updates: Updates) -> Accepting:
    """Accept the sync of Azure updates that was rejected as suspicious, so that later syncs can withdraw updates."""
    return await Accepting.of(updates)


@part.tool(Access.READ, title="Get Azure updates feeds")
async def get_azure_updates_feeds(context: UpdatesContext, addresses: Addresses, updates: Updates) -> dict[str, Any]:
    """Get URLs for the updates as files, such as a calendar or a feed, for programs that cannot sign in.

    URLs take the search's filters as parameters. Anyone with a URL has your access to updates: keep it secret.
    """
    return noticed(_addresses(context.visit, addresses), is_sample=updates.serves_sample)


def _addresses(visit: Visit, addresses: PersonalAddresses) -> dict[str, Any]:
    feeds = _feeds(origin_of(visit.headers), _proof(visit, addresses))
    if visit.caller.kind in _NOT_PERSONAL:
        return feeds
    until = datetime.now(UTC) + timedelta(days=addresses.days)
    ending = "To revoke all URLs that you have received, send DELETE to one of them."
    return {**feeds, "until": f"{until:%Y-%m-%d}", "toEnd": ending}


def _proof(visit: Visit, addresses: PersonalAddresses) -> str:
    """Return the URL parameter that identifies the caller.

    Raises:
        Refusal: Personal links are disabled.
    """
    if visit.caller.kind in _NOT_PERSONAL:
        return _NOT_PERSONAL[visit.caller.kind]
    if not addresses.are_given:
        raise Refusal("Personal links are disabled. Ask an operator to set MCP_REQUEST_STATE_KEY.")
    return f"{PERSONAL}={addresses.token_for(visit.caller)}"


@part.tool(Access.READ, seconds=_LONGEST_REPORT)
async def retirement_report(
    context: UpdatesContext,
    updates: Updates,
    months: Annotated[int, Field(ge=1, le=36, description="How far ahead")] = 12,
    products: Annotated[list[str] | None, Field(max_length=50, description="Only these")] = None,
    productCategories: Annotated[list[str] | None, Field(max_length=50, description="Only these")] = None,
    resources: Annotated[bool, Field(description="Include your affected resources")] = True,
) -> dict[str, Any]:
    """Report Azure retirements, your affected resources, planned work and recent changes, as figures and a PDF.

    Give the user the PDF's URL, which works only for them and only for a week.
    """
    from tools.azure_updates import reporting  # noqa: PLC0415 - hardly ever called

    filters = SearchFilters(products=tuple(products or ()), product_categories=tuple(productCategories or ()))
    index = await updates.index()
    report = await reporting.report_for(context, index, UpdateSearch(filters=filters), months, resources=resources)
    document = {**reporting.report_answer(report), "pdf": await _kept_report(context, report)}
    return noticed(document, is_sample=index.is_sample)


async def _kept_report(context: UpdatesContext, report: RetirementReport) -> str:
    """Store the report as a PDF, and return its URL."""
    from tools.azure_updates.reporting import pdf_in_shifts  # noqa: PLC0415 - as above

    access, visit = await UPDATES.of(context), context.visit
    parameter = _proof(visit, access.addresses)
    name = await access.reports.keep(owner_of(visit.caller), await pdf_in_shifts(report, access.notice))
    return f"{origin_of(visit.headers)}/updates.pdf?report={name}{f'&{parameter}' if parameter else ''}"


def _feeds(origin: str, parameter: str) -> dict[str, Any]:
    from updates.showing.exports import FORMS  # noqa: PLC0415 - hardly ever called

    return {form.key: f"{origin}/updates.{suffix}?{parameter}".rstrip("?") for suffix, form in FORMS.items()}


@part.resource("azure-updates://guide", name="Azure Updates Search Guide", ttl_ms=_MINUTE_IN_MS)
async def azure_updates_guide(context: UpdatesContext) -> str:
    """Every tag, category, product, status and ring with counts; the age of the data; and examples."""
    updates = await updates_of(context)
    index = await updates.index()
    guide = guide_of(index, await updates.health(), datetime.now(UTC).date())
    return _json(noticed(guide, is_sample=index.is_sample))


@part.resource("azure-updates://changelog", name="Azure updates changelog", ttl_ms=_MINUTE_IN_MS)
async def azure_updates_changelog(context: UpdatesContext) -> str:
    """What recent syncs added, edited (each field before and after) and withdrew."""
    return _json({"changes": changelog_document(await (await updates_of(context)).changes(_CHANGES))})


@part.resource("azure-updates://stats", name="Azure updates statistics", ttl_ms=_MINUTE_IN_MS)
async def azure_updates_stats(context: UpdatesContext) -> str:
    """Counts per month, category and ring, and the retirement calendar."""
    index = await (await updates_of(context)).index()
    return _json(noticed(statistics_document(index), is_sample=index.is_sample))


@part.resource("azure-updates://update/{id}", name="Azure update", ttl_ms=_MINUTE_IN_MS)
async def azure_update(context: UpdatesContext, id: str) -> str:
    """One update in full."""
    index = await (await updates_of(context)).index()
    return _json(noticed(document_of(index.find(id)), is_sample=index.is_sample))


@part.completion("azure-updates://update/{id}", "id")
async def update_ids(value: str, context: UpdatesContext) -> list[str]:
    index = await (await updates_of(context)).index()
    return index.ids(value, _IDS)


@part.resource(APP, name="Azure updates explorer", mime_type=APP_TYPE)
def azure_updates_explorer() -> str:
    """Shows search results in an app: a list, a timeline of retirements, and filters."""
    return _APP_FILE.read_text(encoding="utf-8")


@part.prompt(title="What's new in Azure")
def whats_new(
    since: Annotated[str, Field(description="YYYY-MM-DD or YYYY-MM")],
    products: Annotated[str, Field(description="Products, separated by commas; default: all")] = "",
) -> str:
    """Report what changed in Azure since a given day, for some or all products."""
    scope = f"for these products, one search each: {products}" if products else "for all of Azure"
    return _WHATS_NEW.format(scope=scope, since=since)


_WHATS_NEW: Final = """Tell me what changed {scope}, since {since}.

Call search_azure_updates with filters {{"products": [...], "dateFrom": "{since}"}} and sortBy "modified:desc", and page
through all results. Group them into retirements, general availability, previews and the rest; within each, the most
important first. Give title, date and url of each, and say at the end what needs action from us."""


@part.prompt(title="Review retirements")
def retirement_review(
    until: Annotated[str, Field(description="YYYY-MM-DD or YYYY-MM")],
    products: Annotated[str, Field(description="Products, separated by commas")] = "",
    categories: Annotated[str, Field(description="Product categories, separated by commas")] = "",
) -> str:
    """Review what retires in Azure by a date, and what to do about it."""
    parts = [f"products {products}" * bool(products), f"product categories {categories}" * bool(categories)]
    scope = " and ".join(filter(None, parts)) or "all of Azure"
    return _RETIREMENT_REVIEW.format(scope=scope, until=until)


_RETIREMENT_REVIEW: Final = """Review what retires by {until}, for {scope}.

Call search_azure_updates with filters {{"availabilityRing": "Retirement", "dateTo": "{until}"}}, narrowed to that scope
by products or productCategories (one search each), sortBy "availability:asc" and detail "full", and page through all
results. Make a table of date, what retires, what replaces it, and url. Then look through this repository for uses of
what retires, and list them with file and line, soonest date first."""


def _completing(kind: str) -> Callable[..., Awaitable[list[str]]]:
    async def complete(value: str, context: UpdatesContext) -> list[str]:
        """Complete the last value in a comma-separated list."""
        before, comma, last = value.rpartition(",")
        found = (await (await updates_of(context)).index()).vocabulary.complete(kind, last.strip(), _IDS)
        return [f"{before}{comma}{' ' * bool(comma)}{name}" for name in found]

    return complete


part.completion("whats_new", "products")(_completing("products"))
part.completion("retirement_review", "products")(_completing("products"))
part.completion("retirement_review", "categories")(_completing("productCategories"))


def _json(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
