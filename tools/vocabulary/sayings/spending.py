"""How people ask what Azure costs, what Advisor says, what still fits, and what breaks a policy."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "show_costs": (
        "what does azure cost, what did our subscription cost last month, what did we spend on azure this month, "
        "azure bill, costs by service, costs per resource group, cost of this resource, what does the shop cost a "
        "day, which resource costs most, most expensive resources, spending by tag, costs per team, cost center "
        "report, daily costs of the last week, how much do we pay for storage, amortized costs of reservations, cost "
        "analysis, combien coute azure, couts par service, was kostet azure, what did production cost, cost per "
        "region, show me the invoice of azure by meter, how much money does the aks cluster burn, what did the "
        "resource group cost us last month, what did rg 0 cost last month, how much did we spend in azure, combien "
        "coute notre abonnement azure, was kostet azure im monat, cuanto cuesta azure este mes, cuanto gastamos en "
        "azure, was hat uns die produktion gekostet, combien avons nous depense dans azure, which service costs most,"
        " which service eats most money, where does our money go in azure"
    ),
    "compare_costs": (
        "what got dearer, why is the azure bill higher than before, which costs went up, compare costs of two months,"
        " cost anomaly, what made the costs rise, since when does it cost more, cost spike, new costs appeared, what "
        "got cheaper, difference in spending between two months, why did our spending jump, qu est ce qui coute plus "
        "cher, pourquoi la facture azure augmente, was ist teurer geworden, what is behind the increase of the azure "
        "costs, what became more expensive, what became more expensive since the first, what is more expensive than "
        "last month"
    ),
    "forecast_costs": (
        "cost forecast, what will azure cost this month, how much will we have spent by the end of the month, "
        "expected azure bill, projected costs, predict our azure spending, prevision des couts azure, will the costs "
        "stay as they are, forecast of the spending until december"
    ),
    "list_budgets": (
        "budgets, how far is the budget, is a budget exceeded, are we over budget, which budgets do we have in "
        "azure, budget alerts, who is told when the budget is used up, how much of the budget is left, budget "
        "thresholds, avons nous depasse le budget, wie viel budget ist noch uebrig, az consumption budget list"
    ),
    "list_advisor_recommendations": (
        "advisor recommendations, what does azure advisor say, recommendations of advisor, how can we save money on "
        "azure, cost savings in azure, security recommendations, reliability recommendations for the shop, what "
        "should we improve in azure, best practices we miss, high impact recommendations, recommandations d azure "
        "advisor, az advisor recommendation list, right size our machines, what does advisor recommend"
    ),
    "list_retiring_resources": (
        "which of our resources does a retirement touch, resources affected by a retirement, tracking id of a "
        "retirement, which resources do we have to migrate before they are retired"
    ),
    "show_advisor_score": (
        "advisor score, what is our score in azure advisor, how good is our subscription by advisor, security score "
        "of advisor, did the advisor score rise, well architected score of the subscription, score par categorie"
    ),
    "list_quotas": (
        "quotas, limits of the azure subscription, which quota is nearly full, vcpu quota in west europe, usage and "
        "limits by region, storage account limit, quota usage, regional limits, az vm list usage, quotas de la "
        "region, are we near a limit, compare the quota of two regions, service limits of the subscription"
    ),
    "check_quota": (
        "do 0 cores fit, is there quota for 0 machines of this size, can we deploy 0 vms of this size in west europe,"
        " would an aks node pool of 0 nodes fit, enough quota for a gpu machine, in which region do 0 cores of the of"
        " a family fit, check quota before deploying, is this vm size available to us in the region, have we quota "
        "left for spot machines, y a t il assez de quota, is the size offered in sweden, quota for 0 cores, can i "
        "still deploy 0 machines of this size, can i deploy four vms of this size, can i still deploy four of them in"
        " westeurope"
    ),
    "list_policy_violations": (
        "what is not compliant, policy compliance, which resources violate a policy, why is this resource non "
        "compliant, compliance state of the subscription, policy violations by group, azure policy compliance "
        "report, which policies are broken most, why does the policy complain about the function app, non "
        "compliant resources, conformite aux strategies, az policy state list, quelles ressources ne sont pas "
        "conformes"
    ),
    "list_policy_assignments": (
        "which policies apply here, policy assignments, what policies hold for this resource group, policies of the "
        "subscription, effect of a policy, is there a policy that denies public ip addresses, which initiative is "
        "assigned, parameters of the policy, az policy assignment list, quelles strategies s appliquent, policies "
        "that the management group sets"
    ),
    "list_policy_exemptions": (
        "policy exemptions, what is exempt from the policy, which exemptions expire, waivers of azure policy, who "
        "has an exemption from policies, exemptions de strategie, has the exemption expired, az policy exemption "
        "list"
    ),
}
