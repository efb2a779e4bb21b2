"""Common names of Azure products. No general rule can derive these names from the names in the feed."""

# The names in each group mean the same. If a filter contains a name that does not occur in the feed, the filter matches
# updates with another name from the same group.
ALSO_CALLED: tuple[frozenset[str], ...] = tuple(
    map(
        frozenset,
        (
            ("General Availability", "Generally Available", "GA", "Launched", "Released"),
            ("Preview", "Public Preview", "In preview"),
            ("Retirement", "Retirements", "Retired", "Deprecated", "Deprecation", "End of life"),
            ("AI + machine learning", "AI", "Machine learning"),
            ("Internet of Things", "IoT"),
            ("Virtual desktop infrastructure", "VDI"),
            ("API Management", "APIM"),
            ("App Service", "Web Apps", "WebApp"),
            ("Azure AI Search", "Azure Cognitive Search", "Azure Search"),
            ("Azure AI Services", "Azure Cognitive Services", "Foundry Tools"),
            ("Azure Container Registry", "ACR"),
            ("Azure Cosmos DB", "Cosmos"),
            ("Azure Data Explorer", "ADX", "Kusto"),
            ("Azure Database for MySQL", "MySQL"),
            ("Azure Database for PostgreSQL", "PostgreSQL", "Postgres"),
            ("Azure DocumentDB", "Azure Cosmos DB for MongoDB vCore"),
            ("Azure Functions", "Function Apps"),
            ("Azure Kubernetes Service (AKS)", "Kubernetes"),
            ("Azure Machine Learning", "AML", "ML"),
            ("Azure Monitor", "Application Insights", "App Insights", "Log Analytics"),
            ("Azure OpenAI Service", "Azure OpenAI", "AOAI"),
            ("Azure Red Hat OpenShift", "OpenShift", "ARO"),
            ("Azure Resource Manager", "ARM"),
            ("Azure SQL Managed Instance", "SQL MI"),
            ("Azure Stack HCI", "Azure Local"),
            ("Azure Synapse Analytics", "Synapse", "Azure SQL Data Warehouse"),
            ("Azure Virtual Desktop", "Windows Virtual Desktop", "WVD"),
            ("Key Vault", "AKV"),
            ("Microsoft Defender for Cloud", "Azure Security Center", "Azure Defender", "MDC"),
            ("Microsoft Entra ID (formerly Azure AD)", "Microsoft Entra ID", "Azure Active Directory", "AAD"),
            ("Microsoft Foundry", "Azure AI Foundry", "Azure AI Studio"),
            ("Virtual Machines", "VM", "VMs"),
            ("Virtual Network", "VNet"),
        ),
    )
)
