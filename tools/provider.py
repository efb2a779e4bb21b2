"""A provider is the service or storage behind toolsets. It has settings and is opened before use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from clients.azure.cloud import CLOUDS, Cloud
from clients.files import Files
from clients.storage import Storage
from identity.personal_addresses import PersonalAddresses
from mcp_server.declarations.adaptation import AS_DECLARED, Adaptation
from refusal import Refusal
from settings import Group, Settings
from telemetry.custom_metrics import CustomMetrics
from tools.jobs import Chore, ScheduledJob
from tools.key import Key

if TYPE_CHECKING:
    from extensions.extensions import Extensions
    from identity.upstream import Upstream
    from notifying.sending import NotificationSender
    from notifying.targets import NotificationTarget
    from tasks.work import StepOutcome, Work, WorkStep

# Opening imports a lot, and a client that connects sends several requests in a row.
# How long `/health` waits for a provider.
SECONDS_TO_REPORT: Final = 5.0
_SECONDS_OF_CALM: Final = 0.1


def _no_extensions() -> None:
    """There are none."""


G = TypeVar("G", bound=Group)
O = TypeVar("O")  # noqa: E741 - what is opened


def _no_files(_container: str) -> Files:
    raise Refusal("This server has no storage account.")


async def _no_others(_key: Key[Any]) -> Any:
    raise Refusal("This server has no other providers.")


def _no_metrics() -> CustomMetrics:
    raise Refusal("This server sends no metrics.")


@dataclass(frozen=True)
class NotificationMeans:
    """The operator's destinations by name, and the sender for them and for other URLs on listed hosts."""

    places: Mapping[str, NotificationTarget]
    sender: NotificationSender


def _no_notices() -> NotificationMeans:
    raise Refusal("This server sends no notices.")


@dataclass(frozen=True)
class Supplies:
    """What the app passes to every provider."""

    # Creates `upstream`, whose imports are heavy: only for providers that call services.
    credentials: Callable[[], Upstream]
    # Tables and files, named by purpose.
    storage: Callable[[str], Storage]
    # Personal links, for programs that cannot sign in.
    addresses: PersonalAddresses
    # The endpoints of the services.
    cloud: Cloud = CLOUDS["public"]
    # The operator's notice above everything shown.
    notice: str = ""
    # Seals state that a client carries between requests; if not set, each process generates its own key.
    sealing_keys: tuple[str, ...] = field(default=(), repr=False)
    # Ids of the subscriptions and groups on which tasks may act with the app's own identity.
    scopes_of_work: tuple[str, ...] = ()
    # Files in a container of the app's storage account.
    files: Callable[[str], Files] = _no_files
    # Sends metrics to the app's own destination.
    custom_metrics: Callable[[], CustomMetrics] = _no_metrics
    # Other MCP servers behind this one, if any.
    extensions: Callable[[], Extensions | None] = _no_extensions
    # Notification destinations, and their sender.
    notices: Callable[[], NotificationMeans] = _no_notices
    # What another provider opened; a refusal if it is not configured.
    opened: Callable[[Key[Any]], Awaitable[Any]] = _no_others

    @property
    def upstream(self) -> Upstream:
        """Credentials for services, on behalf of a caller."""
        return self.credentials()


def _nothing(_settings: Any) -> str:
    return ""


def _lacks_nothing(_settings: Any, _of_the_app: Settings) -> str:
    return ""


def _accepted(_settings: Any) -> None:
    """Accepts all settings: none of them conflict."""


@dataclass(frozen=True, slots=True)
class DelegatedPermission:
    """A delegated permission on a service: the template requests it, and an administrator consents."""

    service: str
    application: str
    name: str
    id: str
    # The setting that must be true to request it; if empty, it is always requested.
    setting: str = ""


def _unchanged(_settings: Any) -> Adaptation:
    return AS_DECLARED


@dataclass(frozen=True, eq=False, kw_only=True)
class Provider(Generic[G, O]):
    """All that the app must know about a service. Tools use what it opens; nothing else names it."""

    # The key that tools use.
    key: Key[O]
    settings: type[G]
    # Creates what tools act on. It runs when the first tool needs it, so it imports the SDK.
    open: Callable[[G, Supplies], AbstractAsyncContextManager[O]]
    # Says what an operator must set before its tools work, from its own and all app settings; empty if complete.
    lacks: Callable[[G, Settings], str] = _lacks_nothing
    # Rejects settings that conflict with each other.
    check: Callable[[G], None] = _accepted
    # How the settings change the parameters of its tools.
    adapts: Callable[[G], Adaptation] = _unchanged
    # Settings without effect, explained; empty if there are none.
    doubts: Callable[[G], str] = _nothing
    # What to do about failures of the service, by error code. They name tools.
    hints: Mapping[str, str] = field(default_factory=dict)
    # What `/health` reports about it.
    health: Callable[[O], Awaitable[Mapping[str, object]]] | None = None
    # The delegated permissions of its tools.
    permissions: tuple[DelegatedPermission, ...] = ()
    # Its storage by purpose: each is a container and a table in the app's storage account.
    keeps: tuple[str, ...] = ()
    # Its kinds of tasks by name: each a step that gets what it opened. Tasks act with the app's own identity, because
    # the user who started them is gone.
    works: Mapping[str, Callable[[O, WorkStep], Awaitable[StepOutcome]]] = field(default_factory=dict)
    # Jobs with a schedule from its settings, and small housekeeping jobs.
    jobs: tuple[ScheduledJob[G, O], ...] = ()
    chores: tuple[Chore[O], ...] = ()
    # Whether it is opened soon after the first answer of any kind, because opening starts background work.
    begins_at_once: bool = False

    @property
    def name(self) -> str:
        return self.key.name

    def lacking(self, settings: Settings) -> str:
        return self.lacks(settings.of(self.settings), settings)


