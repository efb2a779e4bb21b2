"""The current catalog, which contains the built-in toolsets and the available external toolsets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from identity.toolset_names import problem_of_external
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.narrowing import Offer
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import NOTHING_ABSENT
from refusal import Refusal


async def _nothing_comes() -> None:
    """Do nothing: there are no external toolsets to wait for."""


class Catalogs:
    """The current catalog. Each request uses the catalog that was current at its start.

    A catalog is immutable, so a request cannot see a mixture of two catalogs. Replacing the catalog only changes the
    reference to it, in the single thread that serves requests.
    """

    def __init__(self, of_code: Catalog, own: Collection[str] = (), offer: Offer | None = None) -> None:
        """Create the catalogs.

        `own` contains the names of all built-in toolsets, including toolsets that this server does not offer.
        """
        self._of_code = of_code
        self._own = [*own, *(toolset.name for toolset in of_code.toolsets)]
        self._offer = offer or Offer()
        self.current = of_code
        # Waits until external toolsets are available, or until a request must not be delayed any longer.
        self.arrival: Callable[[], Awaitable[None]] = _nothing_comes

    async def begun(self) -> Catalog:
        """The catalog for a request that starts now."""
        await self.arrival()
        return self.current

    def replace(self, external: Sequence[Toolset], awaited: Mapping[str, str] = NOTHING_ABSENT) -> None:
        """Replace all external toolsets. The built-in toolsets stay unchanged.

        `awaited` says why other external toolsets are not available yet. The names of external toolsets are validated
        here, because they were not known at startup.

        Raises:
            Refusal: A toolset is invalid, so the catalog stays unchanged.
        """
        for toolset in external:
            self._refuse_wrong(toolset)
        self.current = self._of_code.with_external(self._offer.of(external), awaited)

    def _refuse_wrong(self, toolset: Toolset) -> None:
        if problem := problem_of_external(toolset.name, self._own):
            raise _refused(toolset, f"its name {problem}")
        if strays := [tool.name for tool in toolset.tools if tool.toolset != toolset.name]:
            # A tool must not claim to belong to another toolset, because access is granted by toolset.
            raise _refused(toolset, f"its tool {strays[0][:100]!r} belongs to another toolset")


def _refused(toolset: Toolset, problem: str) -> Refusal:
    return Refusal(f"The external toolset {toolset.name[:100]!r} is not available: {problem}.")
