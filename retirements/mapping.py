"""The resources that an announcement affects, from `products.yaml`, which is documented in its first comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from retirements.conditions import ResourceCondition, Truth, Verdict, finding_of
from retirements.confidence import Confidence

FILE: Final = Path(__file__).with_name("products.yaml")
# The reason given for announcements that only look like retirements.
NOTHING: Final = "nothing"
_NAMES: Final = frozenset("title products of where sizes sure but do code replace clouds cannot".split())
# The path of a machine's size.
_SIZES: Final = {
    "microsoft.compute/virtualmachines": "properties.hardwareProfile.vmSize",
    "microsoft.compute/virtualmachinescalesets": "sku.name",
    "microsoft.containerservice/managedclusters": "properties.agentPoolProfiles[].vmSize",
}


@dataclass(frozen=True, slots=True)
class Concerned:
    """Resources of one type that meet a condition."""

    type: str
    conditions: tuple[ResourceCondition, ...] = ()

    def finding(self, resource: Mapping[str, Any], *, is_whole: bool = True) -> Verdict:
        if str(resource.get("type")).lower() != self.type:
            return Verdict(Truth.NO)
        found = finding_of(self.conditions, resource, is_whole=is_whole)
        return Verdict(found.truth, found.why or "by its type")


@dataclass(frozen=True, slots=True)
class MappedRetirement:
    """What is known about retirements with matching titles. `cannot` says why resources cannot show it."""

    title: re.Pattern[str]
    products: frozenset[str] = frozenset()
    concerned: tuple[Concerned, ...] = ()
    confidence: Confidence = Confidence.CERTAIN
    but: str = ""
    do: str = ""
    code: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()
    clouds: frozenset[str] = frozenset()
    cannot: str = ""

    def fits(self, title: str, products: Sequence[str] | None = None) -> bool:
        """Without products, for example for Advisor's names, only the title counts."""
        has_product = not self.products or products is None or not self.products.isdisjoint(products)
        return has_product and self.title.search(title) is not None

    def is_of(self, cloud: str) -> bool:
        """Whether it retires in this cloud. Private addresses, as in tests, count as the public cloud."""
        return not self.clouds or cloud in self.clouds

    def finding(self, resource: Mapping[str, Any], *, is_whole: bool = True) -> Verdict:
        """Whether it affects a resource: any true alternative counts, then any unknown one."""
        found = [one.finding(resource, is_whole=is_whole) for one in self.concerned]
        for truth in (Truth.YES, Truth.UNKNOWN):
            if one := next((one for one in found if one.truth is truth), None):
                return one
        return Verdict(Truth.NO)


@dataclass(frozen=True, slots=True)
class Products:
    """The content of the file."""

    entries: tuple[MappedRetirement, ...]
    types: Mapping[str, tuple[str, ...]]
    reasons: Mapping[str, str]

    def entry_of(self, title: str, products: Sequence[str] | None = None) -> MappedRetirement | None:
        return next((entry for entry in self.entries if entry.fits(title, products)), None)

    def of_products(self, products: Sequence[str]) -> tuple[Concerned, ...]:
        """All resources of some products, for announcements without a matching entry."""
        return tuple(Concerned(one) for one in dict.fromkeys(_each(self.types, products)))


def _each(types: Mapping[str, tuple[str, ...]], products: Sequence[str]) -> Iterator[str]:
    for name in products:
        yield from types.get(name, ())


@cache
def products() -> Products:
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> Products:
    """The parsed file.

    Raises:
        ValueError: Something in it is unknown.
    """
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both loaders are safe
    types = {name: _texts(of) for name, of in document["products"].items()}
    types |= dict.fromkeys(document["without_resources"], ())
    reasons: Mapping[str, str] = document["reasons"]
    return Products(tuple(_entry(one, reasons) for one in document["retirements"]), types, reasons)


def _entry(told: Mapping[str, Any], reasons: Mapping[str, str]) -> MappedRetirement:
    if unknown := set(told) - _NAMES:
        raise ValueError(f"{told.get('title')!r} has unknown names: {', '.join(sorted(unknown))}")
    cannot = told.get("cannot", "")
    if cannot and cannot not in reasons:
        raise ValueError(f"{cannot!r} is not one of the reasons")
    return MappedRetirement(
        title=re.compile(told["title"], re.IGNORECASE),
        products=frozenset(told.get("products", ())),
        concerned=tuple(_concerned(told)),
        confidence=Confidence(told.get("sure", "certain")),
        but=told.get("but", ""),
        do=told.get("do", ""),
        code=_texts(told.get("code", ())),
        replace=tuple(told.get("replace", {}).items()),
        clouds=frozenset(told.get("clouds", ())),
        cannot=cannot,
    )


def _concerned(told: Mapping[str, Any]) -> Iterator[Concerned]:
    if sizes := told.get("sizes"):
        yield from (Concerned(kind, (ResourceCondition(path, (f"~{sizes}",)),)) for kind, path in _SIZES.items())
    for kind in _texts(told.get("of", ())):
        alternatives = told.get("where", {})
        for one in alternatives if isinstance(alternatives, list) else [alternatives]:
            yield Concerned(kind, tuple(_test(path, value) for path, value in one.items()))


def _test(path: str, value: Any) -> ResourceCondition:
    is_negated = isinstance(value, Mapping)
    wanted = _texts(value["not"] if is_negated else value)
    return ResourceCondition(path.removesuffix("?"), wanted, is_negated, path.endswith("?"))


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in values)
