"""What work items are linked with, as the service checks and mirrors it."""

from __future__ import annotations

import re
from typing import Any

from tests.fakes.azure_devops.routes import Json, TroubleError

_CODE = r"vstfs:///Git/{}/[0-9a-f-]{{36}}%2[Ff][0-9a-f-]{{36}}%2[Ff]{}"
_BUILT = r"vstfs:///Build/Build/\d+"
# The addresses to which links of each name lead.
ARTIFACTS = {
    "Build": _BUILT,
    "Found in build": _BUILT,
    "Integrated in build": _BUILT,
    "Fixed in Commit": _CODE.format("Commit", "[0-9a-f]{40}"),
    "Branch": _CODE.format("Ref", r"GB[\w.~%-]+"),
    "Pull Request": _CODE.format("PullRequestId", r"\d+"),
}


def identity(relation: Json) -> tuple[Any, ...]:
    name = relation.get("attributes", {}).get("name") if relation["rel"] == "ArtifactLink" else None
    return relation["rel"], relation["url"], name


def check_artifact(relation: Json) -> None:
    """An artifact has an address of its kind, and a link of a kind that leads there; any other has an address."""
    name, url = relation.get("attributes", {}).get("name"), relation["url"]
    if relation["rel"] == "ArtifactLink" and not re.fullmatch(ARTIFACTS.get(name, "$^"), url):
        raise TroubleError(400, "ArtifactLinkInvalidException", f"{url} is no address of an artifact for {name}.")
    if relation["rel"] == "Hyperlink" and not re.match(r"\w+://", url):
        raise TroubleError(400, "ResourceLinkInvalidException", "VS402497: The address of a hyperlink is not valid.")


def target_of(relation: Json) -> int:
    found = re.search(r"/workItems/(\d+)$", relation["url"])
    return int(found[1]) if found else 0


def opposite(kind: str) -> str:
    name, dash, direction = kind.rpartition("-")
    return name + dash + {"Forward": "Reverse", "Reverse": "Forward"}[direction] if dash else kind
