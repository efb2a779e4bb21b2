"""Text for sample updates: real names of products and categories in made-up sentences."""

from __future__ import annotations

from typing import NamedTuple


class SampleService(NamedTuple):
    """An Azure product, its categories, and the parts of the product that updates can change."""

    product: str
    categories: tuple[str, ...]
    parts: tuple[str, ...]


class Capability(NamedTuple):
    """A new capability, as a title and as a sentence with the placeholders `{part}` and `{product}`."""

    title: str
    sentence: str
    tag: str | None = None


SERVICES = (
    SampleService(
        "Azure Kubernetes Service (AKS)",
        ("Compute", "Containers"),
        ("node pools", "cluster upgrades", "pod networking", "ingress"),
    ),
    SampleService(
        "Azure Container Apps",
        ("Compute", "Containers"),
        ("jobs", "revisions", "workload profiles", "dynamic sessions"),
    ),
    SampleService("Azure Container Registry", ("Containers",), ("image signing", "geo-replication", "artifact cache")),
    SampleService(
        "Azure Functions",
        ("Compute", "Web"),
        ("Flex Consumption plans", "durable orchestrations", "timer triggers", "Python workers"),
    ),
    SampleService(
        "App Service", ("Compute", "Web"), ("deployment slots", "custom domains", "inbound TLS", "Linux plans")
    ),
    SampleService("Static Web Apps", ("Web",), ("preview environments", "custom authentication", "edge caching")),
    SampleService("Virtual Machines", ("Compute",), ("Dv6 sizes", "GPU sizes", "trusted launch", "boot diagnostics")),
    SampleService(
        "Virtual Machine Scale Sets", ("Compute",), ("flexible orchestration", "instance repairs", "spot capacity")
    ),
    SampleService(
        "Azure VMware Solution", ("Compute", "Migration"), ("AV64 hosts", "stretched clusters", "external storage")
    ),
    SampleService(
        "Azure Virtual Desktop",
        ("Virtual desktop infrastructure",),
        ("session hosts", "app attach", "multimedia redirection"),
    ),
    SampleService("Batch", ("Compute",), ("task scheduling", "pool autoscale", "container tasks")),
    SampleService(
        "Azure Cosmos DB",
        ("Databases",),
        ("vector indexes", "change feed", "global secondary indexes", "autoscale throughput"),
    ),
    SampleService(
        "Azure SQL Database",
        ("Databases",),
        ("Hyperscale replicas", "elastic pools", "backup retention", "ledger tables"),
    ),
    SampleService(
        "Azure SQL Managed Instance", ("Databases",), ("instance pools", "failover groups", "link replication")
    ),
    SampleService(
        "Azure Database for PostgreSQL",
        ("Databases",),
        ("read replicas", "connection pooling", "major version upgrades", "extensions"),
    ),
    SampleService("Azure Database for MySQL", ("Databases",), ("accelerated logs", "audit logs", "high availability")),
    SampleService(
        "Azure Cache for Redis", ("Databases",), ("active geo-replication", "data persistence", "memory policies")
    ),
    SampleService(
        "Azure Databricks",
        ("Analytics", "AI + machine learning"),
        ("serverless warehouses", "Unity Catalog", "job clusters"),
    ),
    SampleService(
        "Azure Data Factory",
        ("Analytics", "Integration"),
        ("mapping data flows", "copy activities", "integration runtimes"),
    ),
    SampleService(
        "Azure Data Explorer", ("Analytics",), ("streaming ingestion", "materialized views", "follower databases")
    ),
    SampleService(
        "Azure Stream Analytics", ("Analytics", "Internet of Things"), ("stream joins", "job diagrams", "Kafka inputs")
    ),
    SampleService(
        "Azure Machine Learning",
        ("AI + machine learning",),
        ("managed endpoints", "feature stores", "compute clusters", "training pipelines"),
    ),
    SampleService(
        "Azure OpenAI Service",
        ("AI + machine learning",),
        ("batch deployments", "fine-tuning", "provisioned throughput", "content filters"),
    ),
    SampleService(
        "Microsoft Foundry", ("AI + machine learning",), ("agent tracing", "model evaluations", "tool catalogs")
    ),
    SampleService(
        "Azure AI Search", ("AI + machine learning", "Web"), ("semantic ranking", "indexers", "vector compression")
    ),
    SampleService(
        "Azure AI Services",
        ("AI + machine learning",),
        ("speech transcription", "document extraction", "text translation"),
    ),
    SampleService(
        "Azure Blob Storage", ("Storage",), ("lifecycle policies", "object replication", "cold tier", "SFTP access")
    ),
    SampleService("Azure Files", ("Storage",), ("NFS shares", "snapshots", "identity-based access")),
    SampleService("Azure NetApp Files", ("Storage",), ("cross-zone replication", "large volumes", "cool access")),
    SampleService(
        "Azure Disk Storage", ("Storage",), ("Premium SSD v2 disks", "incremental snapshots", "shared disks")
    ),
    SampleService(
        "Azure Backup",
        ("Storage", "Management and governance"),
        ("vault immutability", "restore points", "cross-region restore"),
    ),
    SampleService(
        "Azure Site Recovery",
        ("Management and governance", "Migration"),
        ("recovery plans", "replication churn", "test failovers"),
    ),
    SampleService(
        "Azure Monitor",
        ("Management and governance", "DevOps"),
        ("log alerts", "metrics export", "Prometheus collection", "workbooks"),
    ),
    SampleService(
        "Azure Policy",
        ("Management and governance",),
        ("policy exemptions", "machine configuration", "compliance reports"),
    ),
    SampleService(
        "Microsoft Cost Management",
        ("Management and governance",),
        ("budgets", "cost exports", "savings recommendations"),
    ),
    SampleService("Automation", ("Management and governance",), ("runbooks", "hybrid workers", "runtime environments")),
    SampleService(
        "Azure Arc", ("Hybrid + multicloud",), ("connected machines", "site management", "extension upgrades")
    ),
    SampleService(
        "Azure Stack HCI",
        ("Hybrid + multicloud",),
        ("cluster updates", "rack-aware clustering", "disconnected operation"),
    ),
    SampleService("Virtual Network", ("Networking",), ("subnet peering", "flow logs", "service tags")),
    SampleService(
        "Azure Firewall", ("Networking", "Security"), ("rule collections", "packet captures", "explicit proxy")
    ),
    SampleService("Azure Front Door", ("Networking",), ("caching rules", "private origins", "WebSocket traffic")),
    SampleService("Application Gateway", ("Networking",), ("listener limits", "health probes", "header rewrites")),
    SampleService("Azure ExpressRoute", ("Networking",), ("circuit resiliency", "FastPath", "metro peering")),
    SampleService("Load Balancer", ("Networking",), ("admin state", "health events", "cross-region frontends")),
    SampleService(
        "Azure Bastion", ("Networking", "Security"), ("session recording", "private deployments", "SSH keys")
    ),
    SampleService("API Management", ("Integration", "Web"), ("workspaces", "gateway policies", "token limits")),
    SampleService("Logic Apps", ("Integration",), ("standard workflows", "agent loops", "rules engines")),
    SampleService(
        "Service Bus", ("Integration",), ("partitioned namespaces", "geo-replicated queues", "message sessions")
    ),
    SampleService(
        "Event Grid", ("Integration", "Internet of Things"), ("MQTT brokers", "namespace topics", "event delivery")
    ),
    SampleService("Event Hubs", ("Analytics", "Integration"), ("schema registry", "capture files", "Kafka compaction")),
    SampleService("Azure IoT Hub", ("Internet of Things",), ("device twins", "certificate renewal", "message routing")),
    SampleService(
        "Azure Digital Twins", ("Internet of Things",), ("twin graphs", "history connections", "bulk imports")
    ),
    SampleService("Key Vault", ("Security",), ("certificate rotation", "managed HSM pools", "secret expiry events")),
    SampleService(
        "Microsoft Defender for Cloud", ("Security",), ("attack paths", "agentless scanning", "regulatory dashboards")
    ),
    SampleService("Microsoft Sentinel", ("Security",), ("analytics rules", "data connectors", "hunting queries")),
    SampleService(
        "Microsoft Entra ID (formerly Azure AD)",
        ("Identity", "Security"),
        ("workload identities", "conditional access", "passkeys"),
    ),
    SampleService(
        "Azure DevOps", ("DevOps", "Developer tools"), ("pipeline approvals", "test plans", "pull request checks")
    ),
    SampleService(
        "Azure Load Testing", ("DevOps", "Developer tools"), ("test scripts", "private endpoints", "failure criteria")
    ),
    SampleService(
        "Visual Studio Code", ("Developer tools",), ("Azure extensions", "remote debugging", "deployment wizards")
    ),
    SampleService("Notification Hubs", ("Mobile",), ("push templates", "browser push", "device registrations")),
    SampleService("Azure Migrate", ("Migration",), ("discovery appliances", "business cases", "agentless replication")),
    SampleService("Azure Maps", ("Web", "Internet of Things"), ("route matrices", "map styles", "geocoding batches")),
)

