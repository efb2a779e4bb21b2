"""Reads all settings from the environment: the app's own settings, and the settings of each provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, Self, TypeVar

from settings.declared import NO, Group, names_of, read, setting
from settings.own import (
    MonitorSettings,
    NotifySettings,
    PlaceSettings,
    ServerSettings,
    StorageSettings,
    TaskSettings,
)
from settings.signing_in import SignInSettings, UpstreamSettings

__all__ = [
    "NO",
    "OWN_GROUPS",
    "Group",
    "MonitorSettings",
    "NotifySettings",
    "PlaceSettings",
    "ServerSettings",
    "Settings",
    "SignInSettings",
    "StorageSettings",
    "TaskSettings",
    "UpstreamSettings",
    "names_of",
    "setting",
]

G = TypeVar("G", bound=Group)
# Prefixes that are also used by settings of the platform and of other programs.
_FIRST_WORDS_OF_OTHERS: Final = {"APPLICATIONINSIGHTS", "AZURE", "LEGION", "STORAGE", "WEBSITE"}
# A name that is at least this similar to a setting counts as a misspelled setting. GIT_EDITOR and MCP_TIMEOUT, which
# are settings of other programs, are less similar.
_MUCH_ALIKE: Final = 0.85
OWN_GROUPS: Final[Mapping[str, type[Group]]] = {
    "server": ServerSettings,
    "sign_in": SignInSettings,
    "upstream": UpstreamSettings,
    "storage": StorageSettings,
    "tasks": TaskSettings,
    "notify": NotifySettings,
    "monitor": MonitorSettings,
    "place": PlaceSettings,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All groups of settings. Each of the app's own groups is an attribute. To get a provider's group, pass the type of
    the group to `of`.
    """

    server: ServerSettings = field(default_factory=ServerSettings)
    sign_in: SignInSettings = field(default_factory=SignInSettings)
    upstream: UpstreamSettings = field(default_factory=UpstreamSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    tasks: TaskSettings = field(default_factory=TaskSettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
    monitor: MonitorSettings = field(default_factory=MonitorSettings)
    place: PlaceSettings = field(default_factory=PlaceSettings)
    of_providers: tuple[Group, ...] = ()
    # The environment variables that are probably misspelled settings.
    unknown: tuple[str, ...] = ()

    def of(self, group: type[G]) -> G:
        """Return the group that contains a provider's settings. If the group was not read, return a group in which
        every setting has its default.
        """
        return next((settings for settings in self.of_providers if isinstance(settings, group)), None) or group()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], of_providers: Iterable[type[Group]] = ()) -> Self:
        """Read all groups of settings.

        Raises:
            Refusal: A setting has an invalid value.
        """
        own: dict[str, Any] = {name: read(group, environment) for name, group in OWN_GROUPS.items()}
        groups = tuple(of_providers)
        unknown = _unknown(environment, [*OWN_GROUPS.values(), *groups])
        return cls(**own, of_providers=tuple(read(group, environment) for group in groups), unknown=unknown)


def _unknown(environment: Mapping[str, str], groups: Iterable[type[Group]]) -> tuple[str, ...]:
    """Find misspelled settings, because a misspelled setting that should restrict access would have no effect."""
    known = names_of(groups)
    first_words = {name.partition("_")[0] for name in known if name.isupper()} - _FIRST_WORDS_OF_OTHERS
    strange = [name for name in environment if name.partition("_")[0] in first_words and name not in known]
    return tuple(sorted(name for name in strange if _is_near(name, known)))


def _is_near(name: str, known: Iterable[str]) -> bool:
    alike = [other for other in known if other.partition("_")[0] == name.partition("_")[0]]
    return bool(get_close_matches(name[:100], alike, n=1, cutoff=_MUCH_ALIKE))
