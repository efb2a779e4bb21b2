"""An invented gallery of azd templates, in the form of the public one."""

from __future__ import annotations

import json
from typing import Any, Final

TEMPLATES: Final[list[dict[str, Any]]] = [
    {
        "title": "Bread ovens on Functions",
        "description": "Ovens that bake by events, with Python.",
        "author": "A Baker",
        "source": "https://github.com/bakery-samples/ovens-python",
        "tags": ["bicep", "msft"],
        "azureServices": ["functions", "cosmosdb"],
        "languages": ["python"],
        "id": "1",
    },
    {
        "title": "Cake shop",
        "description": "A shop in React " + "with more words than anybody reads at once " * 5,
        "source": "https://github.com/bakery-samples/cake-shop.git",
        "tags": ["terraform", "functions"],
        "azureServices": ["swa"],
        "languages": ["typescript"],
        "id": "2",
    },
    {"title": "An extension", "source": "https://github.com/bakery-samples/extension", "templateType": "extension"},
    {"title": "Elsewhere", "source": "https://evil.example/x; rm -rf /", "languages": ["python"]},
    {"title": "Lost", "tags": "python"},
]


async def invented_gallery() -> bytes:
    return json.dumps(TEMPLATES).encode()
