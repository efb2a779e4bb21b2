"""Providers: the services and storage behind toolsets. A provider has settings, and is opened on first use."""

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

# The maximum number of seconds that `/health` waits for a provider's report.
SECONDS_TO_REPORT: Final = 5.0
# The delay in seconds before providers are opened. Without this delay, the providers' imports would slow down a
# client's first requests.
_SECONDS_OF_CALM: Final = 0.1


def _no_extensions() -> None:
    """Return None. This is the default for apps without extensions."""


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
    """The operator's notification destinations, by name, and the sender of notices to these destinations and to allowed
    hosts.
    """

    places: Mapping[str, NotificationTarget]
    sender: NotificationSender


def _no_notices() -> NotificationMeans:
    raise Refusal("This server sends no notices.")


@dataclass(frozen=True)
class Supplies:
    """What the app passes to every provider."""

    # Creates `upstream`. Only providers that call services should use this field, because creating `upstream` requires
    # slow imports.
    credentials: Callable[[], Upstream]
    # Opens the table and the container for a purpose.
    storage: Callable[[str], Storage]
    # Creates personal links, for programs that cannot sign in.
    addresses: PersonalAddresses
    # The cloud, which determines the endpoints of services.
    cloud: Cloud = CLOUDS["public"]
    # The operator's notice, shown above all content.
    notice: str = ""
    # The keys for encrypting the state that a client carries between requests. If no keys are set, each process
    # generates its own keys.
    sealing_keys: tuple[str, ...] = field(default=(), repr=False)
    # The ids of the subscriptions and groups in which tasks may act with the app's own identity.
    scopes_of_work: tuple[str, ...] = ()
    # Opens the files in a container of the app's storage account.
    files: Callable[[str], Files] = _no_files
    # Sends metrics to the app's own destination.
    custom_metrics: Callable[[], CustomMetrics] = _no_metrics
    # Returns the extensions of this server, if any.
    extensions: Callable[[], Extensions | None] = _no_extensions
    # Returns the notification destinations and their sender.
    notices: Callable[[], NotificationMeans] = _no_notices
    # Returns the service of another provider. Raises a refusal if that provider is not configured.
    opened: Callable[[Key[Any]], Awaitable[Any]] = _no_others

    @property
    def upstream(self) -> Upstream:
        """The credentials for services, on behalf of a caller."""
        return self.credentials()


def _nothing(_settings: Any) -> str:
    return ""


def _lacks_nothing(_settings: Any, _of_the_app: Settings) -> str:
    return ""


def _accepted(_settings: Any) -> None:
    """Accept all settings. This is the default for providers whose settings cannot conflict."""


@dataclass(frozen=True, slots=True)
class DelegatedPermission:
    """A delegated permission on a service. The deployment template requests the permission, and an administrator
    consents.
    """

    service: str
    application: str
    name: str
    id: str
    # The setting that must be true to request the permission. If there is no such setting, the permission is always
    # requested.
    setting: str = ""


def _unchanged(_settings: Any) -> Adaptation:
    return AS_DECLARED


