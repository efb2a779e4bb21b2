"""Long work of a deployment of Azure tools, which is done when a test lets time pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from tasks.tasks import Tasks
from tasks.work import Work
from tests.tasks.yard import Yard
from tools.azure.access import AzureAccess
from tools.azure.provider import provider


@dataclass
class Later:
    """On which scopes such work may act, and the token of the app's own identity; without one, that of who asks."""

    scopes: tuple[str, ...] = ()
    token: str = ""
    yard: Yard = field(default_factory=lambda: Yard({}))

    def begin_with(self, opened: AzureAccess) -> None:
        kinds: Mapping[str, Work] = {name: Work(name, partial(step, opened)) for name, step in provider.works.items()}
        self.yard = Yard(kinds)

    def tasks(self) -> Tasks:
        return self.yard.tasks
