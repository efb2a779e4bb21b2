"""No answer of Azure gives the value of a secret to a model, whatever it is called there; what is none is shown."""

from __future__ import annotations

import base64
import hashlib
import json
import string
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.messages import AzureAnswer
from clients.azure.withholding import WITHHELD, withheld
from tests.tools.azure.data import FOLDER, with_data


def drawn(size: int, number: int = 7) -> bytes:
    """Bytes as if by chance, and the same in every run."""
    return hashlib.shake_256(f"{size} {number}".encode()).digest(size)


def key(size: int) -> str:
    return base64.b64encode(drawn(size)).decode()


def part_of_token(claims: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


JWT: Final = f"{part_of_token({'alg': 'RS256'})}.{part_of_token({'sub': 'somebody'})}.{part_of_token({'x': 'y' * 40})}"
PEM: Final = f"-----BEGIN RSA PRIVATE KEY-----\n{key(600)}\n-----END RSA PRIVATE KEY-----"
# A key in the form PKCS #8 begins with the number of its version, a certificate with what is signed.
PRIVATE_DER: Final = base64.b64encode(b"\x30\x82\x04\xbd\x02\x01\x00\x30\x0d" + drawn(601)).decode()
CERTIFICATE: Final = base64.b64encode(b"\x30\x82\x03\xf0\x30\x82\x02\xd8\xa0" + drawn(602)).decode()

# Secrets by what they look like, in which the first is what may not be shown.
BY_VALUE: Final = [
    *((one, one) for one in (key(24), key(32), key(48), key(64), key(128), JWT, PRIVATE_DER)),
    (PEM[40:80], PEM),
    (PEM[40:80], base64.b64encode(PEM.encode()).decode()),
    *((one, f"?sv=2024-08-04&sp=rl&sig={one}&se=2026-01-01") for one in ("abc%2Bdef%3D", "YWJj")),
    ("abc%2Bd", "https%3A%2F%2Fa.blob.core.windows.net%2Fc%3Fsv%3D2024%26sig%3Dabc%2Bd"),
    ("s3cret/+", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=s3cret/+;EndpointSuffix=core.windows.net"),
    ("s3cret", "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=s3cret"),
    ("s3 cret", "Server=tcp:a,1433;User ID=u;Password=s3 cret;Encrypt=True"),
    ("s3cret", "Server=a;Uid=u;Pwd=s3cret"),
    ("s3cret", "AccountEndpoint=https://a.documents.azure.com:443/;AccountKey=s3cret;"),
    ("s3cret", "a.redis.cache.windows.net:6380,password=s3cret"),
    ("s3cret", "postgresql://user:s3cret@host:5432/db"),
    ("s3cretfunctionkey00000001", "https://a.azurewebsites.net/api/f?code=s3cretfunctionkey00000001"),
    ("s3cret-opaque-token-0001", "Authorization: Bearer s3cret-opaque-token-0001"),
    ("dXNlcjpwYXNzMTIzNDU2", "Authorization: Basic dXNlcjpwYXNzMTIzNDU2"),
    ("s3cret", '<publishProfile userName="u" userPWD="s3cret" />'),
    ("s3cret", 'cut off: {"adminPassword": "s3cret", "na'),
    ("s3cret", "az login --service-principal --password=s3cret"),
    ("abc8Q~" + "x" * 34, "abc8Q~" + "x" * 34),
    ("ghp_" + "a1" * 18, "token ghp_" + "a1" * 18),
]
# Secrets by the form of what they stand in.
BY_SHAPE: Final[list[Any]] = [
    {"appSettings": [{"name": "PORT", "value": "s3cret"}]},
    {"renamed": {"name": "PORT", "value": "s3cret", "slotSetting": False}},
    {"env": [{"name": "PORT", "secureValue": "s3cret"}, {"name": "B", "value": ["s3cret"]}]},
    {"environmentVariables": {"PORT": "s3cret"}},
    {"adminPassword": "s3cret"},
    {"administrator_login_password": "s3cret"},
    {"primaryConnectionString": "s3cret"},
    {"ClientSecret": ["s3cret", ["s3cret"]]},
    {"key1": "3f9a8b7c6d5e4f3a2b1cs3cret"},
    {
        "properties": {
            "parameters": {"size": {"value": "s3cret"}},
            "outputs": {"x": {"value": {"a": "s3cret"}}},
            "mode": "",
        }
    },
    {"renamed": {"size": {"type": "String", "value": "s3cret"}}},
    {"p": {"type": "secureString", "defaultValue": "s3cret"}},
    {"type": "Microsoft.Web/sites/config", "name": "a/appsettings", "properties": {"PORT": "s3cret"}},
    {"Db": {"value": "s3cret", "type": "SQLAzure"}},
    {"properties.siteConfig.appSettings[0].value": {"previousValue": "s3cret", "newValue": "s3cret"}},
    {"properties.osProfile.adminPassword": {"previousValue": "s3cret", "newValue": None}},
    {"path": "properties.template.containers[0].env[1].value", "before": "s3cret", "after": "s3cret"},
    {"propertyPath": "properties.parameters.size.value", "beforeValue": "s3cret", "afterValue": "s3cret"},
    {"script": json.dumps({"adminPassword": "s3cret", "deeper": json.dumps([{"name": "A", "value": "s3cret"}])})},
    {"isTruncated": '[{"name": "PORT", "value": "s3cret", "slotSe'},
]
SHOWN: Final = [
    "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/Shop-Prod-01/providers/Microsoft.Web/sites/Shop1",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B",
    "W/\"datetime'2024-08-04T10%3A00%3A00.1234567Z'\"",
    '"0x8DCB4A2F5E3D1C0"',
    "11111111-2222-3333-4444-555555555555",
    "MC_ShopProduction_Cluster-WestEurope2-NodePool01_westeurope",
    "appi-ShopProduction-WestEurope-20240804-Instance01-Primary",
    "https://vault-prod.vault.azure.net/secrets/DatabasePassword/3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
    "AzureAuthzSDK_43AF7D0C-0BF8-407F-96C0-96A29D076431",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDj3xYz0Kq7VfT1aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789+/ user@host",
    f"-----BEGIN CERTIFICATE-----\n{CERTIFICATE}\n-----END CERTIFICATE-----",
    CERTIFICATE,
    base64.b64encode(b"A text that was only encoded, and tells of nobody.").decode(),
    "The password must have 12 characters. See https://aka.ms/passwords.",
    "[parameters('adminPassword')]",
    "Basic_A1 of the tier Basic infrastructure",
    "resources | where type =~ 'microsoft.keyvault/vaults' | project id, secretName = name",
    "2024-08-04T10:00:00.1234567Z",
]


@pytest.mark.parametrize(("secret", "text"), BY_VALUE)
def test_a_secret_is_withheld_by_what_it_looks_like(secret: str, text: str) -> None:
    for document in (
        text,
        [text],
        {"anything": text},
        {"deep": {"er": [json.dumps({"text": text})]}},
        f"before {text}",
    ):
        told = json.dumps(withheld(json.loads(json.dumps(document))), ensure_ascii=False)
        assert secret not in told.replace("\\n", "\n"), document
        assert WITHHELD in told


@pytest.mark.parametrize("document", BY_SHAPE, ids=range(len(BY_SHAPE)))
def test_a_secret_is_withheld_by_the_form_of_what_it_stands_in(document: Any) -> None:
    for whole in (document, {"data": [document]}, {"column": json.dumps(document)}):
        told = json.dumps(withheld(json.loads(json.dumps(whole))))
        assert "s3cret" not in told
        assert WITHHELD in told


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_no_secret_is_shown(text: str) -> None:
    for document in ({"anything": text}, {"properties": {"thumbprint": text}}, [[text]]):
        assert withheld(json.loads(json.dumps(document))) == document


@pytest.mark.parametrize(
    "document",
    [
        {"name": "PORT", "type": "string"},
        {"primaryKey": "", "password": None, "hasPassword": True, "secret": {"id": "/subscriptions/x/secrets/y"}},
        {"keyCreationTime": {"key1": "2024-08-04T10:00:00.1234567Z"}, "keyVaultUri": "https://v.vault.azure.net/"},
        {"key": {"kty": "RSA", "n": key(256), "e": "AQAB"}},
        {"permissions": {"secrets": ["get", "list"], "keys": ["all"]}},
        {"tags": {"env": "production"}, "secretName": "db", "passwordSecretRef": "db", "tokenEndpoint": "/token"},
        {"changes": {"tags.key1": {"previousValue": "a", "newValue": "b"}}},
    ],
)
def test_what_only_speaks_of_secrets_is_shown(document: Any) -> None:
    assert withheld(json.loads(json.dumps(document))) == document


def test_names_of_settings_stay() -> None:
    found = withheld({"appSettings": [{"name": "DB_PASSWORD", "value": "x"}, {"name": "DEBUG", "value": "true"}]})
    assert found == {"appSettings": [{"name": "DB_PASSWORD", "value": WITHHELD}, {"name": "DEBUG", "value": "true"}]}


def test_the_place_of_the_next_piece_stays_whole_where_a_list_has_it() -> None:
    link = f"https://management.azure.com/subscriptions?$skiptoken={key(64)}"
    document = withheld({"value": [{"nextLink": link}], "nextLink": link, "$skipToken": key(64)})
    assert document["nextLink"] == link
    assert WITHHELD in document["value"][0]["nextLink"]


def test_what_is_nested_too_deeply_to_be_looked_at_is_withheld() -> None:
    document: Any = {"password": "s3cret"}
    for _ in range(150):
        document = [document]
    shown = json.dumps(withheld(document))
    assert "s3cret" not in shown
    assert WITHHELD in shown
    text: Any = "s3cret"
    for _ in range(6):
        text = json.dumps({"v": text})
    assert "s3cret" not in withheld({"v": json.dumps({"password": text})})["v"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://a.example/f?code=Summer2026!x", "https://a.example/f?code=[withheld]"),
        ("GET /f?x=1&code=my_key_1234 HTTP/1.1", "GET /f?x=1&code=[withheld] HTTP/1.1"),
        ("/f?CODE=pass-word9", "/f?CODE=[withheld]"),
        ("/f%3Fcode%3Da1b2%26x=1", "/f%3Fcode%3D[withheld]%26x=1"),
        *(
            (text, text)
            for text in ("/f?code=404", "/f?code=NotFound", "/f?code=ABC-12 is", "/f?code=en-US.", "code=a1b2")
        ),
    ],
)
def test_a_function_key_in_an_address_is_withheld_and_other_codes_are_not(text: str, shown: str) -> None:
    assert withheld({"text": text})["text"] == shown.replace("[withheld]", WITHHELD)


@pytest.mark.parametrize(("levels", "is_shown"), [(0, True), (1, True), (3, True), (4, False)])
def test_json_in_texts_is_shown_up_to_three_levels_deep(levels: int, *, is_shown: bool) -> None:
    text = "fine"
    for _ in range(levels):
        text = json.dumps({"v": text})
    shown = withheld({"v": text})["v"]
    assert (shown == text) is is_shown
    assert (WITHHELD in shown) is not is_shown


@given(st.dictionaries(st.text(max_size=20), st.text(min_size=8, max_size=40), max_size=8))
def test_of_settings_that_are_asked_for_by_name_no_value_is_read(settings: dict[str, str]) -> None:
    content = json.dumps({"properties": settings, "name": "appsettings", "location": "here"}).encode()
    found = AzureAnswer(200, {}, content, only_names=True).document
    assert found.keys() == {"names"}
    assert len(found["names"]) == len(settings)
    assert not [value for value in settings.values() if value in found["names"] and value not in settings]


@pytest.mark.parametrize("document", [{}, [], {"properties": ["a"]}, {"value": [{"name": "a", "value": "b"}]}])
def test_what_is_no_list_of_settings_has_no_names(document: Any) -> None:
    assert AzureAnswer(200, {}, json.dumps(document).encode(), only_names=True).document == {"names": []}


def test_only_a_request_that_was_made_for_that_gets_secrets() -> None:
    content = json.dumps({"value": JWT}).encode()
    assert AzureAnswer(200, {}, content).document == {"value": WITHHELD}
    assert AzureAnswer(200, {}, content, gives_secrets=True).document == {"value": JWT}


ANY: Final = st.recursive(
    st.one_of(st.text(max_size=30), st.integers(), st.booleans(), st.none(), st.sampled_from(SHOWN)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(string.ascii_letters, max_size=8), inner, max_size=4)
    ),
)


