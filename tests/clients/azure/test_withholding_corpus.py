"""Nothing that names something is withheld, and no secret of a known form is shown, in the places where they occur."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from clients.azure.withholding import withheld
from tests.tools.azure.data import FOLDER, with_data

LETTERS: Final = string.ascii_letters + string.digits
SECRETS: Final = 2000
SEED: Final = 33
GUID: Final = "11111111-1111-1111-1111-111111111111"

Draw = random.Random


def text(draw: Draw, size: int, letters: str = LETTERS) -> str:
    return "".join(draw.choices(letters, k=size))


def key(draw: Draw, size: int) -> str:
    return base64.b64encode(draw.randbytes(size)).decode()


def part(draw: Draw, size: int) -> str:
    return base64.urlsafe_b64encode(draw.randbytes(size)).decode().rstrip("=")


def encoded(document: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")


def json_web_token(draw: Draw) -> str:
    return f"{encoded({'alg': 'RS256', 'typ': 'JWT'})}.{encoded({'sub': text(draw, 9)})}.{part(draw, 64)}"


def private_key(draw: Draw) -> str:
    return f"-----BEGIN {'PRIVATE KEY'}-----\n{key(draw, 300)}\n-----END {'PRIVATE KEY'}-----"


def password(draw: Draw) -> str:
    """As people must invent them: letters of both cases, a digit and a sign."""
    return text(draw, 6, string.ascii_lowercase) + "Q" + text(draw, 2, string.digits) + draw.choice("!#$@") + "x"


HEX: Final = string.digits + "abcdef"
# Secrets by their formats, none of which is written down here as a whole.
FORMATS: Final[dict[str, Callable[[Draw], str]]] = {
    "storage account key": lambda draw: key(draw, 64),
    "Cosmos DB key": lambda draw: key(draw, 64),
    "Service Bus key": lambda draw: key(draw, 32),
    "Event Hubs key": lambda draw: key(draw, 32),
    "key of 24 bytes": lambda draw: key(draw, 24),
    "SAS signature": lambda draw: f"sv=2024-08-04&sp=rl&se=2027-01-01&sig={text(draw, 30)}%2B{text(draw, 12)}%3D",
    "client secret": lambda draw: f"{text(draw, 3)}8Q~{text(draw, 34)}",
    "JSON web token": json_web_token,
    "private key": private_key,
    "function key": lambda draw: f"{part(draw, 36)}AzFu{text(draw, 6)}==",
    "registry password": lambda draw: f"{text(draw, 42)}+ACR{text(draw, 6)}",
    "search key": lambda draw: f"{text(draw, 42)}AzSe{text(draw, 6)}",
    "Redis key": lambda draw: f"{text(draw, 33)}AzCaA{text(draw, 5)}=",
    "DevOps token": lambda draw: text(draw, 49, "abcdefghijklmnopqrstuvwxyz234567") + "2z3",
    "newer DevOps token": lambda draw: f"{text(draw, 76)}AZDO{text(draw, 4)}",
    "GitHub token": lambda draw: "ghp" + "_" + text(draw, 36),
    "fine-grained GitHub token": lambda draw: "github" + "_pat_" + text(draw, 82),
    "GitLab token": lambda draw: "glpat" + "-" + text(draw, 20),
    "npm token": lambda draw: "npm" + "_" + text(draw, 36),
    "PyPI token": lambda draw: "pypi" + "-" + part(draw, 120),
    "Slack token": lambda draw: f"{'xox'}b-{text(draw, 12, string.digits)}-{text(draw, 24)}",
    "Stripe key": lambda draw: "sk" + "_live_" + text(draw, 24),
    "SendGrid key": lambda draw: f"{'SG'}.{text(draw, 22)}.{text(draw, 43)}",
    "OpenAI key": lambda draw: "sk" + "-proj-" + text(draw, 48),
    "Google key": lambda draw: "AI" + "za" + text(draw, 35),
    "Databricks token": lambda draw: "da" + "pi" + text(draw, 32, HEX),
    "Hugging Face token": lambda draw: "hf" + "_" + text(draw, 34),
    "Docker token": lambda draw: "dckr" + "_pat_" + text(draw, 27),
    "Vault token": lambda draw: "hv" + "s." + text(draw, 90),
    "Grafana token": lambda draw: "gl" + "sa_" + text(draw, 32) + "_" + text(draw, 8, HEX),
    "AWS access key": lambda draw: "AK" + "IA" + text(draw, 16, string.ascii_uppercase + string.digits),
    "AWS secret key": lambda draw: key(draw, 30),
    "Telegram token": lambda draw: f"{text(draw, 9, string.digits)}:{'A'}A{text(draw, 33)}",
    "bcrypt hash": lambda draw: f"$2b$12${text(draw, 53)}",
}
# Those that nothing but a name or a place tells from a word or a checksum.
NAMED_FORMATS: Final[dict[str, Callable[[Draw], str]]] = {
    "password": password,
    "key in hexadecimal": lambda draw: text(draw, 32, HEX),
    "short key": lambda draw: text(draw, 16),
    "bootstrap token": lambda draw: f"{text(draw, 6, HEX)}.{text(draw, 16, HEX)}",
}
Put = Callable[[str], Any]
# Where any secret is withheld for the place alone.
NAMED_PLACES: Final[dict[str, Put]] = {
    "app setting": lambda one: {"name": "PORT", "value": one, "slotSetting": False},
    "app settings": lambda one: {
        "type": "Microsoft.Web/sites/config",
        "name": "a/appsettings",
        "properties": {"A": one},
    },
    "pair of key and value": lambda one: [{"key": "anything", "value": one}],
    "pair of id and value": lambda one: [{"id": "password", "value": one}],
    "pair in a list": lambda one: [["DB_PASSWORD", one]],
    "pair in a row": lambda one: {"columns": [{"name": "key"}, {"name": "value"}], "rows": [["apiKey", one]]},
    "pair of Name and Value": lambda one: [{"Name": "anything", "Value": one}],
    "environment variable": lambda one: {"env": [{"name": "A", "value": one}]},
    "environment variables": lambda one: {"environmentVariables": {"A": one}},
    "list of assignments": lambda one: {"env": [f"DB_HOST={one}"]},
    "connection string": lambda one: {"Db": {"value": one, "type": "SQLAzure"}},
    "parameter": lambda one: {"properties": {"mode": "", "parameters": {"size": {"type": "String", "value": one}}}},
    "secret parameter": lambda one: {"smtpPassword": {"type": "string", "defaultValue": one}},
    "secure parameter": lambda one: {"p": {"type": "secureString", "defaultValue": one}},
    "object output": lambda one: {"properties": {"outputs": {"o": {"type": "Object", "value": {"a": one}}}}},
    "output of a secret": lambda one: {"properties": {"outputs": {"apiKey": {"type": "String", "value": one}}}},
    "object of passwords": lambda one: {"passwords": {"sa": one}},
    "list of passwords": lambda one: {"clientSecrets": [one, {"current": one}]},
    "object of secrets": lambda one: {"secrets": {"db": one}},
    "change": lambda one: {"properties.siteConfig.appSettings[0].value": {"previousValue": one, "newValue": one}},
    "named column": lambda one: {"primaryKey": one},
    "path as a column": lambda one: {"keys[0].value": one},
    "result of listKeys": lambda one: {"keys": [{"keyName": "key1", "value": one, "permissions": "FULL"}]},
    "fragment of listKeys": lambda one: {"variables": {"listKeys": {"primary": one}}},
    "arguments": lambda one: {"command": ["sqlcmd", "--password", one]},
    "JSON in a text": lambda one: {"script": json.dumps({"adminPassword": one})},
    "JSON behind a mark": lambda one: {"content": "\ufeff" + json.dumps({"passwords": {"sa": one}})},
    "JSON in a log": lambda one: {"message": f"Received {json.dumps([{'name': 'A', 'value': one}])} at noon"},
}
# Where a secret stands between other words, so one with blanks or quotes does not fit.
INNER_PLACES: Final[dict[str, Put]] = {
    "token in a query": lambda one: f"https://a.example/hook?token={one}&x=1",
    "key in a query": lambda one: f"GET https://a.example/f?a=b&key={one}",
    "auth in a query": lambda one: {"url": f"https://a.example/?auth={one}"},
    "signature in a query": lambda one: {"url": f"https://a.example/?signature={one}"},
    "Dockerfile": lambda one: {"text": f"FROM a\nENV DB_PASSWORD {one}\nEXPOSE 80\n"},
    "command line": lambda one: {"commandToExecute": f"deploy.sh --user a --password {one} --verbose"},
    "quoted command line": lambda one: {"commandToExecute": f'deploy.ps1 -Password "{one}" -Verbose'},
    "connection string in a text": lambda one: f"failed: Server=tcp:a,1433;User ID=u;Password={one};Encrypt=True",
    "YAML": lambda one: {"text": f"db:\n  host: a\n  password: {one}\n  port: 1\n"},
    "quoted YAML": lambda one: {"text": f'host: a\nclientSecret: "{one}"\n'},
    "YAML of passwords": lambda one: {"text": f"passwords:\n  sa: {one}\nhost: b\n"},
    "pair in YAML": lambda one: {"text": f"env:\n  - name: DB\n    value: {one}\n"},
    "variables in YAML": lambda one: {"text": f"services:\n  web:\n    environment:\n      - DB={one}\n"},
    "Kubernetes secret": lambda one: {"text": f"kind: Secret\nmetadata:\n  name: a\ndata:\n  db: {one}\n"},
    "INI file": lambda one: {"text": f"[db]\nhost = a\npassword = {one}\n"},
}
# Where only what looks like a secret is withheld.
OPEN_PLACES: Final[dict[str, Put]] = {
    "tag": lambda one: {"tags": {"note": one}},
    "tag as a column": lambda one: [{"tags": {"env": "prod", "k": one}}],
    "output": lambda one: {"properties": {"outputs": {"o": {"type": "String", "value": one}}}},
    "any column": lambda one: {"Column1": one},
    "template": lambda one: {"template": {"variables": {"v": f"[concat('AccountKey=', '{one}')]"}}},
    "JSON in JSON": lambda one: {"a": json.dumps({"b": json.dumps({"c": one})})},
    "message": lambda one: {"message": f"Could not sign in with {one} at 10:00"},
}


def places_for(name: str) -> dict[str, Put]:
    places = NAMED_PLACES | ({} if name == "private key" else INNER_PLACES)
    return places if name in NAMED_FORMATS else places | OPEN_PLACES


def cases() -> Iterator[tuple[str, str, str, Any]]:
    draw = random.Random(SEED)  # noqa: S311 - no secret is meant to be one
    formats = FORMATS | NAMED_FORMATS
    pairs = [(name, place) for name in formats for place in places_for(name)]
    draw.shuffle(pairs)
    for number in range(max(SECRETS, len(pairs))):
        name, place = pairs[number % len(pairs)]
        secret = formats[name](draw)
        yield name, place, secret, places_for(name)[place](secret)


def fragments(secret: str) -> Iterator[str]:
    """Pieces of the secret that must not be shown: the whole of a short one, and any longer piece."""
    size = min(len(secret), 16)
    steps = range(0, len(secret) - size + 1, size)
    random_part = secret.partition("sig=")[2] or secret.replace("-----BEGIN PRIVATE KEY-----\n", "")
    yield from (random_part[at : at + size] for at in steps if len(random_part[at : at + size]) == size)


def shows(secret: str, document: Any) -> bool:
    """Whether more of the secret is in the document than what tells its format."""
    told = json.dumps(document, ensure_ascii=False).replace("\\n", "\n")
    return any(piece in told for piece in fragments(secret) if not piece.startswith("eyJ"))


def test_every_secret_is_withheld_in_every_place_where_secrets_occur() -> None:
    shown = [
        (name, place, json.dumps(document))
        for name, place, secret, document in cases()
        if shows(secret, withheld(json.loads(json.dumps(document))))
    ]
    assert shown == []


def test_the_corpus_is_as_large_as_it_says() -> None:
    assert len(FORMATS | NAMED_FORMATS) >= 30
    assert sum(1 for _ in cases()) >= SECRETS


WEBHOOKS: Final = (
    (f"https://shop.{'webhook'}.office.com/webhookb2/{GUID}@{GUID}/IncomingWebhook/", 32),
    ("https://events.pagerduty.com/integration/", 32),
    (f"https://hooks.{'slack'}.com/services/T0000/B0000/", 24),
    ("https://discord.com/api/webhooks/1234567890/", 68),
    ("https://hooks.zapier.com/hooks/catch/123/", 8),
    ("https://maker.ifttt.com/trigger/x/with/key/", 22),
)


@pytest.mark.parametrize(("beginning", "size"), WEBHOOKS)
def test_an_address_of_a_webhook_is_not_shown(beginning: str, size: int) -> None:
    secret = text(random.Random(SEED), size, HEX)  # noqa: S311 - likewise
    for document in (
        {"serviceUri": beginning + secret},
        {"properties": {"outputs": {"o": {"type": "String", "value": beginning + secret}}}},
        {"appSettings": [{"name": "TEAMS", "value": beginning + secret}]},
        {"tags": {"alerts": beginning + secret}},
    ):
        assert secret not in json.dumps(withheld(json.loads(json.dumps(document)))), document


@pytest.mark.parametrize(
    "address",
    [
        "redis://:{}@cache.example:6380/0",
        "postgresql://user:{}@host:5432/db",
        "amqps://u:p@{}@host/vhost",
        "mongodb+srv://u:{}@host/?x=a@b",
        "mongodb://u:{}@h1:27017,h2:27017/db",
    ],
)
def test_a_password_in_an_address_is_not_shown_whatever_its_letters(address: str) -> None:
    for secret in ("s3cret", "p@ss@w0rd", "a:b@c1", "sla/sh@1"):
        told = json.dumps(withheld({"url": address.format(secret)}))
        assert not any(piece in told for piece in (secret, secret[-4:])), told


PLAIN: Final = [
    {"name": "vm_deploy_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF"},
    {"id": f"/subscriptions/{GUID}/resourceGroups/Rg-WEU-Prod-AppSvc-B2B-Api01-Blue/providers/Microsoft.Web/sites/B2b"},
    {"name": "Rg-WEU-Prod-AppSvc-B2B-Api01-Blue", "type": "Microsoft.Resources/resourceGroups"},
    {"resourceGroup": "Rg-WEU-Prod-AppSvc-B2B-Api01-Blue", "location": "westeurope"},
    {"message": "The group Rg-WEU-Prod-AppSvc-B2B-Api01-Blue has no app vm_deploy_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF."},
    {"linuxFxVersion": "DOCKER|shop.azurecr.io/Api01B2bX9YzAbCdEf0123456789QwErTy:1.2"},
    {
        "tags": {
            "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF": "x",
            "env": "Prod",
            "costCenter": "CC-4711",
            "owner": "Jane@a.example",
        }
    },
    {"tags": {"hidden-link:/app-insights-resource-id": f"/subscriptions/{GUID}/resourceGroups/Rg1/providers/m.i/c/a"}},
    {
        "tags": {
            "commit": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "azd-env-name": "shop-prod",
            "schedule": "Mon-Fri 08:00",
        }
    },
    {"createdTime": "2026-11-22T10:11:12.1234567Z", "timeGenerated": "2026-11-22T10:11:12+00:00"},
    {"appSettings": [{"name": "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF", "value": "true"}]},
    {"appSettings": [{"name": "DB", "value": "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/db/)"}]},
    {
        "env": [
            {"name": "URL", "value": "https://shop-api.azurewebsites.net/api/v1"},
            {"name": "PW", "secretRef": "db-pw"},
        ]
    },
    *(
        {"properties": {"provisioningState": "Succeeded", "outputs": {name: {"type": "String", "value": value}}}}
        for name, value in (
            ("endpoint", "https://shop-prod-weu01.azurewebsites.net"),
            ("AZURE_CONTAINER_REGISTRY_ENDPOINT", "crk7h3kd2qz4m5ka.azurecr.io"),
            ("registryName", "crk7h3kd2qz4m5kaw2"),
            ("storage", "stk7h3kd2qz4m5kaw2euprod"),
            ("host", "shop-prod.postgres.database.azure.com:5432"),
            ("id", f"/subscriptions/{GUID}/resourceGroups/Rg1/providers/Microsoft.Web/sites/a"),
            ("principalId", GUID),
            ("blobEndpoint", "https://stk7h3kd2qz4m5ka.blob.core.windows.net/"),
            ("keyVaultName", "kv-k7h3kd2qz4m5ka"),
            ("AZURE_KEY_VAULT_ENDPOINT", "https://kv-k7h3kd2qz4m5ka.vault.azure.net/"),
            ("group", "Rg-WEU-Prod-AppSvc-B2B-Api01-Blue"),
            ("image", "shop.azurecr.io/api@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            ("location", "westeurope"),
            ("note", "Deployed by the pipeline on 2026-11-22; see the wiki."),
        )
    ),
    {"smtpPassword": {"type": "securestring", "metadata": {}}, "passwordSecretRef": "smtp", "bypass": "AzureServices"},
    {"continuationToken": "", "tokenEndpoint": "https://login.microsoftonline.com/x/oauth2/v2.0/token"},
    {"text": "deploy.sh --password $DB_PASSWORD --secret-name db --key-vault shop-kv"},
    {"text": "apiVersion: v1\nkind: ConfigMap\ndata:\n  host: a.example\n  secretName: db\n"},
    {"text": "https://a.example/search?q=token&page=2&api-version=2024-01-01"},
    {"text": "https://a.example/errors?code=404 or ?code=AuthorizationFailed&x=1, /?code=AADSTS50011, ?code=en-US."},
    {"text": "FROM a\nENV NODE_ENV production\nENV KEY_VAULT_NAME kv-shop\nENV PASSWORD_FILE /run/secrets/db\n"},
    {"message": "Set password rules, set the Password policy, and setx is no password. The secret is in ENV."},
    {"id": "password-policy", "value": "12 characters"},
    {"id": "minTlsVersion", "value": "1.2"},
    {"value": "Secrets", "localizedValue": "Secrets", "unit": "Count"},
    {"rules": [["adminUsername", "location"], ["sku", "Standard_LRS"]]},
    {
        "columns": [{"name": "OperationName", "type": "string"}, {"name": "Result", "type": "string"}],
        "rows": [["ListKeys", "Succeeded"], ["listSecrets", "Failed by a network rule"]],
    },
    {"message": "The password must have 12 characters. Parameter adminPassword: The supplied value is too short."},
]


@pytest.mark.parametrize("document", PLAIN, ids=range(len(PLAIN)))
def test_what_is_plainly_no_secret_is_shown(document: Any) -> None:
    assert withheld(json.loads(json.dumps(document))) == document


NAMES: Final = frozenset(
    {"id", "name", "type", "location", "resourceGroup", "kind", "linuxFxVersion", "deploymentName", "resourceName"}
    | {
        "targetResourceId",
        "resourceId",
        "subscriptionId",
        "principalId",
        "roleDefinitionId",
        "timestamp",
        "createdTime",
    }
)


@with_data
def test_no_recorded_name_is_withheld() -> None:
    files = sorted((FOLDER / "fixtures").glob("*/*.json"))
    recorded = [body for file in files for body in bodies(json.loads(file.read_text(encoding="utf-8")))]
    lost = [
        (path, before, after)
        for body in recorded
        for path, before, after in named(body, withheld(json.loads(json.dumps(body))), ())
        if before != after
    ]
    assert len(recorded) > 800
    assert lost == []


def bodies(recorded: Any) -> Iterator[Any]:
    for step in recorded.get("steps") or [recorded]:
        if isinstance(body := (step.get("response") or {}).get("body"), dict | list):
            yield body


def named(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        assert before.keys() == after.keys()
        for name, value in before.items():
            if name in NAMES and isinstance(value, str):
                yield (*path, name), value, after[name]
            yield from named(value, after[name], (*path, name))
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=True):
            yield from named(one, other, path)
