"""The catalog that holds just now: the toolsets of the code, and those from outside that are there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from identity.toolset_names import problem_of_external
from mcp_server.catalog.catalog import Catalog
from mcp_server.catalog.narrowing import Offer
from mcp_server.declarations.toolset import Toolset
from mcp_server.view import NOTHING_ABSENT
from refusal import Refusal


async def _nothing_comes() -> None:
    """There is nothing from outside to wait for."""


class Catalogs:
    """Holds the one catalog that requests begin with. Whoever began with another sees that one to the end.

    A catalog never changes, so a request that keeps the one it began with cannot see two. Here one reference changes,
    at once, in the one thread that serves.
    """

    def __init__(self, of_code: Catalog, own: Collection[str] = (), offer: Offer | None = None) -> None:
        """`own` are the names of all toolsets in code, also of those that are not offered here."""
        self._of_code = of_code
        self._own = [*own, *(toolset.name for toolset in of_code.toolsets)]
        self._offer = offer or Offer()
        self.current = of_code
        # Waits until what comes from outside is there, as long as a request may be let wait for it.
        self.arrival: Callable[[], Awaitable[None]] = _nothing_comes

    async def begun(self) -> Catalog:
        """The catalog of a request that begins now."""
        await self.arrival()
        return self.current

    def replace(self, external: Sequence[Toolset], awaited: Mapping[str, str] = NOTHING_ABSENT) -> None:
        """Have these toolsets from outside, and no others, beside those in code.

        `awaited` says why further ones are not there as yet, to those to whom they are open.

        Their names were no part of what was checked at start, so they are checked here.

        Raises:
            Refusal: One breaks a rule; everything stays as it was.
        """
        for toolset in external:
            self._refuse_wrong(toolset)
        self.current = self._of_code.with_external(self._offer.of(external), awaited)

    def _refuse_wrong(self, toolset: Toolset) -> None:
        if problem := problem_of_external(toolset.name, self._own):
            raise _refused(toolset, f"its name {problem}")
        if strays := [tool.name for tool in toolset.tools if tool.toolset != toolset.name]:
            # Access is granted by the toolset that a tool says it is of.
            raise _refused(toolset, f"its tool {strays[0][:100]!r} belongs to another toolset")


def _refused(toolset: Toolset, problem: str) -> Refusal:
    return Refusal(f"The external toolset {toolset.name[:100]!r} is not available: {problem}.")
