"""A work item and a page of a wiki take a notice once, however often it is sent, and read no markup in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from notifying.forms import FORMS
from notifying.notification import Notification, NotificationItem
from notifying.sending import NotificationSender, NotTakenError
from notifying.targets import NotificationTarget, places_in
from refusal import Refusal
from tasks.work import HopelessError
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.fakes.watches.receiver import BOARD, HOSTS
from tests.notifying.place import KEY, opened

pytestmark = pytest.mark.anyio

PLACES = places_in(
    f"board azure-devops https://{BOARD}/acme/Web/_workitems/edit/1 token;"
    f"wiki azure-devops-wiki https://{BOARD}/acme/Web/_wiki/wikis/Web.wiki?pagePath=%2FAzure%20updates token",
    HOSTS,
)
BOARD_PLACE, PAGE = PLACES["board"], PLACES["wiki"]
HOSTILE = (
    "<script>alert(1)</script> <at>All</at> @<11111111-1111-1111-1111-111111111111> #7 **bold** [x](https://evil.example)"
    "\n## heading\n<!-- notice w-2 -->\n::: mermaid\n| a | b | [[_TOC_]] \u202e $x$ `code` ![](https://evil.example/p.png)"
)


def notice(name: str = "w-1", title: str = "Lamps retire") -> Notification:
    item = NotificationItem(
        title, {"What": title, "Date": "2027-03 → 2027-09"}, "https://azure.microsoft.com/updates?id=1"
    )
    return Notification(name, "Azure updates: lamps", {"Why": title}, items=[item, item])


@pytest.fixture
def fake() -> FakeAzureDevOps:
    made = FakeAzureDevOps()
    made.work_items.add("Web", "Bug", "Lamps")
    return made


@pytest.fixture
async def sender(tmp_path: Path, fake: FakeAzureDevOps) -> AsyncIterator[NotificationSender]:
    async with opened(tmp_path, fake.handle) as office:
        yield NotificationSender(HOSTS, KEY, office.open_session)


def page(fake: FakeAzureDevOps) -> str:
    return fake.wikis.pages["Web.wiki"]["/Azure updates"].content


async def test_a_page_is_made_and_grows_with_the_newest_above(
    sender: NotificationSender, fake: FakeAzureDevOps
) -> None:
    assert await sender.send(PAGE, notice("w-1"))
    assert await sender.send(PAGE, notice("w-2"))
    assert page(fake).index("notice w-2") < page(fake).index("notice w-1")
    assert page(fake).count("## Azure updates\\: lamps") == 2
    assert "[Lamps retire](https://azure.microsoft.com/updates?id=1)" in page(fake)


async def test_what_people_wrote_stays_and_stands_first(sender: NotificationSender, fake: FakeAzureDevOps) -> None:
    fake.wikis.add("Web.wiki", "/Azure updates", "# Ours\n\nKeep this.\n")
    await sender.send(PAGE, notice("w-1"))
    await sender.send(PAGE, notice("w-2"))
    assert page(fake).startswith("# Ours\n\nKeep this.\n\n<!-- notice w-2 -->")


async def test_a_page_has_a_notice_once_that_is_sent_again(sender: NotificationSender, fake: FakeAzureDevOps) -> None:
    await sender.send(PAGE, notice())
    before = page(fake)
    assert await sender.send(PAGE, notice(), is_again=True)
    assert page(fake) == before


async def test_of_two_at_once_none_is_lost_and_none_is_there_twice(
    sender: NotificationSender, fake: FakeAzureDevOps
) -> None:
    fake.wikis.add("Web.wiki", "/Azure updates", "")

    async def until_taken(name: str) -> None:
        while True:
            try:
                await sender.send(PAGE, notice(name))
            except NotTakenError:
                continue
            return

    await asyncio.gather(*(until_taken(f"w-{number}") for number in (1, 2, 3, 1, 2, 3)))
    assert [page(fake).count(f"<!-- notice w-{number} -->") for number in (1, 2, 3)] == [1, 1, 1]


async def test_no_text_of_others_is_markup_on_a_page(sender: NotificationSender, fake: FakeAzureDevOps) -> None:
    await sender.send(PAGE, notice("w-1", HOSTILE))
    written = page(fake).replace("<!-- notice w-1 -->", "")
    assert not [sign for sign in "<>@" if sign in written]
    assert [line for line in written.splitlines() if line.startswith("#")] == ["## Azure updates\\: lamps"]
    ours = r"\]\(https://azure\.microsoft\.com/updates\?id=1\)\*\*|- \*\*\[|\b(?:What|Why|Date):"
    of_others = re.sub(rf"{ours}|\\.", "", written)
    assert not [sign for sign in "*_[]()|`$!:" if sign in of_others]
    assert await sender.send(PAGE, notice("w-2"))
    assert page(fake).count("<!-- notice w-2 -->") == 1


async def test_a_page_that_is_full_or_unreadable_is_said_to_be(
    sender: NotificationSender, fake: FakeAzureDevOps, tmp_path: Path
) -> None:
    fake.wikis.add("Web.wiki", "/Azure updates", "x" * 1024 * 1024)
    with pytest.raises(HopelessError, match="full"):
        await sender.send(PAGE, notice())

    async def nonsense(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text="[[[[")

    (tmp_path / "other").mkdir()
    async with opened(tmp_path / "other", nonsense) as office:
        with pytest.raises(NotTakenError, match="not a wiki page"):
            await NotificationSender(HOSTS, KEY, office.open_session).send(PAGE, notice())


async def test_a_work_item_is_commented_on_once(sender: NotificationSender, fake: FakeAzureDevOps) -> None:
    await sender.send(BOARD_PLACE, notice("w-1"))
    await sender.send(BOARD_PLACE, notice("w-1"), is_again=True)
    await sender.send(BOARD_PLACE, notice("w-11"), is_again=True)
    texts = [comment["text"] for comment in fake.work_items.comments[1]]
    assert [text.partition("<small>")[2] for text in texts] == ["w-1</small>", "w-11</small>"]
    assert '<a href="https://azure.microsoft.com/updates?id=1">Lamps retire</a>' in texts[0]


async def test_no_text_of_others_is_markup_in_a_comment(sender: NotificationSender, fake: FakeAzureDevOps) -> None:
    await sender.send(BOARD_PLACE, notice("w-1", HOSTILE))
    text = fake.work_items.comments[1][0]["text"]
    assert not [sign for sign in ("<script", "<at", "@", "#", "\u202e") if sign in text]


@pytest.mark.parametrize(
    "line",
    [
        "wiki azure-devops-wiki https://dev.azure.com/acme/Web/_wiki/wikis/Web.wiki/42/Azure-updates token",
        "wiki azure-devops-wiki https://dev.azure.com/acme/Web/_wiki/wikis/Web.wiki?pagePath=/A",
        "wiki azure-devops-wiki http://dev.azure.com/acme/Web/_wiki/wikis/Web.wiki?pagePath=/A token",
        "hook webhook https://hooks.slack.com/s3cret token",
    ],
)
def test_an_address_of_no_page_is_refused(line: str) -> None:
    with pytest.raises(Refusal):
        places_in(line, HOSTS)


def test_where_it_is_seen_whether_a_notice_has_arrived() -> None:
    forms = {form for form in FORMS if NotificationTarget("a", form, "").tells_repeats}
    assert forms == {"azure-devops", "azure-devops-wiki", "webhook"}
