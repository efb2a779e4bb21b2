"""A process that ends in the middle of its work, or whose storage fails it there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, cast

from clients.storage import Storage, StorageError
from tests.fakes.transport import HastyTransport


class KilledError(BaseException):
    """The process is dead. No handler of failures may take it for one."""


class Life:
    """Counts the steps of a process, and ends it at the chosen one: from then on, nothing that it does has an effect.

    At the steps of `outages`, its storage does not answer, either before or after doing what it was asked.
    """

    def __init__(self, last_step: int | None = None, outages: Collection[int] = ()) -> None:
        # What was done in each step so far.
        self.taken: list[str] = []
        self.last_step = last_step
        self.outages = outages

    @property
    def steps(self) -> int:
        return len(self.taken)

    @property
    def of_each_kind(self) -> list[int]:
        """The numbers of the first and the last step of each kind."""
        numbers = range(1, self.steps + 1)
        first = dict(zip(reversed(self.taken), reversed(numbers), strict=True))
        last = dict(zip(self.taken, numbers, strict=True))
        return sorted({*first.values(), *last.values()})

    def step(self, what: str) -> None:
        self.taken.append(what)
        if self.last_step is not None and self.steps >= self.last_step:
            raise KilledError

    def step_of_storage(self, what: str) -> None:
        self.step(what)
        if self.steps in self.outages:
            raise StorageError("The storage is away.")

    def of(self, storage: Storage) -> Storage:
        """Storage as this process uses it: each call is a step before and a step after it takes effect."""
        return cast("Storage", _MortalStorage(storage, self))

    def transport(self) -> HastyTransport:
        return _MortalTransport(self)


class _MortalStorage:
    def __init__(self, storage: Storage, life: Life) -> None:
        self._storage, self._life = storage, life

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._storage, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            self._life.step_of_storage(f"before {name}")
            answer = await method(*args, **kwargs)
            self._life.step_of_storage(f"after {name}")
            return answer

        return call


class _MortalTransport(HastyTransport):
    def __init__(self, life: Life) -> None:
        super().__init__()
        self._life = life

    async def send(self, request: Any, **options: Any) -> Any:
        self._life.step("before sending")
        answer = await super().send(request, **options)
        self._life.step("after sending")
        return answer
