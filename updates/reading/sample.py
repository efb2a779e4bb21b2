"""Creates sample updates in the format of the feed, for offline use and benchmarks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Any
from urllib.parse import quote

from updates.reading.sample_text import (
    BENEFITS,
    CAPABILITIES,
    REASONS,
    REGIONS,
    SERVICES,
    STEPS,
    Capability,
    SampleService,
)
from updates.record import INVENTED, MONTHS

_USUALLY = date(2026, 8, 28)
_DAYS_BACK = 900
_FIRST_ID = 900_001
_DAYS_OF_FEATURE = 119  # how many days ago the feed renamed the tag Features to Feature
_STYLE = ' style="font-family: Arial; font-size: 10pt; margin: 0in 0in 8pt;"'
_WRAPPER = "https://emea01.safelinks.protection.outlook.com/"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A stage of an announcement, and the percentage of updates in this stage."""

    prefix: str
    ring: str | None
    status: str | None
    share: int


_KINDS = (
    _Kind("Generally Available", "General Availability", "Launched", 50),
    _Kind("Public Preview", "Preview", "In preview", 33),
    _Kind("Private Preview", "Private Preview", "In preview", 3),
    _Kind("Retirement", "Retirement", None, 9),
    _Kind("Announcing", "Effective", None, 3),
    _Kind("In development", None, "In development", 2),
)

# In each of these categories, one update retires within this many days. A search for the next retirements therefore
# always has results.
_SOON = (("Networking", 45), ("Compute", 80), ("Databases", 130), ("Storage", 190), ("Networking", 250))


@dataclass(frozen=True, slots=True)
class _Subject:
    """The service and capability that a sample update is about."""

    kind: _Kind
    service: SampleService
    part: str
    capability: Capability
    region: str
    age: timedelta
    created: datetime
    effective: datetime

    @property
    def retires(self) -> bool:
        return self.kind.ring == "Retirement"

    def said(self, text: str) -> str:
        return text.format(part=self.part, product=self.service.product, region=self.region)


def records(count: int, seed: int = 1, today: date = _USUALLY) -> list[dict[str, Any]]:
    """Create this many sample updates. The same count, seed and day always give the same updates."""
    newest = datetime.combine(today, time(), UTC)
    random = Random(seed)  # noqa: S311 - not used for security
    made: list[dict[str, Any]] = []
    for number in range(count):
        subject = _subject(random, newest)
        if number < len(_SOON):
            subject = _retiring_soon(random, subject, newest, *_SOON[number])
        again = number > len(_SOON) and random.random() < 0.01  # the feed also repeats some announcements
        record = dict(random.choice(made)) if again else _content(random, subject)
        made.append(record | _identity(random, number, subject.created, newest))
    return made


def _subject(random: Random, newest: datetime) -> _Subject:
    service = random.choice(SERVICES)
    age = timedelta(seconds=random.randrange(_DAYS_BACK * 86_400))
    created = newest - age
    return _Subject(
        kind=random.choices(_KINDS, [kind.share for kind in _KINDS])[0],
        service=service,
        part=random.choice(service.parts),
        capability=random.choice(CAPABILITIES),
        region=random.choice(REGIONS),
        age=age,
        created=created,
        effective=created + timedelta(days=random.randrange(90, 1_000)),
    )


def _retiring_soon(random: Random, subject: _Subject, newest: datetime, category: str, days: int) -> _Subject:
    service = random.choice([service for service in SERVICES if category in service.categories])
    retirement = next(kind for kind in _KINDS if kind.ring == "Retirement")
    effective = newest + timedelta(days=days)
    return replace(subject, kind=retirement, service=service, part=random.choice(service.parts), effective=effective)


def _identity(random: Random, number: int, created: datetime, newest: datetime) -> dict[str, Any]:
    edited = created + timedelta(days=random.randrange(1, 60)) if random.random() < 0.05 else created
    edited = min(edited, newest)
    digit = random.randrange(10)
    name = random.choice(("{}", "{}", "{}", "{}", "{}a", "earlier-{}"))
    return {
        "id": f"{INVENTED}{name.format(_FIRST_ID + number)}",
        "created": f"{created:%Y-%m-%dT%H:%M:%S.%f}{digit}Z",
        "modified": f"{edited:%Y-%m-%dT%H:%M:%S.%f}{digit}Z",
        "locale": None,
    }


