"""How people ask for releases, packages, connections and variables."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_release_definitions": (
        "release definitions, release pipelines, classic release pipelines, which classic release pipelines do we "
        "have, list the release definitions, what release pipelines exist, quelles definitions de release, pipelines "
        "de release, welche release definitionen gibt es, definiciones de release, id of the release definition, "
        "which release definitions deploy the shop, all release definitions"
    ),
    "get_release_definition": (
        "release definition details, stages of the release pipeline, release pipeline setup, what stages does release"
        " definition 0 go through, how is the release pipeline set up, details of release definition 0, who has to "
        "approve in the release pipeline, through which environments does a release go, quelles etapes dans la "
        "definition de release 0, release definition 0 zeigen, configuration of the release pipeline, variables of "
        "the release definition, how does the release pipeline work, environments of the release definition"
    ),
    "list_releases": (
        "releases, last releases, what was released, release history, what did we ship, what went to production, "
        "recent deployments, when did we last deploy, when was last release, what is in production, deployed "
        "versions, which release is live, what shipped, what did we ship last week, when was the last release, what"
        " is live right now, which version is in production, latest releases, what went out today, what has been "
        "deployed, did we release yesterday, releases of this month, which releases are running, qu avons nous "
        "livre, derniere mise en production, quelles releases cette semaine, quelle version est en production, was "
        "haben wir letzte woche ausgeliefert, letzte releases, ultimas entregas, que hay en produccion, show failed"
        " releases, how often do we release, when did we last go live, which release is on staging, anything "
        "deployed last night, when did we last push something to customers, what went out the door, qu est ce qui "
        "est parti en production hier, latest release on production, what did we put live this month, how many "
        "releases this month, which versions are deployed where, when did version 0 go live, releases of the shop, "
        "whats running in production, was anything released today, qu est ce qui est parti en prod, what has gone "
        "to production, what got deployed, what went out this week, what did we ship, what is live, what is running"
        " in prod"
    ),
    "get_release": (
        "release details, status of release, what is in release, how far is release, where is release deployed, "
        "pending approvals of release, is release out, where has release 0 got to, status of release 0, what is in "
        "release 0, how far is release 0, is release 0 in production, on which environments is release 0, what does "
        "release 0 wait for, which build is in release 0, who created release 0, ou en est la release 0, que contient"
        " la release 0, la release 0 est elle en production, wie weit ist release 0, estado de la release 0, show "
        "release 0, did release 0 go out, details of release 0, which build is release 0 made of, has release 0 "
        "reached production, is release 0 done, whats holding release 0, release 0 overview, which stages did release"
        " 0 pass, where is release 0"
    ),
    "create_release": (
        "create release, new release from build, cut a release, make a release, release build, ship a new version, "
        "cut a release from build 0, make a new release, create a release of definition 0, prepare release 0 0, new "
        "version please release it, start a release for build 0, cree une release, nouvelle release a partir du build"
        " 0, prepare une livraison, erstelle ein release, crear una release, draft a release, package build 0 as a "
        "release, spin up a release, bundle build 0 into a release, get a release ready from build 0, make release 0 "
        "0 out of the last build, start a new release, faire une release du build 0, kick off a new release"
    ),
    "deploy_release": (
        "deploy release to production, deploy to staging, push release to environment, promote release to "
        "production, ship to prod, roll out release, deploy version to test, start deployment to environment, go "
        "live, redeploy release, put release on environment, rollback to release, deploy release 0 to production, "
        "ship it, put release 0 on staging, push release 0 to prod, promote release 0 to uat, roll release 0 out, "
        "go live with release 0, roll back to release 0, deploy the previous release again, bring version 0 to "
        "production, install release 0 on test, deploie la release 0 en recette, mets la release 0 en production, "
        "livre la version en prod, passe la release 0 en preprod, revenir a la release precedente, deploye release "
        "0 nach produktion, desplegar la release en produccion, start the deployment to staging, release 0 should "
        "go to qa, send release 0 to production, rollback production, redeploy release 0, undo the deployment go "
        "back to the last version, get release 0 onto the acceptance environment, go back to release 0 in "
        "production, install the last release on uat, bring release 0 to customers, let us go live with 0, move "
        "release 0 to the next environment, get 0 to production, start the prod stage of release 0, take release 0 "
        "live, mets la 0 en prod, envoie la release 0 en recette, reviens a la version precedente en prod, put the "
        "old version back, push 0 out to staging, publish release 0 on prod, get release 0 onto production, put 0 "
        "on production, 0 to production please, roll back production to 0, bring release 0 to the test environment,"
        " get release 0 onto staging, go back to release 0, we need release 0 in production, roll back to release "
        "0, release 0 should be on staging"
    ),
    "get_release_environment": (
        "environment of release, deployment to staging status, did the deployment to production work, status of "
        "deployment in environment, who approved deployment, did deploy succeed, is it deployed to, did the rollout"
        " to production work out, is the deployment to staging done, status of environment production of release 0,"
        " did release 0 make it to production, when was staging deployed, how is the deployment to uat going, who "
        "approved the deployment to production, le deploiement en production a t il reussi, ou en est le "
        "deploiement en recette, etat de l environnement, ist das deployment in produktion durch, estado del "
        "despliegue, has the deployment finished, is the deployment still running, did prod deployment go through, "
        "did it go live, is the acceptance deployment of release 0 finished, is staging up to date with release 0, "
        "how did the deployment go, who deployed to production last, did staging get release 0, when was production"
        " last deployed, deployment state of uat, what runs in prod, what is deployed on staging, which version is "
        "live, is it out yet on prod"
    ),
    "list_release_approvals": (
        "approvals waiting, pending approvals, releases waiting for approval, deployments waiting for me to approve, "
        "who approved the release, what do i have to approve, gates waiting for me, sign offs needed, what is waiting"
        " for my approval, which deployments are stuck on a sign off, who has to approve the release, who approved "
        "release 0, do i have to sign off anything, approvals in the queue, which releases wait for a go, is anybody "
        "waiting for my ok, quelles approbations sont en attente, qu est ce qui attend mon accord, qui a approuve la "
        "mise en production, quelles livraisons attendent ma validation, welche freigaben stehen aus, que "
        "aprobaciones estan pendientes, deployments waiting for me, who gave the go for production, approvals of "
        "release 0, what am i holding up, who still has to say yes to release 0, what do i need to sign, is release 0"
        " waiting on somebody, which gates are open, who is blocking the release, do you need my ok for something, "
        "qui doit encore valider la release 0, approvals history of release 0, deployments that wait for a go ahead, "
        "outstanding approvals, is anyone waiting on my sign off, does anything wait for my approval, which sign offs"
        " are missing, am i blocking a release"
    ),
    "approve_release": (
        "approve deployment, approve release to production, reject deployment, sign off release, give go for "
        "production, green light for deployment, approve gate, refuse deployment, thumbs up for release, let the "
        "deployment through, reject release, approve rollout, go ahead with the production deployment i approve, "
        "approve the release, let release 0 go to production, give my ok for the deployment, release 0 may go live, "
        "decline the deployment, do not let release 0 into production reject it, stop the release at the gate, sign "
        "off the deployment, approve the prod stage, approuve la mise en production, valide le deploiement, refuse la"
        " mise en production, donne le feu vert pour la prod, rejette la livraison, genehmige das release, freigabe "
        "erteilen, aprobar el despliegue, deny the approval, greenlight the rollout, ok for prod from my side, "
        "approve the waiting deployment, release the gate, the deployment has my blessing, let release 0 into "
        "production fine by me, say yes to the deployment, give release 0 the nod, i sign off on release 0, wave the "
        "deployment through, no go for release 0, turn down the deployment, ok pour la mise en prod, je valide la "
        "release 0, je refuse la mise en prod, confirm the deployment, unblock the release i approve, let it go to "
        "prod, do not let release 0 go live reject it"
    ),
    "get_release_logs": (
        "logs of deployment, why did deployment fail, release log, output of deploy to environment, deployment "
        "failed, what went wrong in deployment, release error, deploy fell over, rollout failed, deployment broke, "
        "deployment to test died what does the log say, why did the deployment fail, logs of the deployment to "
        "production, what went wrong with the rollout, output of the deploy task, the release failed show the log, "
        "error in the deployment, pourquoi le deploiement a echoue, logs du deploiement, la mise en prod a plante, "
        "log von deployment, warum ist das deployment fehlgeschlagen, por que fallo el despliegue, release 0 failed"
        " on staging why, what did the deployment print, deployment error, staging deployment is red, release 0 "
        "blew up on acceptance what does the log tell us, deployment to uat broke what happened, why is the prod "
        "deployment red, how come the deployment failed, error of the release on staging, la livraison a echoue "
        "pourquoi, what stopped the rollout, la mise en prod a plante montre moi les logs, logs of the failed "
        "deployment, show the log of the failed rollout, le deploiement de la 0 est en erreur, what did the rollout"
        " say"
    ),
    "list_feeds": (
        "feeds, package feeds, which feeds are there, artifact feeds, package registries, what package feeds do we "
        "own, where do we publish packages, list artifact feeds, quels flux de paquets avons nous, welche feeds gibt "
        "es, que feeds hay, which registries do we have, is there an npm feed, our nuget feed address, which feeds "
        "hold our packages, where do we host packages"
    ),
    "get_feed": (
        "feed details, show feed, about the feed, details of feed core, about feed core, what upstream sources does "
        "the feed have, details du flux, show feed core, settings of the feed, is the feed public, tell me about feed"
        " core, feed settings"
    ),
    "list_packages": (
        "packages in feed, npm packages, nuget packages, which packages do we publish, python packages in feed, maven"
        " packages, internal libraries, which nuget packages are in feed core, what packages do we publish, list npm "
        "packages, our own libraries, internal packages, find package in the feed, quels paquets dans le flux, "
        "paquets nuget internes, liste des paquets, welche pakete sind im feed, que paquetes hay, what is in feed "
        "core, is there a package for logging, python packages we have, do we have an internal library for auth, show"
        " me the npm packages we host ourselves, what libraries do we publish internally, is acme in our feed, which "
        "python packages are ours, packages of team core"
    ),
    "get_package": (
        "package details, latest version of package, newest version of library, show package, what is the newest "
        "version of this package, details of package x, latest version of library, who published the package, "
        "derniere version du paquet, quelle est la version actuelle de la librairie, neueste version des pakets, "
        "ultima version del paquete, which version of the library is current, description of the package, about "
        "package x, dependencies of the package, whats the current version of acme, how recent is package acme, info "
        "on package acme"
    ),
    "get_package_versions": (
        "versions of package, which versions of package exist, all versions of nuget package, published versions of"
        " library, package version history, has version 0 0 been published, which versions of the package exist, "
        "all versions of library x, list versions of package, is there a 0 0 of this package, when was version 0 0 "
        "published, quelles versions du paquet existent, toutes les versions de la librairie, welche versionen gibt"
        " es von dem paket, versiones del paquete, was 0 0 0 ever released to the feed, older versions of the "
        "package, is there a prerelease of the library, which versions of acme are out there, did we publish 0 0 of"
        " acme, version list of acme, old versions of acme, when did acme 0 0 come out, has it ever been published "
        "in 0 0, was 0 0 ever published"
    ),
    "list_service_connections": (
        "service connections, which service connections, connections to azure subscription, service endpoints, what "
        "pipelines use to log in to azure, connections of the project, which azure subscription do our pipelines "
        "deploy to, how do our pipelines log in to azure, list service connections, which service connections "
        "expire, connections to docker registries, quelles connexions de service avons nous, connexions de service "
        "du projet, welche service connections gibt es, que conexiones de servicio hay, credentials that pipelines "
        "use, service principals of the pipelines, is there a connection to aws, connections to kubernetes, what do "
        "our pipelines authenticate to azure with, which credentials do pipelines have, connections from devops to "
        "azure, what can our pipelines reach, service endpoints of the project, service connections to our azure "
        "subscriptions, which service connections deploy to azure subscriptions"
    ),
    "get_service_connection": (
        "service connection details, show connection, is the service connection ready, service principal of "
        "connection, expired connection, which azure subscription does connection prod point to, details of service "
        "connection 0, who can use the connection, is service connection 0 valid, details de la connexion de service,"
        " show the connection prod, service connection is broken, does the service connection still work, what does "
        "connection prod use, is the prod connection still good, what is behind the connection prod, show service "
        "connection prod, which identity does the connection use"
    ),
    "list_variable_groups": (
        "variable groups, which variable groups, variables in group, libraries of variables, shared pipeline "
        "variables, what variable groups do we share between pipelines, which variable groups are there, where is "
        "the variable set for pipelines, shared settings of pipelines, quels groupes de variables, liste des "
        "groupes de variables, welche variablengruppen gibt es, grupos de variables, library of the pipelines, "
        "which group holds the api url, variable groups from key vault, pipeline secrets names, which variables are"
        " in the group, where do we keep shared settings of the pipelines, what variable libraries are there, "
        "groupes de variables du projet, which variable group has the url, where are the shared variables kept, "
        "where do the shared variables for prod live"
    ),
    "get_variable_group": (
        "variable group details, variables in the group, what is the value of variable in group, show variable group,"
        " settings in the variable group, what is in variable group prod, values of variable group prod, show "
        "variable group 0, which variables does group prod have, is there a variable url in group prod, contenu du "
        "groupe de variables, valeurs du groupe prod, variablengruppe prod zeigen, variables del grupo, what is api "
        "url set to in group prod, settings of group prod, what is the value of url in the variable group, look into "
        "variable group shop test, what does the group prod set, montre le groupe de variables prod"
    ),
}
