"""A subscription in which somebody goes up and down: azd's commands, with the hooks run as they are, and what Azure
would make of the template, or refuse.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.azure_for_hooks import FUNCTION, GROUP, SUBSCRIPTION, Registered
from tests.infra.deployment import Deployment
from tests.infra.hooks.bench import VALUES, Bench

# uniqueString() has thirteen letters.
HASH: Final = "unique7abcdef"
SUBNET: Final = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet/subnets/app"
# What azd keeps besides what a template puts out: it asks for these, or somebody sets them.
CHOSEN: Final = ("AZURE_ENV_NAME", "AZURE_SUBSCRIPTION_ID", "AZURE_LOCATION")


class RefusedByAzureError(Exception):
    """A deployment failed."""


@dataclass
class Cloud:
    bench: Bench
    options: dict[str, str] = field(default_factory=lambda: {name: VALUES[name] for name in CHOSEN})
    outputs: dict[str, str] = field(default_factory=dict)
    put_out: set[str] = field(default_factory=set)
    # Each command with what its hooks told.
    said: list[str] = field(default_factory=list)
    authentication: dict[str, Any] = field(default_factory=dict)
    # What Azure answers while it deploys, by region, although it lists the region as one that fits.
    rejecting_regions: dict[str, str] = field(default_factory=dict)
    storage_is_open: bool = False
    vault_is_open: bool = False
    _secrets_of_the_deleted: dict[str, str] = field(default_factory=dict)

    # What a person types

    def set(self, **options: str) -> None:
        """azd env set"""
        self.options |= options

    def provision(self) -> str:
        """azd provision"""
        told = self._hook("preprovision")
        deployment = Deployment.of({**self.options, **self.bench.azd.remembered})
        self._deploy(deployment)
        self.put_out = set(deployment["outputs"])
        self.outputs = {name: value for name, value in VALUES.items() if name not in CHOSEN}
        return told + self._hook("postprovision")

    def up(self) -> str:
        """azd up"""
        return self.provision() + self._hook("postdeploy")

    def down(self) -> str:
        """azd down"""
        azure = self.bench.azure
        azure.deleted_vaults = [{"name": f"kv-{HASH}", "properties": self._tagged}]
        azure.sites, azure.budget_began = {}, ""
        self._secrets_of_the_deleted, azure.secrets = azure.secrets, {}
        self.authentication, self.outputs = {}, {}
        # azd forgets what the template put out, also where it was what somebody had chosen.
        self.options = {name: value for name, value in self.options.items() if name not in self.put_out}
        return self._hook("postdown")

    def in_a_new_pipeline(self) -> None:
        """azd has a new environment there, which knows what variables say, and nothing of earlier deployments."""
        self.outputs = {}
        self.bench.azd.forget()

    # What is there then

    @property
    def site(self) -> dict[str, Any] | None:
        return self.bench.azure.sites.get(FUNCTION)

    @property
    def app_is_cut_off(self) -> bool:
        return (
            self.site is not None
            and not self.storage_is_open
            and "virtualNetworkSubnetId" not in self.site["properties"]
        )

    @property
    def somebody_has_to_sign_in(self) -> bool:
        return bool(self.authentication.get("platform", {}).get("enabled"))

    def _hook(self, hook: str) -> str:
        absent = {name: "" for name in VALUES if name not in {**self.options, **self.outputs}}
        done = self.bench.run(hook, **{**absent, **self.outputs, **self.options})
        self.said.append(done.stdout + done.stderr)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _deploy(self, deployment: Deployment) -> None:
        self._make_vault(deployment)
        if reason := self.rejecting_regions.get(self.options["AZURE_LOCATION"]):
            raise RefusedByAzureError(reason)
        self._register(deployment)
        self._set_budget(deployment)
        network, authentication = deployment.module("network"), deployment.module("authentication")
        self.storage_is_open = _module(deployment, "storage").parameters["publicAccess"]
        if self.app_is_cut_off:
            raise RefusedByAzureError("Storage closes before the app has joined the network.")
        joined = {"virtualNetworkSubnetId": SUBNET} if network else {}
        made = _module(deployment, "app").resource("site", "properties")["functionAppConfig"]
        config = {name: made[name] for name in ("scaleAndConcurrency", "siteUpdateStrategy")}
        properties = {**joined, "functionAppConfig": config}
        self.bench.azure.sites = {
            FUNCTION: {"id": FUNCTION, "name": f"func-{HASH}", **self._tagged, "properties": properties}
        }
        if authentication:  # what is not mentioned stays
            self.authentication = authentication.resource("authentication", "properties")

    @property
    def _tagged(self) -> dict[str, Any]:
        return {"location": self.options["AZURE_LOCATION"], "tags": {"azd-env-name": VALUES["AZURE_ENV_NAME"]}}

    def _make_vault(self, deployment: Deployment) -> None:
        azure, recovery = self.bench.azure, deployment.module("recovery")
        # The name of a vault depends on the region.
        is_deleted = any(
            one["properties"]["location"] == self.options["AZURE_LOCATION"] for one in azure.deleted_vaults
        )
        if bool(recovery) != is_deleted:
            raise RefusedByAzureError("ConflictError: the vault is deleted" if is_deleted else "VaultNotFound")
        if recovery:
            azure.deleted_vaults, azure.secrets = [], self._secrets_of_the_deleted
        self.vault_is_open = _module(deployment, "vault").parameters["publicAccess"]

    def _register(self, deployment: Deployment) -> None:
        entra = deployment.module("entra")
        if entra is None:
            return
        name, azure = entra.resource("registration", "uniqueName").replace("unique", HASH), self.bench.azure
        found = [one for one in azure.registrations if one.name == name]
        if any(one.deleted for one in found):
            raise RefusedByAzureError("Another object with the same value for property uniqueName already exists.")
        if not found:
            tags = [tag.replace("/s/", f"/{SUBSCRIPTION}/") for tag in entra.resource("registration", "tags")]
            azure.registrations.append(Registered(f"object-{len(self.said)}", name, tags))

    def _set_budget(self, deployment: Deployment) -> None:
        budget = deployment.module("budget")
        if budget is None:
            return
        begins = budget.parameters["firstDay"]
        if not re.fullmatch(r"20\d\d-\d\d-01", begins) or self.bench.azure.budget_began not in {
            "",
            f"{begins}T00:00:00Z",
        }:
            raise RefusedByAzureError("Start date of budgets cannot be updated")
        self.bench.azure.budget_began = f"{begins}T00:00:00Z"


def _module(deployment: Deployment, name: str) -> Deployment:
    found = deployment.module(name)
    assert found
    return found
