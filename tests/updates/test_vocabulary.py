from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.updates.indexing import update
from updates.searching.vocabulary import CATEGORIES, KINDS, PRODUCTS, RING, STATUS, TAGS, UpdateVocabulary, ValueCounter

COUNTS = {
    TAGS: {
        "Features": 5,
        "Feature": 2,
        "Retirements": 3,
        "Pricing & Offerings": 1,
        "MicrosoftBuild": 1,
        "Microsoft Build": 4,
    },
    CATEGORIES: dict.fromkeys(
        ["AI + machine learning", "Compute", "Databases", "Internet of Things", "Networking", "Security", "Storage"], 1
    ),
    PRODUCTS: dict.fromkeys(
        [
            "API Management",
            "App Service",
            "Azure Cache for Redis",
            "Azure Container Apps",
            "Azure Cosmos DB",
            "Azure Database for PostgreSQL",
            "Azure HDInsight on Azure Kubernetes Service (AKS)",
            "Azure Kubernetes Service (AKS)",
            "Azure Machine Learning",
            "Azure Spring Apps",
            "Azure Stream Analytics",
            "Azure VMware Solution",
            "Azure Virtual Desktop",
            "Content Delivery Network",
            "Event Hubs",
            "Key Vault",
            "Microsoft Entra ID (formerly Azure AD)",
            "Microsoft Foundry",
            "Virtual Machines",
            "Virtual Network",
        ],
        1,
    ),
    STATUS: {"In development": 1, "In preview": 2, "Launched": 3},
    RING: {"General Availability": 3, "Preview": 2, "Private Preview": 1, "Retirement": 1},
}
VOCABULARY = UpdateVocabulary(COUNTS)


@pytest.mark.parametrize(
    ("kind", "asked", "meant"),
    [
        (TAGS, "retirements", ["Retirements"]),
        (TAGS, "Feature", ["Feature", "Features"]),
        (TAGS, "FEATURES", ["Feature", "Features"]),
        (TAGS, "pricing & offerings", ["Pricing & Offerings"]),
        (TAGS, "Pricing and Offerings", ["Pricing & Offerings"]),
        (TAGS, "Microsoft Build", ["Microsoft Build", "MicrosoftBuild"]),
        (TAGS, "Retired", ["Retirements"]),
        (CATEGORIES, "AI and Machine Learning", ["AI + machine learning"]),
        (CATEGORIES, "AI", ["AI + machine learning"]),
        (CATEGORIES, "IoT", ["Internet of Things"]),
        (CATEGORIES, "Database", ["Databases"]),
        (PRODUCTS, "Key Vault", ["Key Vault"]),
        (PRODUCTS, "azure key vault", ["Key Vault"]),
        (PRODUCTS, "Machine Learning", ["Azure Machine Learning"]),
        (PRODUCTS, "Azure Event Hub", ["Event Hubs"]),
        (PRODUCTS, "AKS", ["Azure Kubernetes Service (AKS)"]),
        (PRODUCTS, "Azure Kubernetes Service", ["Azure Kubernetes Service (AKS)"]),
        (PRODUCTS, "azure ml", ["Azure Machine Learning"]),
        (PRODUCTS, "ML", ["Azure Machine Learning"]),
        (PRODUCTS, "AVD", ["Azure Virtual Desktop"]),
        (PRODUCTS, "AVS", ["Azure VMware Solution"]),
        (PRODUCTS, "ACA", ["Azure Container Apps"]),
        (PRODUCTS, "CDN", ["Content Delivery Network"]),
        (PRODUCTS, "APIM", ["API Management"]),
        (PRODUCTS, "VNet", ["Virtual Network"]),
        (PRODUCTS, "VMs", ["Virtual Machines"]),
        (PRODUCTS, "Postgres", ["Azure Database for PostgreSQL"]),
        (PRODUCTS, "Azure AI Foundry", ["Microsoft Foundry"]),
        (PRODUCTS, "Azure AD", ["Microsoft Entra ID (formerly Azure AD)"]),
        (PRODUCTS, "Azure Active Directory", ["Microsoft Entra ID (formerly Azure AD)"]),
        (PRODUCTS, "entra id", ["Microsoft Entra ID (formerly Azure AD)"]),
        (STATUS, "GA", ["Launched"]),
        (STATUS, "Public Preview", ["In preview"]),
        (RING, "ga", ["General Availability"]),
        (RING, "Generally Available", ["General Availability"]),
        (RING, "public preview", ["Preview"]),
    ],
)
def test_a_value_is_found_by_what_people_call_it(kind: str, asked: str, meant: list[str]) -> None:
    assert sorted(VOCABULARY.resolve(kind, asked)) == meant


