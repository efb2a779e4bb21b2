"""How an offer is installed: by the first URL or package that requires nothing that only an operator has."""

from __future__ import annotations

from typing import Any

import pytest

from extensions.entry import AccessRule, Entry
from extensions.install_options import arguments_of, filled, named_by, package_of, remote_of
from extensions.installed import InstalledEntry
from extensions.installer import Proposal
from extensions.pins import PinChanges, PinCheck
from extensions.registries.offer import InstallInput, OfferedPackage, Origin, Remote, ServerOffer
from identity.access import Access
from refusal import Refusal

OPTIONAL = InstallInput(name="A")
REQUIRED = InstallInput(name="A", is_required=True)
PRESET = InstallInput(name="A", is_required=True, default="a")
SECRET = InstallInput(name="A", is_required=True, is_secret=True)
OPTIONAL_SECRET = InstallInput(name="A", is_secret=True)


def offer(*remotes: Remote, packages: tuple[OfferedPackage, ...] = (), **more: Any) -> ServerOffer:
    return ServerOffer(
        name="io.example/docs", version="1.0.0", source="registry", remotes=remotes, packages=packages, **more
    )


def package(origin: Origin = Origin.NPM, *variables: InstallInput, **more: Any) -> OfferedPackage:
    return OfferedPackage(origin=origin, identifier="docs", version="1.0.0", variables=variables, **more)


@pytest.mark.parametrize(
    "remote",
    [
        Remote(url="https://docs.example.com/"),
        Remote(url="https://docs.example.com/", headers=(OPTIONAL, PRESET, OPTIONAL_SECRET)),
        Remote(url="https://docs.example.com/{A}", wants=(OPTIONAL, REQUIRED, PRESET)),
    ],
)
def test_a_url_without_required_headers_and_secrets_is_used(remote: Remote) -> None:
    assert remote_of(offer(remote)) is remote
    assert remote_of(offer(Remote(url="https://other.example.com/", headers=(REQUIRED,)), remote)) is remote


@pytest.mark.parametrize(
    ("remote", "named"),
    [
        (Remote(url="https://docs.example.com/", headers=(REQUIRED,)), "(A)"),
        (Remote(url="https://docs.example.com/", headers=(SECRET, OPTIONAL)), "(A)"),
        (Remote(url="https://docs.example.com/{A}", wants=(SECRET,)), "in its URL"),
    ],
)
def test_a_url_that_requires_a_header_or_a_secret_is_for_an_operator(remote: Remote, named: str) -> None:
    with pytest.raises(Refusal, match="requires a secret") as refused:
        remote_of(offer(remote))
    assert named in str(refused.value)


def test_an_offer_without_a_url_names_its_other_options() -> None:
    with pytest.raises(Refusal, match=r"Options: npm docs 1\.0\.0; oci docs\.$"):
        remote_of(offer(packages=(package(),), other_ways=("oci docs",)))
    with pytest.raises(Refusal, match=r"Options: none\.$"):
        remote_of(offer())


@pytest.mark.parametrize(
    ("packages", "place"),
    [
        ((), None),
        ((package(),), 0),
        ((package(Origin.NPM, OPTIONAL, PRESET, OPTIONAL_SECRET),), 0),
        ((package(Origin.NPM, REQUIRED), package(Origin.PYPI, SECRET)), None),
        ((package(Origin.NPM, REQUIRED), package(Origin.PYPI), package(Origin.NPM)), 1),
    ],
)
def test_the_first_package_that_requires_no_variable_is_used(
    packages: tuple[OfferedPackage, ...], place: int | None
) -> None:
    assert package_of(offer(packages=packages)) is (None if place is None else packages[place])


def test_a_package_is_named_as_in_the_extensions_file() -> None:
    assert str(named_by(offer(), package(Origin.NPM))) == "npm:docs@1.0.0"
    assert str(named_by(offer(), package(Origin.PYPI))) == "pypi:docs==1.0.0"


def test_placeholders_are_replaced_by_values() -> None:
    made = package(arguments=("--in={folder}", "{folder}/{name}", "plain"))
    assert arguments_of(made, ["folder=a.b", "name=c-d_e"]) == ("--in=a.b", "a.b/c-d_e", "plain")
    assert filled([], []) == []


@pytest.mark.parametrize(
    ("texts", "values", "told"),
    [
        (["{a} {b}"], ["a=1"], 'pass values=["b=..."]'),
        (["{a}"], ["a=1", "c=2"], "has no input 'c'. Inputs: a."),
        ([], ["c=2"], "has no input 'c'. Inputs: none."),
        (["{a}"], ["a=/"], "'a' must be passed as name=value"),
        (["{a}"], ["a="], "'a' must be passed as name=value"),
        (["{a}"], ["a"], "'a' must be passed as name=value"),
    ],
)
def test_values_fit_the_placeholders(texts: list[str], values: list[str], told: str) -> None:
    with pytest.raises(Refusal) as refused:
        filled(texts, values)
    assert told in str(refused.value)


def test_a_proposal_names_the_tools_that_claim_to_be_milder_than_they_count() -> None:
    claims = {"a": {"readOnlyHint": True}, "b": {"destructiveHint": False}, "c": {"destructiveHint": True}, "d": None}
    seen = {name: {"name": name, "annotations": said} for name, said in claims.items()}
    seen |= {name: {"name": name, "annotations": {"readOnlyHint": True}} for name in ("read_it", "write_it")}
    rules = (AccessRule("read_*", Access.READ), AccessRule("write_*", Access.WRITE))
    entry = Entry(name="docs", description="Docs.", rules=rules)
    look = PinCheck(entry, seen, {}, PinChanges(()))
    record = InstalledEntry(description="Docs.", url="https://docs.example.com/mcp")
    assert Proposal(entry, look, None, None, record).milder == ["a", "b"]
    assert Proposal(entry, None, None, None, record).milder == []


def test_the_digest_of_a_proposal_covers_its_tools_and_what_is_installed() -> None:
    def digest(entry: Entry, record: InstalledEntry, *tools: str) -> str:
        look = PinCheck(entry, {name: {"name": name} for name in tools}, {}, PinChanges((), (), tools, ()))
        return Proposal(entry, look if tools else None, None, None, record).digest

    entry = Entry(name="installed-docs", description="Docs.", url="https://docs.example.com/")
    record = InstalledEntry(description="Docs.", url="https://docs.example.com/")
    other = InstalledEntry(description="Docs.", url="https://other.example.com/")
    digests = [digest(entry, record), digest(entry, record, "a"), digest(entry, record, "b"), digest(entry, other, "a")]
    assert len({*digests}) == 4
    assert digest(entry, record, "a") == digests[1]