CAPABILITIES = (
    Capability(
        "Zone redundancy for {part} in {product}",
        "You can spread {part} over three availability zones, so that the loss of a datacenter interrupts nothing.",
    ),
    Capability(
        "Customer-managed keys for {part} in {product}",
        "Data at rest in {part} can be encrypted with keys that you hold and rotate yourself.",
        "Security",
    ),
    Capability(
        "Private endpoints for {part} in {product}",
        "Traffic to {part} can stay on your private network and off the public internet.",
        "Security",
    ),
    Capability(
        "{product} supports managed identities for {part}",
        "Instead of using a stored password, {part} sign in with an identity that the platform manages.",
        "Security",
    ),
    Capability(
        "Faster {part} in {product}",
        "A reworked engine cuts the waiting time of {part} to less than half under typical load.",
    ),
    Capability(
        "Larger limits for {part} in {product}",
        "The quota for {part} rises tenfold, and no support request is needed to use it.",
    ),
    Capability(
        "Built-in diagnostics for {part} in {product}",
        "A new page shows why {part} misbehave, with the events that led to it and a proposed remedy.",
        "Management",
    ),
    Capability(
        "Terraform and Bicep modules for {part} in {product}",
        "Verified modules let you declare {part} as code and review changes before they are made.",
        "SDK and Tools",
    ),
    Capability(
        "New regions for {part} in {product}",
        "From today {part} can be created in {region} as well, close to the people who use them.",
        "Regions & Datacenters",
    ),
    Capability(
        "Lower prices for {part} in {product}",
        "The hourly price of {part} falls by a fifth, also for existing contracts.",
        "Pricing & Offerings",
    ),
    Capability(
        "Scheduled maintenance windows for {part} in {product}",
        "You choose the evenings on which the platform may update {part}, and are notified a week ahead.",
        "Management",
    ),
    Capability(
        "Automatic rotation of certificates for {part} in {product}",
        "Certificates of {part} renew themselves a month before they expire, without a restart.",
        "Security",
    ),
    Capability(
        "OpenTelemetry export from {part} in {product}",
        "Traces and metrics of {part} flow to any collector that speaks the open protocol.",
        "Open Source",
    ),
    Capability(
        "Dark mode and keyboard navigation for {part} in {product}",
        "The portal pages of {part} were redrawn and can be used without a mouse.",
        "Management",
    ),
    Capability(
        "Compliance reports for {part} in {product}",
        "Auditors can download proof of how {part} are configured, mapped to common standards.",
        "Compliance",
    ),
    Capability(
        "Confidential computing for {part} in {product}",
        "Memory used by {part} is encrypted by the processor, also against the operator of the host.",
        "Security",
    ),
    Capability(
        "Autoscaling on custom metrics for {part} in {product}",
        "Rules may now follow any metric, so {part} grow before the queue does.",
    ),
    Capability(
        "Side-by-side comparison of {part} in {product}",
        "Two versions of {part} can be compared line by line before one replaces the other.",
    ),
    Capability(
        "Natural-language assistant for {part} in {product}",
        "Describe what you need in a sentence, and a draft of {part} is prepared for your review.",
    ),
    Capability(
        "Soft delete and recovery of {part} in {product}",
        "Deleted {part} can be brought back for ninety days, with their settings.",
    ),
    Capability(
        "Rate limits per tenant for {part} in {product}",
        "One noisy tenant no longer slows {part} down for everybody else.",
    ),
    Capability(
        "Offline operation of {part} in {product}",
        "When the connection is lost, {part} keep working and synchronize later.",
    ),
    Capability(
        "IPv6 addresses for {part} in {product}",
        "Dual-stack networking lets {part} answer on both generations of the protocol.",
    ),
    Capability(
        "Blue-green deployment of {part} in {product}",
        "A second set of {part} takes over step by step and gives way again at the first error.",
    ),
)

