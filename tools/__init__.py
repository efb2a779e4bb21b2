"""All providers and toolsets of this server, and the tools that are listed for callers who select no toolsets."""

from __future__ import annotations

from typing import Final

from tools import (
    azure,
    azure_devops,
    azure_updates,
    cosmos_data,
    documents,
    extensions,
    firewall,
    incidents,
    me,
    metrics,
    retirements,
    shelves,
    tasks,
    translation,
    watches,
    workspace,
)
from tools.azure.provider import provider as azure_provider
from tools.azure_devops.provider import provider as azure_devops_provider
from tools.azure_openai.provider import provider as azure_openai_provider
from tools.azure_updates.provider import provider as updates_provider
from tools.cosmos_data.provider import provider as cosmos_data_provider
from tools.documents.provider import provider as documents_provider
from tools.extensions import installing as installing_extensions
from tools.extensions.installing.provider import provider as sources_provider
from tools.extensions.provider import provider as extensions_provider
from tools.metrics.provider import provider as metrics_provider
from tools.retirements.provider import provider as retirements_provider
from tools.shelves.provider import provider as shelves_provider
from tools.translation.provider import provider as translation_provider
from tools.watches.provider import provider as watches_provider
from tools.workspace.provider import provider as workspaces_provider

PROVIDERS: Final = (
    updates_provider,
    azure_provider,
    azure_devops_provider,
    cosmos_data_provider,
    shelves_provider,
    metrics_provider,
    translation_provider,
    extensions_provider,
    sources_provider,
    workspaces_provider,
    watches_provider,
    documents_provider,
    azure_openai_provider,
    retirements_provider,
)

TOOLSETS: Final = (
    azure_updates.toolset,
    watches.toolset,
    firewall.toolset,
    me.toolset,
    tasks.toolset,
    *azure.TOOLSETS,
    incidents.toolset,
    retirements.toolset,
    retirements.work,
    cosmos_data.toolset,
    *azure_devops.TOOLSETS,
    shelves.toolset,
    metrics.toolset,
    translation.toolset,
    extensions.toolset,
    installing_extensions.toolset,
    workspace.toolset,
    documents.toolset,
)

# Tools that complete a whole job. Callers who select no toolsets see only these tools, and reach all other tools
# through `azure` and `azure_change`.
SURFACE: Final = frozenset({azure_updates.SEARCH, firewall.NEW_RULES})

INSTRUCTIONS: Final = (
    "Tools for an engineering team on Azure. Call listed tools directly. If `azure` is listed, use it to find, learn"
    " about and call all other tools. If a tool changes something, call it through `azure_change`. Ask the user for"
    " values you do not know; never guess them. If an answer has a `notice`, first tell the user what it says."
)
