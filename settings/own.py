"""The app's own groups of settings. Each provider declares its own in its own module."""

from __future__ import annotations

from dataclasses import dataclass

from settings import forms
from settings.declared import NO, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings that select the tools of the server and the clients that may call it."""

    toolsets: tuple[str, ...] = setting(
        "MCP_TOOLSETS", forms.toolsets, ("all",), "The toolsets this server offers, separated by commas, or `all`."
    )
    name: str = setting(
        "MCP_SERVER_NAME",
        forms.server_name,
        "azure-team-mcp",
        "What the server calls itself. What clients carry from one request to the next is sealed for this name.",
    )
    allowed_hosts: tuple[str, ...] = setting(
        "MCP_ALLOWED_HOSTS",
        forms.hosts,
        (),
        "Host names that the server accepts, separated by commas; `:*` at the end matches any port. Its own name on"
        " Azure and loopback on a laptop are always accepted.",
    )
    allowed_origins: tuple[str, ...] = setting(
        "MCP_ALLOWED_ORIGINS",
        forms.origins,
        (),
        "Origins of web pages that may call the server, such as `https://portal.example.com`, separated by commas."
        " On a laptop, pages on loopback may too.",
    )
    notice: str = setting(
        "MCP_NOTICE",
        forms.sentence,
        "",
        "A sentence in every answer, for example that this is a trial with invented data: first, but after an error.",
    )
    request_state_keys: tuple[str, ...] = setting(
        "MCP_REQUEST_STATE_KEY",
        forms.keys,
        (),
        "Secret of at least 32 characters that seals what a client carries between requests. To rotate it, list"
        " several, separated by commas: the first seals, all open. Without it, each process generates its own, which"
        " is enough only on a laptop.",
        secret=True,
    )
    adapter: str = setting(
        "MCP_ADAPTER",
        forms.adapters,
        "both",
        "Which code reads MCP messages: `both` uses our own for the usual forms and the MCP SDK for all others; `sdk`"
        " uses only the SDK, which starts more slowly. Use it to find out which of the two causes a problem.",
    )
    read_only: bool = setting(
        "MCP_READ_ONLY", forms.truth, NO, "Whether nobody may change anything through this server."
    )
    denied: tuple[str, ...] = setting(
        "MCP_DENIED",
        forms.names,
        (),
        "Tools and toolsets that nobody can use, regardless of roles, separated by commas.",
    )
    consent_waived: tuple[str, ...] = setting(
        "MCP_CONSENT_WAIVED",
        forms.names,
        (),
        "Toolsets whose tools destroy without approval, separated by commas. Not recommended.",
    )
    confirm_by_argument: bool = setting(
        "MCP_CONFIRM_BY_ARGUMENT",
        forms.truth,
        default=False,
        meaning="Whether a model may confirm with the argument `confirm` that the user approved a change. It is never"
        " accepted for another person, where a page can be opened, for changes that cannot be undone, or for"
        " a person that an agent acts for. Without it, users approve in a form or on a page.",
    )
    change_minutes: int = setting(
        "MCP_CHANGE_MINUTES",
        forms.count,
        60,
        "How many minutes a change can be approved and applied after its preview.",
    )
    explorer: bool = setting(
        "MCP_EXPLORER",
        forms.truth,
        default=True,
        meaning="Whether people can look around with a browser, at `/`: updates, retirements, their tools, and what"
        " waits for their approval. Each page needs the same rights as the tool that shows the same.",
    )
    laptop_keeps_rules: bool = setting(
        "MCP_RULES_WITHOUT_SIGN_IN",
        forms.truth,
        NO,
        "Whether rules that require another person also apply on a laptop without sign-in. Nobody can approve there"
        " then, so use this only to test rules.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings:
    """The settings of the app's storage."""

    folder: str = setting(
        "STORAGE_FOLDER", str, "", "A folder that takes the place of the storage account. `scripts/serve` sets it."
    )
    connection: str = setting(
        "AzureWebJobsStorage",
        str,
        "",
        "Connection string of the storage account, for the emulator. On Azure the identity below is used.",
        secret=True,
    )
    account: str = setting(
        "AzureWebJobsStorage__accountName", str, "", "Name of the storage account, reached by the app's identity."
    )
    client_id: str = setting(
        "AzureWebJobsStorage__clientId", str, "", "Client id of the identity that reaches the storage account."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """The settings of tasks, which outlive the request that started them."""

    step_seconds: int = setting(
        "TASKS_STEP_SECONDS",
        forms.seconds_of_a_step,
        540,
        "How long one step of a task can take, from 1 to 540 seconds: Azure stops a function after ten minutes.",
    )
    hours_kept: int = setting(
        "TASKS_HOURS_KEPT",
        forms.hours_kept,
        24,
        "For how many hours what came of a task is kept, from 1 to 720.",
    )
    scopes: tuple[str, ...] = setting(
        "TASKS_SCOPES",
        forms.names,
        (),
        "Ids of subscriptions or groups on which tasks may act with the app's own identity, separated by commas.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifySettings:
    """The settings of notifications: approvers hear of pending changes, teams of news that they watch."""

    places: str = setting(
        "NOTIFY_PLACES",
        str,
        "",
        "Where notices can go, separated by `;`: a name; `teams`, `slack`, `webhook`, `azure-devops` or"
        " `azure-devops-wiki`; the address of a webhook, a work item or a page of a wiki; for the last two a token.",
        secret=True,
    )
    hosts: tuple[str, ...] = setting(
        "NOTIFY_HOSTS",
        forms.hosts,
        (),
        "The hosts of these addresses, and of those that users name for watches, separated by commas. Notices go to no"
        " other, and to public addresses only.",
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
        "Names of channels that announce each change that waits for another person, unless a rule says `notify`.",
    )
    before_minutes: int = setting(
        "NOTIFY_BEFORE_MINUTES",
        forms.count,
        10,
        "How many minutes before a change expires its approvers are notified again.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorSettings:
    """The settings of logs and metrics."""

    connection: str = setting(
        "APPLICATIONINSIGHTS_CONNECTION_STRING",
        str,
        "",
        "Where traces and metrics are sent. Without it there are none.",
        secret=True,
    )
    authentication: str = setting(
        "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
        str,
        "",
        "How that is signed in to, such as `ClientId=<id>;Authorization=AAD`.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSettings:
    """The settings that describe the machine on which the app runs."""

    environment: str = setting(
        "AZURE_FUNCTIONS_ENVIRONMENT",
        str,
        "Production",
        "`Development` is a laptop, on which everything is open; Core Tools and `scripts/serve` say so. Where Azure"
        " runs the app it opens nothing, and `/health` warns of it.",
    )
    site_name: str = setting("WEBSITE_HOSTNAME", str, "", "The app's own host name. Azure sets it; a laptop has none.")
    # Azure sets some of these, depending on the plan.
    instance: str = setting("WEBSITE_INSTANCE_ID", str, "", "The instance that runs the app. Only Azure sets it.")
    plan: str = setting("WEBSITE_SKU", str, "", "The plan that the app runs on. Only Azure sets it.")
    pod: str = setting("WEBSITE_POD_NAME", str, "", "The pod that runs the app. Only Azure sets it.")
    legion: str = setting("LEGION_SERVICE_HOST", str, "", "What runs the pods of the app. Only Azure sets it.")

    @property
    def app_name(self) -> str:
        """The app's name in the logs of the Functions host; empty on a laptop."""
        return self.site_name.partition(".")[0]

    @property
    def is_on_azure(self) -> bool:
        """Whether the internet may reach the server. Assumed unless development tools run the server."""
        return not self._says_laptop or self._bears_marks_of_azure

    @property
    def is_called_a_laptop(self) -> bool:
        """Whether Azure runs the app although a setting says that development tools run it."""
        return self._says_laptop and self._bears_marks_of_azure

    @property
    def _says_laptop(self) -> bool:
        return self.environment.lower() == "development"

    @property
    def _bears_marks_of_azure(self) -> bool:
        return any((self.instance, self.plan, self.pod, self.legion))
