"""The current catalog: the toolsets in code, and the external ones that are available."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from identity.toolset_names import problem_of_external
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.narrowing import Offer
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import NOTHING_ABSENT
from refusal import Refusal


async def _nothing_comes() -> None:
    """No external toolsets to wait for."""


class Catalogs:
    """Holds the current catalog. Each request keeps the catalog it started with.

    A catalog is immutable, so no request sees two of them. Only this reference changes, atomically, in the single
    thread that serves requests.
    """

    def __init__(self, of_code: Catalog, own: Collection[str] = (), offer: Offer | None = None) -> None:
        """`own` are the names of all toolsets in code, including those that are not offered here."""
        self._of_code = of_code
        self._own = [*own, *(toolset.name for toolset in of_code.toolsets)]
        self._offer = offer or Offer()
        self.current = of_code
        # Waits for external toolsets to arrive, for as long as a request may be delayed.
        self.arrival: Callable[[], Awaitable[None]] = _nothing_comes

    async def begun(self) -> Catalog:
        """The catalog for a request that starts now."""
        await self.arrival()
        return self.current

    def replace(self, external: Sequence[Toolset], awaited: Mapping[str, str] = NOTHING_ABSENT) -> None:
        """Replace all external toolsets; those in code stay.

        `awaited` says why further ones are not available yet, for callers who have access to them.

        Their names were not known at start, so they are validated here.

        Raises:
            Refusal: A toolset breaks a rule. Nothing has changed.
        """
        for toolset in external:
            self._refuse_wrong(toolset)
        self.current = self._of_code.with_external(self._offer.of(external), awaited)

    def _refuse_wrong(self, toolset: Toolset) -> None:
        if problem := problem_of_external(toolset.name, self._own):
            raise _refused(toolset, f"its name {problem}")
        if strays := [tool.name for tool in toolset.tools if tool.toolset != toolset.name]:
            # Access is granted by the toolset that a tool claims to belong to.
            raise _refused(toolset, f"its tool {strays[0][:100]!r} belongs to another toolset")


def _refused(toolset: Toolset, problem: str) -> Refusal:
    return Refusal(f"The external toolset {toolset.name[:100]!r} is not available: {problem}.")
