"""Classifies changes by the names that Azure gives to settings, resource types and operations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from clients.azure.activity import CHANGES_NOTHING
from incidents import event_kinds
from incidents.event_kinds import EventKind
from incidents.events import Setting


def _patterns(*lines: tuple[EventKind, str]) -> Sequence[tuple[EventKind, re.Pattern[str]]]:
    return [(kind, re.compile("|".join(words.split()), re.IGNORECASE)) for kind, words in lines]


# Patterns of setting names. The first matching pattern determines the kind of the change.
_PATHS: Final = _patterns(
    (event_kinds.TAGS, r"^tags"),
    (event_kinds.ROUTINE, r"provisioningState etag$ timestamp$ lastModified createdOn$ updatedOn$ ^systemData"),
    (
        event_kinds.MINOR,
        r"logs?Directory logging tracing detailedError description displayName retention scmType notes$",
    ),
    (
        event_kinds.CODE,
        r"\bimage\b latestRevision latestReadyRevision revisionSuffix trafficWeight \.traffic\b packageUri",
    ),
    (
        event_kinds.NETWORK,
        r"networkAcls ipRules? ipSecurityRestrictions ipRangeFilter publicNetwork virtualNetwork vnet",
    ),
    (
        event_kinds.NETWORK,
        r"subnet networkSecurityGroup securityRules routes?\b routeTable firewall privateEndpoint natGateway",
    ),
    (
        event_kinds.NETWORK,
        r"privateLink defaultAction addressPrefix dnsServers ingress\. targetPort sourceAddress originHost",
    ),
    (
        event_kinds.NETWORK,
        r"destinationAddress destinationPort backendAddress backendHttp \.probes? \bpeering authorizedIPRange",
    ),
    (event_kinds.CERTIFICATE, r"certificate thumbprint sslState hostNameSsl customDomain keyVaultSecretName hostNames"),
    (
        event_kinds.ACCESS,
        r"accessPolic disableLocalAuth allowSharedKey enableRbac ^identity identity\. principalId azureAD",
    ),
    (event_kinds.ACCESS, r"aadProfile authSettings authConfig adminUserEnabled adminEnabled publicAccess localAuth"),
    (event_kinds.RUNTIME, r"minTls minimumTls minimalTls tlsVersion httpsOnly ftpsState fxVersion frameworkVersion"),
    (
        event_kinds.RUNTIME,
        r"kubernetesVersion orchestratorVersion nodeImage engineVersion runtimeVersion extension_version",
    ),
    (event_kinds.RUNTIME, r"redisVersion (?:^|\.)version$ javaVersion enableNonSsl supportsHttpsTrafficOnly"),
    (
        event_kinds.STOPPED,
        r"powerState runningStatus (?:^|\.)state$ (?:^|\.)enabled$ (?:^|\.)status$ usageState adminState",
    ),
    (event_kinds.STOPPED, r"isDisabled enabledState"),
    (
        event_kinds.SIZE,
        r"capacity numberOfWorkers Replicas instanceCount throughput workerCount \.cpu\b \.memory\b vCores",
    ),
    (event_kinds.SIZE, r"dtu maxSize diskSize \bcount$ ^sku \.sku vmSize \.tier$ workerSize maxConnections quota"),
    (
        event_kinds.SETTING,
        r"siteConfig appSettings connectionStrings \.env\b configuration settings parameters healthCheck",
    ),
)
_TYPES: Final = _patterns(
    (event_kinds.LOCK, r"authorization/locks"),
    (event_kinds.POLICY, r"policyassignments policydefinitions policysetdefinitions policyexemptions"),
    (
        event_kinds.ACCESS,
        r"roleassignments roledefinitions denyassignments accesspolicies managedidentity authorizationrules",
    ),
    (event_kinds.DNS, r"dnszones dnsresolvers recordsets"),
    (
        event_kinds.WATCHING,
        r"diagnosticsettings /components workbooks alertrules metricalerts actiongroups scheduledquery",
    ),
    (
        event_kinds.WATCHING,
        r"activitylogalerts smartdetector dashboards advisor/ operationalinsights security/ webtests",
    ),
    (event_kinds.CERTIFICATE, r"certificates hostnamebindings customdomains managedcertificates"),
    (
        event_kinds.CODE,
        r"sites/(?:slots/)?deployments sites/(?:slots/)?extensions containerapps/revisions sites/publish",
    ),
    (event_kinds.SECRET, r"vaults/secrets vaults/keys"),
    (
        event_kinds.SETTING,
        r"sites/(?:slots/)?config configurationstores managementpolicies namedvalues /configurations",
    ),
    (event_kinds.NETWORK, r"microsoft\.network/ firewallrules virtualnetworkrules ipfilterrules networkconfig"),
    (event_kinds.NETWORK, r"privateendpointconnections microsoft\.cdn/ networkrulesets hybridconnection"),
    (event_kinds.SIZE, r"autoscalesettings serverfarms agentpools throughputsettings"),
    (event_kinds.TEMPLATE, r"resources/deployments deploymentstacks"),
)
_OPERATIONS: Final = _patterns(
    (event_kinds.KEY, r"regenerate rotate\w{0,40}key renewkey resetkeys resetpassword"),
    (event_kinds.POLICY, r"policies/deny"),
    (event_kinds.TAGS, r"resources/tags/"),
    (event_kinds.ROUTINE, CHANGES_NOTHING),
    (event_kinds.ROUTINE, r"export\w*/action publishxml /poll collectdiagnos health/ backup"),
    (event_kinds.AUTOSCALED, r"autoscalesettings/scale\w*/"),
    (event_kinds.STOPPED, r"/stop/ /deallocate/ /poweroff/ /suspend/ /disable"),
    (event_kinds.FAILOVER, r"failover"),
    (event_kinds.CODE, r"slotsswap applyslotconfig /swap sites/publish /sync/action restoreslot"),
    (event_kinds.RESTARTED, r"restart /start/ /reboot /redeploy/ /recycle /resume/"),
)
_OFF: Final = frozenset(
    "stopped disabled paused senddisabled receivedisabled offline readonly deallocated false off inactive suspended"
    " poweredoff powerstate/deallocated".split()
)
_ON: Final = frozenset("running started enabled true on active ready".split())
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def kind_of_settings(target_type: str, settings: Iterable[Setting]) -> EventKind | None:
    """Return the most important kind of change among these settings, or None if no setting changed."""
    found = [_kind_of_setting(target_type, setting) for setting in settings]
    return max(found, key=lambda kind: kind.weight, default=None)


def _kind_of_setting(target_type: str, setting: Setting) -> EventKind:
    of_type = kind_of_type(target_type)
    kind = of_type if of_type is event_kinds.WATCHING else _first(_PATHS, setting.path) or of_type or event_kinds.OTHER
    if kind is event_kinds.STOPPED:
        return _by_state(setting)
    return _by_size(setting) if kind is event_kinds.SIZE else kind


def _by_state(setting: Setting) -> EventKind:
    after = str(setting.after).lower()
    if after in _OFF:
        return event_kinds.STOPPED
    return event_kinds.RESTARTED if after in _ON else event_kinds.OTHER


def _by_size(setting: Setting) -> EventKind:
    before, after = _number(setting.before), _number(setting.after)
    if before is None or after is None or before == after:
        return event_kinds.SIZE
    return event_kinds.SMALLER if after < before else event_kinds.LARGER


def _number(value: Any) -> float | None:
    found = _NUMBER.search(str(value))
    return float(found[0]) if found else None


def kind_of_type(target_type: str) -> EventKind | None:
    """Return the kind of all changes to resources of this type, or None if the kind depends on the change."""
    return _first(_TYPES, target_type.lower())


def kind_of_operation(operation: str) -> EventKind | None:
    """Return the kind of an Azure operation by its name, or None if the name does not determine the kind."""
    return _first(_OPERATIONS, operation.lower())


def kind_of(target_type: str, change: str, settings: Sequence[Setting] = ()) -> EventKind:
    """Return the kind of a change that created, updated or deleted a resource of this type."""
    of_type = kind_of_type(target_type)
    if change == "Delete":
        return of_type or event_kinds.DELETED
    if change == "Create":
        return of_type or event_kinds.CREATED
    return kind_of_settings(target_type, settings) or of_type or event_kinds.OTHER


def _first(patterns: Sequence[tuple[EventKind, re.Pattern[str]]], text: str) -> EventKind | None:
    return next((kind for kind, pattern in patterns if pattern.search(text)), None)
