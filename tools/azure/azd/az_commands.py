"""The az commands that need files or settings on a laptop, with their names in the public extensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.azure.azd.command_lines import AzdCommand, Form, Option, any_text, matching

_VAULT: Final = matching(r"[A-Za-z0-9][A-Za-z0-9-]{2,126}", "a name (letters, digits, hyphens)")
_SUBSCRIPTION: Final = matching(r"[\w.() -]{1,100}", "the id or name of a subscription")
_ACCOUNT: Final = matching(r"[a-z0-9]{3,24}", "shopdata (3 to 24 lowercase letters and digits)")
_CONTAINER: Final = matching(
    r"\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62}", "my-files (lowercase letters, digits, hyphens)"
)

_AZ: Final = "az, signed in with `az login`"
_WITH_LOGIN: Final = ("--auth-mode", "login")


def _must(flag: str, form: Form) -> Option:
    return Option(flag, form, is_required=True)


_FILE: Final = {"file_path": _must("--file", any_text)}
_BLOB: Final = {
    "storage_account_name": _must("--account-name", _ACCOUNT),
    "container_name": _must("--container-name", _CONTAINER),
    "blob_name": _must("--name", any_text),
    **_FILE,
    "subscription_id": Option("--subscription", _SUBSCRIPTION),
}

AZ_COMMANDS: Final[Mapping[str, AzdCommand]] = {
    "upload-blob": AzdCommand(
        "az storage blob upload",
        "Uploads a file. Fails if the blob already exists.",
        f"{_AZ}; the role Storage Blob Data Contributor on the account",
        "show_blob",
        _BLOB,
        _WITH_LOGIN,
    ),
    "download-blob": AzdCommand(
        "az storage blob download",
        "Downloads a blob to a file.",
        f"{_AZ}; the role Storage Blob Data Reader on the account",
        "the file",
        _BLOB,
        _WITH_LOGIN,
    ),
    "set-keyvault-secret": AzdCommand(
        "az keyvault secret set",
        "Sets a secret to the contents of a file. Delete the file afterwards.",
        f"{_AZ}; the role Key Vault Secrets Officer on the vault",
        "list_secrets shows a new version",
        {"vault_name": _must("--vault-name", _VAULT), "secret_name": _must("--name", _VAULT), **_FILE},
        refused={
            "value": "Do not pass the value of a secret, because other users can see command lines. Put the value into"
            " a file on your machine, and pass the path as `file_path`."
        },
    ),
    "set-default-subscription": AzdCommand(
        "az account set",
        "Changes the default subscription of `az` on this machine. Tools of this server ignore that default: pass"
        " `subscription` to them instead.",
        _AZ,
        "`az account show`",
        {"subscription_id": _must("--name", _SUBSCRIPTION)},
    ),
}