class Providers:
    """The providers of one app. Each is opened on first use and stays open until the app ends."""

    def __init__(
        self, all_of_them: Iterable[Provider[Any, Any]], settings: Settings, supplies: Callable[[], Supplies]
    ) -> None:
        self._settings = settings
        # Created when the first provider is opened: credentials are heavy to import.
        self._supplies = supplies
        self._by_key: dict[Key[Any], Provider[Any, Any]] = {provider.key: provider for provider in all_of_them}
        self.present = [provider for provider in self._by_key.values() if not provider.lacking(settings)]
        self._opened: dict[Provider[Any, Any], asyncio.Future[Any]] = {}
        self._keepers: set[asyncio.Task[None]] = set()
        self._soon: asyncio.TimerHandle | None = None

    async def get(self, key: Key[O]) -> O:
        """What the provider opened.

        Raises:
            Refusal: It is not configured.
        """
        provider = self._by_key[key]
        if lacking := provider.lacking(self._settings):
            raise Refusal(lacking)
        if provider not in self._opened:
            self._begin_to_open(provider)
        # A caller that stops waiting must not stop the opening: others may be waiting, too.
        return cast("O", await asyncio.shield(self._opened[provider]))

    def works(self) -> dict[str, Work]:
        """All kinds of tasks that can run here."""
        from tasks.work import Work

        return {
            name: Work(name, partial(self._step, provider, step))
            for provider in self.present
            for name, step in provider.works.items()
        }

    async def _step(
        self, provider: Provider[Any, O], step: Callable[[O, WorkStep], Awaitable[StepOutcome]], given: WorkStep
    ) -> StepOutcome:
        return await step(await self.get(provider.key), given)

    def has(self, key: Key[Any]) -> bool:
        """Whether the provider is configured."""
        return any(provider.key == key for provider in self.present)

    def if_open(self, key: Key[O]) -> O | None:
        """What the provider opened, if it has been opened."""
        opened = self._opened.get(self._by_key[key])
        return cast("O", opened.result()) if opened and opened.done() and not opened.exception() else None

    def begin(self) -> None:
        """Open providers with background work, once the first few requests of a client are answered."""
        if self._soon is None and self._waiting:
            self._soon = asyncio.get_running_loop().call_later(_SECONDS_OF_CALM, self._begin_to_open_waiting)

    @property
    def _waiting(self) -> list[Provider[Any, Any]]:
        return [provider for provider in self.present if provider.begins_at_once and provider not in self._opened]

    def _begin_to_open_waiting(self) -> None:
        self._soon = None
        for provider in self._waiting:
            self._begin_to_open(provider)

    async def health(self) -> dict[str, object]:
        """What the providers report about themselves."""
        telling = [(provider, provider.health) for provider in self.present if provider.health]
        reports = await asyncio.gather(*(self._report(provider, health) for provider, health in telling))
        return {provider.name: report for (provider, _), report in zip(telling, reports, strict=True)}

    async def _report(
        self, provider: Provider[Any, Any], health: Callable[[Any], Awaitable[Mapping[str, object]]]
    ) -> Mapping[str, object]:
        """One that waits for its storage does not hold up the others."""
        try:
            async with asyncio.timeout(SECONDS_TO_REPORT):
                return await health(await self.get(provider.key))
        except TimeoutError:
            return {"status": "unavailable", "advice": f"No response within {SECONDS_TO_REPORT:g} seconds."}

    async def close(self) -> None:
        """Close all open providers."""
        if self._soon is not None:
            self._soon.cancel()
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    def _begin_to_open(self, provider: Provider[Any, Any]) -> None:
        opened = self._opened[provider] = asyncio.get_running_loop().create_future()
        # The next caller sees the failure; without one, it must not become an asyncio warning.
        opened.add_done_callback(lambda future: future.cancelled() or future.exception())
        keeper = asyncio.create_task(self._keep(provider, opened))
        self._keepers.add(keeper)
        keeper.add_done_callback(self._keepers.discard)

    async def _keep(self, provider: Provider[Any, Any], opened: asyncio.Future[Any]) -> None:
        # Some SDK contexts must be closed by the task that opened them, so this task stays until the app ends.
        try:
            async with provider.open(self._settings.of(provider.settings), self._supplies()) as what:
                opened.set_result(what)
                await asyncio.Event().wait()
        except Exception as failure:
            if opened.done():
                raise
            opened.set_exception(failure)
        finally:
            self._opened.pop(provider, None)  # the next caller tries again
