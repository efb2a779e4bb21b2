"""Determines which toolsets and tools the settings offer, and which settings are missing for the other toolsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from identity.toolset_names import is_about
from mcp_server.catalog.catalog import Catalog, Selection
from mcp_server.catalog.narrowing import Offer, adapted, confirmed, named_toolsets, without
from mcp_server.declarations.adaptation import Adaptation
from mcp_server.declarations.shelf import Shelf
from mcp_server.declarations.toolset import Need, Toolset
from mcp_server.view import told_together
from refusal import Refusal
from settings import Settings
from tools.provider import Provider
from tools.vocabulary import VOCABULARY


def catalog_of(
    settings: Settings,
    toolsets: Sequence[Toolset],
    surface: Collection[str],
    providers: Collection[Provider[Any, Any]],
    external: Collection[str] = (),
) -> Catalog:
    """Build the catalog of the built-in toolsets that the settings offer.

    Settings that name `external` toolsets are ignored until these toolsets are available.

    Raises:
        Refusal: A setting names a toolset or tool that does not exist.
    """
    offer = offer_of(settings).apart_from(external)
    waived = [name for name in settings.server.consent_waived if not is_about(name, external)]
    _chosen("MCP_CONSENT_WAIVED", lambda: named_toolsets(waived, toolsets) or toolsets)
    if offer.by_argument:
        toolsets = [confirmed(toolset) for toolset in toolsets]
    needed = NeededProviders(settings, {provider.name: provider for provider in providers})
    toolsets = [adapted(toolset, needed.adaptations(toolset.may_need)) for toolset in toolsets]
    toolsets = [needed.shelved(toolset) for toolset in toolsets]
    absent = needed.absent(toolsets)
    toolsets = _chosen("MCP_DENIED", lambda: without(toolsets, offer.denied))
    there = Catalog([toolset for toolset in toolsets if not needed.lacking(toolset)], surface, absent)
    wanted = Selection(offer.chosen, read_only=offer.read_only)
    offered = _chosen("MCP_TOOLSETS", lambda: there.view(wanted).toolsets)
    return Catalog(offered, surface, absent, vocabulary=VOCABULARY)


def offer_of(settings: Settings) -> Offer:
    """The toolsets and tools that the settings offer or hide.

    The same settings apply to toolsets that extensions add later.
    """
    server = settings.server
    return Offer(server.toolsets, server.denied, server.read_only, takes_arguments(settings))


def takes_arguments(settings: Settings) -> bool:
    """Whether a model is allowed to use an argument of a call to confirm that the user approved the change.

    If the server has no sign-in, models are never allowed to do this, because users can approve changes on a page.
    """
    return settings.server.confirm_by_argument and settings.sign_in.mode != "none"


@dataclass(frozen=True)
class NeededProviders:
    """The providers that toolsets require, and the settings of these providers."""

    settings: Settings
    providers: Mapping[str, Provider[Any, Any]]

    def adaptations(self, needs: Iterable[Need]) -> Sequence[Adaptation]:
        providers = [self.providers[need.name] for need in needs]
        return [provider.adapts(self.settings.of(provider.settings)) for provider in providers]

    def absent(self, toolsets: Sequence[Toolset]) -> Mapping[str, str]:
        """Map the name of each unavailable toolset to the missing requirements."""
        # If all toolsets of a group are unavailable, the group's name replaces the names of the toolsets that share the
        # most common reason.
        lacking = {toolset.name: self.lacking(toolset) for toolset in toolsets}
        alike: dict[str, list[str]] = {}
        for group, found in groupby(sorted(lacking), key=lambda name: name.partition("-")[0]):
            members = list(found)
            usual = lacking.get(group) or Counter(lacking[name] for name in members).most_common(1)[0][0]
            is_absent = len(members) > 1 and all(lacking[name] for name in members)
            others = [name for name in members if lacking[name] != usual]
            for name in [group, *others] if is_absent else members:
                alike.setdefault(lacking.get(name, usual), []).append(name)
        return {told_together(names): words for words, names in alike.items() if words}

    def lacking(self, toolset: Toolset) -> str:
        told = [*self._lacked(toolset.needs)]
        others = [*self._lacked(toolset.needs_one_of)]
        if others and len(others) == len(toolset.needs_one_of):
            told += ["One of the following settings is sufficient.", *others]
        return " ".join(told)

    def shelved(self, toolset: Toolset) -> Toolset:
        """A copy of the toolset that omits the resources whose provider is not configured."""
        if toolset.shelf is None:
            return toolset
        there = [one for one in toolset.shelf.templates if not (one.needs and [*self._lacked([one.needs])])]
        return replace(toolset, shelf=Shelf(there))

    def _lacked(self, needs: Iterable[Need]) -> Iterator[str]:
        """Yield a sentence for each provider that is not configured. The sentence names the missing settings."""
        return filter(None, (self.providers[need.name].lacking(self.settings) for need in needs))


def _chosen(setting: str, toolsets: Callable[[], Sequence[Toolset]]) -> Sequence[Toolset]:
    try:
        chosen = toolsets()
    except Refusal as refusal:
        raise Refusal(f"The setting {setting} is not valid: {refusal}") from None
    if not chosen:
        raise Refusal(f"The setting {setting} is not valid: with this value, no toolset is available.")
    return chosen
