"""Maps announcements to the resources that they affect, as defined in `products.yaml`. `products.yaml` documents its
own format.
"""

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
# The value of `cannot` for announcements that look like retirements but retire nothing.
NOTHING: Final = "nothing"
_NAMES: Final = frozenset("title products of where sizes sure but do code replace clouds cannot".split())
# By resource type: the path of the virtual machine size.
_SIZES: Final = {
    "microsoft.compute/virtualmachines": "properties.hardwareProfile.vmSize",
    "microsoft.compute/virtualmachinescalesets": "sku.name",
    "microsoft.containerservice/managedclusters": "properties.agentPoolProfiles[].vmSize",
}


@dataclass(frozen=True, slots=True)
class Concerned:
    """The resources that a retirement affects: all resources of one type that meet all conditions."""

    type: str
    conditions: tuple[ResourceCondition, ...] = ()

    def finding(self, resource: Mapping[str, Any], *, is_whole: bool = True) -> Verdict:
        if str(resource.get("type")).lower() != self.type:
            return Verdict(Truth.NO)
        found = finding_of(self.conditions, resource, is_whole=is_whole)
        return Verdict(found.truth, found.why or "by its type")


@dataclass(frozen=True, slots=True)
class MappedRetirement:
    """The mapping entry for retirements with matching titles. `cannot` is the reason why the properties of a resource
    do not show whether it is affected.
    """

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
        """Check whether the entry matches a title and products. If `products` is None, as for retirements from Advisor,
        only the title is compared.
        """
        has_product = not self.products or products is None or not self.products.isdisjoint(products)
        return has_product and self.title.search(title) is not None

    def is_of(self, cloud: str) -> bool:
        """Check whether the retirement applies to this cloud. An emulated cloud, as in tests, counts as the
        public cloud.
        """
        return not self.clouds or cloud in self.clouds

    def finding(self, resource: Mapping[str, Any], *, is_whole: bool = True) -> Verdict:
        """Check whether the retirement affects a resource.

        The answer is yes if at least one alternative is true, otherwise unknown if at least one is unknown, otherwise
        no.
        """
        found = [one.finding(resource, is_whole=is_whole) for one in self.concerned]
        for truth in (Truth.YES, Truth.UNKNOWN):
            if one := next((one for one in found if one.truth is truth), None):
                return one
        return Verdict(Truth.NO)


@dataclass(frozen=True, slots=True)
class Products:
    """The content of `products.yaml`."""

    entries: tuple[MappedRetirement, ...]
    types: Mapping[str, tuple[str, ...]]
    reasons: Mapping[str, str]

    def entry_of(self, title: str, products: Sequence[str] | None = None) -> MappedRetirement | None:
        return next((entry for entry in self.entries if entry.fits(title, products)), None)

    def of_products(self, products: Sequence[str]) -> tuple[Concerned, ...]:
        """Return the resource types of these products, for announcements that have no entry in the mapping."""
        return tuple(Concerned(one) for one in dict.fromkeys(_each(self.types, products)))


def _each(types: Mapping[str, tuple[str, ...]], products: Sequence[str]) -> Iterator[str]:
    for name in products:
        yield from types.get(name, ())


@cache
def products() -> Products:
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> Products:
    """Parse the text of `products.yaml`.

    Raises:
        ValueError: The file contains an unknown name or value.
    """
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both loaders are safe
    types = {name: _texts(of) for name, of in document["products"].items()}
    types |= dict.fromkeys(document["without_resources"], ())
    reasons: Mapping[str, str] = document["reasons"]
    return Products(tuple(_entry(one, reasons) for one in document["retirements"]), types, reasons)


def _entry(mapped: Mapping[str, Any], reasons: Mapping[str, str]) -> MappedRetirement:
    if unknown := set(mapped) - _NAMES:
        raise ValueError(f"{mapped.get('title')!r} has unknown names: {', '.join(sorted(unknown))}")
    cannot = mapped.get("cannot", "")
    if cannot and cannot not in reasons:
        raise ValueError(f"{cannot!r} is not a valid reason")
    return MappedRetirement(
        title=re.compile(mapped["title"], re.IGNORECASE),
        products=frozenset(mapped.get("products", ())),
        concerned=tuple(_concerned(mapped)),
        confidence=Confidence(mapped.get("sure", "certain")),
        but=mapped.get("but", ""),
        do=mapped.get("do", ""),
        code=_texts(mapped.get("code", ())),
        replace=tuple(mapped.get("replace", {}).items()),
        clouds=frozenset(mapped.get("clouds", ())),
        cannot=cannot,
    )


def _concerned(mapped: Mapping[str, Any]) -> Iterator[Concerned]:
    if sizes := mapped.get("sizes"):
        yield from (Concerned(kind, (ResourceCondition(path, (f"~{sizes}",)),)) for kind, path in _SIZES.items())
    for kind in _texts(mapped.get("of", ())):
        alternatives = mapped.get("where", {})
        for one in alternatives if isinstance(alternatives, list) else [alternatives]:
            yield Concerned(kind, tuple(_test(path, value) for path, value in one.items()))


def _test(path: str, value: Any) -> ResourceCondition:
    is_negated = isinstance(value, Mapping)
    values = _texts(value["not"] if is_negated else value)
    return ResourceCondition(path.removesuffix("?"), values, is_negated, path.endswith("?"))


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in values)
