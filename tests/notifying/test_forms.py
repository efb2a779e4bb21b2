"""A form of notices is known wherever forms are listed, as soon as it is in the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from notifying.forms import CHANNELS, FORMS, NoticeForm, body_of
from notifying.notification import Notification, NotificationItem
from notifying.targets import places_in
from refusal import Refusal
from tests.fakes.watches.receiver import HOSTS, SLACK

DOCS = Path(__file__).parent.parent.parent / "docs"
HOSTILE = "<at>All</at> <!channel> <@U1> \u202e"

each_form = pytest.mark.parametrize("name", FORMS)


def entry(name: str, *, has_token: bool) -> str:
    """A place of this form, at the address that the documentation gives as an example."""
    example = re.search(r"`(https:[^`]+)`", FORMS[name].url)
    return f"ops {name} {example[1] if example else f'https://{SLACK}/x'}{' s3cret' if has_token else ''}"


@each_form
def test_a_place_has_a_token_exactly_if_its_form_says_for_what(name: str) -> None:
    has_token = bool(FORMS[name].permission)
    assert places_in(entry(name, has_token=has_token), HOSTS)["ops"].form == name
    with pytest.raises(Refusal, match="require a token"):
        places_in(entry(name, has_token=not has_token), HOSTS)


def test_who_needs_a_token_is_said() -> None:
    with pytest.raises(Refusal, match="azure-devops and azure-devops-wiki require a token"):
        places_in(entry("teams", has_token=True), HOSTS)


@each_form
def test_whoever_names_no_form_is_told_all(name: str) -> None:
    with pytest.raises(Refusal) as refused:
        places_in(f"ops mail https://{SLACK}/x", HOSTS)
    assert name in re.split(r"[(), ]+", str(refused.value))


@each_form
def test_the_documents_say_of_each_form_where_it_leads_and_what_arrives(name: str) -> None:
    [row] = rows_of("changes.md", f"`<name> {name} <address>")
    assert ("<token>" in row) is bool(FORMS[name].permission)
    assert_described(row, FORMS[name])


@each_form
def test_the_documents_offer_users_exactly_the_forms_for_them(name: str) -> None:
    rows = rows_of("watches.md", f"| `{name}` | ")
    assert len(rows) == (name in CHANNELS)
    for row in rows:
        assert_described(row, FORMS[name])


def rows_of(document: str, part: str) -> list[str]:
    return [line for line in (DOCS / document).read_text(encoding="utf-8").splitlines() if part in line]


def assert_described(row: str, form: NoticeForm) -> None:
    assert form.url in row
    assert row.endswith(f" | {form.arrives} |")


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.body])
def test_in_no_form_does_a_text_of_others_mention_anybody(name: str) -> None:
    item = NotificationItem(HOSTILE, {"What": HOSTILE}, "https://azure.microsoft.com/updates?id=1")
    body = body_of(name, Notification("w-1", "Azure updates: lamps", {"Why": HOSTILE}, items=[item]))
    assert body
    assert not [sign for sign in ("<at>", "<!channel", "<@U1", "\\u202e") if sign in body.decode()]