def _content(random: Random, subject: _Subject) -> dict[str, Any]:
    availabilities = _availabilities(random, subject)
    dates = {entry["ring"]: f"{entry['year']}-{MONTHS.index(entry['month']) + 1:02}" for entry in availabilities}
    unassigned = random.random() < 0.06
    return {
        "title": _title(subject),
        "description": _description(random, subject),
        "status": subject.kind.status,
        "productCategories": [] if unassigned else list(subject.service.categories),
        "products": [] if unassigned else [subject.service.product],
        "tags": [] if random.random() < 0.01 else _tags(random, subject),
        "availabilities": availabilities,
        "generalAvailabilityDate": dates.get("General Availability"),
        "previewAvailabilityDate": dates.get("Preview"),
        "privatePreviewAvailabilityDate": dates.get("Private Preview"),
    }


def _title(subject: _Subject) -> str:
    if subject.retires:
        return subject.said(f"Retirement: {{part}} in {{product}} will be retired on {_day(subject.effective)}")
    return f"{subject.kind.prefix}: {subject.said(subject.capability.title)}"


def _tags(random: Random, subject: _Subject) -> list[str]:
    if subject.retires:
        return ["Retirements"]
    if subject.kind.ring == "Effective":
        return ["Announcement"]
    tags = ["Feature" if subject.age.days < _DAYS_OF_FEATURE else "Features"]
    if subject.capability.tag:
        tags.append(subject.capability.tag)
    if random.random() < 0.1:
        tags.append(random.choice(("Microsoft Build", "Microsoft Ignite", "Services")))
    return tags


def _availabilities(random: Random, subject: _Subject) -> list[dict[str, Any]]:
    kind = subject.kind
    if kind.ring is None:
        return []
    reached = subject.effective if kind.ring in {"Retirement", "Effective"} else subject.created
    availabilities = [_availability(kind.ring, reached)]
    if kind.ring == "General Availability" and random.random() < 0.1:
        availabilities.append(_availability("Preview", subject.created - timedelta(days=200)))
    return availabilities


def _availability(ring: str, reached: datetime) -> dict[str, Any]:
    return {"ring": ring, "year": reached.year, "month": MONTHS[reached.month - 1]}


def _description(random: Random, subject: _Subject) -> str:
    """Return a description that looks like pasted HTML: each word has its own style, and some links are wrapped."""
    link = f"https://example.com/{quote(subject.service.product.lower().replace(' ', '-'))}"
    if random.random() < 0.05:
        link = f"{_WRAPPER}?url={quote(link, safe='')}&amp;data=someone%40example.com"
    lead = _retiring(random, subject) if subject.retires else _offering(subject)
    benefits = _items(subject.said(text) for text in random.sample(BENEFITS, 4))
    steps = _items(subject.said(text) for text in random.sample(STEPS, 3))
    return (
        f"<div><p{_STYLE}>{_styled(lead)}</p><p{_STYLE}>{_styled('What this means for you:')}</p>"
        f'<ul type="disc">{benefits}</ul><p{_STYLE}>{_styled("How to begin:")}</p><ol>{steps}</ol>'
        f'<p><a href="{link}" target="_blank">{_styled("Learn more")}</a>.</p></div>'
    )


def _offering(subject: _Subject) -> str:
    stage = f"{subject.kind.prefix.lower()} since {_day(subject.created)}"
    return f"{subject.said(subject.capability.sentence)} This part of {subject.service.product} is {stage}."


def _retiring(random: Random, subject: _Subject) -> str:
    day = _day(subject.effective)
    return subject.said(
        f"On {day}, {{part}} in {{product}} will be retired. {random.choice(REASONS)} Move to the successor before "
        "that day. From then on, requests are rejected. Remaining data is deleted thirty days later."
    )


def _items(texts: Iterable[str]) -> str:
    return "".join(f"<li{_STYLE}>{_styled(text)}&nbsp;</li>" for text in texts)


def _styled(text: str) -> str:
    return f"<span{_STYLE}>{text}</span>"


def _day(moment: datetime) -> str:
    return f"{MONTHS[moment.month - 1]} {moment.day}, {moment.year}"
