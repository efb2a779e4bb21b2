"""Reads templates from the call itself, from a file in Azure DevOps, or from a link to an allowed host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from clients.azure.what_if.template import LARGEST, ArmTemplate
from clients.folding import folded
from identity.access import Access
from mcp_server.declarations.injection import Resolve
from mcp_server.visit import Context
from refusal import Refusal
from tools.azure.access import AZURE, FetchLink

_READER: Final = ("devops-git", "get_file_content")
_MOST_LINKED: Final = 20
_SIGNED: Final = ("sig=", "code=", "token=")


class RepositoryFile(BaseModel):
    """A file in an Azure DevOps repository."""

    model_config = ConfigDict(extra="forbid")

    repository: Annotated[str, Field(min_length=1)]
    path: Annotated[str, Field(min_length=1)]
    project: str | None = None
    version: Annotated[str | None, Field(description="Branch or commit")] = None


TemplateObject = Annotated[dict[str, Any] | None, Field(description="The ARM template (JSON)")]
TemplateUrl = Annotated[str | None, Field(max_length=2000, description="https address of an ARM template")]
TemplateFile = Annotated[RepositoryFile | None, Field(description="Template file in Azure DevOps")]


@dataclass(frozen=True, slots=True)
class TemplateSources:
    """Reads templates with the permissions of one caller."""

    context: Context
    fetch: FetchLink

    async def template(
        self, given: Mapping[str, Any] | None, url: str | None, file: RepositoryFile | None
    ) -> tuple[ArmTemplate, str]:
        """Return the requested template with its linked templates, and a description of its source."""
        if sum(one is not None for one in (given, url, file)) != 1:
            raise Refusal("Pass exactly one of template, template_url and template_file.")
        if url is not None:
            return await self.whole(ArmTemplate.of(await self._linked(url), "The linked file")), url.partition("?")[0]
        if file is not None:
            content, source = await self._of_repository(file)
            return await self.whole(ArmTemplate.of(content, "The file")), source
        return await self.whole(ArmTemplate.of(given or {}, "The template")), "passed in the call"

    async def whole(self, template: ArmTemplate) -> ArmTemplate:
        """Return a template with its linked templates, if all of them can be read."""
        addresses = list(dict.fromkeys(template.links))
        if len(addresses) > _MOST_LINKED:
            raise Refusal(
                f"The template links to {len(addresses)} other templates; at most {_MOST_LINKED} are supported."
            )
        linked = {one: ArmTemplate.of(await self._linked(one), "A linked template") for one in addresses}
        whole = template.with_linked(linked)
        return ArmTemplate.of(whole.document, "The template with its linked templates")

    async def _linked(self, address: str) -> bytes:
        if any(one in folded(address) for one in _SIGNED):
            raise Refusal("A URL with a signature is a secret and is not accepted. Pass the template itself.")
        return await self.fetch(address, LARGEST)

    async def _of_repository(self, file: RepositoryFile) -> tuple[bytes, str]:
        visit = self.context.visit
        if not visit.view.opens(*_READER):
            raise Refusal("On this server, you cannot read files from Azure DevOps. Pass the template itself.")
        # Imported here because few templates come from Azure DevOps, which may not be set up at all.
        from tools.azure_devops.access import AZURE_DEVOPS  # noqa: PLC0415
        from tools.azure_devops.access import OrganizationRequest as DevOpsAsked  # noqa: PLC0415
        from tools.azure_devops.git.files import file_request  # noqa: PLC0415
        from tools.azure_devops.shared.git_references import place_of  # noqa: PLC0415

        reach = visit.grants.reach(*_READER, Access.READ)
        client = (await AZURE_DEVOPS.of(self.context)).client(DevOpsAsked(visit.caller, None, reach)).anew()
        request = file_request(place_of(client, file.project, file.repository), file.path, file.version)
        version = f" at {file.version}" if file.version else ""
        return await client.download(request, LARGEST), f"{file.path} of {file.repository}{version}"


async def _sources_of(context: Context) -> TemplateSources:
    return TemplateSources(context, (await AZURE.of(context)).fetch_link)


Templates = Annotated[TemplateSources, Resolve(_sources_of)]
