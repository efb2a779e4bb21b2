"""Maps words in queries to the words in updates: cities to regions, and other clouds' services to Azure services."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from kept_index.tokenizing import spellings

# Maps Azure regions to cities and countries. Names without spaces, such as westeurope, are also found.
REGIONS: Final = {
    "Australia Central": ("Canberra",),
    "Australia East": ("Sydney", "New South Wales"),
    "Australia Southeast": ("Melbourne",),
    "Austria East": ("Vienna",),
    "Belgium Central": ("Brussels",),
    "Brazil South": ("Sao Paulo",),
    "Brazil Southeast": ("Rio de Janeiro",),
    "Canada Central": ("Toronto",),
    "Canada East": ("Quebec",),
    "Central India": ("Pune",),
    "Central US": ("Iowa",),
    "Chile Central": ("Santiago",),
    "Denmark East": ("Copenhagen",),
    "East Asia": ("Hong Kong",),
    "East US": ("Virginia",),
    "East US 2": (),
    "France Central": ("Paris",),
    "France South": ("Marseille",),
    "Germany North": ("Berlin",),
    "Germany West Central": ("Frankfurt",),
    "Indonesia Central": ("Jakarta",),
    "Israel Central": ("Tel Aviv",),
    "Italy North": ("Milan",),
    "Japan East": ("Tokyo",),
    "Japan West": ("Osaka",),
    "Korea Central": ("Seoul",),
    "Korea South": ("Busan",),
    "Malaysia West": ("Kuala Lumpur",),
    "Mexico Central": ("Queretaro",),
    "New Zealand North": ("Auckland",),
    "North Central US": ("Chicago", "Illinois"),
    "North Europe": ("Dublin", "Ireland"),
    "Norway East": ("Oslo",),
    "Norway West": ("Stavanger",),
    "Poland Central": ("Warsaw",),
    "Qatar Central": ("Doha",),
    "South Africa North": ("Johannesburg",),
    "South Africa West": ("Cape Town",),
    "South Central US": ("Texas", "San Antonio"),
    "South India": ("Chennai",),
    "Southeast Asia": ("Singapore",),
    "Spain Central": ("Madrid",),
    "Sweden Central": ("Stockholm", "Gavle"),
    "Switzerland North": ("Zurich",),
    "Switzerland West": ("Geneva",),
    "Taiwan North": ("Taipei",),
    "UAE Central": ("Abu Dhabi",),
    "UAE North": ("Dubai",),
    "UK South": ("London",),
    "UK West": ("Cardiff",),
    "West Central US": ("Wyoming",),
    "West Europe": ("Amsterdam", "Netherlands"),
    "West India": ("Mumbai",),
    "West US": ("California",),
    "West US 2": (),
    "West US 3": ("Phoenix", "Arizona"),
}

# Maps Azure services to the names of equivalent Amazon and Google services.
OTHER_CLOUDS: Final = {
    "API Management": ("Amazon API Gateway", "Apigee"),
    "App Service": ("Elastic Beanstalk", "App Engine"),
    "Azure Cosmos DB": ("DynamoDB", "Firestore", "Bigtable"),
    "Azure DNS": ("Route 53", "Route53"),
    "Azure Files": ("Amazon EFS", "Filestore"),
    "Azure Functions": ("AWS Lambda", "Lambda", "Google Cloud Functions"),
    "Azure Kubernetes Service": ("EKS", "GKE"),
    "Azure Machine Learning": ("SageMaker",),
    "Azure Managed Redis": ("ElastiCache", "Memorystore"),
    "Azure Monitor": ("CloudWatch",),
    "Azure NetApp Files": ("Amazon FSx",),
    "Azure SQL Database": ("Amazon RDS", "RDS", "Cloud SQL"),
    "Blob Storage": ("S3", "GCS"),
    "Container Apps": ("Fargate", "Cloud Run", "App Runner"),
    "Container Registry": ("ECR",),
    "Data Factory": ("AWS Glue",),
    "Database for PostgreSQL": ("Aurora", "AlloyDB"),
    "Event Grid": ("EventBridge", "Amazon SNS"),
    "Event Hubs": ("Kinesis",),
    "ExpressRoute": ("Direct Connect", "Cloud Interconnect"),
    "Front Door CDN": ("CloudFront",),
    "Key Vault": ("AWS KMS", "Secrets Manager"),
    "Logic Apps": ("Step Functions",),
    "Managed Disks": ("EBS",),
    "Microsoft Defender for Cloud": ("GuardDuty",),
    "Microsoft Entra ID": ("AWS IAM", "Cognito"),
    "Microsoft Foundry": ("Bedrock", "Vertex AI"),
    "Resource Manager Bicep": ("CloudFormation",),
    "Service Bus": ("SQS", "Pub/Sub"),
    "Synapse Analytics": ("Redshift", "BigQuery"),
    "Virtual Machines": ("EC2", "Compute Engine"),
    "Virtual Network": ("VPC",),
    "Virtual WAN": ("Transit Gateway",),
}


def counterparts(words: Sequence[str]) -> Iterator[str]:
    """Find places and services in a query, and yield the names that updates use for them, without duplicates. Words and
    names are stems.
    """
    known = _table()
    longest = max(map(len, known))
    named = (
        known.get(tuple(words[start:end]))
        for start in range(len(words))
        for end in range(start + 1, min(len(words), start + longest) + 1)
    )
    yield from dict.fromkeys(filter(None, named))


@cache
def _table() -> dict[tuple[str, ...], str]:
    called = {name: (*others, name.replace(" ", "")) for name, others in REGIONS.items()} | OTHER_CLOUDS
    return {tuple(spellings(other)): name for name, others in called.items() for other in others}
