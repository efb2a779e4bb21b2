"""What a change is, by the words that Azure has for it: paths of settings, types and operations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from clients.azure.activity import CHANGES_NOTHING
from tools.incidents import kinds
from tools.incidents.events import Setting
from tools.incidents.kinds import EventKind


def _patterns(*lines: tuple[EventKind, str]) -> Sequence[tuple[EventKind, re.Pattern[str]]]:
    return [(kind, re.compile("|".join(words.split()), re.IGNORECASE)) for kind, words in lines]


# The first that fits is meant.
_PATHS: Final = _patterns(
    (kinds.TAGS, r"^tags"),
    (kinds.ROUTINE, r"provisioningState etag$ timestamp$ lastModified createdOn$ updatedOn$ ^systemData"),
    (kinds.MINOR, r"logs?Directory logging tracing detailedError description displayName retention scmType notes$"),
    (kinds.CODE, r"\bimage\b latestRevision latestReadyRevision revisionSuffix trafficWeight \.traffic\b packageUri"),
    (kinds.NETWORK, r"networkAcls ipRules? ipSecurityRestrictions ipRangeFilter publicNetwork virtualNetwork vnet"),
    (
        kinds.NETWORK,
        r"subnet networkSecurityGroup securityRules routes?\b routeTable firewall privateEndpoint natGateway",
    ),
    (
        kinds.NETWORK,
        r"privateLink defaultAction addressPrefix dnsServers ingress\. targetPort sourceAddress originHost",
    ),
    (
        kinds.NETWORK,
        r"destinationAddress destinationPort backendAddress backendHttp \.probes? \bpeering authorizedIPRange",
    ),
    (kinds.CERTIFICATE, r"certificate thumbprint sslState hostNameSsl customDomain keyVaultSecretName hostNames"),
    (kinds.ACCESS, r"accessPolic disableLocalAuth allowSharedKey enableRbac ^identity identity\. principalId azureAD"),
    (kinds.ACCESS, r"aadProfile authSettings authConfig adminUserEnabled adminEnabled publicAccess localAuth"),
    (kinds.RUNTIME, r"minTls minimumTls minimalTls tlsVersion httpsOnly ftpsState fxVersion frameworkVersion"),
    (kinds.RUNTIME, r"kubernetesVersion orchestratorVersion nodeImage engineVersion runtimeVersion extension_version"),
    (kinds.RUNTIME, r"redisVersion (?:^|\.)version$ javaVersion enableNonSsl supportsHttpsTrafficOnly"),
    (kinds.STOPPED, r"powerState runningStatus (?:^|\.)state$ (?:^|\.)enabled$ (?:^|\.)status$ usageState adminState"),
    (kinds.STOPPED, r"isDisabled enabledState"),
    (kinds.SIZE, r"capacity numberOfWorkers Replicas instanceCount throughput workerCount \.cpu\b \.memory\b vCores"),
    (kinds.SIZE, r"dtu maxSize diskSize \bcount$ ^sku \.sku vmSize \.tier$ workerSize maxConnections quota"),
    (kinds.SETTING, r"siteConfig appSettings connectionStrings \.env\b configuration settings parameters healthCheck"),
)
_TYPES: Final = _patterns(
    (kinds.LOCK, r"authorization/locks"),
    (kinds.POLICY, r"policyassignments policydefinitions policysetdefinitions policyexemptions"),
    (
        kinds.ACCESS,
        r"roleassignments roledefinitions denyassignments accesspolicies managedidentity authorizationrules",
    ),
    (kinds.DNS, r"dnszones dnsresolvers recordsets"),
    (kinds.WATCHING, r"diagnosticsettings /components workbooks alertrules metricalerts actiongroups scheduledquery"),
    (kinds.WATCHING, r"activitylogalerts smartdetector dashboards advisor/ operationalinsights security/ webtests"),
    (kinds.CERTIFICATE, r"certificates hostnamebindings customdomains managedcertificates"),
    (kinds.CODE, r"sites/(?:slots/)?deployments sites/(?:slots/)?extensions containerapps/revisions sites/publish"),
    (kinds.SECRET, r"vaults/secrets vaults/keys"),
    (kinds.SETTING, r"sites/(?:slots/)?config configurationstores managementpolicies namedvalues /configurations"),
    (kinds.NETWORK, r"microsoft\.network/ firewallrules virtualnetworkrules ipfilterrules networkconfig"),
    (kinds.NETWORK, r"privateendpointconnections microsoft\.cdn/ networkrulesets hybridconnection"),
    (kinds.SIZE, r"autoscalesettings serverfarms agentpools throughputsettings"),
    (kinds.TEMPLATE, r"resources/deployments deploymentstacks"),
)
_OPERATIONS: Final = _patterns(
    (kinds.KEY, r"regenerate rotate\w{0,40}key renewkey resetkeys resetpassword"),
    (kinds.POLICY, r"policies/deny"),
    (kinds.TAGS, r"resources/tags/"),
    (kinds.ROUTINE, CHANGES_NOTHING),
    (kinds.ROUTINE, r"export\w*/action publishxml /poll collectdiagnos health/ backup"),
    (kinds.AUTOSCALED, r"autoscalesettings/scale\w*/"),
    (kinds.STOPPED, r"/stop/ /deallocate/ /poweroff/ /suspend/ /disable"),
    (kinds.FAILOVER, r"failover"),
    (kinds.CODE, r"slotsswap applyslotconfig /swap sites/publish /sync/action restoreslot"),
    (kinds.RESTARTED, r"restart /start/ /reboot /redeploy/ /recycle /resume/"),
)
_OFF: Final = frozenset(
    "stopped disabled paused senddisabled receivedisabled offline readonly deallocated false off inactive suspended"
    " poweredoff powerstate/deallocated".split()
)
_ON: Final = frozenset("running started enabled true on active ready".split())
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def kind_of_settings(target_type: str, settings: Iterable[Setting]) -> EventKind | None:
    """What a change of these settings is, by the weightiest of them; None where there are none."""
    found = [_kind_of_setting(target_type, setting) for setting in settings]
    return max(found, key=lambda kind: kind.weight, default=None)


def _kind_of_setting(target_type: str, setting: Setting) -> EventKind:
    of_type = kind_of_type(target_type)
    kind = of_type if of_type is kinds.WATCHING else _first(_PATHS, setting.path) or of_type or kinds.OTHER
    if kind is kinds.STOPPED:
        return _by_state(setting)
    return _by_size(setting) if kind is kinds.SIZE else kind


def _by_state(setting: Setting) -> EventKind:
    after = str(setting.after).lower()
    if after in _OFF:
        return kinds.STOPPED
    return kinds.RESTARTED if after in _ON else kinds.OTHER


def _by_size(setting: Setting) -> EventKind:
    before, after = _number(setting.before), _number(setting.after)
    if before is None or after is None or before == after:
        return kinds.SIZE
    return kinds.SMALLER if after < before else kinds.LARGER


def _number(value: Any) -> float | None:
    found = _NUMBER.search(str(value))
    return float(found[0]) if found else None


def kind_of_type(target_type: str) -> EventKind | None:
    """What it is to change something of this type, whatever of it is changed."""
    return _first(_TYPES, target_type.lower())


def kind_of_operation(operation: str) -> EventKind | None:
    """What an operation does that is no plain writing or deleting."""
    return _first(_OPERATIONS, operation.lower())


def kind_of(target_type: str, change: str, settings: Sequence[Setting] = ()) -> EventKind:
    """What it is that something of a type was created, updated or deleted."""
    of_type = kind_of_type(target_type)
    if change == "Delete":
        return of_type or kinds.DELETED
    if change == "Create":
        return of_type or kinds.CREATED
    return kind_of_settings(target_type, settings) or of_type or kinds.OTHER


def _first(patterns: Sequence[tuple[EventKind, re.Pattern[str]]], text: str) -> EventKind | None:
    return next((kind for kind, pattern in patterns if pattern.search(text)), None)