@given(ANY, st.sampled_from(BY_VALUE), st.integers(0, 5), st.text(max_size=10))
def test_a_secret_is_withheld_wherever_it_stands(around: Any, known: tuple[str, str], depth: int, name: str) -> None:
    secret, document = known[0], known[1]
    found: Any = document
    for level in range(depth):
        found = [{name: found}, [around, found], {name: json.dumps(found)}][level % 3]
    assert secret not in json.dumps(withheld(found), ensure_ascii=False).replace("\\n", "\n")


@given(ANY)
def test_what_was_withheld_once_stays_as_it_is(document: Any) -> None:
    once = withheld(json.loads(json.dumps(document)))
    assert withheld(json.loads(json.dumps(once))) == once


# Of the real service, this may be withheld though it is no secret, because it looks like one.
LIKE_SECRETS: Final = {"nameidentifier", "message", "_self"}


@with_data
def test_of_recorded_answers_hardly_anything_else_is_withheld() -> None:
    strays = [
        (path, value)
        for file in sorted((FOLDER / "fixtures").glob("*/*.json"))
        for body in _bodies(json.loads(file.read_text(encoding="utf-8")))
        for path, value in _withheld_in(body, withheld(json.loads(json.dumps(body))), ())
        if not _is_expected(path)
    ]
    assert strays == []


def _bodies(recorded: Any) -> Iterator[Any]:
    for step in recorded.get("steps") or [recorded]:
        if isinstance(body := (step.get("response") or {}).get("body"), dict | list):
            yield body


def _withheld_in(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            yield from _withheld_in(value, after[name], (*path, name))
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=True):
            yield from _withheld_in(one, other, path)
    elif before != after:
        yield path, before


def _is_expected(path: tuple[str, ...]) -> bool:
    *before, last = path
    if "value" in path or last.endswith("_token") or last.rpartition("/")[2] in LIKE_SECRETS:
        return True
    inner = before[-1] if before else ""
    return (
        inner in {"environmentVariables", "env"} or last in {"connection_string", "key", "uri"} or inner == "properties"
    )
