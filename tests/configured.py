"""Settings of an app that has every provider, and so every tool; what these would reach is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.offline import offline

_EXTENSIONS: Final = Path(__file__).parent / "e2e" / "extensions.yaml"
# Metrics are sent to the port for discarding, at which nothing listens.
_NOWHERE: Final = "InstrumentationKey=00000000-0000-4000-8000-0000000000aa;IngestionEndpoint=http://127.0.0.1:9/"


def configured(folder: Path) -> dict[str, str]:
    """They keep what they keep in this folder."""
    return offline(_new(folder, "storage")) | {
        "ADO_ORG_URL": "https://dev.azure.com/acme",
        "AZURE_CONFIG_DIR": str(_signed_in(_new(folder, "azure"))),
        "COSMOS_ENDPOINT": "http://127.0.0.1:8081",
        "COSMOS_DATABASE": "shop",
        "COSMOS_CONTAINERS": "orders",
        "COSMOS_EMULATOR_KEY": "bm90IGEga2V5",
        "COSMOS_EMULATOR_TENANT": "acme",
        "APPLICATIONINSIGHTS_CONNECTION_STRING": _NOWHERE,
        "EXTENSIONS_FILE": str(_EXTENSIONS),
        "EXTENSION_ADDRESSES": "https://mcp.example.com",
        "GIT_HOSTS": "dev.azure.com/acme",
        "GIT_WORKSPACES_FOLDER": str(_new(folder, "workspaces")),
        "RESOURCES_FOLDER": str(_new(folder, "shelf")),
        "DOCUMENTS_FILE": str(_documents(_new(folder, "documents"))),
    }


def _new(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def _documents(folder: Path) -> Path:
    file = folder / "documents.yaml"
    file.write_text(f"sources: {{handbook: {{folder: 'file://{folder}', roles: [everyone]}}}}", encoding="utf-8")
    return file


def _signed_in(folder: Path) -> Path:
    """What `az login` leaves, so that there are tools of Azure."""
    (folder / "azureProfile.json").write_text('{"subscriptions": [{"id": "invented"}]}', encoding="utf-8-sig")
    return folder
