"""Probes that check how the server responds over HTTP. Anyone can run these probes."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

from verification.probe import FailedError, SkippedError
from verification.target import INITIALIZE, METADATA, Target
from web import NO_ANSWER, WebAnswer

PROJECT = Path(__file__).parents[3]
REDIRECTS = (301, 302, 307, 308)
ELSEWHERE = "elsewhere.example"
WITHOUT_A_SIGN_IN = (
    "the server requires a sign-in, but azd cannot get a token for it: add azd's client id"
    " 04b07795-8ddb-461a-bbee-02f9e1bf7b46 to PRE_AUTHORIZED_CLIENTS"
)


def health(target: Target) -> str:
    answer = target.ask("GET", "/health")
    version = str(answer.content.get("version"))
    if not answer.is_good:
        raise FailedError(f"/health returned {answer.code}.", "azd hooks run postdeploy")
    if version != expected_version():
        raise FailedError(f"/health reports version {version}, but this is {expected_version()}.", "azd deploy")
    return f"version {version}"


def redirect(target: Target) -> str:
    if target.is_local:
        raise SkippedError("a laptop has no TLS")
    answer = target.web.send("GET", f"http://{target.host}/health")
    location = answer.headers.get("location", "")
    if answer.status == NO_ANSWER:
        return "plain HTTP is not reachable"
    if answer.status not in REDIRECTS or not location.startswith("https://"):
        raise FailedError(
            f"The server answers plain HTTP with {answer.code} instead of a redirect to https.", "azd provision"
        )
    return f"{answer.status}"


def initialize(target: Target) -> str:
    return _initialized(target.initialize(INITIALIZE), "with a content length")


def initialize_in_chunks(target: Target) -> str:
    answer = target.initialize(_pieces())
    if answer.status == 411:
        return "411: the platform does not pass on chunked bodies, so clients must send a length"
    return _initialized(answer, "in chunks")


def lists(target: Target) -> str:
    counts = []
    for method in ("tools/list", "resources/list", "prompts/list"):
        answer = target.mcp(method, {})
        result = answer.content.get("result")
        _refuse_sign_in(answer)
        if not isinstance(result, dict):
            raise FailedError(f"{method} returned {answer.code} without a list.", "azd deploy")
        counts.append(f"{len(result[method.partition('/')[0]])} {method.partition('/')[0]}")
    if counts[0].startswith("0 "):
        raise FailedError("The server lists no tools.", "azd env get-value MCP_TOOLSETS")
    return ", ".join(counts)


def protected(target: Target) -> str:
    _need_sign_in(target)
    answer = target.mcp("tools/call", {"name": "whoami", "arguments": {}}, "/mcp/x/tasks", token="")
    challenge = answer.headers.get("www-authenticate", "")
    if answer.status != 401:
        raise FailedError(f"A protected tool returned {answer.code} to a caller without a token.", "azd provision")
    if "resource_metadata=" not in challenge:
        raise FailedError(
            "The 401 response does not contain the URL of the metadata that clients need to sign in.", "azd provision"
        )
    return "401 with metadata"


def metadata(target: Target) -> str:
    _need_sign_in(target)
    resource = str(target.metadata().get("resource"))
    if resource.rstrip("/") not in (target.url, f"{target.url}/mcp"):
        raise FailedError(
            f"The metadata names {resource}, but the server is at {target.url}/mcp.",
            f"azd env set CUSTOM_DOMAIN {target.host}",
        )
    return resource


def forged(target: Target) -> str:
    _need_sign_in(target)
    parts = ({"alg": "RS256", "typ": "JWT", "kid": "forged"}, {"aud": target.url, "sub": "nobody", "exp": 4102444800})
    token = ".".join([*(_encoded(json.dumps(part).encode()) for part in parts), _encoded(b"no signature")])
    answer = target.mcp("tools/list", {}, token=token)
    if answer.status != 401:
        raise FailedError(f"The server answers a forged token with {answer.code} instead of 401.", "azd provision")
    return "401"


def foreign(target: Target) -> str:
    host = target.ask("GET", "/tools", {"host": ELSEWHERE})
    origin = target.ask("GET", "/tools", {"origin": f"https://{ELSEWHERE}"})
    for header, answer in (("host", host), ("origin", origin)):
        if answer.is_good:
            option = "MCP_ALLOWED_HOSTS" if header == "host" else "MCP_ALLOWED_ORIGINS"
            raise FailedError(
                f"The server accepts a request with a foreign {header} header ({answer.code}).",
                f'azd env set {option} ""',
            )
    return f"host: {host.code}, origin: {origin.code}"


def excluded_paths(target: Target) -> str:
    if target.deployment is None or not target.deployment.is_on("APP_SERVICE_AUTH_ENABLED"):
        raise SkippedError("App Service authentication is off")
    answers = {path: target.ask("GET", path) for path in _excluded()}
    # If a request for a file has no personal link, the app rejects the request with a message. A 401 or 403 without a
    # body comes from App Service.
    closed = [path for path, answer in answers.items() if answer.status in (401, 403) and not answer.body]
    if closed or not answers["/health"].is_good:
        named = ", ".join(closed or ["/health"])
        raise FailedError(f"App Service authentication requires a sign-in for {named}.", "azd provision")
    return ", ".join(f"{path}: {answer.status}" for path, answer in answers.items())


def expected_version() -> str:
    found = re.search(r"template: azure-team-mcp@(\S+)", (PROJECT / "azure.yaml").read_text(encoding="utf-8"))
    return found[1] if found else ""


def _excluded() -> list[str]:
    """The paths that require no sign-in, even if App Service authentication protects all other paths."""
    template = (PROJECT / "infra" / "modules" / "authentication.bicep").read_text(encoding="utf-8")
    return re.findall("'([^']+)'", template.partition("excludedPaths: [")[2].partition("]")[0])


def _initialized(answer: WebAnswer, how: str) -> str:
    _refuse_sign_in(answer)
    found = answer.content.get("result")
    if not answer.is_good or not isinstance(found, dict):
        raise FailedError(f"initialize {how} returned {answer.code} without a result.", "azd deploy")
    return str(found.get("protocolVersion"))


def _refuse_sign_in(answer: WebAnswer) -> None:
    if answer.status == 401:
        raise SkippedError(WITHOUT_A_SIGN_IN)


def _need_sign_in(target: Target) -> None:
    if not target.metadata():
        raise SkippedError(f"no sign-in: {METADATA} does not exist")


def _pieces() -> Iterator[bytes]:
    yield INITIALIZE[:20]
    yield INITIALIZE[20:]


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()
