"""The options of a deployment, and the app that this deployment runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from app.build import App, build
from settings import Settings, SignInSettings
from tests.infra.deployment import VAULT, Deployment
from tools import PROVIDERS

ENTRA: Final = {"ENTRA_APP_ENABLED": "true"}
PLATFORM: Final = {**ENTRA, "APP_SERVICE_AUTH_ENABLED": "true"}
REFERENCE: Final = re.compile(rf"@Microsoft\.KeyVault\(SecretUri={re.escape(VAULT)}secrets/([a-z-]+)\)")


@dataclass(frozen=True)
class Chosen:
    options: Mapping[str, str]

    @cached_property
    def deployment(self) -> Deployment:
        return Deployment.of(self.options)

    @cached_property
    def given(self) -> dict[str, str]:
        """The settings as the app sees them: references resolved, and what the platform adds."""
        app = self.module("app")
        named = {name: str(value) for name, value in app.resource("appSettings", "properties").items()}
        of_azure = {
            "WEBSITE_HOSTNAME": f"{app.parameters['name']}.azurewebsites.net",
            "WEBSITE_AUTH_ENABLED": str(self.authentication.get("platform", {}).get("enabled", False)),
        }
        return {
            name: REFERENCE.sub(r"secret \1 of thirty-two characters", value) for name, value in named.items()
        } | of_azure

    @property
    def authentication(self) -> dict[str, Any]:
        module = self.deployment.module("authentication")
        properties: dict[str, Any] = module.resource("authentication", "properties") if module else {}
        return properties

    @property
    def settings(self) -> Settings:
        return Settings.from_environment(self.given, [provider.settings for provider in PROVIDERS])

    @property
    def sign_in(self) -> SignInSettings:
        return self.settings.sign_in

    @property
    def app(self) -> App:
        return build(self.settings)

    def module(self, name: str) -> Deployment:
        found = self.deployment.module(name)
        assert found
        return found
