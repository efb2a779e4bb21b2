"""What stands behind toolsets: a service, or something kept, that needs settings and is opened before it is used."""

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

# Opening imports much, and whoever connects sends several requests in a row.
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
    """The places of the operator by name, and what sends to them and to other addresses on listed hosts."""

    places: Mapping[str, NotificationTarget]
    sender: NotificationSender


def _no_notices() -> NotificationMeans:
    raise Refusal("This server sends no notices.")


@dataclass(frozen=True)
class Supplies:
    """What the app gives every provider to work with."""

    # Makes `upstream`, whose imports are heavy: only for providers that call services.
    credentials: Callable[[], Upstream]
    # Tables and files, under a name that tells what they are for.
    storage: Callable[[str], Storage]
    # Addresses that stand for a person where nobody can sign in.
    addresses: PersonalAddresses
    # Where the services are that are called.
    cloud: Cloud = CLOUDS["public"]
    # A sentence of the operator that stands above whatever is shown.
    notice: str = ""
    # What seals what a client carries from one request to the next; without any, each process makes its own.
    sealing_keys: tuple[str, ...] = field(default=(), repr=False)
    # Subscriptions and groups, by their ids, on which long work may act with the app's own identity.
    scopes_of_work: tuple[str, ...] = ()
    # Files in a container of the account of the app.
    files: Callable[[str], Files] = _no_files
    # Sends metrics to where the app sends its own.
    custom_metrics: Callable[[], CustomMetrics] = _no_metrics
    # Other MCP servers behind this one, if there are any.
    extensions: Callable[[], Extensions | None] = _no_extensions
    # Where people are notified, and what sends that.
    notices: Callable[[], NotificationMeans] = _no_notices
    # What another provider opened; a refusal where that is not configured.
    opened: Callable[[Key[Any]], Awaitable[Any]] = _no_others

    @property
    def upstream(self) -> Upstream:
        """Credentials for services, in the name of a caller."""
        return self.credentials()


def _nothing(_settings: Any) -> str:
    return ""


def _lacks_nothing(_settings: Any, _of_the_app: Settings) -> str:
    return ""


def _accepted(_settings: Any) -> None:
    """Nothing can be wrong with settings that are valid one by one."""


@dataclass(frozen=True, slots=True)
class DelegatedPermission:
    """What a service lets an app do for whoever signed in: the template asks for it, and an administrator consents."""

    service: str
    application: str
    name: str
    id: str
    # The setting that has to be true for it: without one, it is always asked for.
    setting: str = ""


def _unchanged(_settings: Any) -> Adaptation:
    return AS_DECLARED


@dataclass(frozen=True, eq=False, kw_only=True)
class Provider(Generic[G, O]):
    """All that the app has to know of one service: the tools ask for what it opens, and nobody else names it."""

    # By which tools ask for it.
    key: Key[O]
    settings: type[G]
    # Makes what tools act on. It is called when the first of them needs it, so its SDK is imported there.
    open: Callable[[G, Supplies], AbstractAsyncContextManager[O]]
    # What an operator has to set before there can be any of its tools; nothing where all is there. It is told by its
    # own settings and all those of the app.
    lacks: Callable[[G, Settings], str] = _lacks_nothing
    # Refuses settings that are valid one by one, and cannot be right together.
    check: Callable[[G], None] = _accepted
    # What the settings make of what its tools take.
    adapts: Callable[[G], Adaptation] = _unchanged
    # What is set and can have no effect, in words; nothing where all has.
    doubts: Callable[[G], str] = _nothing
    # What to do about failures of the service, by its own name for each. They name tools.
    hints: Mapping[str, str] = field(default_factory=dict)
    # What `/health` tells of it.
    health: Callable[[O], Awaitable[Mapping[str, object]]] | None = None
    # What its tools are permitted in the name of the person who asks.
    permissions: tuple[DelegatedPermission, ...] = ()
    # What it keeps, by purpose: each is a container and a table in the storage account of the app.
    keeps: tuple[str, ...] = ()
    # Kinds of long work that it does, by their names: each a step, given what it opened. It acts with the app's own
    # identity, because the user who began it is not there any more.
    works: Mapping[str, Callable[[O, WorkStep], Awaitable[StepOutcome]]] = field(default_factory=dict)
    # What it does at times that its settings say, and small jobs that housekeeping does.
    jobs: tuple[ScheduledJob[G, O], ...] = ()
    chores: tuple[Chore[O], ...] = ()
    # Whether it is opened soon after the first answer, whatever that was, because opening begins work of its own.
    begins_at_once: bool = False

    @property
    def name(self) -> str:
        return self.key.name

    def lacking(self, settings: Settings) -> str:
        return self.lacks(settings.of(self.settings), settings)


class Providers:
    """The providers of one app. Each is opened when it is first asked for, and stays open until the app ends."""

    def __init__(
        self, all_of_them: Iterable[Provider[Any, Any]], settings: Settings, supplies: Callable[[], Supplies]
    ) -> None:
        self._settings = settings
        # Made when the first provider is opened: credentials are heavy to import.
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
        # Whoever stops waiting must not stop the opening, for which others may wait as well.
        return cast("O", await asyncio.shield(self._opened[provider]))

    def works(self) -> dict[str, Work]:
        """All kinds of long work that can be done here."""
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
        """What the provider opened, unless nobody has asked for it yet."""
        opened = self._opened.get(self._by_key[key])
        return cast("O", opened.result()) if opened and opened.done() and not opened.exception() else None

    def begin(self) -> None:
        """Open what has work of its own to begin, once the first few requests of a client are answered."""
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
        """What the providers tell of themselves."""
        telling = {provider: provider.health for provider in self.present if provider.health}
        return {provider.name: await tell(await self.get(provider.key)) for provider, tell in telling.items()}

    async def close(self) -> None:
        """Close all that is open."""
        if self._soon is not None:
            self._soon.cancel()
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    def _begin_to_open(self, provider: Provider[Any, Any]) -> None:
        opened = self._opened[provider] = asyncio.get_running_loop().create_future()
        # A failure is told to whoever asks next; with nobody asking, it must not end as a warning of asyncio.
        opened.add_done_callback(lambda future: future.cancelled() or future.exception())
        keeper = asyncio.create_task(self._keep(provider, opened))
        self._keepers.add(keeper)
        keeper.add_done_callback(self._keepers.discard)

    async def _keep(self, provider: Provider[Any, Any], opened: asyncio.Future[Any]) -> None:
        # Some of what SDKs open must be left by the task that entered it, so this one stays until the app ends.
        try:
            async with provider.open(self._settings.of(provider.settings), self._supplies()) as what:
                opened.set_result(what)
                await asyncio.Event().wait()
        except Exception as failure:
            if opened.done():
                raise
            opened.set_exception(failure)
        finally:
            self._opened.pop(provider, None)  # the next who asks tries again
