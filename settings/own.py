"""The app's own groups of settings. Each provider declares its groups in its own module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from settings import forms
from settings.declared import NO, setting

_MINUTES_OF_A_MONTH: Final = 30 * 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings for the tools that the server offers and for the clients that may call it."""

    toolsets: tuple[str, ...] = setting(
        "MCP_TOOLSETS", forms.toolsets, ("all",), "The toolsets this server offers, separated by commas, or `all`."
    )
    name: str = setting(
        "MCP_SERVER_NAME",
        forms.server_name,
        "azure-team-mcp",
        "Name of the server. If you change the name, users must repeat calls that are waiting for an answer.",
    )
    allowed_hosts: tuple[str, ...] = setting(
        "MCP_ALLOWED_HOSTS",
        forms.hosts,
        (),
        "Host names that the server accepts, separated by commas; `:*` at the end allows any port."
        " The app's own host name on Azure and loopback addresses on a laptop are always accepted.",
    )
    allowed_origins: tuple[str, ...] = setting(
        "MCP_ALLOWED_ORIGINS",
        forms.origins,
        (),
        "Origins of web pages that can call the server, such as `https://portal.example.com`,"
        " separated by commas. On a laptop, pages on loopback can also call it.",
    )
    notice: str = setting(
        "MCP_NOTICE",
        forms.sentence,
        "",
        "One line of text in every answer, for example `This is a trial with invented data.` The text precedes the"
        " answer, or follows an error message.",
    )
    request_state_keys: tuple[str, ...] = setting(
        "MCP_REQUEST_STATE_KEY",
        forms.keys,
        (),
        "Secret of at least 32 characters that encrypts data which clients store for the server, such as refresh"
        " tokens. To rotate the secret, list several secrets, separated by commas: the first encrypts, and all can"
        " decrypt."
        " Without this setting, each process generates its own secret, which works only on a laptop.",
        secret=True,
    )
    adapter: str = setting(
        "MCP_ADAPTER",
        forms.adapters,
        "both",
        "Which code parses MCP messages: `both` uses our own code for common requests and the MCP SDK"
        " for all others; `sdk` uses only the SDK, which starts more slowly. Use `sdk` to find out whether our own"
        " code causes a problem.",
    )
    read_only: bool = setting(
        "MCP_READ_ONLY", forms.truth, NO, "Whether the server is read-only. If so, nobody can change anything."
    )
    denied: tuple[str, ...] = setting(
        "MCP_DENIED",
        forms.names,
        (),
        "Comma-separated tools and toolsets that nobody can use, whatever their roles.",
    )
    consent_waived: tuple[str, ...] = setting(
        "MCP_CONSENT_WAIVED",
        forms.names,
        (),
        "Comma-separated toolsets whose destructive tools run without approval. Not recommended.",
    )
    confirm_by_argument: bool = setting(
        "MCP_CONFIRM_BY_ARGUMENT",
        forms.truth,
        default=False,
        meaning="Whether a model can itself confirm changes that can be undone, with the argument `confirm`. This works"
        " only for callers who cannot open a page of the server, for example programs. See"
        " [confirmation by the model](changes.md#how-approval-is-requested).",
    )
    change_minutes: int = setting(
        "MCP_CHANGE_MINUTES",
        forms.within(1, _MINUTES_OF_A_MONTH),
        60,
        "How many minutes after its preview a change can still be approved and applied.",
    )
    explorer: bool = setting(
        "MCP_EXPLORER",
        forms.truth,
        default=True,
        meaning="Whether users can explore the server with a browser, at `/`. They see updates, retirements, the tools"
        " that they can use, and the changes that wait for their approval. Each page requires the same access as the"
        " tool with the same content.",
    )
    laptop_keeps_rules: bool = setting(
        "MCP_RULES_WITHOUT_SIGN_IN",
        forms.truth,
        NO,
        "Whether approval rules that require another person also apply on a laptop without sign-in."
        " On a laptop, nobody can approve changes under these rules, so use this setting only to test rules.",
        set_by="laptop",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """The settings for the app's storage."""

    folder: str = setting(
        "STORAGE_FOLDER",
        str,
        "",
        "A folder to use instead of the storage account. `scripts/serve` sets it.",
        set_by="laptop",
    )
    connection: str = setting(
        "AzureWebJobsStorage",
        str,
        "",
        "Connection string of the storage emulator. On Azure, the identity in"
        " `AzureWebJobsStorage__clientId` is used instead.",
        secret=True,
        set_by="laptop",
    )
    account: str = setting(
        "AzureWebJobsStorage__accountName",
        str,
        "",
        "Name of the storage account, which the app accesses with its identity.",
        set_by="template",
    )
    client_id: str = setting(
        "AzureWebJobsStorage__clientId",
        str,
        "",
        "Client id of the identity that accesses the storage account.",
        set_by="template",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """The settings for scheduled jobs, and for long-running tasks, which outlive the request that started them."""

    step_seconds: int = setting(
        "TASKS_STEP_SECONDS",
        forms.within(1, 540),
        540,
        "Time limit for a step of a long-running task, from 1 to 540 seconds. Azure stops a function after ten"
        " minutes.",
    )
    hours_kept: int = setting(
        "TASKS_HOURS_KEPT",
        forms.within(1, 720),
        24,
        "Number of hours for which the result of a long-running task is kept, from 1 to 720.",
    )
    scopes: tuple[str, ...] = setting(
        "TASKS_SCOPES",
        forms.names,
        (),
        "Comma-separated ids of the subscriptions or resource groups that long-running tasks and scheduled jobs can"
        " access with the app's own identity.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifySettings:
    """The settings for notifications: approvers are informed about pending changes, and teams about what they watch."""

    places: str = setting(
        "NOTIFY_PLACES",
        str,
        "",
        "Channels to which notices are sent, separated by `;`. Each channel has a name, a"
        " [type](changes.md#how-approvers-are-notified) and a URL. Some types also need a token.",
        secret=True,
    )
    hosts: tuple[str, ...] = setting(
        "NOTIFY_HOSTS",
        forms.hosts,
        (),
        "Comma-separated hosts to which notices may be sent: the hosts of all channels, and of URLs that users enter"
        " for watches. Notices are sent only to public addresses.",
    )
    signing_keys: tuple[str, ...] = setting(
        "NOTIFY_SIGNING_KEY",
        forms.keys,
        (),
        "Secret of at least 32 characters that signs notices.",
        secret=True,
    )
    always: tuple[str, ...] = setting(
        "NOTIFY_ALWAYS",
        forms.names,
        (),
        "Names of the default channels, separated by commas. These channels get a notice if the rule for a change"
        " requires another person's approval and has no `notify`.",
    )
    before_minutes: int = setting(
        "NOTIFY_BEFORE_MINUTES",
        forms.within(0, _MINUTES_OF_A_MONTH),
        10,
        "Approvers are notified again this many minutes before a change expires.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorSettings:
    """The settings for logs and metrics."""

    connection: str = setting(
        "APPLICATIONINSIGHTS_CONNECTION_STRING",
        str,
        "",
        "Connection string of Application Insights, for traces and metrics. Without this setting, no telemetry is"
        " sent.",
        secret=True,
        set_by="template",
    )
    authentication: str = setting(
        "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
        str,
        "",
        "Identity that sends telemetry, such as `ClientId=<id>;Authorization=AAD`.",
        set_by="template",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings:
    """The settings that describe the machine on which the app runs."""

    environment: str = setting(
        "AZURE_FUNCTIONS_ENVIRONMENT",
        str,
        "Production",
        "`Development` means a laptop, without access control; Core Tools and `scripts/serve` set this value."
        " If Azure runs the app, `Development` has no effect, and `/health` shows a warning.",
        set_by="laptop",
    )
    site_name: str = setting(
        "WEBSITE_HOSTNAME",
        str,
        "",
        "The app's own host name. A laptop has none.",
        set_by="azure",
    )
    # Azure sets some of these environment variables, depending on the hosting plan.
    instance: str = setting(
        "WEBSITE_INSTANCE_ID",
        str,
        "",
        "The instance that runs the app.",
        set_by="azure",
    )
    plan: str = setting("WEBSITE_SKU", str, "", "The plan that the app runs on.", set_by="azure")
    pod: str = setting("WEBSITE_POD_NAME", str, "", "The pod that runs the app.", set_by="azure")
    legion: str = setting(
        "LEGION_SERVICE_HOST",
        str,
        "",
        "The system that runs the pods of the app.",
        set_by="azure",
    )

    @property
    def app_name(self) -> str:
        """The app's name in the logs of the Functions host, or an empty text on a laptop."""
        return self.site_name.partition(".")[0]

    @property
    def is_on_azure(self) -> bool:
        """Whether the server may be reachable from the internet. False only if development tools run the server."""
        return not self._says_laptop or self._bears_marks_of_azure

    @property
    def is_called_a_laptop(self) -> bool:
        """Whether the app runs on Azure, but AZURE_FUNCTIONS_ENVIRONMENT is wrongly set to Development."""
        return self._says_laptop and self._bears_marks_of_azure

    @property
    def _says_laptop(self) -> bool:
        return self.environment.lower() == "development"

    @property
    def _bears_marks_of_azure(self) -> bool:
        return any((self.instance, self.plan, self.pod, self.legion))