BENEFITS = (
    "Less to operate: nothing has to be installed or patched.",
    "Works with existing subscriptions and role assignments.",
    "Available through the portal, the command line and the REST interface.",
    "No downtime when you switch it on.",
    "Audit events are written for every change.",
    "Existing scripts keep working unchanged.",
    "Costs nothing on top of the service itself.",
    "Can be rolled out gradually, resource group by resource group.",
)

STEPS = (
    "Open the overview page of {product} and choose the resource you want to change.",
    "Update the command-line extension to its newest version before you begin.",
    "Try it with a copy of your configuration in a test subscription first.",
    "Register the feature in your subscription and wait until its state is shown as registered.",
    "Read the section about {part} in the documentation to learn about its limits.",
    "Tell your operators, since the alerts about {part} get new names.",
    "Deploy the template from the gallery and adapt its parameters to your network.",
    "Watch the activity log of {product} for a day, then switch the feature on in other regions, such as {region}.",
    "Ask for more quota if you expect to use {part} in production.",
)

REASONS = (
    "It relies on a protocol that is no longer considered safe.",
    "A successor does the same with less effort and at a lower price.",
    "Hardly anybody has used it during the last year.",
    "The hardware it runs on reaches the end of its life.",
)

REGIONS = (
    "Australia East, Brazil South, Canada Central, France Central, Germany West Central, Italy North, "
    "Japan East, Korea Central, Malaysia West, Norway East, Poland Central, South Africa North, Spain "
    "Central, Sweden Central, Switzerland North, UAE North, UK South, West US 3"
).split(", ")
