"""One or more instances of this server that sign people in at one other, over one storage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from clients.folder_storage import FolderStorage
from extensions.sign_in.methods import ByConsent, SignIn, trusted_by
from extensions.sign_in.outgoing import HttpSessions
from extensions.sign_in.sign_ins import House, SignIns
from identity.caller import Caller, CallerKind
from identity.seals import Seals
from tests.fakes.oauth import URL, OAuthServer, back, oauth_server

ORIGIN: Final = "https://office.example.com"
# With which they came to us.
_OF_ADA, _OF_BEA = "the-token-of-ada", "the-token-of-bea"
ADA: Final = Caller(CallerKind.USER, "tenant", "ada", "client", "issuer", token=_OF_ADA)
BEA: Final = replace(ADA, subject="bea", token=_OF_BEA)
PURPOSE: Final = "sign-ins of extensions"
BROWSER: Final = "browser-of-ada"


@dataclass(frozen=True)
class Entry:
    sign_in: SignIn = field(default_factory=ByConsent)
    name: str = "bakery"
    url: str = URL
    is_private: bool = False


@dataclass
class Clock:
    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Desk:
    server: OAuthServer
    folder: Path
    clock: Clock = field(default_factory=Clock)
    secrets: dict[str, str] = field(default_factory=dict)
    delegated: list[tuple[str, str]] = field(default_factory=list)

    def instance(self, *trusted: Entry, **more: Any) -> SignIns:
        house = House(
            storage=lambda: FolderStorage(self.folder),
            seals=Seals(["k" * 32], self.clock, PURPOSE),
            secrets=self._secret,
            authorization=self._authorization,
            trusted=trusted_by(trusted),
            sessions=self.sessions,
            clock=self.clock,
        )
        return SignIns(replace(house, **more))

    @property
    def sessions(self) -> HttpSessions:
        return HttpSessions(self.server.sessions, self.server.sessions)

    async def _secret(self, name: str) -> str:
        return self.secrets[name]

    async def _authorization(self, caller: Caller, scope: str) -> str:
        self.delegated.append((caller.subject, scope))
        return f"Bearer entra-token-for-{caller.subject}"

    async def begun(self, at: SignIns, entry: Entry, person: Caller = ADA, browser: str = BROWSER) -> str:
        kind = at.check_consent(entry, person)
        return (await at.consenting.begin(entry, kind, person, browser, ORIGIN)).url

    async def agreed(self, url: str) -> dict[str, str]:
        """Sign in at the issuer, and give what the browser brings back."""
        async with self.server.sessions() as session, session.get(url, allow_redirects=False) as answer:
            assert answer.status == 302, await answer.text()
            assert answer.headers["location"].startswith(f"{ORIGIN}/extension-callback/")
            return back(answer.headers["location"])

    async def signed_in(self, at: SignIns, entry: Entry, person: Caller = ADA) -> None:
        brought = await self.agreed(await self.begun(at, entry, person))
        await at.consenting.finish(entry, person, BROWSER, brought)

    def pass_(self, seconds: float) -> None:
        self.clock.now += seconds


@asynccontextmanager
async def desk_in(folder: Path) -> AsyncIterator[Desk]:
    async with oauth_server() as server:
        storage = FolderStorage(folder / "storage")
        await storage.prepare()
        yield Desk(server, folder / "storage")