def test_a_former_name_that_updates_still_have_means_itself() -> None:
    both = UpdateVocabulary({**COUNTS, PRODUCTS: {"Azure AI Foundry": 1, "Microsoft Foundry": 1}})
    assert both.resolve(PRODUCTS, "Azure AI Foundry") == ("Azure AI Foundry",)
    assert both.resolve(PRODUCTS, "Azure AI Studio") == ("Azure AI Foundry", "Microsoft Foundry")


@pytest.mark.parametrize(
    ("kind", "asked", "says"),
    [
        (PRODUCTS, "Kuberntes", "No product is called 'Kuberntes'. Similar values: 'Azure Kubernetes Service (AKS)'."),
        (PRODUCTS, "Redis", "Similar values: 'Azure Cache for Redis'."),
        (PRODUCTS, "ASA", "Similar values: 'Azure Spring Apps', 'Azure Stream Analytics'."),
        (PRODUCTS, "storage", "However, the product category 'Storage' exists."),
        (PRODUCTS, "zzzzz", "Frequent values: 'API Management', 'App Service',"),
        (PRODUCTS, "", "No product is called ''."),
        (STATUS, "Retirements", "'Launched', 'In preview', 'In development'. However, the tag 'Retirements' exists."),
        (RING, "Effective", "No availability ring is called 'Effective'. The values are: 'General Availability',"),
    ],
)
def test_what_no_update_has_is_refused_with_the_nearest_values(kind: str, asked: str, says: str) -> None:
    with pytest.raises(Refusal) as refused:
        VOCABULARY.resolve(kind, asked)
    assert says in str(refused.value)


@given(st.sampled_from([(kind, value) for kind in KINDS for value in COUNTS[kind]]), st.data())
def test_every_value_means_itself_in_any_case(value: tuple[str, str], data: st.DataObject) -> None:
    kind, name = value
    asked = "".join(data.draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in name)
    assert name in VOCABULARY.resolve(kind, asked)


@given(st.sampled_from(KINDS), st.text())
def test_any_other_text_means_a_value_or_is_refused(kind: str, asked: str) -> None:
    with suppress(Refusal):
        assert set(VOCABULARY.resolve(kind, asked)) <= COUNTS[kind].keys()


def test_values_are_completed_by_their_words_the_frequent_first() -> None:
    assert VOCABULARY.complete(TAGS, "feat", 5) == ["Features", "Feature"]
    assert VOCABULARY.complete(TAGS, "mi", 1) == ["Microsoft Build"]
    assert VOCABULARY.complete(PRODUCTS, " KUB", 5)[-1] == "Azure Kubernetes Service (AKS)"
    assert VOCABULARY.complete(PRODUCTS, "azure k", 5) == [
        "Azure HDInsight on Azure Kubernetes Service (AKS)",
        "Azure Kubernetes Service (AKS)",
    ]


def test_values_are_counted_once_for_each_update() -> None:
    twice = update(reaches={"Preview": "2026-01"}, tags=["A"], status=None)
    twice_in_preview = update(
        "2", availabilities=2 * [{"ring": "Preview", "year": 2026, "month": None}], tags=["A", "B"]
    )
    counter = ValueCounter()
    counter.add(twice)
    counter.add(twice_in_preview)
    assert counter.counts == {
        TAGS: {"A": 2, "B": 1},
        CATEGORIES: {},
        PRODUCTS: {},
        STATUS: {"Launched": 1},
        RING: {"Preview": 2},
    }