@dataclass(frozen=True, eq=False, kw_only=True)
class Provider(Generic[G, O]):
    """Everything that the app must know about a service: its settings, and how to open it. Only tools use the opened
    service.
    """

    # The key by which tools get the service.
    key: Key[O]
    settings: type[G]
    # Creates the service on first use, and imports the service's SDK at that point.
    open: Callable[[G, Supplies], AbstractAsyncContextManager[O]]
    # Returns the missing settings that the tools require, as advice to an operator, or an empty string if no setting is
    # missing. The arguments are the provider's settings and the app's settings.
    lacks: Callable[[G, Settings], str] = _lacks_nothing
    # Rejects settings that conflict with each other.
    check: Callable[[G], None] = _accepted
    # Returns how the settings change the parameters of the provider's tools.
    adapts: Callable[[G], Adaptation] = _unchanged
    # Explains settings that have no effect. Returns an empty string if every setting has an effect.
    doubts: Callable[[G], str] = _nothing
    # Advice on the next step, by error code of the service. The advice may contain names of tools.
    hints: Mapping[str, str] = field(default_factory=dict)
    # Returns the report on the service for `/health`.
    health: Callable[[O], Awaitable[Mapping[str, object]]] | None = None
    # The delegated permissions that the provider's tools require.
    permissions: tuple[DelegatedPermission, ...] = ()
    # The purposes for which the provider stores data. Each purpose has a container and a table in the app's storage
    # account.
    keeps: tuple[str, ...] = ()
    # For each kind of task, the function that runs a step. The function gets the provider's service. Tasks act with the
    # app's own identity, because the user who started a task may have signed out.
    works: Mapping[str, Callable[[O, WorkStep], Awaitable[StepOutcome]]] = field(default_factory=dict)
    # `jobs` run on a schedule in the provider's settings; `chores` are small jobs that run hourly or daily.
    jobs: tuple[ScheduledJob[G, O], ...] = ()
    chores: tuple[Chore[O], ...] = ()
    # Whether to open the service soon after the first request. This is for services that start background work when
    # opened.
    begins_at_once: bool = False

    @property
    def name(self) -> str:
        return self.key.name

    def lacking(self, settings: Settings) -> str:
        return self.lacks(settings.of(self.settings), settings)


class Providers:
    """The providers of an app. Each provider is opened on first use, and stays open until the app ends."""

    def __init__(
        self, all_of_them: Iterable[Provider[Any, Any]], settings: Settings, supplies: Callable[[], Supplies]
    ) -> None:
        self._settings = settings
        # Created when the first provider is opened, because importing credentials is slow.
        self._supplies = supplies
        self._by_key: dict[Key[Any], Provider[Any, Any]] = {provider.key: provider for provider in all_of_them}
        self.present = [provider for provider in self._by_key.values() if not provider.lacking(settings)]
        self._opened: dict[Provider[Any, Any], asyncio.Future[Any]] = {}
        self._keepers: set[asyncio.Task[None]] = set()
        self._soon: asyncio.TimerHandle | None = None

    async def get(self, key: Key[O]) -> O:
        """Return the service of a provider, and open it if necessary.

        Raises:
            Refusal: The provider is not configured.
        """
        provider = self._by_key[key]
        if lacking := provider.lacking(self._settings):
            raise Refusal(lacking)
        if provider not in self._opened:
            self._begin_to_open(provider)
        # If a caller stops waiting, the service is still opened, because other callers may be waiting for it.
        return cast("O", await asyncio.shield(self._opened[provider]))

    def works(self) -> dict[str, Work]:
        """Return all kinds of tasks that the configured providers define, by name."""
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
        """Check whether the provider is configured."""
        return any(provider.key == key for provider in self.present)

    def if_open(self, key: Key[O]) -> O | None:
        """Return the service of a provider if it is already open."""
        opened = self._opened.get(self._by_key[key])
        return cast("O", opened.result()) if opened and opened.done() and not opened.exception() else None

    def begin(self) -> None:
        """Open the providers that do background work, after a client's first requests have been answered."""
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
        """Return the health reports of all configured providers, and open these providers if necessary."""
        telling = [(provider, provider.health) for provider in self.present if provider.health]
        reports = await asyncio.gather(*(self._report(provider, health) for provider, health in telling))
        return {provider.name: report for (provider, _), report in zip(telling, reports, strict=True)}

    async def _report(
        self, provider: Provider[Any, Any], health: Callable[[Any], Awaitable[Mapping[str, object]]]
    ) -> Mapping[str, object]:
        """Return a provider's report within a time limit, so that slow storage does not delay other reports."""
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
        # If opening the service fails, retrieve the exception here. Otherwise, if no caller waits for the service,
        # asyncio logs a warning.
        opened.add_done_callback(lambda future: future.cancelled() or future.exception())
        keeper = asyncio.create_task(self._keep(provider, opened))
        self._keepers.add(keeper)
        keeper.add_done_callback(self._keepers.discard)

    async def _keep(self, provider: Provider[Any, Any], opened: asyncio.Future[Any]) -> None:
        # Some SDK contexts must be closed by the task that opened them, so this task lasts until the app ends.
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
