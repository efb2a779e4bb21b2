"""Builds the app of a worker process from its settings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from app.access import door_of, external_of, gate_of, roles_of, rules_of
from app.approving import CHANGES, approvals_of
from app.extensions import check_trusted, entries_of, extensions_beside, missing_tool_hint, sign_ins_at
from app.jobs import Jobs
from app.notifying import approvers_of, notices_of, places_of
from app.offered import catalog_of, offer_of
from app.signing_in import NAME, bridge_of, check_cloud, upstream_of
from app.storage import files_for, queue_for, storage_for
from clients.azure.cloud import Cloud, cloud_named
from clients.storage import Storage
from identity.door import Door
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.catalogs import Catalogs
from mcp_server.declarations.toolset import Toolset
from mcp_server.http.endpoint import Adapters, Endpoint
from mcp_server.http.gate import Gate
from mcp_server.http.pages import Pages
from mcp_server.http.reception import Reception
from mcp_server.http.rest_sessions import RestSessions
from mcp_server.server import McpServer, ServerInfo
from mcp_server.visit import Means
from settings import Settings
from tools import INSTRUCTIONS, PROVIDERS, SURFACE
from tools.azure_updates.access import UPDATES
from tools.jobs import Chore, Every
from tools.outlined import OUTLINED
from tools.provider import Provider, Providers, Supplies

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from app.long_work import HealthOfTasks
    from browsing.rendering import Frame
    from browsing.visiting import Visiting
    from changes.approval_request import ApprovalRequest
    from changes.approvals import Approvals
    from changes.rule import Rule
    from deciding.pages import DecisionPages
    from deciding.sign_ins import SignInPages
    from exploring.pages import ExplorerPages
    from extensions.entry import Entry
    from extensions.extensions import Extensions
    from extensions.sign_in.sign_ins import SignIns
    from identity.bridge.browser_tokens import BrowserTokens
    from identity.bridge.sessions import BridgeSessions
    from identity.personal_addresses import PersonalAddresses
    from identity.upstream import Upstream
    from notifying.approvers import Approvers
    from tasks.work import Work
    from tasks.worker import Worker
    from telemetry.custom_metrics import CustomMetrics
    from updates.library import UpdatesLibrary

VERSION: Final = "0.1.0"
# The storage table of revoked personal links.
ADDRESSES: Final = "addresses"
# The table that stores the sealed tokens of browsers, and how often each sign-in through the bridge was renewed.
SESSIONS: Final = "sessions"
# The common name of the table, the blob container and the queue for long-running tasks.
TASKS: Final = "tasks"
# The queue where Azure puts messages that could not be processed.
SET_ASIDE: Final = f"{TASKS}-poison"
_ORIGINS_KEPT: Final = 8


class Closable(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=Closable)


@dataclass(frozen=True)
class App:
    """All components that a worker process needs.

    Components that reject invalid settings are built at startup, so that errors appear at startup. All other
    components are built on first use.
    """

    settings: Settings
    toolsets: Sequence[Toolset]
    catalog: Catalog
    door: Door
    gate: Gate
    all_providers: Sequence[Provider[Any, Any]]
    rules: Sequence[Rule] = ()
    entries: Sequence[Entry] = ()
    # Closes the components that were created on first use.
    _closing: AsyncExitStack = field(default_factory=AsyncExitStack, repr=False)

    @cached_property
    def providers(self) -> Providers:
        return self._closed_at_the_end(Providers(self.all_providers, self.settings, lambda: self._supplies))

    @cached_property
    def server(self) -> McpServer:
        server = self.settings.server
        info = ServerInfo(server.name, NAME, VERSION, INSTRUCTIONS, server.notice)
        return McpServer(info, self._first_request, server.request_state_keys)

    @cached_property
    def endpoint(self) -> Endpoint:
        hint = partial(missing_tool_hint, self.providers, lambda: self.extensions)
        means = Means(lambda: self.approvals, lambda: self.worker.tasks, hint)
        _ = self.extensions  # after this line, extensions can add their toolsets to the catalog
        return Endpoint(
            self.server,
            self.catalogs,
            self.reception,
            means,
            sessions=self.rest_sessions,
            adapters=Adapters(self.settings.server.adapter),
            answered=self.providers.begin,
        )

    @cached_property
    def worker(self) -> Worker:
        from app.long_work import worker_of

        queue = queue_for(TASKS, self.settings.storage, self._cloud)
        worker = worker_of(self.settings, self.providers, partial(self._storage, TASKS), queue, self._own_works)
        self._closed_at_the_end(worker.tasks)
        return worker

    @cached_property
    def health_of_tasks(self) -> HealthOfTasks:
        from app.long_work import HealthOfTasks

        set_aside = queue_for(SET_ASIDE, self.settings.storage, self._cloud)
        return self._closed_at_the_end(HealthOfTasks(self.worker, set_aside))

    @cached_property
    def approvals(self) -> Approvals:
        changes = partial(self._storage, CHANGES)
        approvals = approvals_of(self.settings, self.toolsets, self.door, self.rules, changes)
        self._closed_at_the_end(approvals.kept()).watched = self._tell_approvers
        return approvals

    @cached_property
    def approvers(self) -> Approvers:
        """The service that notifies approvers. Use it only if channels are configured."""
        approvers = approvers_of(
            self.settings, lambda: self.approvals, lambda: self.worker.tasks, partial(self._storage, CHANGES)
        )
        return self._closed_at_the_end(approvers)

    async def _tell_approvers(self, change: ApprovalRequest) -> None:
        if change.notify:
            await self.approvers.changed(change)

    @property
    def _own_works(self) -> Mapping[str, Work]:
        from notifying.approvers import NOTIFY
        from tasks.work import Work

        return {NOTIFY: Work(NOTIFY, self.approvers.step)} if self.settings.notify.places else {}

    @cached_property
    def catalogs(self) -> Catalogs:
        """The catalog of the built-in toolsets and of the external toolsets that are currently available."""
        own = [toolset.name for toolset in self.toolsets]
        return Catalogs(self.catalog, own, offer_of(self.settings))

    @cached_property
    def extensions(self) -> Extensions | None:
        extensions = extensions_beside(self.entries, self.settings, self.catalogs, self._storage, self.sign_ins)
        return extensions and self._closed_at_the_end(extensions)

    @cached_property
    def sign_ins(self) -> SignIns | None:
        """The service that signs users in to extensions, or None if no extension requires a sign-in."""
        return sign_ins_at(self.entries, self.settings, self._storage, lambda: self.upstream)

    @property
    def has_consents(self) -> bool:
        """Whether at least one extension requires users to sign in on a page of this server."""
        return any(entry.is_consented for entry in self.entries)

    @cached_property
    def pages(self) -> Pages:
        # The pages use only this server's built-in tools to check access, so that an extension's tool cannot give
        # access to a page.
        return Pages(self.reception, lambda: self.catalog, lambda: self.addresses, self.rest_sessions)

    @cached_property
    def rest_sessions(self) -> RestSessions:
        return RestSessions(self.settings.server.request_state_keys)

    @cached_property
    def reception(self) -> Reception:
        return Reception(self.gate, self.door)

    @cached_property
    def upstream(self) -> Upstream:
        return upstream_of(self.settings)

    @cached_property
    def addresses(self) -> PersonalAddresses:
        from identity.personal_addresses import PersonalAddresses

        storage = partial(self._storage, ADDRESSES)
        return self._closed_at_the_end(PersonalAddresses(self.settings.server.request_state_keys, storage))

    @cached_property
    def _cloud(self) -> Cloud:
        return cloud_named(self.settings.upstream.cloud)

    def _storage(self, purpose: str) -> Storage:
        return storage_for(purpose, self.settings.storage, self._cloud)

    @cached_property
    def _supplies(self) -> Supplies:
        settings = self.settings
        return Supplies(
            lambda: self.upstream,
            self._storage,
            self.addresses,
            self._cloud,
            settings.server.notice,
            settings.server.request_state_keys,
            settings.tasks.scopes,
            lambda container: files_for(container, settings.storage, self._cloud),
            self._custom_metrics,
            lambda: self.extensions,
            lambda: notices_of(settings),
            self.providers.get,
        )

    def _custom_metrics(self) -> CustomMetrics:
        from telemetry.custom_metrics import CustomMetrics

        return CustomMetrics(self.settings.monitor.connection, self.settings.server.name, VERSION)

    @cached_property
    def bridge(self) -> Callable[[str], ASGIApp]:
        # Each origin has its own bridge, because a bridge's responses contain the origin of the client's request.
        scopes = roles_of(self.settings, self.toolsets).scopes
        return lru_cache(_ORIGINS_KEPT)(partial(bridge_of, self.settings, self.upstream, self.sessions, scopes))

    @cached_property
    def decision_pages(self) -> DecisionPages:
        from deciding.pages import DecisionPages

        return DecisionPages(self.approvals, self.visiting, self.frame)

    @cached_property
    def sign_in_pages(self) -> SignInPages:
        from app.deciding import sign_in_pages_of

        return sign_in_pages_of(self.visiting, self.sign_ins, self.entries, self.frame)

    @cached_property
    def frame(self) -> Frame:
        from app.exploring import frame_of

        return frame_of(self.settings)

    @cached_property
    def explorer(self) -> ExplorerPages:
        from app.exploring import explorer_of, guests_of

        guests = guests_of(self.settings, self.visiting, lambda: self.catalogs, self.frame)
        return explorer_of(guests, self._library, self.approvals, lambda: self.endpoint, lambda: self.addresses)

    async def _library(self) -> UpdatesLibrary:
        return (await self.providers.get(UPDATES)).library

    @cached_property
    def visiting(self) -> Visiting:
        from app.deciding import visiting_of

        return visiting_of(
            self.settings, self.approvals, self.reception, lambda: self.upstream, lambda: self.browser_tokens
        )

    @cached_property
    def browser_tokens(self) -> BrowserTokens:
        from app.deciding import browser_tokens_of

        storage = partial(self._storage, SESSIONS)
        return self._closed_at_the_end(browser_tokens_of(self.settings, self.catalog, self.door, storage))

    @cached_property
    def sessions(self) -> BridgeSessions:
        from identity.bridge.sessions import BridgeSessions

        return self._closed_at_the_end(BridgeSessions(partial(self._storage, SESSIONS)))

    @asynccontextmanager
    async def _first_request(self) -> AsyncIterator[Providers]:
        yield self.providers

    async def work(self, message: str) -> None:
        """Process a message from the task queue."""
        await self.worker.do(message)

    @cached_property
    def jobs(self) -> Jobs:
        """The scheduled jobs of this app."""
        return Jobs(self.settings, self.providers, lambda: self.worker.tasks, self._chores)

    @property
    def _chores(self) -> Sequence[Chore[None]]:
        chores: list[Chore[None]] = [
            Chore("sweep_tasks", Every.HOUR, lambda _: self.worker.sweep()),
            Chore("forget_changes", Every.DAY, lambda _: self.approvals.kept().forget()),
            Chore("forget_tasks", Every.DAY, lambda _: self.worker.forget()),
        ]
        return [*chores, *self._chores_of_notices]

    @property
    def _chores_of_notices(self) -> Sequence[Chore[None]]:
        return (
            [Chore("forget_notices", Every.DAY, lambda _: self.approvers.forget())]
            if self.settings.notify.places
            else []
        )

    def _closed_at_the_end(self, thing: C) -> C:
        self._closing.push_async_callback(thing.close)
        return thing

    async def close(self) -> None:
        """Close all components that were created, in reverse order."""
        await self._closing.aclose()


def build(
    settings: Settings,
    *,
    toolsets: Sequence[Toolset] = OUTLINED,
    surface: Collection[str] = SURFACE,
    providers: Sequence[Provider[Any, Any]] = PROVIDERS,
) -> App:
    """Validate the settings and build the app.

    Raises:
        Refusal: A setting is invalid.
    """
    check_cloud(settings)
    check_trusted(settings)
    places_of(settings)
    for provider in providers:
        provider.check(settings.of(provider.settings))
    return App(
        settings,
        toolsets,
        catalog_of(settings, toolsets, surface, providers, external_of(settings, toolsets)),
        door_of(settings, toolsets),
        gate_of(settings),
        providers,
        rules_of(settings, toolsets),
        entries_of(settings, toolsets),
    )
