"""The security baseline holds, and every part of it can be broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from bicep_checker.template import read
from tests.infra.baseline import breaches
from tests.infra.declared import DEPLOYED
from tests.infra.deployed import INFRA, Deployed
from tests.infra.mistakes import (
    APP,
    CONTENTS,
    ENTRA,
    MAIN,
    MONITORING,
    ON_GROUP,
    ON_STORAGE,
    ON_VAULT,
    RIGHTS,
    SIGN_IN,
    STORAGE,
    VAULT,
    Mistake,
)

BREACHES: Final = {
    "shared keys open the storage": Mistake(
        STORAGE, "allowSharedKeyAccess: false", "allowSharedKeyAccess: true", "allowSharedKeyAccess"
    ),
    "nothing is said of shared keys": Mistake(STORAGE, "    allowSharedKeyAccess: false\n", "", "allowSharedKeyAccess"),
    "blobs are public": Mistake(
        STORAGE, "allowBlobPublicAccess: false", "allowBlobPublicAccess: true", "allowBlobPublicAccess"
    ),
    "a container is public": Mistake(CONTENTS, "publicAccess: 'None'", "publicAccess: 'Blob'", "publicAccess"),
    "old TLS reaches the storage": Mistake(STORAGE, "'TLS1_2'", "'TLS1_0'", "minimumTlsVersion"),
    "old TLS reaches the app": Mistake(
        APP, "      minTlsVersion: '1.2'", "      minTlsVersion: '1.1'", "minTlsVersion"
    ),
    "plain HTTP reaches the app": Mistake(APP, "httpsOnly: true", "httpsOnly: false", "httpsOnly"),
    "FTP is on": Mistake(APP, "ftpsState: 'Disabled'", "ftpsState: 'AllAllowed'", "ftpsState"),
    "a password publishes": Mistake(APP, "allow: false", "allow: true", "allow"),
    "a password publishes over FTP": Mistake(APP, "  name: 'ftp'", "  name: 'scm'", "passwords for publishing"),
    "the vault can be purged": Mistake(
        VAULT, "enablePurgeProtection: true", "enablePurgeProtection: false", "enablePurgeProtection"
    ),
    "the vault has access policies": Mistake(
        VAULT, "enableRbacAuthorization: true", "enableRbacAuthorization: false", "enableRbac"
    ),
    "the network leaves the storage open": Mistake(
        STORAGE, "? 'Enabled' : 'Disabled'", "? 'Enabled' : 'Enabled'", "publicNetworkAccess"
    ),
    "the network leaves the vault open": Mistake(VAULT, "? 'Allow' : 'Deny'", "? 'Allow' : 'Allow'", "networkAcls"),
    "the network closes nothing": Mistake(
        MAIN, "publicAccess: !closed", "publicAccess: closed", "not closed by vnetEnabled"
    ),
    "an app inside leaves everything open": Mistake(
        MAIN, "vnetEnabled && !appIsOutside", "vnetEnabled && appIsOutside", "closed is not vnetEnabled"
    ),
    "telemetry takes a key": Mistake(
        MONITORING, "DisableLocalAuth: true", "DisableLocalAuth: false", "DisableLocalAuth"
    ),
    "a key of the storage is read": Mistake(
        CONTENTS,
        "output packageContainerUrl string =",
        "output key string = listKeys(account.id, '2025-01-01').keys[0].value\noutput packageContainerUrl string =",
        "listKeys reads a secret",
    ),
    "a secret is put out": Mistake(
        MAIN,
        "output AZURE_TENANT_ID string = tenant().tenantId",
        "output AZURE_TENANT_ID string = monitoring.outputs.applicationInsightsConnection",
        "holds a connection string",
    ),
    "a secret is a parameter": Mistake(
        MAIN,
        "param alertEmail string",
        "param adoToken string = ''\nparam alertEmail string",
        "adoToken looks like a secret",
    ),
    "a secret is written by the template": Mistake(
        VAULT,
        "resource logs",
        "resource key 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = { name: 'vault/key' }\n\nresource logs",
        "written by a template",
    ),
    "the app owns more than it needs": Mistake(
        ON_VAULT, "4633458b-17de-408a-b874-0445c86b69e6", "00482a5a-887f-4fb3-b363-3b7fe8e74483", "not those agreed"
    ),
    "the app may change secrets": Mistake(
        ON_VAULT, "{ to: app, role: keyVaultSecretsUser }", "{ to: app, role: keyVaultSecretsOfficer }", "onVault gives"
    ),
    "an operator owns the data": Mistake(
        ON_STORAGE,
        "{ to: operator, role: storageBlobDataContributor }",
        "{ to: operator, role: storageBlobDataOwner }",
        "onStorage gives",
    ),
    "a role is for the whole group": Mistake(
        ON_VAULT, "    scope: vault\n", "    scope: resourceGroup()\n", "more than one resource"
    ),
    "the app may write where it was let read": Mistake(
        RIGHTS, "acdd72a7-3385-48ef-bd42-f606fba81ae7", "b24988ac-6180-42a0-ab88-20f7382dd24c", "not the rights agreed"
    ),
    "somebody else may read, too": Mistake(
        ON_GROUP, "    principalId: identityPrincipalId\n", "    principalId: role\n", "not what rights.bicep hands on"
    ),
    "the app may replace its own package": Mistake(
        ON_STORAGE,
        "condition: '((${join(otherActions, ' AND ')}) OR (${otherContainers}))'\n",
        "\n",
        "opens the package",
    ),
    "the app reads its package as itself": Mistake(
        APP, "ResourceId: packageIdentityId", "ResourceId: identityId", "the package is not read by"
    ),
    "the identity of the package reads the data": Mistake(
        ON_STORAGE, "  scope: account::blobs::packageContainer\n", "  scope: account\n", "single assignments give"
    ),
    "nobody sees who read a secret": Mistake(
        VAULT, "  scope: vault\n", "  scope: resourceGroup()\n", "logs are kept of"
    ),
    "nobody has to sign in": Mistake(SIGN_IN, "      requireAuthentication: true\n", "", "requireAuthentication"),
    "a path is open": Mistake(SIGN_IN, "'/health'\n", "'/health'\n            '/mcp'\n", "excludedPaths"),
    "other organizations sign in": Mistake(ENTRA, "'AzureADMyOrg'", "'AzureADMultipleOrgs'", "signInAudience"),
    "a resource is not found by its tags": Mistake(VAULT, "  tags: tags\n", "", "has no tags"),
}


def test_the_baseline_holds() -> None:
    assert breaches(Deployed.of(INFRA)) == []


@pytest.mark.parametrize("breach", BREACHES.values(), ids=BREACHES.keys())
def test_a_breach_is_found(breach: Mistake, tmp_path: Path) -> None:
    text = (INFRA / breach.file).read_text(encoding="utf-8")
    assert breach.old in text
    path = tmp_path / Path(breach.file).name
    path.write_text(text.replace(breach.old, breach.new), encoding="utf-8")
    changed = Deployed({**DEPLOYED.templates, path.stem: read(path)})
    assert [told for told in breaches(changed) if breach.told in told]
